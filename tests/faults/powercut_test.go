package faults

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
)

const (
	pageSize    = 4096 // of bbolt, on the machines of tests
	sectorSize  = 512
	headerPages = 2
)

// TestWhatAPowerCutLeavesOfACommit takes the file before a commit and after it,
// and makes of the two every file that a power cut may leave: each page of the
// commit is as before, as after, or torn between the two. bbolt syncs the pages
// before it writes the header page, so that either the header page is as before
// and the other pages are anyhow, or they are as after and the header page is
// anyhow. A start must then serve exactly the records from before or from after,
// and what it writes on top must hold.
//
// A disk that lies about a sync leaves other files as well. Of such a file a start
// may lose the newest records, or refuse it as damaged; it must show no record
// that was not written.
func TestWhatAPowerCutLeavesOfACommit(t *testing.T) {
	for _, c := range commitsOf(t) {
		t.Run(c.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, uint64(len(c.before))))
			t.Run("in the pages, before the header page is written: the records are those from before", func(t *testing.T) {
				for range 120 {
					c.starts(t, c.torn(random, c.pages, nil), c.recordsBefore)
				}
			})
			t.Run("in the header page, at any byte: the records are those from before or those from after", func(t *testing.T) {
				after, seen := c.torn(nil, nil, c.pages), map[uint64]bool{}
				for cut := range 128 { // what counts of it is in its first 80 bytes
					file := slices.Clone(after)
					at := c.header * pageSize
					copy(file[at:at+cut], c.after[at:])
					seen[c.starts(t, file, c.recordsBefore, c.recordsAfter)] = true
				}
				if len(seen) != 2 {
					t.Errorf("%d states came about, want both", len(seen))
				}
			})
			t.Run("after it: the records are those from after", func(t *testing.T) {
				c.starts(t, c.after, c.recordsAfter)
			})
			t.Run("in pages that a lying disk had not written: no record is another one", func(t *testing.T) {
				for range 120 {
					c.survives(t, c.torn(random, c.pages, []int{c.header}))
				}
			})
		})
	}
}

// commitStates is a file before a commit and after it.
type commitStates struct {
	name                        string
	before, after               []byte
	pages                       []int // that the commit writes, without the header page
	header                      int   // the header page that it writes
	recordsBefore, recordsAfter uint64
	all                         [][]byte // the records from after
}

// commitsOf makes a log in commits of many kinds.
func commitsOf(t *testing.T) (states []commitStates) {
	t.Helper()
	path := filepath.Join(memory(t), "sessions.db")
	var chain record.Chain
	var all [][]byte
	before := []byte(nil)
	for i, group := range []struct {
		name          string
		records, size int
	}{
		{"of the first record", 1, 100},
		{"of one record more in the same page", 1, 100},
		{"of records over the edge of a page", 3, 900},
		{"of a record of several pages", 1, 20_000},
		{"of pages enough for a page above them", 200, 300},
		{"of one record among many", 1, 100},
		{"into pages that earlier commits freed", 40, 1000},
	} {
		l, err := log.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			before = image(t, path)
		}
		var values [][]byte
		for range group.records {
			value := encoded(t, uint64(len(all)), chain, group.size)
			chain, values, all = record.ChainOf(value), append(values, value), append(all, value)
		}
		if _, err := l.Append(values); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		c := commitStates{
			name:   group.name,
			before: before, after: image(t, path), header: -1,
			recordsBefore: uint64(len(all) - group.records), recordsAfter: uint64(len(all)), all: slices.Clone(all),
		}
		c.compare(t)
		states, before = append(states, c), c.after
	}
	return states
}

