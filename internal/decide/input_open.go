package decide

import (
	"fmt"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// OpenInput puts questions to a person (protocol §7, userInput/open). They are well
// formed.
type OpenInput struct {
	Intent
	Session        approval.ID
	ToolCall       string
	ToolName       string
	Turn           string // "": the open turn or, without one, the prompt's own id
	Questions      []wire.Question
	AutoResolution time.Duration // 0: no deadline
}

func (c OpenInput) concerns(*fold.State) approval.ID { return c.Session }

func (c OpenInput) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, env, c.Session)
	switch {
	case end != nil:
		return *end
	case session.Closed:
		return Result{Refusal: sessionClosed(session, c.Intent)}
	case session.Prompts >= env.Limits.MaxPending:
		return Result{Refusal: tooManyPrompts(env.Limits.MaxPending)}
	}
	if open, ok := session.OpenTurn(); ok && c.Turn == "" {
		c.Turn = open.ID.String()
	}
	if session.Deep(c.ToolCall, maxNesting+1) {
		return Result{Refusal: tooDeep("toolCallId")}
	}
	if turn := session.EndedAround(c.Turn, c.ToolCall); turn != "" {
		return refused(s, env, session, c.Intent, c.turnEnded(turn))
	}
	id := env.NewID()
	ack := encode(wire.UserInputOpenResult{Ack: wire.Accepted(c.Command.String()), UserInputID: id.String()})
	body := &record.InputOpened{
		ToolCallID: c.ToolCall, ToolName: c.ToolName, TurnID: c.Turn, ItemID: id.String(),
		Questions: encode(c.Questions), By: c.By, Command: c.intake(ack),
	}
	if body.TurnID == "" {
		body.TurnID = id.String()
	}
	if c.AutoResolution > 0 {
		after, at := c.AutoResolution.Milliseconds(), env.Now.Add(c.AutoResolution).UnixMilli()
		body.AutoResolutionMs, body.ExpiresAt = &after, &at
	}
	d := newDraft(s, env, session.ID, c.Command)
	d.add(id, body)
	return d.accepted(ack)
}

func tooManyPrompts(most int) *wire.Error {
	return wire.NewError(wire.CodeBackpressured,
		fmt.Sprintf("The session holds %d pending prompts, as many as it may; wait until some are settled.", most),
		func(d *wire.ErrorData) { d.Capacity = int64(most) })
}
