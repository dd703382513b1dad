package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/approvald/approvald/internal/record"
)

// damages are what disks, copies and people do to the log of damage_log_test.go, and
// what verify, serve and salvage make of it.
var damages = []struct {
	name   string
	damage func(t *testing.T, path string)
	verify string // what it says; "": the log holds
	serve  string // what it says; "": it serves
	kept   int    // how many records salvage keeps
	lost   string // what it says about the others; where none is kept, why
	code   int    // of verify
}{
	{"a log that is whole is served, and salvage loses nothing", func(*testing.T, string) {}, "", "", 40, "lost: nothing, the log holds", exitOK},
	{
		"a bit of a header is not as it was written", values(func(v [][]byte) { v[4][20] ^= 1 }),
		"record 5 (modeSet): record does not match its checksum", "record 5 (modeSet): record does not match its checksum",
		4, "lost: records 5 to 40, the last that can be seen", exitDamaged,
	},
	{
		"a bit of the kind is not as it was written", values(func(v [][]byte) { v[4][1] ^= 0x40 }),
		"record 5 (kind 66): record does not match its checksum", "record 5 (kind 66): record does not match its checksum",
		4, "lost: records 5 to 40", exitDamaged,
	},
	{
		"a bit of a body is not as it was written", values(func(v [][]byte) { v[39][record.HeaderSize+9] ^= 0x20 }),
		"record 40 (modeSet): record does not match its checksum", "record 40 (modeSet): record does not match",
		39, "lost: record 40, the last that can be seen", exitDamaged,
	},
	{
		"a bit of a length is not as it was written", element(7, func(e []byte) { e[12] ^= 8 }),
		"record 7 (modeSet): record does not match its checksum", "record 7 (modeSet): record does not match its checksum",
		6, "lost: records 7 to 40", exitDamaged,
	},
	{
		"a length is longer than the file", element(7, func(e []byte) { e[15] = 0xff }),
		"at sequence 7: page ", "reading a page failed",
		6, "lost: records 7 to 40", exitDamaged,
	},
	{
		"a record is shorter than a header", values(func(v [][]byte) { v[9] = v[9][:50] }),
		"record 10: record is shorter than its header: 50 bytes of 88", "record 10: record is shorter",
		9, "lost: records 10 to 40", exitDamaged,
	},
	{
		"two records have changed places", values(func(v [][]byte) { v[10], v[11] = v[11], v[10] }),
		"record 11 (modeSet) does not follow the record before it", "record 11 (modeSet) names 11 as the record before it in its session, which is 10",
		10, "lost: records 11 to 40", exitDamaged,
	},
	{
		"a record was rewritten together with its checksum, which only hashing the log shows", values(func(v [][]byte) { reseal(v[19], func(b []byte) { b[8] ^= 1 }) }),
		"record 21 (modeSet) does not follow the record before it", "",
		20, "lost: records 21 to 40", exitDamaged,
	},
	{
		"a record is missing", edited(func(b *bbolt.Bucket) error { return b.Delete(key(13)) }),
		"at sequence 13: there is no such value", "at sequence 13: there is no such value",
		12, "lost: records 13 to 40", exitDamaged,
	},
	{
		"a record was taken out and the others moved up", values(func(v [][]byte) { copy(v[12:], v[13:]) }),
		"record 13 (modeSet) does not follow the record before it", "record 13 (modeSet) names 13 as the record before it in its session, which is 12",
		12, "lost: records 13 to 40", exitDamaged,
	},
	{
		"the first record is missing", edited(func(b *bbolt.Bucket) error { return b.Delete(key(1)) }),
		"at sequence 1: there is no such value", "at sequence 1: there is no such value",
		0, "not one record of the log holds", exitDamaged,
	},
	{
		"a record is of a version that is newer", values(func(v [][]byte) { reseal(v[39], func(b []byte) { b[0] = 9 }) }),
		"record 40 (modeSet): record was written by a newer version: version 9, this one knows 1; run a newer approvald", "run a newer approvald",
		0, "run a newer approvald", exitFailure,
	},
	{
		"a record is of a kind that is not known", values(func(v [][]byte) { reseal(v[39], func(b []byte) { b[1] = 99 }) }),
		"record 40: record is of a kind that this version does not know: kind 99; run the version of approvald that wrote it", "kind 99; run the version of approvald that wrote it",
		0, "run the version of approvald that wrote it", exitFailure,
	},
	{
		"a body is not what its kind has", values(func(v [][]byte) { reseal(v[39], func(b []byte) { b[record.HeaderSize] = '[' }) }),
		"record 40 (modeSet): decode its body", "record 40 (modeSet): decode its body",
		39, "lost: record 40, the last", exitDamaged,
	},
	{
		"a record names another as the one before it in its session", values(func(v [][]byte) { reseal(v[39], func(b []byte) { b[71] ^= 1 }) }),
		"record 40 (modeSet) names 38 as the record before it in its session, which is 39", "names 38 as the record before it",
		39, "lost: record 40, the last", exitDamaged,
	},
	{
		"a page was never written, on a disk that lied about a sync", emptied(20),
		"at sequence 20: page ", "says that it is another",
		19, "lost: records 20 to 40", exitDamaged,
	},
	{
		"the file is cut short", func(t *testing.T, path string) { cut(t, path, 24_000) },
		"at sequence 1: the file has 24000 bytes of ", "the file has 24000 bytes of ",
		13, "lost: whatever came after record 13; how much that is cannot be told", exitDamaged,
	},
	{
		"the file is of some other program", func(t *testing.T, path string) {
			remove(t, path)
			edit(t, path, func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("theirs")); return err })
		},
		"it is a bbolt file of some other program", "it is a bbolt file of some other program",
		0, "it is a bbolt file of some other program", exitDamaged,
	},
	{
		"the file is empty, and a first start would have gone on from there", func(t *testing.T, path string) { cut(t, path, 0) },
		"it is empty, as after a first start that was cut short", "",
		0, "it is empty", exitDamaged,
	},
	{
		"the file is a text", func(t *testing.T, path string) { replace(t, path, bytes.Repeat([]byte("text\n"), 10_000)) },
		"it does not begin as a bbolt file", "it does not begin as a bbolt file",
		0, "it does not begin as a bbolt file", exitDamaged,
	},
}

