package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
)

// Scenario is a parsed scenario. It is immutable and may be played any number of times, also at
// once.
type Scenario struct {
	path   string
	header header
	first  []byte // the header's line as it is in the file
	steps  []step
}

// step is something that happens to the daemon, and the server lines behind it.
type step struct {
	line    int    // in the file, from 1
	text    []byte // as it is in the file
	frame   *frame // of a client; nil for a control line
	control *control
	want    []said
	after   int // number of the line behind the step's last server line
}

// said is one server line.
type said struct {
	line int
	conn string
	raw  string
}

// Title is the sentence that says what the scenario proves.
func (s *Scenario) Title() string { return s.header.Title }

// Load reads a scenario file. The error of a malformed one names the file, the line and what is
// wrong there.
func Load(path string) (*Scenario, error) {
	text, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return nil, fmt.Errorf("read a scenario: %w", err)
	}
	return Parse(path, text)
}

// Parse reads the text of a scenario; path is what its errors call it.
func Parse(path string, text []byte) (*Scenario, error) {
	p := parser{Scenario: &Scenario{path: path}, roles: make(map[string]string)}
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	for i, line := range lines {
		if err := p.line(i+1, line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
	}
	for i := range p.steps {
		p.steps[i].after = len(lines) + 1
		if i+1 < len(p.steps) {
			p.steps[i].after = p.steps[i+1].line
		}
	}
	return p.Scenario, nil
}

// parser is a Scenario that is being read.
type parser struct {
	*Scenario
	roles map[string]string // of the connections so far
}

func (p *parser) line(number int, text []byte) error {
	var kind struct {
		Dir string `json:"dir"`
	}
	if err := json.Unmarshal(text, &kind); err != nil {
		return errors.New("the line is not one JSON object with a member dir")
	}
	if (number == 1) != (kind.Dir == "header") {
		return errors.New("the first line, and only it, is the header")
	}
	switch kind.Dir {
	case "header":
		p.first = bytes.Clone(text)
		return decode(text, &p.header)
	case "client":
		return p.client(number, text)
	case "server":
		return p.server(number, text)
	case "control":
		c := new(control)
		if err := decode(text, c); err != nil {
			return err
		}
		if _, known := p.roles[c.Conn]; c.Op == opDisconnect && !known {
			return fmt.Errorf("no connection %q was opened before", c.Conn)
		}
		p.steps = append(p.steps, step{line: number, text: bytes.Clone(text), control: c})
		return nil
	}
	return fmt.Errorf("dir is %q; it must be client, server or control", kind.Dir)
}

func (p *parser) client(number int, text []byte) error {
	f := new(frame)
	if err := decode(text, f); err != nil {
		return err
	}
	role, known := p.roles[f.Conn]
	switch {
	case known && f.Role != "" && f.Role != role:
		return fmt.Errorf("connection %q was opened with the role %s; give another one a name of its own", f.Conn, role)
	case known:
		f.Role = role
	case p.header.Serve.AgentCmd == f.Conn && f.Role != "":
		return fmt.Errorf("connection %q is the program that the daemon starts, and has no role", f.Conn)
	case p.header.Serve.AgentCmd == f.Conn:
		f.Role = agentCmdRole
	case f.Role == "" && f.Conn == mainConn:
		f.Role = "stdio"
	case f.Role == "":
		return fmt.Errorf("connection %q is opened here and must have a role", f.Conn)
	}
	p.roles[f.Conn] = f.Role
	p.steps = append(p.steps, step{line: number, text: bytes.Clone(text), frame: f})
	return nil
}

func (p *parser) server(number int, text []byte) error {
	f := new(frame)
	if err := decode(text, f); err != nil {
		return err
	}
	if len(p.steps) == 0 {
		return errors.New("a server line stands behind the client or control line that causes it")
	}
	if _, known := p.roles[f.Conn]; !known {
		return fmt.Errorf("no connection %q was opened before", f.Conn)
	}
	last := &p.steps[len(p.steps)-1]
	last.want = append(last.want, said{line: number, conn: f.Conn, raw: *f.Raw})
	return nil
}

// decode reads a line strictly, a misspelt member would otherwise be a check that is never made,
// and checks what it says.
func decode(text []byte, v interface{ check() error }) error {
	if err := json.Unmarshal(text, v, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("the line cannot be read: %w", err)
	}
	return v.check()
}
