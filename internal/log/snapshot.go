package log

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// snapshotTries is how often Snapshot begins anew because a commit went by. A
// log of people's decisions is quiet for longer than a copy takes; one that is
// not needs its writer to copy it.
const snapshotTries = 20

// ErrBusy says that a log was written so often that no copy of it came about.
var ErrBusy = errors.New("the log was written during each of 20 copies of it")

// Snapshot copies the log at path to a new file (mode 0600), durable when it
// returns, while a daemon may be writing the log. A file that exists is left
// alone: the error is fs.ErrExist. copied, unless nil, is told of the progress
// in bytes; its error ends the copy, which is removed after every error. What
// is in the copy is for the caller to verify.
//
// The writer is not asked, and its lock not waited for. The copy is a state
// that the file has been in, by what bbolt promises its own readers: commit n
// writes only to pages that the state of commit n-1 does not need, and after
// them the header page. So all that was read while header page n was the newest
// is state n: commit n+1 may have been on its way, n+2 had not begun. If the
// header page has moved, the copy begins anew; after 20 times the error is
// ErrBusy. The last commit in the copy may be one whose sync had not returned,
// as after a crash: acked ⊆ copy ⊆ acked + one group.
func Snapshot(path, to string, copied func(done, of int64) error) (err error) {
	from, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("opening the log: %w", err)
	}
	defer from.Close()
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return fmt.Errorf("creating the copy of the log: %w", err)
	}
	defer func() {
		err = errors.Join(err, file.Close())
		if err != nil {
			err = errors.Join(err, os.Remove(to))
		}
	}()
	if copied == nil {
		copied = func(int64, int64) error { return nil }
	}
	for range snapshotTries {
		state, err := copyState(file, from, path, copied)
		if errors.Is(err, errMoved) {
			continue
		}
		if err != nil {
			return err
		}
		return finishCopy(file, state)
	}
	return fmt.Errorf("%w: %s", ErrBusy, path)
}

// errMoved says that a commit went by.
var errMoved = errors.New("the header page has moved")

// copyState copies all pages behind the header pages, and returns the header
// page whose state they are.
func copyState(to, from *os.File, path string, copied func(done, of int64) error) (headerPage, error) {
	const piece = 8 << 20
	before, _, err := readHeaderPages(from)
	if err != nil && !errors.Is(err, errNoHeaderPage) {
		return headerPage{}, fmt.Errorf("copying the log %s: %w", path, err)
	}
	if err != nil {
		return headerPage{}, &DamagedError{Path: path, NoLog: true, What: "it does not begin as a bbolt file: " + err.Error()}
	}
	at := 2 * before.pageSize
	if err := seekBoth(to, from, at); err != nil {
		return headerPage{}, err
	}
	for at < before.size() {
		n, err := io.CopyN(to, from, min(piece, before.size()-at))
		at += n
		if errors.Is(err, io.EOF) {
			return headerPage{}, &DamagedError{Path: path, What: shortFile(at, before.size())}
		}
		if err != nil {
			return headerPage{}, fmt.Errorf("copying the log at byte %d: %w", at, err)
		}
		if err := copied(at, before.size()); err != nil {
			return headerPage{}, err
		}
		if err := unmoved(from, before); err != nil {
			return headerPage{}, err
		}
	}
	return before, unmoved(from, before)
}

// unmoved holds that a header page is the newest still.
func unmoved(from *os.File, before headerPage) error {
	now, _, err := readHeaderPages(from)
	switch {
	case errors.Is(err, errNoHeaderPage), err == nil && now.txid != before.txid:
		return errMoved
	case err != nil:
		return fmt.Errorf("copying the log: %w", err)
	}
	return nil
}

func seekBoth(a, b *os.File, at int64) error {
	for _, file := range []*os.File{a, b} {
		if _, err := file.Seek(at, io.SeekStart); err != nil {
			return err
		}
	}
	return nil
}

// finishCopy makes a log of the copied pages: both header pages name the state,
// as those of bbolt's own copies do. Until they are there the file is no log.
func finishCopy(file *os.File, state headerPage) error {
	if err := file.Truncate(state.size()); err != nil { // an earlier try may have been longer
		return err
	}
	if err := file.Sync(); err != nil { // pages before header pages, as in a commit
		return err
	}
	for number, txid := range []uint64{state.txid, state.txid - 1} {
		page := state.numbered(uint64(number), txid)
		if _, err := file.WriteAt(page, int64(number)*state.pageSize); err != nil {
			return err
		}
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return syncDir(filepath.Dir(file.Name()))
}
