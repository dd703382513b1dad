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

// Read reads cases, one JSON object a line; empty lines are skipped. Its error joins one for every
// case that cannot be read, each naming the case, or else the line, and what is wrong; the cases that
// can are returned all the same.
func Read(from io.Reader) ([]Case, error) {
	var cases []Case
	var errs []error
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	for number := 1; lines.Scan(); number++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		c, err := parse(lines.Bytes())
		if err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", number, err))
			continue
		}
		if slices.ContainsFunc(cases, func(other Case) bool { return other.ID == c.ID }) {
			errs = append(errs, fmt.Errorf("line %d: %s: another case has this id", number, c.ID))
			continue
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		errs = append(errs, fmt.Errorf("read the cases: %w", err))
	}
	return cases, errors.Join(errs...)
}

// parse reads one case strictly.
func parse(line []byte) (Case, error) {
	var c Case
	// Duplicate names are for the daemon to refuse, where they are inside of a case's raw texts, which
	// are JSON strings; in the case itself they are a fault of the case.
	if err := json.Unmarshal(line, &c, json.RejectUnknownMembers(true)); err != nil {
		return Case{}, fmt.Errorf("%s: %w", name(line), err)
	}
	if err := c.check(); err != nil {
		return Case{}, fmt.Errorf("%s: %w", name(line), err)
	}
	return c, nil
}

// name is the id of a case that cannot be read, as far as it can be found.
func name(line []byte) string {
	var head struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(line, &head, jsontext.AllowDuplicateNames(true)); head.ID == "" || err != nil {
		return "a case without id"
	}
	return head.ID
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
