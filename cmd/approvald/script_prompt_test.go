package main

import (
	"context"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// ask NAME SESSION QUESTION [OPTION...] opens a prompt and sets NAME to its id.
func openPrompt(ts *testscript.TestScript, _ bool, args []string) {
	q := wire.Question{ID: "q", Question: args[2], Selection: wire.Selection{Mode: wire.SelectSingle}}
	for _, label := range args[3:] {
		q.Options = append(q.Options, wire.QuestionOption{Label: label})
	}
	asAgent(ts, func(ctx context.Context, c *client.Client) {
		r, err := c.OpenInput(ctx, wire.UserInputOpenParams{
			SessionID: args[1], ToolCallID: client.NewCommandID(), ToolName: "ask_user", Questions: []wire.Question{q},
		})
		ts.Check(err)
		ts.Setenv(args[0], r.UserInputID)
	})
}

// answer SESSION ID LABEL answers a prompt.
func answerPrompt(ts *testscript.TestScript, _ bool, args []string) {
	asAgent(ts, func(ctx context.Context, c *client.Client) {
		_, err := c.AnswerInput(ctx, wire.UserInputAnswerParams{
			SessionID: args[0], UserInputID: args[1], Answers: []wire.Answer{{QuestionID: "q", SelectedLabel: &args[2]}},
		})
		ts.Check(err)
	})
}
