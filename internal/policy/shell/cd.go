package shell

import (
	"path"
	"slices"
	"strings"
)

// Bounds of the directories that are told apart.
const (
	maxPlaces = 4
	maxPath   = 1024 // bytes of one
)

// places are the directories that the shell may be in, "" being the command's own.
type places struct {
	dirs []string
	lost bool // it may also be in one that the text does not tell
	dead bool // nothing runs here
}

var atHome = places{dirs: []string{""}}

// or joins what may be the case on two ways through the text.
func (p places) or(q places) places {
	switch {
	case p.dead:
		return q
	case q.dead:
		return p
	}
	if slices.Equal(p.dirs, q.dirs) {
		p.lost = p.lost || q.lost
		return p
	}
	out := places{dirs: slices.Clone(p.dirs), lost: p.lost || q.lost}
	for _, dir := range q.dirs {
		out.add(dir)
	}
	return out
}

func (p *places) add(dir string) {
	switch {
	case slices.Contains(p.dirs, dir):
	case len(p.dirs) == maxPlaces, len(dir) > maxPath:
		p.lost = true
	default:
		p.dirs = append(p.dirs, dir)
	}
}

// mark writes the places into a stage.
func (p places) mark(s *Stage) {
	s.Lost = p.lost || p.dead // what seems never to run might
	if len(p.dirs) == 0 || len(p.dirs) == 1 && p.dirs[0] == "" {
		return
	}
	s.Dirs = make([]string, len(p.dirs))
	for i, dir := range p.dirs {
		s.Dirs[i] = dir
		if dir == "" {
			s.Dirs[i] = "."
		}
	}
}

// cd weighs a change of directory, which is known safe where it leads nowhere.
func (w *walker) cd(c *command) {
	operands := c.words[1:]
	for len(operands) > 0 && !operands[0].dynamic && slices.Contains([]string{"--", "-L", "-P", "-e"}, operands[0].text) {
		operands = operands[1:]
	}
	if w.repeats > 0 || w.functions != nil {
		w.strayed = true
	}
	if len(operands) != 1 || operands[0].dynamic || operands[0].text == "" || strings.HasPrefix(operands[0].text, "-") {
		c.ok.lost = true
		return
	}
	dir := operands[0].text
	if w.leadsNowhere(dir) {
		c.stage.KnownSafe = true
		if path.IsAbs(dir) {
			c.ok = atHome
		}
		return
	}
	c.ok = c.in.into(dir)
}

// leadsNowhere reports whether dir is spelled as the directory that the shell is in anyway. The
// command's own directory is always safe to go to.
func (w *walker) leadsNowhere(dir string) bool {
	if slices.Contains(strings.Split(dir, "/"), "..") {
		return false
	}
	if path.IsAbs(dir) {
		return path.IsAbs(w.cwd) && path.Clean(dir) == path.Clean(w.cwd)
	}
	return path.Clean(dir) == "."
}

// into is where a cd to dir leads.
func (p places) into(dir string) places {
	if path.IsAbs(dir) {
		p = places{dirs: []string{""}, dead: p.dead}
	}
	out := places{lost: p.lost, dead: p.dead}
	for _, from := range p.dirs {
		to := dir
		if !path.IsAbs(dir) && from != "" {
			to = from + "/" + dir
		}
		out.add(to)
		// The shell undoes .. in the text, the kernel follows links first.
		if clean := path.Clean(to); strings.Contains(strings.TrimLeft(to, "./"), "..") {
			if clean == "." {
				clean = ""
			}
			out.add(clean)
		}
	}
	return out
}

// strays weighs pushd and popd, which keep a stack that is not followed.
func (w *walker) strays(c *command) {
	if w.repeats > 0 || w.functions != nil {
		w.strayed = true
	}
	c.ok.lost = true
}
