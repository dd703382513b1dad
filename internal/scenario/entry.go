package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/approvald/approvald/internal/inspect"
)

// entry is one entry of the file tree, as a scenario spells it. It is immutable.
type entry struct {
	mode  fs.FileMode // its type and permission bits
	text  string      // a regular file's content or a link's target
	uid   uint32      // its owner
	gid   uint32      // its group
	folds bool        // a directory's: names anywhere below it are the same in upper and lower case
	twin  string      // the entry that this one is another name of; "" for none
}

// errEntry says what an entry may be; doc.go says what each means.
var errEntry = errors.New(`a file is a text or an object with one of text, dir, link, hardLink, fifo, socket and device, and perhaps mode, uid, gid and folds`)

// UnmarshalJSON reads a text or an object.
func (e *entry) UnmarshalJSON(text []byte) error {
	if jsontext.Value(text).Kind() == jsontext.KindString {
		e.mode = filePermissions
		return json.Unmarshal(text, &e.text)
	}
	var form struct {
		Text     *string `json:"text"`
		Dir      bool    `json:"dir"`
		Link     string  `json:"link"`
		HardLink string  `json:"hardLink"`
		FIFO     bool    `json:"fifo"`
		Socket   bool    `json:"socket"`
		Device   bool    `json:"device"`
		Mode     string  `json:"mode"`
		UID      uint32  `json:"uid"`
		GID      uint32  `json:"gid"`
		Folds    bool    `json:"folds"`
	}
	if err := json.Unmarshal(text, &form, json.RejectUnknownMembers(true)); err != nil {
		return errEntry
	}
	kinds := 0
	is := func(given bool, mode fs.FileMode) {
		if given {
			kinds++
			e.mode = mode
		}
	}
	is(form.Text != nil, filePermissions)
	is(form.Dir, fs.ModeDir|dirPermissions)
	is(form.Link != "", fs.ModeSymlink|fs.ModePerm)
	is(form.HardLink != "", filePermissions)
	is(form.FIFO, fs.ModeNamedPipe|filePermissions)
	is(form.Socket, fs.ModeSocket|filePermissions)
	is(form.Device, fs.ModeDevice|fs.ModeCharDevice|filePermissions)
	if kinds != 1 || form.Folds && !form.Dir || form.HardLink != "" && (form.Mode != "" || form.UID != 0 || form.GID != 0) {
		return errEntry
	}
	if form.Text != nil {
		e.text = *form.Text
	}
	if form.Link != "" {
		e.text = form.Link
	}
	e.twin, e.uid, e.gid, e.folds = form.HardLink, form.UID, form.GID, form.Folds
	return e.permit(form.Mode)
}

// The permissions of what names none.
const (
	filePermissions fs.FileMode = 0o644
	dirPermissions  fs.FileMode = 0o755
)

// permit sets the permission bits that an octal text gives; the sticky bit is 1000.
func (e *entry) permit(octal string) error {
	if octal == "" {
		return nil
	}
	bits, err := strconv.ParseUint(octal, 8, 16)
	if err != nil || bits > 0o1777 {
		return fmt.Errorf("mode %q is no octal number up to 1777", octal)
	}
	e.mode = e.mode.Type() | fs.FileMode(bits&0o777)
	if bits&0o1000 != 0 {
		e.mode |= fs.ModeSticky
	}
	return nil
}

// checkFiles checks the names of a tree, and that hard links lead to files of the same list.
func checkFiles(files map[string]*entry) error {
	for name, e := range files {
		if !path.IsAbs(name) || path.Clean(name) != name || name == "/" {
			return fmt.Errorf("files: %q must be an absolute, clean path below /", name)
		}
		if e == nil || e.twin == "" {
			continue
		}
		if file := files[e.twin]; file == nil || file.mode.IsDir() || file.twin != "" {
			return fmt.Errorf("files: %q is a hard link to %q, which must be a file of the same list", name, e.twin)
		}
	}
	return nil
}

// named is an entry under its name, as an fs.FileInfo.
type named struct {
	*entry
	name string
	stat inspect.Stat
}

func (n named) Name() string       { return n.name }
func (n named) Size() int64        { return int64(len(n.text)) }
func (n named) Mode() fs.FileMode  { return n.mode }
func (n named) ModTime() time.Time { return time.Time{} }
func (n named) IsDir() bool        { return n.mode.IsDir() }
func (n named) Sys() any           { return n.stat }
