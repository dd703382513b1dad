package record

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The layout is read here by hand, from the table above HeaderSize.
func TestHeaderFieldsLieWhereTheTableSays(t *testing.T) {
	h := aboutApproval
	h.Command = ulidCommand
	value, err := Encode(h, &Recovered{Pending: 7}, seedChain)
	if err != nil {
		t.Fatal(err)
	}
	command, _ := ulidCommand.Bits()
	for _, c := range []struct {
		field     string
		got, want any
	}{
		{"0 version", value[0], byte(1)},
		{"1 kind", value[1], byte(8)},
		{"2 flags", binary.BigEndian.Uint16(value[2:4]), uint16(1)},
		{"8 at", int64(binary.BigEndian.Uint64(value[8:16])), int64(1767323045678)},
		{"16 session", [16]byte(value[16:32]), [16]byte(seedSession)},
		{"32 approval", [16]byte(value[32:48]), [16]byte(seedApproval)},
		{"48 command", [16]byte(value[48:64]), command},
		{"64 prev", binary.BigEndian.Uint64(value[64:72]), uint64(0x0102030405060708)},
		{"72 chain", Chain(value[72:88]), seedChain},
		{"88 body", string(value[88:]), `{"pending":7}`},
	} {
		t.Run(c.field, func(t *testing.T) {
			if c.got != c.want {
				t.Errorf("%v, want %v", c.got, c.want)
			}
		})
	}
	t.Run("4 crc", func(t *testing.T) {
		rest := append(append([]byte{}, value[:4]...), value[8:]...)
		want := crc32.Checksum(rest, crc32.MakeTable(crc32.Castagnoli))
		if got := binary.BigEndian.Uint32(value[4:8]); got != want {
			t.Errorf("%08x, want %08x", got, want)
		}
	})
}

func TestDecodeHeaderReadsWhatEncodeWrote(t *testing.T) {
	for _, s := range samples {
		t.Run(s.body.Kind().String()+" "+s.name, func(t *testing.T) {
			got, err := DecodeHeader(s.encoded(t))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(s.record().Header, got, cmp.Comparer(sameCommand)); diff != "" {
				t.Errorf("header (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeHeaderNeedsNoBody(t *testing.T) {
	value := samples[0].encoded(t)
	got, err := DecodeHeader(value[:HeaderSize])
	if err != nil || got.Session != seedSession {
		t.Errorf("DecodeHeader = %+v, %v", got, err)
	}
}

func TestAValueShorterThanAHeaderIsNoRecord(t *testing.T) {
	value := samples[0].encoded(t)
	for n := range HeaderSize {
		if _, err := DecodeHeader(value[:n]); !errors.Is(err, ErrShort) {
			t.Errorf("DecodeHeader of %d bytes: %v", n, err)
		}
		if _, err := Decode(1, value[:n]); !errors.Is(err, ErrShort) {
			t.Errorf("Decode of %d bytes: %v", n, err)
		}
		if got := Prev(value[:n]); got != 0 {
			t.Errorf("Prev of %d bytes: %d", n, got)
		}
	}
}

func TestPrevIsTheStepOfAWalk(t *testing.T) {
	for _, s := range samples {
		if got := Prev(s.encoded(t)); got != s.header.Prev {
			t.Errorf("Prev = %d, want %d", got, s.header.Prev)
		}
	}
}

func TestATimeIsKeptToTheMillisecondInUTC(t *testing.T) {
	for name, when := range map[string]time.Time{
		"another zone":        at.In(time.FixedZone("", 3600)),
		"below a millisecond": at.Add(999 * time.Microsecond),
		"before 1970":         time.Date(1969, 12, 31, 23, 59, 59, 1e6, time.UTC),
	} {
		t.Run(name, func(t *testing.T) {
			value, err := Encode(Header{At: when}, &Recovered{}, Chain{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := DecodeHeader(value)
			if err != nil {
				t.Fatal(err)
			}
			if want := when.UTC().Truncate(time.Millisecond); got.At != want {
				t.Errorf("At = %v, want %v", got.At, want)
			}
		})
	}
}
