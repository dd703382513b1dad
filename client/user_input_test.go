package client

import (
	"testing"
	"testing/synctest"

	"github.com/approvald/approvald/wire"
)

const (
	pendingU1 = `{"userInputId":"u1","state":"pending"}`
	settledU1 = `{"userInputId":"u1","state":"settled","settlement":{"outcome":"answered","answers":[],"clarification":null,"reason":null,"decidedAt":"t"}}`
)

func awaitsInput(id, params, results string) string {
	return `
		> {"jsonrpc":"2.0","id":"` + id + `","method":"userInput/await","params":` + params + `}
		< {"jsonrpc":"2.0","id":"` + id + `","result":{"results":` + results + `}}`
}

func TestAwaitInput(t *testing.T) {
	for _, c := range []struct {
		name   string
		waitMs *int64
		script []string
		want   wire.UserInputState
	}{
		{"in slices, for as long as it takes", nil, []string{hello +
			awaitsInput("$1", `{"sessionId":"s1","userInputIds":["u1"],"waitMs":300000}`, "["+pendingU1+"]") +
			awaitsInput("$2", `{"sessionId":"s1","userInputIds":["u1"],"waitMs":300000}`, "["+settledU1+"]")}, wire.UserInputSettled},
		{"a wait that runs out is no error", new(int64(301_000)), []string{hello +
			awaitsInput("$1", `{"sessionId":"s1","userInputIds":["u1"],"waitMs":300000}`, "["+pendingU1+"]") +
			awaitsInput("$2", `{"sessionId":"s1","userInputIds":["u1"],"waitMs":1000}`, "["+pendingU1+"]")}, wire.UserInputPending},
		{"across a restart, under the same id", nil, []string{hello + `
			> {"jsonrpc":"2.0","id":"$1","method":"userInput/await","params":{"sessionId":"s1","userInputIds":["u1"],"waitMs":300000}}
			close`, "refuse", hello + awaitsInput("$2", `{"sessionId":"s1","userInputIds":["u1"],"waitMs":300000}`, "["+settledU1+"]")}, wire.UserInputSettled},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, c.script, func(t *testing.T, dial Dialer) {
				r, err := connect(t, dial, again).AwaitInput(t.Context(), wire.UserInputAwaitParams{SessionID: "s1", UserInputIDs: []string{"u1"}, WaitMs: c.waitMs})
				if err != nil || r.Results[0].State != c.want {
					t.Errorf("got %+v, %v", r, err)
				}
			})
		})
	}
}

func TestAwaitInputRefusesAnAnswerOfAnotherLength(t *testing.T) {
	bubble(t, []string{hello + awaitsInput("$1", `{"sessionId":"s1","userInputIds":["u1"],"waitMs":300000}`, `[]`)}, func(t *testing.T, dial Dialer) {
		if r, err := connect(t, dial, again).AwaitInput(t.Context(), wire.UserInputAwaitParams{SessionID: "s1", UserInputIDs: []string{"u1"}}); err == nil {
			t.Errorf("got %+v", r)
		}
	})
}

// Whoever shows prompts says so, gets the receipt out before its handler runs, and
// may say within it that a person is there.
func TestAPromptIsShownToTheHandlerThatSaysSomebodyIsThere(t *testing.T) {
	bubble(t, []string{hello + `
		< {"jsonrpc":"2.0","id":4,"method":"userInput/request","params":{"sessionId":"s1","userInputId":"u1","questions":[{"id":"q","question":"a && b?"}]}}
		> {"jsonrpc":"2.0","id":4,"result":{}}
		> {"jsonrpc":"2.0","method":"userInput/engaged","params":{"sessionId":"s1","userInputId":"u1"}}
		< {"jsonrpc":"2.0","id":5,"method":"userInput/request","params":{"sessionId":7}}
		> {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"$m"}}`,
	}, func(t *testing.T, dial Dialer) {
		ready := make(chan struct{})
		var c *Client
		o := Options{OnUserInput: func(r wire.UserInputRequest) {
			<-ready
			if r.Questions[0].Question != "a && b?" {
				t.Errorf("shown %+v", r)
			}
			if err := c.EngageInput(t.Context(), wire.UserInputEngaged{SessionID: r.SessionID, UserInputID: r.UserInputID}); err != nil {
				t.Error(err)
			}
		}}
		if dialogs := o.hello().Capabilities.UserInputDialogs; dialogs == nil || !*dialogs {
			t.Error("the daemon is told that nobody shows prompts")
		}
		c = connect(t, dial, o)
		close(ready)
		synctest.Wait()
	})
}

func TestEngageInputWithoutAConnectionIsAnError(t *testing.T) {
	bubble(t, []string{hello + `
		close`}, func(t *testing.T, dial Dialer) {
		c := connect(t, dial, Options{})
		synctest.Wait()
		if err := c.EngageInput(t.Context(), wire.UserInputEngaged{SessionID: "s1", UserInputID: "u1"}); err == nil {
			t.Error("it was sent into the void")
		}
	})
}
