package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/approvald/approvald/wire"
)

// nothingOnInput is what is said where standard input names nothing.
const nothingOnInput = "standard input has no ids"

// fromInput is the argument that stands for ids on standard input.
const fromInput = "-"

// readIDs are the ids on the lines of an input: the first word of each, or of a JSON
// object, as list and grants print it with --json, its id. Empty lines are passed over.
func readIDs(in io.Reader) (ids []string, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, wire.MaxFrame)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "":
			continue
		case strings.HasPrefix(line, "{"):
			var row struct{ ApprovalID, UserInputID, GrantID string }
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				return nil, exitf(exitUsage, "line %d of the input is no JSON: %v", n, err)
			}
			line = row.ApprovalID + row.UserInputID + row.GrantID
		default:
			line, _, _ = strings.Cut(line, " ")
			line, _, _ = strings.Cut(line, "\t")
		}
		if line == "" {
			return nil, exitf(exitUsage, "line %d of the input has no id", n)
		}
		ids = append(ids, line)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, exitf(exitUsage, "a line of the input is longer than %d bytes: no id is", wire.MaxFrame)
	case err != nil:
		return nil, fmt.Errorf("read ids from standard input: %w", err)
	}
	return ids, nil
}
