package corpus

import (
	"context"
	"fmt"

	"github.com/approvald/approvald/wire"
)

// startTurn is a person giving the agent something to do.
type startTurn struct {
	Session string `json:"session"`
}

// do is refused where something waits outside a turn. Any other refusal, for want of an
// agent before all, is a fault of the run: the case would be played without its turn.
func (t *startTurn) do(ctx context.Context, r *run) (seen, error) {
	s, err := r.start(ctx, t.Session)
	if err != nil {
		return seen{}, err
	}
	a, err := r.ask(ctx, r.operator(), wire.MethodTurnStart, object{
		{"commandId", r.command("")}, {"sessionId", s.id}, {"input", []object{{{"type", "text"}, {"text", "go on"}}}},
	})
	if err != nil {
		return seen{}, err
	}
	out, refused := a.refused()
	switch {
	case !refused:
		return seen{word: accepted}, nil
	case out.detail != string(wire.ReasonRunActive):
		return seen{}, fmt.Errorf("%s: %w", wire.MethodTurnStart, a.err)
	}
	return out, nil
}
