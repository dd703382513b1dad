package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// recordings are the scenarios, whose frames the documents show: they are replayed byte for byte by
// the tests, so that an example cannot go stale.
type recordings struct{ dir string }

// line is a line of a scenario, as far as it is needed here.
type line struct {
	Dir  string
	Conn string
	Raw  string
	rpc  struct {
		ID     json.RawMessage
		Method string
	}
}

// asked shows the first message that the peer sent with that method.
func (r recordings) asked(scenario, conn, method string) (string, error) {
	lines, i, err := r.find(scenario, conn, "client", method)
	if err != nil {
		return "", err
	}
	return show(lines[i]), nil
}

// answered shows what the daemon answered to it.
func (r recordings) answered(scenario, conn, method string) (string, error) {
	lines, i, err := r.find(scenario, conn, "client", method)
	if err != nil {
		return "", err
	}
	request := lines[i]
	for _, l := range lines[i:] {
		if l.Dir == "server" && l.Conn == conn && l.rpc.Method == "" && bytes.Equal(l.rpc.ID, request.rpc.ID) {
			return show(l), nil
		}
	}
	return "", fmt.Errorf("scenario %s has no answer to %s on connection %q", scenario, method, conn)
}

// told shows the first message that the daemon sent of its own with that method.
func (r recordings) told(scenario, conn, method string) (string, error) {
	lines, i, err := r.find(scenario, conn, "server", method)
	if err != nil {
		return "", err
	}
	return show(lines[i]), nil
}

// find returns the lines of a scenario and the index of the first that is sought.
func (r recordings) find(scenario, conn, dir, method string) ([]line, int, error) {
	lines, err := r.read(scenario)
	if err != nil {
		return nil, 0, err
	}
	for i, l := range lines {
		if l.Dir == dir && l.Conn == conn && l.rpc.Method == method {
			return lines, i, nil
		}
	}
	return nil, 0, fmt.Errorf("scenario %s has no %s from the %s on connection %q", scenario, method, dir, conn)
}

func (r recordings) read(scenario string) ([]line, error) {
	text, err := os.ReadFile(filepath.Join(r.dir, scenario+".ndjson"))
	if err != nil {
		return nil, err
	}
	var lines []line
	for raw := range bytes.Lines(text) {
		l := line{Conn: "main"}
		if err := json.Unmarshal(raw, &l); err != nil {
			return nil, fmt.Errorf("scenario %s: %w", scenario, err)
		}
		if l.Raw != "" {
			if err := json.Unmarshal([]byte(l.Raw), &l.rpc); err != nil {
				return nil, fmt.Errorf("scenario %s: %w", scenario, err)
			}
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// show is a frame as a block of JSON.
func show(l line) string { return "```json\n" + layout(l.Raw) + "\n```" }
