package audit_test

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
)

// Whatever is wrong with a log, verify says what is said by who checks one
// record before reading the next.
func TestThePipelineSaysWhatOneAfterAnotherSays(t *testing.T) {
	path, _ := writtenLog(t, 1200) // more than one batch
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole = whole[:used(t, path)]
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	rapid.Check(t, func(t *rapid.T) {
		spoil(t, whole, damaged)
		r, err := log.OpenReader(damaged)
		if err != nil {
			return // refused
		}
		defer r.Close()
		var c recovery.Checker
		count := uint64(0)
		want := r.Scan(func(seq uint64, value []byte) error {
			_, err := c.Next(seq, value)
			if err == nil {
				count = seq
			}
			return err
		})
		if want == nil {
			want = r.CheckStructure()
		}
		for _, bodies := range []bool{true, false} {
			report, err := audit.Verify(r, audit.Options{Bodies: bodies})
			if said(err) != said(want) || report.Records != count || report.Head != c.Chain() {
				t.Fatalf("bodies %v: %d records up to %x: %v\nwant %d up to %x: %v", bodies, report.Records, report.Head, err, count, c.Chain(), want)
			}
		}
	})
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A body that its writer made wrong is whole by its checksum and in its place by
// its links: what is no object is seen at once, the rest where bodies are asked
// for.
func TestABodyThatCannotBeDecodedIsFoundWhereBodiesAreRead(t *testing.T) {
	for body, seenAtOnce := range map[string]bool{
		`{"mode":7}`:   false,
		`{"mode":}`:    false,
		`["mode"]`:     true,
		`{"mode":"x"`:  true,
		`"mode"`:       true,
		``:             true,
		`{"mode":"x"}`: false,
	} {
		t.Run(body, func(t *testing.T) {
			values := records(t, 2000)
			h, err := record.DecodeHeader(values[1999])
			if err != nil {
				t.Fatal(err)
			}
			values[1999] = withBody(t, h, body)
			path := filepath.Join(t.TempDir(), "sessions.db")
			writeGroups(t, path, values, 1000)
			for _, bodies := range []bool{false, true} {
				report, err := verify(t, path, audit.Options{Bodies: bodies})
				refused, found := errors.AsType[*recovery.RecordError](err)
				sound := body == `{"mode":"x"}`
				if found != (seenAtOnce || bodies && !sound) || found && (refused.Seq != 2000 || report.Records != 1999) {
					t.Errorf("bodies %v: %v after %d records", bodies, err, report.Records)
				}
			}
		})
	}
}

// withBody is the record of a header and a body that Encode would not write.
func withBody(t *testing.T, h record.Header, body string) []byte {
	t.Helper()
	v, err := record.Encode(h, &record.ModeSet{}, h.Chain)
	if err != nil {
		t.Fatal(err)
	}
	v = append(v[:record.HeaderSize:record.HeaderSize], body...)
	table := crc32.MakeTable(crc32.Castagnoli)
	binary.BigEndian.PutUint32(v[4:], crc32.Update(crc32.Update(0, table, v[:4]), table, v[8:]))
	return v
}
