package client_test

import (
	"context"
	"fmt"
	"log"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// An agent asks a person; a reviewer is shown the question and answers.
func ExampleClient_OpenInput() {
	home, stop := demo()
	defer stop()
	ctx := context.Background()

	var reviewer *client.Client
	connected := make(chan struct{})
	reviewer, err := client.Dial(ctx, home.socket("host"), client.Options{
		Name: "my_inbox", Role: wire.RoleReviewer, Interactive: true, AllSessions: true,
		OnRequest: func(wire.ApprovalRequest) {},
		OnUserInput: func(r wire.UserInputRequest) {
			<-connected
			// Somebody is there: the deadline does not count any more.
			if err := reviewer.EngageInput(ctx, wire.UserInputEngaged{SessionID: r.SessionID, UserInputID: r.UserInputID}); err != nil {
				log.Print(err)
			}
			q := r.Questions[0]
			fmt.Println(q.Question, q.Options[0].Label, "or", q.Options[1].Label)
			_, err := reviewer.AnswerInput(ctx, wire.UserInputAnswerParams{
				SessionID: r.SessionID, UserInputID: r.UserInputID,
				Answers: []wire.Answer{{QuestionID: q.ID, SelectedLabel: &q.Options[1].Label}},
			})
			if err != nil {
				log.Print(err)
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer reviewer.Close()
	close(connected)

	agent, err := client.Dial(ctx, home.socket("host"), client.Options{Name: "my_agent", Role: wire.RoleAgent, Reconnect: true})
	if err != nil {
		log.Fatal(err)
	}
	defer agent.Close()
	started, err := agent.StartSession(ctx, wire.SessionStartParams{WorkspaceRoot: home.workspace()})
	if err != nil {
		log.Fatal(err)
	}
	minute := int64(60_000)
	asked, err := agent.OpenInput(ctx, wire.UserInputOpenParams{
		SessionID: started.Session.SessionID, ToolCallID: "call_1", ToolName: "ask_user", AutoResolutionMs: &minute,
		Questions: []wire.Question{{
			ID: "port", Header: "Port", Question: "Which port?", Selection: wire.Selection{Mode: wire.SelectSingle},
			Options: []wire.QuestionOption{{Label: "8080"}, {Label: "9090"}},
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	r, err := agent.AwaitInput(ctx, wire.UserInputAwaitParams{
		SessionID: started.Session.SessionID, UserInputIDs: []string{asked.UserInputID},
	})
	if err != nil {
		log.Fatal(err)
	}
	settled := r.Results[0].Settlement
	fmt.Println(settled.Outcome, *settled.Answers[0].SelectedLabel)

	// Output:
	// Which port? 8080 or 9090
	// answered 9090
}
