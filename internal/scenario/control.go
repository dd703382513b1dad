package scenario

import (
	"errors"
	"fmt"
	"math"
)

// control is a control line.
type control struct {
	Dir   string            `json:"dir"`
	Op    string            `json:"op"`
	Ms    int64             `json:"ms"` // of advance; of restart and crash, how long the daemon is down
	Conn  string            `json:"conn"`
	Files map[string]*entry `json:"files"`
	Text  *string           `json:"text"` // of policy; of restart and crash, what the next daemon finds
}

// The control operations.
const (
	opRestart    = "restart"
	opCrash      = "crash"
	opAdvance    = "advance"
	opDisconnect = "disconnect"
	opFiles      = "files"
	opPolicy     = "policy"
)

func (c *control) check() error {
	switch c.Op {
	case opRestart, opCrash, opAdvance, opDisconnect, opFiles, opPolicy:
	default:
		return fmt.Errorf("there is no op %q; give restart, crash, advance, disconnect, files or policy", c.Op)
	}
	switch {
	case c.Op == opAdvance && c.Ms == 0:
		return errors.New("advance has no ms; say by how much")
	case c.Ms < 0, c.Ms > math.MaxInt32:
		return fmt.Errorf("ms must be 1 to %d", math.MaxInt32)
	case c.Ms != 0 && (c.Op == opDisconnect || c.Op == opFiles || c.Op == opPolicy):
		return fmt.Errorf("%s has no ms", c.Op)
	case (c.Op == opFiles) != (c.Files != nil):
		return errors.New("files, and nothing else, has files")
	case c.Op == opPolicy && c.Text == nil:
		return errors.New("policy has no text; give that of the file")
	case c.Text != nil && c.Op != opPolicy && c.Op != opRestart && c.Op != opCrash:
		return fmt.Errorf("%s has no text", c.Op)
	case c.Op != opDisconnect && c.Conn != "":
		return fmt.Errorf("%s has no conn", c.Op)
	case c.Op == opDisconnect && c.Conn == "":
		c.Conn = mainConn
	}
	return checkFiles(c.Files)
}
