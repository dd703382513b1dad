package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// Play plays the scenario against a fresh daemon, which it ends again. The error is a *DifferenceError
// where the daemon says something else than what is recorded; any other error, which begins with
// file and line, means that the scenario could not be played.
func (s *Scenario) Play(ctx context.Context) error {
	return s.run(ctx, func(st *step, heard []heard, vars *bindings) error {
		if d := s.compare(st, heard, vars); d != nil {
			return d
		}
		return nil
	})
}

// Record plays the scenario and returns its text with the server lines that the daemon said: all
// other lines keep their bytes and their order, and behind each step stands what it caused, grouped
// by connection in the order in which those were first opened. Recording twice gives the same bytes.
func (s *Scenario) Record(ctx context.Context) ([]byte, error) {
	var out bytes.Buffer
	out.Write(s.first)
	out.WriteByte('\n')
	err := s.run(ctx, func(st *step, heard []heard, vars *bindings) error {
		_ = s.compare(st, heard, vars) // for what it binds
		out.Write(st.text)
		out.WriteByte('\n')
		for _, h := range heard {
			for _, line := range h.lines {
				if err := writeServer(&out, h.conn, vars.collapse(line)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return out.Bytes(), err
}

// writeServer appends one server line.
func writeServer(out *bytes.Buffer, conn, raw string) error {
	line := struct {
		Dir  string `json:"dir"`
		Conn string `json:"conn,omitempty"`
		Raw  string `json:"raw"`
	}{"server", conn, raw}
	if conn == mainConn {
		line.Conn = ""
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(line)
}

// heard is what one connection heard because of one step.
type heard struct {
	conn  string
	lines []string
}

// run plays every step in order and calls visit with what each caused. Errors are about a line.
func (s *Scenario) run(ctx context.Context, visit func(*step, []heard, *bindings) error) (err error) {
	p, err := newPlayer(&s.header)
	if err != nil {
		return fmt.Errorf("%s:1: %w", s.path, err)
	}
	defer func() {
		if endErr := p.end(); err == nil && endErr != nil {
			err = fmt.Errorf("%s: %w", s.path, endErr)
		}
	}()
	vars := newBindings(s.header.Vars)
	for i := range s.steps {
		st := &s.steps[i]
		heard, err := p.step(ctx, vars, *st)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", s.path, st.line, err)
		}
		if err := visit(st, heard, vars); err != nil {
			return err
		}
	}
	return nil
}
