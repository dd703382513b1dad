package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.etcd.io/bbolt"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
)

// writeLog writes a log of 40 records about one session: it begins, and its mode
// is set again and again.
func writeLog(t *testing.T, path string) {
	t.Helper()
	l, err := log.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var chain record.Chain
	var group [][]byte // of one commit, so that bbolt puts its pages into an order
	for i := range uint64(40) {
		h := record.Header{At: time.UnixMilli(1_767_000_000_000).UTC(), Session: approval.ID{6: 0x70, 8: 0x80, 15: 1}, Prev: i}
		var body record.Body = &record.ModeSet{Mode: "denyUnmatched", Source: strings.Repeat("x", 400)}
		if i == 0 {
			body = &record.SessionStarted{Mode: "promptUnmatched", Unattended: "park"}
		}
		v, err := record.Encode(h, body, chain)
		if err != nil {
			t.Fatal(err)
		}
		chain = record.ChainOf(v)
		group = append(group, v)
	}
	if _, err := l.Append(group); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func key(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

// edit changes a file by way of bbolt.
func edit(t *testing.T, path string, fn func(tx *bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(fn); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// edited is damage to the bucket of records.
func edited(fn func(b *bbolt.Bucket) error) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		t.Helper()
		edit(t, path, func(tx *bbolt.Tx) error { return fn(tx.Bucket([]byte("log"))) })
	}
}

// values is damage to records; that with sequence n is v[n-1].
func values(fn func(v [][]byte)) func(*testing.T, string) {
	return edited(func(b *bbolt.Bucket) error {
		var v [][]byte
		if err := b.ForEach(func(_, value []byte) error {
			v = append(v, bytes.Clone(value))
			return nil
		}); err != nil {
			return err
		}
		fn(v)
		for i, value := range v {
			if err := b.Put(key(uint64(i)+1), value); err != nil {
				return err
			}
		}
		return nil
	})
}

// reseal changes a record and gives it the checksum of what it has become.
func reseal(value []byte, change func([]byte)) {
	change(value)
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Update(0, table, value[:4]), table, value[8:])
	binary.BigEndian.PutUint32(value[4:], sum)
}

// element is damage to what a page says of a record: 4 bytes of flags, then the
// position of its key, the key's length and its own.
func element(seq uint64, change func(e []byte)) func(*testing.T, string) {
	return inPages(seq, func(page []byte, at int) { change(page[at : at+16]) })
}

// emptied is damage to the page that has a record.
func emptied(seq uint64) func(*testing.T, string) {
	return inPages(seq, func(page []byte, _ int) { clear(page) })
}

// inPages is damage to the page that has a record, and to its copies in free pages.
func inPages(seq uint64, change func(page []byte, at int)) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		t.Helper()
		file := read(t, path)
		changed := 0
		for begin := 0; begin+4096 <= len(file); begin += 4096 {
			page := file[begin : begin+4096]
			count := int(binary.NativeEndian.Uint16(page[10:]))
			for at := 16; at < 16+16*min(count, 255); at += 16 {
				k := at + int(binary.NativeEndian.Uint32(page[at+4:]))
				if binary.NativeEndian.Uint16(page[8:]) == 2 && k+8 <= len(page) && bytes.Equal(page[k:k+8], key(seq)) {
					change(page, at)
					changed++
					break
				}
			}
		}
		if changed == 0 {
			t.Fatalf("no page has record %d", seq)
		}
		replace(t, path, file)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func replace(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func cut(t *testing.T, path string, size int64) {
	t.Helper()
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// alter FILE OLD NEW replaces a text in a file by another of the same length,
// wherever it is.
func alterFile(ts *testscript.TestScript, _ bool, args []string) {
	before := []byte(ts.ReadFile(args[0]))
	after := bytes.ReplaceAll(before, []byte(args[1]), []byte(args[2]))
	if len(args[1]) != len(args[2]) || bytes.Equal(before, after) {
		ts.Fatalf("%s has no %q, or %q is not as long", args[0], args[1], args[2])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), after, 0o600))
}
