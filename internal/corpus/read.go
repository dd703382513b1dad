package corpus

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/approvald/approvald/internal/approval"
)

// maxLine bounds a case: the largest that a frame could carry, escaped.
const maxLine = 64 << 20

// Read reads cases, one JSON object a line; empty lines are skipped. A case that cannot be read is
// returned with its Fault, so that it fails and the others are run. The error is one of reading.
func Read(from io.Reader) ([]Case, error) {
	var cases []Case
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	for number := 1; lines.Scan(); number++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		c := parse(lines.Bytes())
		if c.ID == "" {
			c.ID = fmt.Sprintf("line-%d", number)
		}
		if c.Fault == nil && slices.ContainsFunc(cases, func(other Case) bool { return other.ID == c.ID }) {
			c.Fault = errors.New("another case has this id")
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		return cases, fmt.Errorf("read the cases: %w", err)
	}
	return cases, nil
}

// parse reads one case strictly. Names that are there twice are a fault of the case: a text that is
// hostile for that is a JSON string within it.
func parse(line []byte) Case {
	var c Case
	err := json.Unmarshal(line, &c, json.RejectUnknownMembers(true))
	if err == nil {
		err = c.check()
	}
	if err == nil {
		return c
	}
	// As much of it as tells which case it is.
	var head struct {
		ID    string `json:"id"`
		Kind  string `json:"kind"`
		Topic string `json:"topic"`
		Title string `json:"title"`
	}
	_ = json.Unmarshal(line, &head, jsontext.AllowDuplicateNames(true)) // what cannot be read is empty
	return Case{ID: head.ID, Kind: head.Kind, Topic: head.Topic, Title: head.Title, Fault: fmt.Errorf("it cannot be read: %w", err)}
}

// Kinds are the kinds of case, in the order in which they are reported.
var Kinds = []string{"shell_bypass", "shell_false_positive", "file", "network", "lifecycle"}

func (c *Case) check() error {
	switch in := &c.Input; {
	case c.ID == "":
		return errors.New("a case has an id")
	case !slices.Contains(Kinds, c.Kind):
		return fmt.Errorf("kind is %q; give one of %v", c.Kind, Kinds)
	case in.Mode != "" && !in.Mode.Known():
		return fmt.Errorf("mode is %q; give one of %v", in.Mode, approval.Modes)
	case in.Subject == nil && len(in.Steps) == 0:
		return errors.New("a case has a subject or steps")
	case c.Want.Outcome == "":
		return errors.New("a case wants an outcome")
	}
	for _, e := range c.Want.Expect {
		if e.Step < 0 || e.Step >= len(c.Input.Steps) {
			return fmt.Errorf("expect names step %d of %d, from 0", e.Step, len(c.Input.Steps))
		}
	}
	return nil
}
