package scenario_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/approvald/approvald/wire"
)

// orders follows one connection of a recording and holds what it was sent against
// what clients rely on that were written for other hosts (msp-facts §5.5, §5.6).
type orders struct {
	t         *testing.T
	requests  int64                                // the last id of the server's
	commands  map[string]string                    // commandId by request id
	asked     map[string]json.RawMessage           // requested events by their place, of every connection
	events    map[string]int                       // approvals and prompts: how often resolved or settled here
	due       map[string][]string                  // approval: what has to come next of it here, in order
	sessions  map[string]bool                      // whose events were sent here: it is subscribed
	decisions map[string]wire.ApprovalDecideParams // by request id
}

type line struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code int             `json:"code"`
		Data *wire.ErrorData `json:"data"`
	} `json:"error"`
}

// said is a frame of the client's.
func (o *orders) said(f line) {
	if f.ID == nil || f.Method == "" {
		return
	}
	var params struct {
		CommandID string `json:"commandId"`
	}
	if json.Unmarshal(f.Params, &params) == nil {
		o.commands[string(f.ID)] = params.CommandID
	}
	if f.Method == wire.MethodApprovalDecide {
		var decision wire.ApprovalDecideParams
		if json.Unmarshal(f.Params, &decision) == nil {
			o.decisions[string(f.ID)] = decision
		}
	}
}

// sent is a frame of the daemon's.
func (o *orders) sent(f line) {
	switch {
	case f.Error != nil:
		if f.Error.Data == nil || f.Error.Data.Kind == "" {
			o.t.Errorf("error %d to %s has no data.kind", f.Error.Code, f.ID)
		}
	case f.Method == "":
		o.answered(f)
	case f.ID != nil:
		o.request(f)
	default:
		o.event(f)
	}
}

// answered holds an ack against its command. It comes before what the command
// caused: behind a stage that is not the last, updated, requested and request.
func (o *orders) answered(f line) {
	var ack struct {
		CommandID string `json:"commandId"`
		Status    string `json:"status"`
		Terminal  *bool  `json:"terminal"`
	}
	if json.Unmarshal(f.Result, &ack) != nil || ack.Status == "" {
		return
	}
	if ack.Status != "accepted" || ack.CommandID != o.commands[string(f.ID)] {
		o.t.Errorf("the ack of %s is %s of command %s, which was %s", f.ID, ack.Status, ack.CommandID, o.commands[string(f.ID)])
	}
	decision, decided := o.decisions[string(f.ID)]
	if decided && ack.Terminal != nil && !*ack.Terminal && o.sessions[decision.SessionID] && o.events[decision.ApprovalID] == 0 {
		o.due[decision.ApprovalID] = []string{wire.MethodApprovalUpdated, wire.MethodApprovalRequested}
	}
}

// request holds a request against the event that it follows.
func (o *orders) request(f line) {
	id, err := strconv.ParseInt(string(f.ID), 10, 64)
	if err != nil || id != o.requests+1 {
		o.t.Errorf("request %s comes after %d: ids are positive integers, one after the other", f.ID, o.requests)
	}
	o.requests = id
	if event, ok := o.asked[place(f.Params)]; ok && string(event) != string(f.Params) && f.Method == wire.MethodApprovalRequest {
		o.t.Errorf("request %s is not what its event was:\n%s\n%s", f.ID, f.Params, event)
	}
}

// place is where a requested event stands, which its requests repeat.
func place(params json.RawMessage) string {
	var at struct {
		ViewCursor string `json:"viewCursor"`
	}
	_ = json.Unmarshal(params, &at) // a params object, or ""
	return at.ViewCursor
}

func (o *orders) event(f line) {
	var about struct {
		SessionID   string                 `json:"sessionId"`
		ApprovalID  string                 `json:"approvalId"`
		UserInputID string                 `json:"userInputId"`
		Change      *struct{ Kind string } `json:"change"`
	}
	if err := json.Unmarshal(f.Params, &about); err != nil {
		o.t.Errorf("%s: %v", f.Method, err)
	}
	if next := o.due[about.ApprovalID]; len(next) > 0 {
		if f.Method != next[0] {
			o.t.Errorf("behind a stage of %s comes %s, want %s", about.ApprovalID, f.Method, next[0])
		}
		o.due[about.ApprovalID] = next[1:]
	}
	switch f.Method {
	case wire.MethodApprovalRequested, wire.MethodUserInputRequested:
		o.asked[place(f.Params)] = f.Params
		o.sessions[about.SessionID] = true
	case wire.MethodApprovalUpdated:
		if about.Change == nil || about.Change.Kind == "" {
			o.t.Errorf("an update of %s does not say what changed", about.ApprovalID)
		}
	case wire.MethodApprovalResolved, wire.MethodUserInputSettled:
		o.events[about.ApprovalID+about.UserInputID]++
	}
}

// What the recordings prove each for its case holds in all of them: the orders
// that clients need which nobody here wrote.
func TestEveryRecordingKeepsTheOrdersOfRealClients(t *testing.T) {
	files, err := filepath.Glob("../../testdata/scenarios/*.ndjson")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios found: %v", err)
	}
	var updates, requests, errors, stages int
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			in, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			conns := map[string]*orders{}
			asked := map[string]json.RawMessage{}
			lines := bufio.NewScanner(in)
			lines.Buffer(nil, 2*wire.MaxFrame)
			for lines.Scan() {
				var entry struct{ Dir, Conn, Op, Raw string }
				if err := json.Unmarshal(lines.Bytes(), &entry); err != nil {
					t.Fatal(err)
				}
				switch {
				case entry.Op == "disconnect":
					delete(conns, entry.Conn)
				case entry.Op == "crash", entry.Op == "restart":
					clear(conns)
				}
				var f line
				if entry.Raw == "" || json.Unmarshal([]byte(entry.Raw), &f) != nil {
					continue
				}
				o := conns[entry.Conn]
				if o == nil {
					o = &orders{t: t, commands: map[string]string{}, asked: asked, events: map[string]int{}, due: map[string][]string{},
						sessions: map[string]bool{}, decisions: map[string]wire.ApprovalDecideParams{}}
					conns[entry.Conn] = o
				}
				if entry.Dir == "client" {
					o.said(f)
					continue
				}
				o.sent(f)
				switch {
				case f.Method == wire.MethodApprovalUpdated:
					updates++
				case f.Error != nil:
					errors++
				case f.Method != "" && f.ID != nil:
					requests++
				}
				stages += len(o.due)
			}
			if err := lines.Err(); err != nil {
				t.Fatal(err)
			}
			for name, o := range conns {
				for id, next := range o.due {
					if len(next) > 0 {
						t.Errorf("connection %q is not sent the %s behind a stage of %s", name, next[0], id)
					}
				}
			}
		})
	}
	if updates < 10 || requests < 50 || errors < 50 || stages < 3 {
		t.Errorf("the recordings have %d updates, %d requests, %d errors and %d stages: too few to prove anything", updates, requests, errors, stages)
	}
}
