package scenario

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/wire"
)

// header is the first line of a scenario: what fixes the run.
type header struct {
	Dir   string            `json:"dir"`
	Title string            `json:"title"`
	Clock wire.Time         `json:"clock"`
	Seed  *uint64           `json:"seed"`
	IDs   []string          `json:"ids"`
	Vars  map[string]string `json:"vars"`
	Files map[string]*entry `json:"files"`
	Serve serve             `json:"serve"`

	now time.Time
	ids []approval.ID
}

// serve is the daemon's configuration.
type serve struct {
	Mode      approval.Mode `json:"mode"`
	Ceiling   approval.Mode `json:"ceiling"`
	Ephemeral bool          `json:"ephemeral"`
	Policy    string        `json:"policy"` // the text of the user's policy file
	// AgentCmd names the connection that is the program of --agent-cmd; "" for none.
	AgentCmd string `json:"agentCmd"`
}

// check reads what the members mean.
func (h *header) check() error {
	switch {
	case h.Title == "":
		return errors.New("the header has no title; say in one sentence what the scenario proves")
	case h.Clock == "":
		return errors.New("the header has no clock; give the instant at which it stands")
	case h.Seed == nil:
		return errors.New("the header has no seed; give a number")
	}
	var err error
	if h.now, err = h.Clock.Parse(); err != nil {
		return fmt.Errorf("clock: %w", err)
	}
	for _, text := range h.IDs {
		id, err := approval.ParseID(text)
		if err != nil {
			return fmt.Errorf("ids: %w", err)
		}
		h.ids = append(h.ids, id)
	}
	for name := range h.Vars {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r < '!' || r > '~' || r == '"' || r == '\\' }) {
			return fmt.Errorf("vars: %q is no placeholder; spell one with printable ASCII, such as $APPROVAL", name)
		}
	}
	for _, m := range []approval.Mode{h.Serve.Mode, h.Serve.Ceiling} {
		if m != "" && !m.Known() {
			return fmt.Errorf("serve: %q is no mode; give one of %v", m, approval.Modes)
		}
	}
	if h.Serve.AgentCmd == mainConn {
		return fmt.Errorf("serve: agentCmd names the connection %s, which is the client's own; give the program another name", mainConn)
	}
	for path, e := range h.Files {
		if e == nil {
			return fmt.Errorf("files: %s is null; leave out what is not there", path)
		}
	}
	return checkFiles(h.Files)
}
