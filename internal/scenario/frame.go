package scenario

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/approvald/approvald/wire"
)

// frame is a client or server line.
type frame struct {
	Dir    string  `json:"dir"`
	Conn   string  `json:"conn"`
	Role   string  `json:"role"`
	Raw    *string `json:"raw"`
	Base64 *string `json:"base64"`
	Pad    int     `json:"pad"`
}

// mainConn is the connection of a frame that names none.
const mainConn = "main"

// maxPad bounds what a frame is padded with: enough for a frame of twice the size that is taken.
const maxPad = 2 * wire.MaxFrame

// doors are what a role connects to: the transport's name and the widest role behind it
// (protocol §2).
var doors = map[string]door{
	"stdio":    {"stdio", wire.RoleBoth},
	"agent":    {"agent", wire.RoleAgent},
	"reviewer": {"reviewer", wire.RoleReviewer},
	"both":     {"host", wire.RoleBoth},
	"host":     {"host", wire.RoleBoth},
}

type door struct {
	name   string
	widest wire.Role
}

func (f *frame) check() error {
	if f.Conn == "" {
		f.Conn = mainConn
	}
	if _, known := doors[f.Role]; f.Role != "" && !known {
		return fmt.Errorf("there is no role %q; give agent, reviewer, both, host or stdio", f.Role)
	}
	server := f.Dir == "server"
	switch {
	case (f.Raw == nil) == (f.Base64 == nil):
		return errors.New("a frame has either raw or base64")
	case server && (f.Raw == nil || f.Pad != 0 || f.Role != ""):
		return errors.New("a server line has raw and conn, nothing else")
	case f.Pad < 0 || f.Pad > maxPad:
		return fmt.Errorf("pad must be 0 to %d", maxPad)
	case f.Raw != nil && strings.Contains(*f.Raw, "\n"):
		return errors.New("raw holds a newline: a frame is one line")
	}
	if f.Base64 != nil {
		if b, err := base64.StdEncoding.DecodeString(*f.Base64); err != nil || bytes.Contains(b, []byte("\n")) {
			return errors.New("base64 must be the bytes of one line in standard base64")
		}
	}
	return nil
}

// bytes are what goes over the wire, newline included, with the placeholders of a text replaced.
func (f *frame) bytes(vars *bindings) ([]byte, error) {
	var b []byte
	if f.Raw != nil {
		text, err := vars.expand(*f.Raw)
		if err != nil {
			return nil, err
		}
		b = []byte(text)
	} else {
		var err error
		if b, err = base64.StdEncoding.DecodeString(*f.Base64); err != nil {
			return nil, err
		}
	}
	b = append(b, bytes.Repeat([]byte(" "), f.Pad)...)
	return append(b, '\n'), nil
}