func encoded(t *testing.T, before uint64, chain record.Chain, size int) []byte {
	t.Helper()
	h := record.Header{At: time.UnixMilli(1_767_000_000_000).UTC(), Session: approval.ID{6: 0x70, 8: 0x80, 15: 1}, Prev: before}
	var body record.Body = &record.ModeSet{Mode: "denyUnmatched", Source: strings.Repeat("x", size)}
	if before == 0 {
		body = &record.SessionStarted{Mode: "promptUnmatched", Unattended: "park"}
	}
	value, err := record.Encode(h, body, chain)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// image is a file without the hole at its end.
func image(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	used := len(bytes.TrimRight(file, "\x00"))
	return slices.Clone(file[:(used+pageSize-1)/pageSize*pageSize])
}

// compare finds the pages that the commit wrote, and makes both files as long as
// the longer one: the file has grown before they are written.
func (c *commitStates) compare(t *testing.T) {
	t.Helper()
	size := max(len(c.before), len(c.after))
	c.before = append(slices.Clone(c.before), make([]byte, size-len(c.before))...)
	c.after = append(slices.Clone(c.after), make([]byte, size-len(c.after))...)
	for page := range size / pageSize {
		at := page * pageSize
		switch {
		case bytes.Equal(c.before[at:at+pageSize], c.after[at:at+pageSize]):
		case page >= headerPages:
			c.pages = append(c.pages, page)
		case c.header >= 0:
			t.Fatalf("a commit %s wrote both header pages", c.name)
		default:
			c.header = page
		}
	}
	if c.header < 0 || len(c.pages) == 0 {
		t.Fatalf("a commit %s wrote pages %d and header page %d", c.name, c.pages, c.header)
	}
}

// torn is the file from before, with some pages from after, whole, and some
// torn: as before, as after, up to a sector as after, or some sectors as after.
func (c *commitStates) torn(random *rand.Rand, torn, whole []int) []byte {
	file := slices.Clone(c.before)
	for _, page := range whole {
		copy(file[page*pageSize:(page+1)*pageSize], c.after[page*pageSize:])
	}
	for _, page := range torn {
		written := uint32(0) // a bit a sector
		switch random.IntN(4) {
		case 0:
		case 1:
			written = 1<<(pageSize/sectorSize) - 1
		case 2:
			written = 1<<random.IntN(pageSize/sectorSize) - 1
		case 3:
			written = random.Uint32()
		}
		for sector := range pageSize / sectorSize {
			if at := page*pageSize + sector*sectorSize; written>>sector&1 == 1 {
				copy(file[at:at+sectorSize], c.after[at:])
			}
		}
	}
	return file
}

// starts has a start come upon a file: it must serve one of so many records, and
// take more. It returns how many there are.
func (c *commitStates) starts(t *testing.T, file []byte, want ...uint64) uint64 {
	t.Helper()
	path := c.write(t, file)
	found, chain, err := c.replay(path, func(l *log.Log, chain record.Chain) error {
		_, err := l.Append([][]byte{encoded(t, l.Head(), chain, 100)})
		return err
	})
	if err != nil || !slices.Contains(want, found) {
		t.Fatalf("a start finds %d records of %d, %v; want %d", found, len(c.all), err, want)
	}
	r, err := log.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	report, err := audit.Verify(r, audit.Options{Head: &chain})
	if err != nil || report.Records != found+1 {
		t.Fatalf("with one record more, there are %d and %d: %v", found, report.Records, err)
	}
	return found
}

// survives has a start come upon a file that no honest disk leaves.
func (c *commitStates) survives(t *testing.T, file []byte) {
	t.Helper()
	_, _, err := c.replay(c.write(t, file), func(*log.Log, record.Chain) error { return nil })
	_, pages := errors.AsType[*log.DamagedError](err)
	_, records := errors.AsType[*recovery.RecordError](err)
	if err != nil && !pages && !records {
		t.Fatalf("a start says %v, and not that the log is damaged", err)
	}
}

func (c *commitStates) write(t *testing.T, file []byte) (path string) {
	t.Helper()
	path = filepath.Join(memory(t), "sessions.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

var errAnother = errors.New("it is another record than was written")

// replay opens a file as a start does, holds its records against those that were
// written, and has do go on.
func (c *commitStates) replay(path string, do func(*log.Log, record.Chain) error) (found uint64, chain record.Chain, err error) {
	l, err := log.Open(path)
	if err != nil {
		return 0, chain, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	replayed, err := recovery.Replay(l)
	if err != nil {
		return 0, chain, err
	}
	err = l.Scan(1, func(seq uint64, value []byte) error {
		found++
		if seq > uint64(len(c.all)) || !bytes.Equal(value, c.all[seq-1]) {
			return fmt.Errorf("%w: %d", errAnother, seq)
		}
		return nil
	})
	if err != nil {
		return found, chain, err
	}
	return found, replayed.Chain, do(l, replayed.Chain)
}
