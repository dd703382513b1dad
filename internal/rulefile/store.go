package rulefile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

// storeSuffix is how the names of stores end.
const storeSuffix = ".toml"

// Store is the directory of the workspaces' stores: one file a workspace, which
// holds the rules that its localPersistent decisions wrote. It lies under the
// state directory, never inside the workspace, so that a checkout cannot grant
// itself anything.
//
// It may be used by any number of goroutines of the one process that owns the
// state directory. What it has answered for is durable.
type Store struct {
	dir string
	mu  sync.Mutex // held while a file is read and replaced
}

// Granted is a rule of a store.
type Granted struct {
	Rule      policy.Rule // with Grant and, where it was read, Ref
	CreatedAt time.Time   // when its grant was given, UTC
}

// NewStore is the store in dir, an absolute path, which need not exist until
// something is written.
func NewStore(dir string) *Store { return &Store{dir: dir} }

// Path is the file of a workspace, given by its real path: the name comes from
// a digest, so that any path has one, and no path leads anywhere else.
func (s *Store) Path(root string) string { return filepath.Join(s.dir, storeName(root)) }

// storeName is the name of a workspace's file.
func storeName(root string) string {
	digest := sha256.Sum256([]byte(root))
	return hex.EncodeToString(digest[:16]) + storeSuffix
}

// isStore reports whether a name in the directory is that of a store. Names that
// begin with a dot are files on their way to a name.
func isStore(name string) bool {
	return !strings.HasPrefix(name, ".") && strings.HasSuffix(name, storeSuffix)
}

// underWay is the name of a file before it is in place.
func underWay(name string) string { return "." + name + underWaySuffix }

const underWaySuffix = ".new"

// Tidy removes what writes that a kill cut short have left beside the stores.
// Nobody may write meanwhile.
func (s *Store) Tidy() error {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for unfinished stores: %w", err)
	}
	var errs []error
	for _, entry := range entries {
		name := strings.TrimSuffix(strings.TrimPrefix(entry.Name(), "."), underWaySuffix)
		if isStore(name) && underWay(name) == entry.Name() {
			errs = append(errs, os.Remove(filepath.Join(s.dir, entry.Name())))
		}
	}
	return errors.Join(errs...)
}

// misplaced says that a store lies under another name than its workspace has;
// nil where it does not.
func misplaced(path, root string) error {
	if want := storeName(root); filepath.Base(path) != want {
		return &Fault{File: path, Why: fmt.Sprintf("it says that it is the store of %s, whose name would be %s; it was copied or changed by hand: move it back, or remove it", quote(root), want)}
	}
	return nil
}

// Add writes the rule that a grant gives into the store of the workspace root,
// a real path. A grant that is there already with the same rule is left as it
// is; with another rule it is an error. Nothing is written, and the error is a
// sentence, where the store does not read as it should, so that no grant in a
// damaged file is lost, and where the rule would not read back as exactly the
// rule that was given.
func (s *Store) Add(root string, rule policy.Rule, grant approval.ID, createdAt time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if grant.IsZero() {
		return fmt.Errorf("a rule for %s cannot be written without the grant that it comes from", root)
	}
	rule.Grant, rule.Ref, rule.Resolved = grant, policy.Ref{}, ""
	grants, err := s.grants(root)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(grants, func(g Granted) bool { return g.Rule.Grant == grant }); i >= 0 {
		if !same(grants[i].Rule, rule) {
			return fmt.Errorf("the grant %s wrote another rule into %s already; revoke it first", grant, s.Path(root))
		}
		return s.sync(root)
	}
	return s.replace(root, append(grants, Granted{Rule: rule, CreatedAt: createdAt.UTC()}))
}

// Remove takes the rule of a grant out of the store of the workspace root. What
// is not there is removed already.
func (s *Store) Remove(root string, grant approval.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	grants, err := s.grants(root)
	if err != nil {
		return err
	}
	rest := slices.DeleteFunc(slices.Clone(grants), func(g Granted) bool { return g.Rule.Grant == grant })
	if len(rest) == len(grants) {
		return s.sync(root)
	}
	return s.replace(root, rest)
}

