package tolerance

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// asked is one row: what a server sends unasked, the receipts that it is given in short, and what the
// client's handlers are called with, each separated by "; ".
type asked struct{ what, send, receipts, handed string }

const (
	request   = `{"approvalId":"a","subject":{"kind":"tool"}}`
	shown     = `request a {"kind":"tool"}`
	noHandler = " -32601"
	unread    = " -32602"
)

// asks is an approval/request under an id.
func asks(id, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"approval/request","params":` + params + "}\n"
}

// tells is a notification.
func tells(method, params string) string {
	return `{"jsonrpc":"2.0","method":"` + method + `","params":` + params + "}\n"
}

// serverAsks are the promises about what servers ask and tell.
var serverAsks = []asked{
	{"a request is shown and has its receipt", asks("1", request), "1 result", shown},
	{"the same request twice", asks("1", request) + asks("2", request), "1 result; 2 result", shown + "; " + shown},
	{"an id used again", asks("1", request) + asks("1", request), "1 result; 1 result", shown + "; " + shown},
	{"ids in any order", asks("9", request) + asks("3", request), "9 result; 3 result", shown + "; " + shown},
	{"an id of zero", asks("0", request), "0 result", shown},
	{"an id that is negative", asks("-5", request), "-5 result", shown},
	{"an id of more than 64 bits", asks("123456789012345678901234567890", request), "123456789012345678901234567890 result", shown},
	{"an id that is a text", asks(`"\u0061/<&>"`, request), `"\u0061/<&>" result`, shown},
	{"members of the envelope that nobody knows", `{"future":1,"trace":{},"Params":[],"jsonrpc":"2.0","id":1,"ID":2,"method":"approval/request","params":` + request + "}\n", "1 result", shown},
	{"a result in another case makes no answer of it", `{"Result":{},"jsonrpc":"2.0","id":1,"method":"approval/request","params":` + request + "}\n", "1 result", shown},
	{"members that nobody knows", asks("1", `{"future":{"a":1e400},"approvalId":"a","ApprovalID":"b","subject":{"kind":"tool"}}`), "1 result", shown},
	{"a subject of an unknown kind, to the byte", asks("1", `{"approvalId":"a","subject":{"z":-0.0,"kind":"hologram","n":1e400,"t":"<\u0026>"}}`), "1 result", `request a {"z":-0.0,"kind":"hologram","n":1e400,"t":"<\u0026>"}`},
	{"choices, scopes and sources that nobody knows", asks("1", `{"approvalId":"a","subject":{"kind":"tool"},"availableChoices":[{"choiceId":"allow_for_an_hour","decision":"approvedForAnHour","scope":"hour","future":1}],"permissionMode":"supervised","policy":{"source":"oracle","explanation":""}}`), "1 result", shown + " allow_for_an_hour/approvedForAnHour/hour supervised oracle"},
	{"params that cannot be read", asks("1", `{"approvalId":7}`), "1" + unread, ""},
	{"params that are an array", asks("1", `[]`), "1" + unread, ""},
	{"no params", `{"jsonrpc":"2.0","id":1,"method":"approval/request"}` + "\n", "1" + unread, ""},
	{"a request that nobody knows", strings.Replace(asks("1", `{}`), "approval/request", "future/request", 1), "1" + noHandler, ""},
	{"a request that nobody knows, with params of any shape", strings.Replace(asks("1", `[[1e400]]`), "approval/request", "future/request", 1), "1" + noHandler, ""},
	{"a prompt, for a client that shows none", strings.Replace(asks("1", `{}`), "approval/request", "userInput/request", 1), "1" + noHandler, ""},
	{"a notification as a request", strings.Replace(asks("1", `{}`), "approval/request", "session/started", 1), "1" + noHandler, ""},
	{"a request as a notification asks for no receipt", tells("approval/request", request), "", `approval/request ` + request},

	{"a notification that nobody knows", tells("future/thing", `{"a":1}`), "", `future/thing {"a":1}`},
	{"a notification without params", `{"jsonrpc":"2.0","method":"future/thing"}` + "\n", "", "future/thing "},
	{"a notification with params null", tells("future/thing", `null`), "", "future/thing null"},
	{"a notification with members that nobody knows", `{"future":1,"emittedAtMs":"yesterday","jsonrpc":"2.0","method":"future/thing","params":{}}` + "\n", "", "future/thing {}"},
	{"a notification with a method to be unescaped", `{"jsonrpc":"2.0","method":"\u0066uture\/thing","params":{}}` + "\n", "", "future/thing {}"},
	{"a notification with params that are an array is passed over", tells("future/thing", `[1]`), "", ""},
	{"a notification of a session that is no text is passed over", tells("approval/resolved", `{"sessionId":7}`), "", ""},
	{"a status that nobody knows", tells("session/statusChanged", `{"sessionId":"s","status":"dreaming","attention":["reviewPending"]}`), "", `session/statusChanged {"sessionId":"s","status":"dreaming","attention":["reviewPending"]}`},
	{"a change that nobody knows", tells("approval/updated", `{"approvalId":"a","change":{"kind":"repainted","color":"red"}}`), "", `approval/updated {"approvalId":"a","change":{"kind":"repainted","color":"red"}}`},
	{"an outcome that nobody knows", tells("approval/resolved", `{"approvalId":"a","outcome":"postponed","source":"oracle","n":1e400}`), "", `approval/resolved {"approvalId":"a","outcome":"postponed","source":"oracle","n":1e400}`},
}

func TestQuestionsOfServers(t *testing.T) {
	for _, row := range serverAsks {
		t.Run(row.what, func(t *testing.T) {
			var handed []string
			over := make(chan struct{})
			_, s := connect(t, client.Options{
				Interactive: true,
				OnRequest: func(r wire.ApprovalRequest) {
					text := fmt.Sprintf("request %s %s", r.ApprovalID, r.Subject)
					for _, c := range r.AvailableChoices {
						text += fmt.Sprintf(" %s/%s/%s", c.ChoiceID, c.Decision, c.Scope)
					}
					if r.Policy.Source != "" {
						text += fmt.Sprintf(" %s %s", r.PermissionMode, r.Policy.Source)
					}
					handed = append(handed, text)
				},
				OnNotification: func(e client.Event) {
					if e.Method == "over" {
						close(over)
						return
					}
					handed = append(handed, e.Method+" "+string(e.Params))
				},
			})
			var saying sync.WaitGroup
			defer saying.Wait()
			saying.Go(func() { s.say(row.send + tells("over", `{}`)) })
			if row.receipts != "" {
				for want := range strings.SplitSeq(row.receipts, "; ") {
					if got := s.receipt(); got != want {
						t.Errorf("the server is given the receipt %s, want %s", got, want)
					}
				}
			}
			<-over
			var want []string
			if row.handed != "" {
				want = strings.Split(row.handed, "; ")
			}
			if diff := cmp.Diff(want, handed); diff != "" {
				t.Errorf("handed on (-want +got):\n%s", diff)
			}
		})
	}
}

// receipt reads a receipt and gives it in short.
func (s *server) receipt() string {
	line, err := s.lines.ReadString('\n')
	if err != nil {
		s.t.Fatal(err)
	}
	var f struct {
		ID     json.RawMessage `json:"id"`
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(line), &f); err != nil {
		s.t.Fatalf("%v: %s", err, line)
	}
	if f.Error != nil {
		return fmt.Sprintf("%s %d", f.ID, f.Error.Code)
	}
	if string(f.Result) != "{}" {
		s.t.Errorf("a receipt is %s", line)
	}
	return string(f.ID) + " result"
}

// Open enums that this version does not know keep their words when an event is decoded.
func TestWordsThatNobodyKnowsAreKept(t *testing.T) {
	e := client.Event{Method: wire.MethodApprovalUpdated, Params: []byte(`{"change":{"kind":"repainted","decision":"maybe","status":"pending","Kind":"stageResolved"}}`)}
	decoded, err := e.Decode()
	if err != nil {
		t.Fatal(err)
	}
	updated, ok := decoded.(*wire.ApprovalUpdated)
	if !ok {
		t.Fatalf("decoded as %T", decoded)
	}
	if diff := cmp.Diff(wire.Change{Kind: "repainted", Decision: "maybe", Status: "pending"}, updated.Change); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whatever an agent says in a subject, a reviewer at the Go client is shown it, in requests, lists
// and pages: no agent cuts reviewers off.
func TestNoSubjectCutsAReviewerOff(t *testing.T) {
	subjects := []string{
		`{"kind":"hologram","n":1e400}`,
		`{"kind":"hologram","n":-` + strings.Repeat("9", 400) + `,"Kind":"tool","KIND":"shell"}`,
		`{"kind":"hologram","t":"\u2028\u0000<&>\ud83d\ude00"}`,
		`{"kind":"tool","arguments":{"n":1e400,"":{"":[]}}}`,
		`{"kind":"hologram","deep":` + nested(58) + `}`,
	}
	w := newPlace(t).start(t)
	agent := w.join(wire.RoleBoth, `"interactive":false`)
	session := agent.start()
	requests := make(chan wire.ApprovalRequest, len(subjects))
	reviewer, err := client.New(t.Context(), w.pipe(wire.RoleReviewer), client.Options{
		Interactive: true, AllSessions: true, OnRequest: func(r wire.ApprovalRequest) { requests <- r },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := reviewer.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, subject := range subjects {
		approval := member(t, agent.must(wire.MethodApprovalOpen, object(command(), in(session),
			`"toolCallId":"c","toolName":"t","rawArgs":"{\"n\":1e400}","reason":"r","subject":`+subject)), "approvalId")
		if _, err := reviewer.ListPending(t.Context(), wire.ApprovalListPendingParams{}); err != nil {
			t.Fatalf("the list with %s: %v", subject, err)
		}
		if _, err := reviewer.ReadApproval(t.Context(), wire.ApprovalReadParams{SessionID: session, ApprovalID: approval}); err != nil {
			t.Fatalf("reading %s: %v", subject, err)
		}
		if _, err := reviewer.Page(t.Context(), wire.ViewPageParams{SessionID: session, Limit: 100}); err != nil {
			t.Fatalf("the page with %s: %v", subject, err)
		}
		r := <-requests
		if r.ApprovalID != approval {
			t.Errorf("asked about %s", r.ApprovalID)
		}
		if _, err := reviewer.Decide(t.Context(), wire.ApprovalDecideParams{
			SessionID: session, ApprovalID: approval, RequirementID: r.CurrentRequirementID, ChoiceID: wire.ChoiceAbort,
		}); err != nil {
			t.Errorf("deciding about %s: %v", subject, err)
		}
	}
}
