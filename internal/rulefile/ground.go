package rulefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// ground is where things may happen to the files: the directories that are
// watched, and the names in them that matter.
type ground struct {
	files  Files
	notify *fsnotify.Watcher
	// names are the places, what they lead to, and every directory on the way.
	// What a place led to once stays in it: its end is noticed too.
	names map[string]bool
}

// follow watches every directory in which something can happen to the files.
// Directories may appear while it looks, so it looks until it finds no more. A
// directory that was replaced is watched anew.
func (g *ground) follow() error {
	watched := map[string]bool{}
	for more := true; more; {
		more = false
		for dir, needed := range g.directories() {
			if watched[dir] {
				continue
			}
			watched[dir], more = true, true
			if err := g.notify.Add(dir); err != nil && needed && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("changes in %s cannot be noticed: %w; restart approvald after changing the policy", dir, err)
			}
		}
	}
	return nil
}

// directories are those to watch: for each place the nearest that exists, which
// is needed, the one above it, where it may be replaced, and that of what a link
// leads to. It takes note of the names that matter.
func (g *ground) directories() map[string]bool {
	dirs := map[string]bool{}
	for _, place := range g.files.places() {
		dir := filepath.Dir(place)
		if place == g.files.Stores {
			dir = place
		}
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				break
			}
		}
		leads := target(place)
		g.note(place)
		g.note(leads)
		dirs[dir] = true
		for _, also := range []string{filepath.Dir(dir), filepath.Dir(leads)} {
			dirs[also] = dirs[also] || false
		}
	}
	return dirs
}

// note takes a name and every directory on the way to it for names that matter.
func (g *ground) note(name string) {
	for ; !g.names[name]; name = filepath.Dir(name) {
		g.names[name] = true
	}
}

// concerns reports whether an event at name may change what the files say.
func (g *ground) concerns(name string) bool {
	name = filepath.Clean(name)
	return g.names[name] || filepath.Dir(name) == g.files.Stores && isStore(filepath.Base(name))
}

// clean spells the places as events do.
func (f Files) clean() Files {
	for _, place := range []*string{&f.Managed, &f.User, &f.Stores} {
		if *place != "" {
			*place = filepath.Clean(*place)
		}
	}
	return f
}

// places are those that are named.
func (f Files) places() []string {
	var named []string
	for _, place := range []string{f.Managed, f.User, f.Stores} {
		if place != "" {
			named = append(named, place)
		}
	}
	return named
}

// target is what a path leads to; the path itself where it leads nowhere yet.
func target(path string) string {
	if leads, err := filepath.EvalSymlinks(path); err == nil {
		return leads
	}
	return path
}
