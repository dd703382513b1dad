package rulefile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Load reads the policy from its files. The error joins a *Fault for
// everything that is wrong with any of them: a policy is in force whole or not
// at all.
func Load(files Files, opts Options) (*Loaded, error) {
	return read(files, opts).load(opts)
}

// Check is Load for people: what became of each file, besides the policy or
// the error of Load. A file that is missing is in the list too.
func Check(files Files, opts Options) ([]Summary, *Loaded, error) {
	s := read(files, opts)
	loaded, summaries, err := s.assemble(opts)
	return summaries, loaded, err
}

// found is one file as it was read, or as it could not be.
type found struct {
	layer, path string
	text        []byte
	missing     bool
	err         *Fault // it cannot be read or trusted
}

// snapshot is all files as they were at one moment.
type snapshot []found

// state tells snapshots apart that a policy could come from differently.
type state [sha256.Size]byte

// read takes in all files without understanding them.
func read(files Files, opts Options) snapshot {
	var s snapshot
	if files.Managed != "" {
		s = append(s, readFile(Managed, files.Managed, trust{owners: []int{opts.ManagedOwner}, who: "root"}))
	}
	user := trust{owners: []int{0, os.Getuid()}, who: "you or root"}
	if files.User != "" {
		s = append(s, readFile(User, files.User, user))
	}
	if files.Stores == "" {
		return s
	}
	entries, err := os.ReadDir(files.Stores)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return append(s, found{layer: Workspace, path: files.Stores, err: unreadable(files.Stores, err)})
	}
	for _, e := range entries {
		if isStore(e.Name()) {
			s = append(s, readFile(Workspace, filepath.Join(files.Stores, e.Name()), user))
		}
	}
	return s
}

// readFile takes in one file, if it and its directory are trusted.
func readFile(layer, path string, t trust) found {
	f := found{layer: layer, path: path}
	if fault := t.way(path); fault != nil {
		f.err = fault
		return f
	}
	text, err := t.open(path)
	switch fault := (*Fault)(nil); {
	case errors.Is(err, fs.ErrNotExist):
		f.missing = true
	case errors.As(err, &fault):
		f.err = fault
	case err != nil:
		f.err = unreadable(path, err)
	}
	f.text = text
	return f
}

// unreadable is the fault of a file that the system gives an error for.
func unreadable(path string, err error) *Fault {
	if in, ok := errors.AsType[*fs.PathError](err); ok { // which repeats the path
		err = in.Err
	}
	return &Fault{File: path, Why: fmt.Sprintf("it cannot be read: %v; mend that, or remove the file", err), Err: err}
}

// open reads a regular file that is trusted. What is checked is what was
// opened, whatever the name means by then. A file that is too large is given
// cut, just long enough for Parse to refuse it.
func (t trust) open(path string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|nonblocking, 0) // a FIFO must not hold us up
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &Fault{File: path, Why: "it is not a regular file; put a file of text there, or nothing"}
	}
	owner, group := ownersOf(info)
	if why := t.judge(owner, group, info.Mode(), path); why != "" {
		return nil, &Fault{File: path, Why: why}
	}
	return io.ReadAll(io.LimitReader(file, maxSize+1))
}

// assemble makes the policy of a snapshot, with a summary of each file.
func (s snapshot) assemble(opts Options) (*Loaded, []Summary, error) {
	var sources []Source
	for _, f := range s {
		if !f.missing && f.err == nil {
			sources = append(sources, Source{Layer: f.layer, Name: f.path, Text: f.text})
		}
	}
	loaded, read, err := assemble(sources, opts)
	var summaries []Summary
	for _, f := range s {
		switch {
		case f.missing:
			summaries = append(summaries, Summary{Layer: f.layer, File: f.path})
		case f.err != nil:
			summaries = append(summaries, Summary{Layer: f.layer, File: f.path, Found: true, Err: f.err})
		default:
			summary := read[0]
			read = read[1:]
			if f.layer == Workspace && summary.Err == nil {
				summary.Err = misplaced(f.path, summary.Workspace)
			}
			summaries = append(summaries, summary)
		}
	}
	if refused := refusal(summaries); refused != nil {
		return nil, summaries, refused
	}
	if err != nil {
		return nil, summaries, err
	}
	loaded.Layers, loaded.state = summaries, s.state()
	return loaded, summaries, nil
}

// load is assemble without the summaries.
func (s snapshot) load(opts Options) (*Loaded, error) {
	loaded, _, err := s.assemble(opts)
	return loaded, err
}

// state is the digest of everything that was read.
func (s snapshot) state() state {
	h := sha256.New()
	for _, f := range s {
		fault := ""
		if f.err != nil {
			fault = f.err.Error()
		}
		fmt.Fprintf(h, "%q %t %q %x\n", f.path, f.missing, fault, sha256.Sum256(f.text))
	}
	return state(h.Sum(nil))
}
