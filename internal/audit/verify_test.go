package audit_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
)

func verify(t testing.TB, path string, o audit.Options) (audit.Report, error) {
	t.Helper()
	r, err := log.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return audit.Verify(r, o)
}

// The head of every beginning of a log is in its chain, and no other is.
func TestAHeadProvesWhatIsBeforeIt(t *testing.T) {
	path, values := writtenLog(t, 20)
	heads := []record.Chain{{}}
	for _, v := range values {
		heads = append(heads, record.ChainOf(v))
	}
	for n, head := range heads {
		report, err := verify(t, path, audit.Options{Head: &head})
		if err != nil || report.Proven == nil || *report.Proven != uint64(n) {
			t.Errorf("the head of record %d: %v, %v", n, report.Proven, err)
		}
	}
	foreign := record.ChainOf([]byte("of another log"))
	report, err := verify(t, path, audit.Options{Head: &foreign})
	if !errors.Is(err, audit.ErrHeadNotFound) || report.Proven != nil || report.Head != heads[20] {
		t.Errorf("a foreign head: %v, %v", report.Proven, err)
	}

	// A log that was cut off at its end holds, and only a head tells.
	cut := filepath.Join(t.TempDir(), "cut.db")
	write(t, cut, values[:19])
	if _, err := verify(t, cut, audit.Options{}); err != nil {
		t.Errorf("without a head: %v", err)
	}
	if _, err := verify(t, cut, audit.Options{Head: &heads[20]}); !errors.Is(err, audit.ErrHeadNotFound) {
		t.Errorf("with the head: %v, want ErrHeadNotFound", err)
	}
}