func TestDamage(t *testing.T) {
	for _, c := range damages {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			path := filepath.Join(p.state, "sessions.db")
			writeLog(t, path)
			c.damage(t, path)
			before := read(t, path)

			out, code := p.says(t, "verify")
			switch said := c.verify; {
			case code != c.code || !strings.Contains(out, said):
				t.Errorf("verify exits %d and says\n%swant %d and %q", code, out, c.code, said)
			case said == "" && !strings.Contains(out, "holds: 40 records"):
				t.Errorf("verify says\n%swant that 40 records hold", out)
			}

			target := filepath.Join(t.TempDir(), "new")
			out, code = p.says(t, "salvage", "--to", target)
			if code == exitOK != (c.kept > 0) || !strings.Contains(out, c.lost) {
				t.Errorf("salvage exits %d and says\n%swant %d records kept, and %q", code, out, c.kept, c.lost)
			}
			if !bytes.Equal(before, read(t, path)) {
				t.Error("verify or salvage changed the damaged log")
			}
			p.serves(t, c.serve)
			if c.kept == 0 {
				if _, err := os.Stat(filepath.Join(target, "sessions.db")); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("salvage left a log with nothing in it: %v", err)
				}
				return
			}
			salvaged := place{target, p.runtime}
			if out, code := salvaged.says(t, "verify"); code != exitOK || !strings.Contains(out, "holds: "+countOf(uint64(c.kept))+"\n") {
				t.Errorf("verify of what was salvaged exits %d and says\n%swant %d records", code, out, c.kept)
			}
			salvaged.serves(t, "")
		})
	}
}

// says runs approvald to its end and returns what it said on both streams.
func (p place) says(t *testing.T, args ...string) (said string, code int) {
	t.Helper()
	out, err := p.command(t, args...).CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(out), exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return string(out), exitOK
}

// serves wants a daemon to serve, or to refuse with one line that has a text and,
// of a damaged log, the way out.
func (p place) serves(t *testing.T, refusal string) {
	t.Helper()
	if refusal == "" {
		kill(t, p.serve(t))
		return
	}
	out, code := p.says(t, "serve")
	want := exitDamaged
	if strings.Contains(refusal, "run ") { // another version
		want = exitFailure
	}
	if code != want || !strings.Contains(out, refusal) || strings.Count(out, "\n") != 1 {
		t.Errorf("serve exits %d and says\n%swant %d and one line with %q", code, out, want, refusal)
	}
	hinted := strings.Contains(out, "approvald salvage --to DIR")
	if isLog := !strings.Contains(out, "begin as") && !strings.Contains(out, "some other"); want == exitDamaged && hinted != isLog {
		t.Errorf("serve says\n%swant the way out where there is one", out)
	}
}