// Rules gives what is in the store of the workspace root, in the order in which
// it was written; none where there is no file.
func (s *Store) Rules(root string) ([]Granted, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.grants(root)
}

// grants reads the file of a workspace.
func (s *Store) grants(root string) ([]Granted, error) {
	if err := s.outside(root); err != nil {
		return nil, err
	}
	f := readFile(Workspace, s.Path(root), trust{owners: []int{0, os.Getuid()}, who: "you or root"})
	if f.err != nil {
		return nil, fmt.Errorf("the store of %s is not used: %w", root, f.err)
	}
	if f.missing {
		return nil, nil
	}
	grants, err := parseStore(f.path, root, f.text)
	if err != nil {
		return nil, fmt.Errorf("the store of %s does not read as it was written, and is left as it is; mend the file, or move it away to begin with an empty one: %w", root, err)
	}
	return grants, nil
}

// parseStore reads the text of a store of the workspace root.
func parseStore(path, root string, text []byte) ([]Granted, error) {
	file, err := Parse(path, Workspace, text)
	if err == nil && file.Workspace != root {
		err = &Fault{File: path, Why: fmt.Sprintf("it says that it is the store of %s", quote(file.Workspace))}
	}
	if err != nil {
		return nil, err
	}
	var grants []Granted
	for _, rule := range file.Body.Rules {
		grants = append(grants, Granted{Rule: rule, CreatedAt: file.Created[rule.Grant].UTC()})
	}
	return grants, nil
}

// outside refuses a workspace that the store would lie in, by real paths where
// there are any.
func (s *Store) outside(root string) error {
	if !filepath.IsAbs(root) || filepath.Clean(root) != root {
		return fmt.Errorf("the workspace %q is not an absolute, clean path", root)
	}
	dir, err := realPath(s.dir)
	if err != nil {
		return fmt.Errorf("where the store lies cannot be told: %w", err)
	}
	for _, at := range []string{s.dir, dir} {
		if rel, err := filepath.Rel(root, at); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			return fmt.Errorf("the store %s lies inside the workspace %s, which could then grant itself anything; move the state directory out of it", s.dir, root)
		}
	}
	return nil
}

// realPath is the real path of a directory that may not exist yet: that of the
// nearest one above it which does, and the rest by name.
func realPath(dir string) (string, error) {
	at, err := filepath.EvalSymlinks(dir)
	if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
		return at, err
	}
	above, err := realPath(filepath.Dir(dir))
	return filepath.Join(above, filepath.Base(dir)), err
}

// replace writes the file of a workspace anew, if what is written reads back as
// what was meant.
func (s *Store) replace(root string, grants []Granted) error {
	text := formatStore(root, grants)
	back, err := parseStore(s.Path(root), root, text)
	if err == nil {
		// Without a home: a rule's own ~/ is a directory of the workspace.
		_, err = LoadText([]Source{{Workspace, s.Path(root), text}}, Options{})
	}
	if err != nil {
		return fmt.Errorf("the rule cannot stand in a policy file, and was not written: %w", err)
	}
	alike := func(a, b Granted) bool { return same(a.Rule, b.Rule) && a.CreatedAt.Equal(b.CreatedAt) }
	if !slices.EqualFunc(grants, back, alike) {
		return fmt.Errorf("a rule for %s would not be read back as what was decided, and was not written", root)
	}
	if err := putInPlace(s.Path(root), text); err != nil {
		return fmt.Errorf("the store of %s could not be written and is as it was: %w", root, err)
	}
	return s.sync(root)
}

// sync makes durable what is in the directory, also where an earlier write could
// not.
func (s *Store) sync(root string) error {
	if err := syncDir(s.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the store of %s is written, and a power cut may undo that, since its directory could not be synced: %w", root, err)
	}
	return nil
}

// CopyStores copies the stores in one directory into another, durable when it
// returns, and counts them. Where there is no directory there are none.
func CopyStores(from, to string) (n int, err error) {
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		if !isStore(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err == nil {
			err = putInPlace(filepath.Join(to, e.Name()), text)
		}
		if err != nil {
			return n, err
		}
		n++
	}
	if n == 0 {
		return 0, nil
	}
	return n, syncDir(to)
}