func TestReportCountsWhatHolds(t *testing.T) {
	path, values := writtenLog(t, 100)
	report, err := verify(t, path, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	for _, v := range values {
		size += int64(len(v))
	}
	got := fmt.Sprintln(report.Records, report.Kinds, report.Bytes, report.Last.Sub(report.First))
	if want := fmt.Sprintln(100, map[record.Kind]uint64{record.KindSessionStarted: 4, record.KindModeSet: 96}, size, "99ms"); got != want {
		t.Errorf("report is %s, want %s", got, want)
	}
}

// A caller that has enough is not told of damage.
func TestProgressEndsTheWork(t *testing.T) {
	stop := errors.New("stop")
	path, _ := writtenLog(t, 100)
	told := int64(0)
	_, err := verify(t, path, audit.Options{Progress: func(done, _ int64) error {
		if told = done; done > 10_000 {
			return stop
		}
		return nil
	}})
	if _, _, damaged := audit.Damage(err); !errors.Is(err, stop) || damaged || told == 0 {
		t.Errorf("Verify: %v after %d bytes, want stop", err, told)
	}
}

// Records that hold in a file that does not are told so, and salvaged.
func TestAFileThatContradictsItselfIsDamaged(t *testing.T) {
	path, _ := writtenLog(t, 300)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for page := 0; page+4096 <= len(file); page += 4096 { // lists of free pages
		if binary.NativeEndian.Uint16(file[page+8:]) == 0x10 {
			file[page+10] ^= 1 // how many
		}
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	report, err := verify(t, path, audit.Options{})
	if seq, _, damaged := audit.Damage(err); !damaged || seq != 0 || report.Records != 300 {
		t.Errorf("Verify: %v after %d records, want damage of the file after 300", err, report.Records)
	}
	r, err := log.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out, err := audit.Salvage(r, filepath.Join(t.TempDir(), "sessions.db"), nil)
	if err != nil || out.Records != 300 || out.Damage == nil {
		t.Errorf("Salvage keeps %d, %v, damage %v", out.Records, err, out.Damage)
	}
}

// What a log says is damage, and what is not.
func TestDamageIsToldFromWhatIsNotDamage(t *testing.T) {
	for name, c := range map[string]struct {
		err     error
		want    string
		damaged bool
	}{
		"a record":        {&recovery.RecordError{Seq: 3, Kind: record.KindModeSet, Err: record.ErrCRC}, "3 modeSet", true},
		"a newer record":  {&recovery.RecordError{Seq: 3, Kind: 99, Err: record.ErrKind}, "3 kind 99", false},
		"a hole":          {fmt.Errorf("wrapped: %w", &log.DamagedError{Seq: 4}), "4 ", true},
		"the file":        {&log.DamagedError{}, "0 ", true},
		"another format":  {&log.FormatError{Format: "2"}, "0 ", false},
		"any other error": {os.ErrPermission, "0 ", false},
		"nothing":         {nil, "0 ", false},
	} {
		t.Run(name, func(t *testing.T) {
			seq, kind, damaged := audit.Damage(c.err)
			if got := fmt.Sprint(seq, " ", kind); got != c.want || damaged != c.damaged {
				t.Errorf("Damage = %q, %v, want %q, %v", got, damaged, c.want, c.damaged)
			}
		})
	}
}

// A salvage keeps the bytes, so that the new log has the old one's heads, and
// leaves nothing behind where it fails.
func TestSalvageKeepsTheChain(t *testing.T) {
	path, values := writtenLog(t, 3000)
	damage(t, path, 2500)
	r, err := log.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	dir := t.TempDir()
	to := filepath.Join(dir, "sessions.db")

	stop := errors.New("stop")
	if _, err := audit.Salvage(r, to, func(done, _ int64) error {
		if done > 100_000 {
			return stop
		}
		return nil
	}); !errors.Is(err, stop) {
		t.Errorf("Salvage that is ended: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
	if err := os.WriteFile(to+".partial", []byte("of a salvage that was killed"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := audit.Salvage(r, to, nil)
	if err != nil {
		t.Fatal(err)
	}
	if seq, _, ok := audit.Damage(out.Damage); !ok || seq != 2500 || out.Records != 2499 || out.Last != 3000 {
		t.Errorf("salvaged %d of %d, damage %v", out.Records, out.Last, out.Damage)
	}
	if out.Head != record.ChainOf(values[2498]) {
		t.Errorf("the head is %x, and was %x", out.Head, record.ChainOf(values[2498]))
	}
	report, err := verify(t, to, audit.Options{})
	if err != nil || report.Head != out.Head || report.Records != 2499 {
		t.Errorf("what was salvaged: %d records, head %x, %v", report.Records, report.Head, err)
	}
	if _, err := audit.Salvage(r, to, nil); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second time: %v, want ErrExist", err)
	}
}

// damage changes a bit of a record.
func damage(t *testing.T, path string, seq uint16) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	key := []byte{6: byte(seq >> 8), 7: byte(seq)}
	if err := db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("log"))
		v := bytes.Clone(b.Get(key))
		v[30] ^= 1
		return b.Put(key, v)
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestBackupOfADamagedLogLeavesNoCopy(t *testing.T) {
	path, values := writtenLog(t, 300)
	to := filepath.Join(t.TempDir(), "copy.db")
	report, err := audit.Backup(path, to, nil, nil)
	if err != nil || report.Head != record.ChainOf(values[299]) {
		t.Fatalf("Backup: head %x, %v", report.Head, err)
	}
	if _, err := audit.Backup(path, to, nil, nil); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second time: %v, want ErrExist", err)
	}
	if report, err := verify(t, to, audit.Options{}); err != nil || report.Records != 300 {
		t.Errorf("the copy has %d records, %v", report.Records, err)
	}
	damage(t, path, 200)
	other := filepath.Join(t.TempDir(), "copy.db")
	_, err = audit.Backup(path, other, nil, nil)
	if seq, _, ok := audit.Damage(err); !ok || seq != 200 {
		t.Errorf("Backup of a damaged log: %v, want damage at 200", err)
	}
	if _, err := os.Stat(other); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a copy: %v", err)
	}
}
