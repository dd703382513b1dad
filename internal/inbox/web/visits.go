package web

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/approvald/approvald/wire"
)

// How long a browser stays in, and how many may be.
const (
	visitLife  = 7 * 24 * time.Hour
	mostVisits = 64
)

// visits are the browsers that were let in. They outlive the daemon, so that a page
// that is open finds the next one: the file has the digests of their tokens, which let
// nobody in.
type visits struct {
	path string // "" for none
	now  func() time.Time

	mu   sync.Mutex
	open []visit
}

type visit struct {
	Digest string    `json:"digest"` // of the token, SHA-256 in hex
	Until  wire.Time `json:"until"`
}

// openVisits reads those that a daemon before this one let in. A file that cannot be
// read lets nobody in; with the error comes a list to go on with.
func openVisits(path string, now func() time.Time) (*visits, error) {
	v := &visits{path: path, now: now}
	if path == "" {
		return v, nil
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &v.open)
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		return v, nil
	case err != nil:
		v.open = nil
		return v, fmt.Errorf("read who is in the web inbox, %s: %w", path, err)
	}
	v.prune()
	return v, nil
}

// admit lets one more browser in. Where there are too many, the oldest goes.
func (v *visits) admit() (token string, err error) {
	bytes := make([]byte, sha256.Size)
	rand.Read(bytes) // never fails
	token = base64.RawURLEncoding.EncodeToString(bytes)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.prune()
	v.open = append(v.open, visit{digest(token), wire.FormatTime(v.now().Add(visitLife))})
	if len(v.open) > mostVisits {
		v.open = v.open[len(v.open)-mostVisits:]
	}
	return token, v.save()
}

// knows reports whether a token is that of a browser which is in. Digests are
// compared, so that how long it takes says nothing about a token.
func (v *visits) knows(token string) bool {
	d := digest(token)
	v.mu.Lock()
	defer v.mu.Unlock()
	now := wire.FormatTime(v.now())
	return slices.ContainsFunc(v.open, func(one visit) bool { return one.Digest == d && one.Until > now })
}

// leave ends a visit.
func (v *visits) leave(token string) error {
	d := digest(token)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.open = slices.DeleteFunc(v.open, func(one visit) bool { return one.Digest == d })
	return v.save()
}

// prune forgets who is out by now. Called with mu held, or before it is shared.
func (v *visits) prune() {
	now := wire.FormatTime(v.now())
	v.open = slices.DeleteFunc(v.open, func(one visit) bool { return one.Until <= now })
	slices.SortStableFunc(v.open, func(a, b visit) int { return cmp.Compare(a.Until, b.Until) })
}

// save replaces the file. Called with mu held.
func (v *visits) save() error {
	if v.path == "" {
		return nil
	}
	text, err := wire.Marshal(wire.List[visit](v.open))
	if err != nil {
		return err
	}
	return WritePrivate(v.path, text)
}

// WritePrivate replaces a file with one that is the user's alone.
func WritePrivate(path string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(file.Name()))
	}
	return nil
}

func digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
