package audit_test

import (
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
)

// writtenLog is the path of a log of n records, in which four sessions take
// turns: each begins, and then its mode is set again and again. Values are what
// was written.
func writtenLog(t testing.TB, n int) (path string, values [][]byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "sessions.db")
	values = records(t, n)
	write(t, path, values)
	return path, values
}

func records(t testing.TB, n int) (values [][]byte) {
	t.Helper()
	const sessions = 4
	var chain record.Chain
	for i := range n {
		h := record.Header{At: time.UnixMilli(1_767_000_000_000 + int64(i)).UTC()}
		binary.BigEndian.PutUint64(h.Session[8:], uint64(i%sessions)+1)
		var body record.Body = &record.ModeSet{Mode: "allowAll", Source: strings.Repeat("x", i%700)}
		if i < sessions {
			body = &record.SessionStarted{Mode: "promptUnmatched", Unattended: "park"}
		} else {
			h.Prev = uint64(i - sessions + 1)
		}
		v, err := record.Encode(h, body, chain)
		if err != nil {
			t.Fatal(err)
		}
		chain = record.ChainOf(v)
		values = append(values, v)
	}
	return values
}

// write writes a log in many commits, as a daemon does.
func write(t testing.TB, path string, values [][]byte) {
	t.Helper()
	writeGroups(t, path, values, 37)
}

func writeGroups(t testing.TB, path string, values [][]byte, group int) {
	t.Helper()
	l, err := log.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for len(values) > 0 {
		n := min(group, len(values))
		if _, err := l.Append(values[:n]); err != nil {
			t.Fatal(err)
		}
		values = values[n:]
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
