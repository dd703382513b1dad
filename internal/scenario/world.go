package scenario

import (
	"context"
	"fmt"
)

// World is what a scenario is played in, for callers that decide each line by what the one before
// brought: a daemon with a fixed clock, seeded ids and the file tree of its header, and the peers
// that its lines connect. It is for one goroutine. Close ends it.
type World struct {
	lines  parser
	player *player
	vars   *bindings
}

// Heard is what one connection heard because of a step.
type Heard struct {
	Conn  string
	Lines []string // frames in the order sent, without their newlines
}

// NewWorld starts the daemon that the header, the first line of a scenario, describes. Where the
// daemon does not start, a policy that cannot be read being one cause, that is the error, and
// nothing is left to be closed.
func NewWorld(header []byte) (*World, error) {
	w := &World{lines: parser{Scenario: &Scenario{}, roles: make(map[string]string)}}
	if err := w.lines.line(1, header); err != nil {
		return nil, err
	}
	var err error
	if w.player, err = newPlayer(&w.lines.header); err != nil {
		return nil, err
	}
	w.vars = newBindings(nil)
	return w, nil
}

// Step carries out client and control lines one right behind the other, waits until the daemon is
// quiet, and returns what everybody heard meanwhile, grouped by connection in the order in which
// those were first opened. Placeholders are not replaced. After an error the world is of no more use.
func (w *World) Step(ctx context.Context, lines ...[]byte) ([]Heard, error) {
	w.lines.steps = nil
	for _, line := range lines {
		if err := w.lines.line(2, line); err != nil {
			return nil, fmt.Errorf("%w: %.200s", err, line)
		}
	}
	all, err := w.player.step(ctx, w.vars, w.lines.steps...)
	if err != nil {
		return nil, err
	}
	out := make([]Heard, len(all))
	for i, h := range all {
		out[i] = Heard{Conn: h.conn, Lines: h.lines}
	}
	return out, nil
}

// Refused says why the daemon did not take up the text of the last policy line; nil where it did. The
// policy before it is then in force.
func (w *World) Refused() error { return w.player.refused }

// Close disconnects everybody, ends the daemon and removes what it wrote.
func (w *World) Close() error { return w.player.end() }
