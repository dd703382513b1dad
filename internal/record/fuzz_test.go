package record

import (
	"bytes"
	"testing"
)

// A log that was damaged, or written by someone else, is read without a panic.
// What is read can be written; after that, reading and writing change nothing.
func FuzzDecode(f *testing.F) {
	for _, s := range samples {
		f.Add(s.encoded(f), false)
		f.Add(s.encoded(f), true)
	}
	f.Add([]byte{}, false)
	f.Add(make([]byte, HeaderSize), true)
	f.Fuzz(func(t *testing.T, value []byte, sign bool) {
		value = bytes.Clone(value)
		if sign && len(value) >= HeaderSize {
			signed(value) // beyond the checksum
		}
		r, err := Decode(1, value)
		if err != nil {
			return
		}
		_ = r.Intake()
		once := written(t, r)
		if r, err = Decode(1, once); err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if twice := written(t, r); !bytes.Equal(once, twice) {
			t.Fatalf("written %q, then %q", once, twice)
		}
	})
}

func written(t *testing.T, r Record) []byte {
	t.Helper()
	value, err := Encode(r.Header, r.Body, r.Chain)
	if err != nil {
		t.Fatalf("%+v was read and cannot be written: %v", r, err)
	}
	return value
}
