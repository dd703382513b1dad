package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// entry is one entry of the file tree, as a scenario spells it. It is immutable.
type entry struct {
	mode fs.FileMode // its type bits
	text string      // a regular file's content or a link's target
}

// UnmarshalJSON reads a text, {"dir":true}, {"link":"…"} or {"other":true}.
func (e *entry) UnmarshalJSON(text []byte) error {
	if jsontext.Value(text).Kind() == jsontext.KindString {
		return json.Unmarshal(text, &e.text)
	}
	var form struct {
		Dir   bool   `json:"dir"`
		Link  string `json:"link"`
		Other bool   `json:"other"`
	}
	err := json.Unmarshal(text, &form, json.RejectUnknownMembers(true))
	switch {
	case err == nil && form.Dir && form.Link == "" && !form.Other:
		e.mode = fs.ModeDir
	case err == nil && form.Link != "" && !form.Dir && !form.Other:
		e.mode, e.text = fs.ModeSymlink, form.Link
	case err == nil && form.Other && !form.Dir && form.Link == "":
		e.mode = fs.ModeNamedPipe
	default:
		return errors.New(`a file is a text, {"dir":true}, {"link":"…"} or {"other":true}`)
	}
	return nil
}

// checkFiles checks the names of a tree.
func checkFiles(files map[string]*entry) error {
	for name := range files {
		if !path.IsAbs(name) || path.Clean(name) != name || name == "/" {
			return fmt.Errorf("files: %q must be an absolute, clean path below /", name)
		}
	}
	return nil
}

// named is an entry under its name, as an fs.FileInfo.
type named struct {
	*entry
	name string
}

func (n named) Name() string       { return n.name }
func (n named) Size() int64        { return int64(len(n.text)) }
func (n named) Mode() fs.FileMode  { return n.mode | 0o644 }
func (n named) ModTime() time.Time { return time.Time{} }
func (n named) IsDir() bool        { return n.mode.IsDir() }
func (n named) Sys() any           { return nil }
