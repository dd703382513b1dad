package linear

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/wire"
)

// connection is one to a daemon in this process, which may end at any time.
type connection struct {
	story   *story // for the session
	conn    net.Conn
	answers chan answer   // closed with the connection
	last    int           // id of the last request
	over    chan struct{} // closed when the daemon has let go of the connection
}

// answer is a response as it is sent.
type answer struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *wire.Error     `json:"error"`
}

// known is an approval as a client has met it.
type known struct {
	id, call string
	stage    int
}

// reply is an answer in the words of the model, with what can be learnt from it.
type reply struct {
	answer string
	met    []known
}

// errGone says that the daemon ended, or said that it is about to: the
// operation may have had its effect.
var errGone = errors.New("the daemon is gone")

// attach connects.
func attach(d *daemon.Daemon, s *story) (*connection, error) {
	ours, theirs := net.Pipe()
	c := &connection{story: s, conn: ours, answers: make(chan answer), over: make(chan struct{})}
	go c.listen()
	go func() {
		defer close(c.over)
		d.ServeStream("host", wire.RoleBoth, theirs)
	}()
	interactive := false
	_, err := c.call(wire.MethodInitialize, wire.InitializeParams{
		ClientInfo:   wire.ClientInfo{Name: "linear", Version: "1"},
		Capabilities: &wire.ClientCapabilities{Approvald: &wire.ApprovaldRequested{Interactive: &interactive}},
	})
	if err != nil {
		return nil, errors.Join(err, ours.Close())
	}
	if _, err := io.WriteString(ours, `{"jsonrpc":"2.0","method":"initialized"}`+"\n"); err != nil {
		return nil, fmt.Errorf("%w: %w", errGone, err)
	}
	return c, nil
}

// close ends the connection and waits for the daemon to have noticed.
func (c *connection) close() error {
	err := c.conn.Close()
	<-c.over
	return err
}

// frame is the next request as it is sent.
func (c *connection) frame(method string, params any) ([]byte, error) {
	raw, err := wire.Marshal(params)
	if err != nil {
		return nil, err
	}
	c.last++
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.last, method, raw), nil
}

// call sends a request and waits for its answer: the result, a *wire.Error, or
// errGone.
func (c *connection) call(method string, params any) (json.RawMessage, error) {
	frame, err := c.frame(method, params)
	if err != nil {
		return nil, err
	}
	if _, err := c.conn.Write(frame); err != nil {
		return nil, fmt.Errorf("%w: %w", errGone, err)
	}
	got, ok := <-c.answers
	switch {
	case !ok:
		return nil, errGone
	case got.ID != c.last:
		return nil, fmt.Errorf("request %d was answered as %d", c.last, got.ID)
	case got.Error == nil:
		return got.Result, nil
	case goingDown(got.Error):
		return nil, fmt.Errorf("%w: %w", errGone, got.Error)
	}
	return nil, got.Error
}

// goingDown reports whether a refusal says that the daemon is about to end. One
// that lets go of a connection has no room for a further request, and may say so.
func goingDown(e *wire.Error) bool {
	return e.Code == wire.CodeShuttingDown || e.Code == wire.CodeOverloaded || e.Code == wire.CodeInternal && e.Data.Retryable
}

// listen takes what is sent for as long as the connection lasts, so that the
// daemon owes nobody anything when it ends, and passes over what is no answer.
func (c *connection) listen() {
	defer close(c.answers)
	for lines := bufio.NewReader(c.conn); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var got answer
		if err := json.Unmarshal(line, &got); err != nil {
			got.Error = wire.NewError(wire.CodeParseError, err.Error())
		}
		if got.Method != "" {
			continue
		}
		select {
		case c.answers <- got:
		case <-c.over:
			return
		}
	}
}

// do carries an operation out.
func (c *connection) do(in input) (reply, error) {
	result, err := c.call(in.what, c.params(in))
	if refusal, ok := errors.AsType[*wire.Error](err); ok && !errors.Is(err, errGone) {
		return reply{answer: inWords(refusal)}, nil
	}
	if err != nil {
		return reply{}, err
	}
	return read(in, result)
}

// cut sends an operation, without its end where it is not to be whole, and ends
// the connection. What lacks nothing but the LF is whole to the daemon.
func (c *connection) cut(in input, whole bool) error {
	frame, err := c.frame(in.what, c.params(in))
	if err != nil {
		return err
	}
	if !whole {
		frame = frame[:len(frame)-2]
	}
	_, err = c.conn.Write(frame)
	return errors.Join(err, c.close())
}

func (c *connection) params(in input) any {
	session := c.story.session.String()
	switch in.what {
	case wire.MethodApprovalOpen:
		return wire.ApprovalOpenParams{
			CommandID: in.command, SessionID: session, ToolCallID: in.call, ToolName: "run", RawArgs: rawArgs,
			Reason: "because", Subject: json.RawMessage(subjects[in.subject].json),
		}
	case wire.MethodApprovalDecide:
		p := wire.ApprovalDecideParams{
			CommandID: in.command, SessionID: session, ApprovalID: in.target,
			RequirementID: wire.RequirementID{ApprovalID: in.target, SourceIndex: in.stage}, ChoiceID: in.choice,
		}
		if in.feedback != "" {
			p.Feedback = &in.feedback
		}
		return p
	case wire.MethodApprovalCancel:
		return wire.ApprovalCancelParams{CommandID: in.command, SessionID: session, ApprovalID: in.target, All: in.target == ""}
	case wire.MethodApprovalConsume:
		return wire.ApprovalConsumeParams{CommandID: in.command, SessionID: session, ApprovalID: in.target, ToolCallID: in.call, ArgsDigest: in.digest}
	case wire.MethodApprovalPrepare, wire.MethodApprovalConsumeAll:
		return batchParams(session, in)
	case wire.MethodApprovalAwait:
		return wire.ApprovalAwaitParams{SessionID: session, ApprovalIDs: in.targets, WaitMs: new(int64)}
	}
	return wire.ApprovalListPendingParams{SessionID: session}
}

// read puts a result into the words of the model.
func read(in input, result json.RawMessage) (r reply, err error) {
	decode := func(into any) {
		if err = json.Unmarshal(result, into); err != nil {
			err = fmt.Errorf("%w: %s", err, result)
		}
	}
	switch in.what {
	case wire.MethodApprovalOpen:
		var got wire.ApprovalOpenResult
		decode(&got)
		r.met = []known{{id: got.ApprovalID, call: got.ToolCallID}}
		r.answer = fmt.Sprintf("opened %s for %s with %s: %s", got.ApprovalID, got.ToolCallID, got.ArgsDigest, resolution(got.State, got.Resolution))
	case wire.MethodApprovalDecide:
		var got wire.ApprovalDecideResult
		decode(&got)
		r.answer = fmt.Sprintf("decided %s terminal %t", got.ApprovalID, got.Terminal)
	case wire.MethodApprovalCancel:
		var got wire.ApprovalCancelResult
		decode(&got)
		r.answer = "cancelled [" + strings.Join(got.Cancelled, " ") + "]"
	case wire.MethodApprovalConsume:
		var got wire.ApprovalConsumeResult
		decode(&got)
		r.answer = consumed(got)
	case wire.MethodApprovalPrepare:
		var got wire.ApprovalPrepareResult
		decode(&got)
		r = preparedInWords(got)
	case wire.MethodApprovalConsumeAll:
		var got wire.ApprovalConsumeAllResult
		decode(&got)
		r.answer = takenInWords(got)
	case wire.MethodApprovalAwait:
		var got wire.ApprovalAwaitResult
		decode(&got)
		var results []string
		for _, one := range got.Results {
			results = append(results, resolution(one.State, one.Resolution))
		}
		r.answer = "[" + strings.Join(results, "; ") + "]"
	case wire.MethodApprovalListPending:
		var got wire.ApprovalListPendingResult
		decode(&got)
		var rows []string
		for _, row := range got.Approvals {
			rows = append(rows, fmt.Sprintf("%s stage %d", row.ApprovalID, row.CurrentRequirementID.SourceIndex))
			r.met = append(r.met, known{row.ApprovalID, row.ToolCallID, row.CurrentRequirementID.SourceIndex})
		}
		r.answer = "pending [" + strings.Join(rows, ", ") + "]"
	}
	return r, err
}

func resolution(state wire.State, r *wire.Resolution) string {
	if r == nil {
		return string(state)
	}
	text := ending{
		outcome: r.Outcome, decision: r.Decision, result: r.PolicyResult, by: r.ResolvedBy, source: r.Source,
		feedback: r.Feedback, successor: r.SuccessorApprovalID,
	}.String()
	if (r.Permit != nil) != (r.PolicyResult == wire.PolicyAllow) {
		text += fmt.Sprintf(" with permit %v", r.Permit)
	}
	return text
}

func consumed(got wire.ApprovalConsumeResult) string {
	text := fmt.Sprintf("consumed: %s %s %s", got.PolicyResult, got.Outcome, got.Decision)
	allows := got.PolicyResult == wire.PolicyAllow
	if !got.Consumed || allows != (got.Permit != nil && got.Permit.ArgsDigest == argsDigest) || allows != (got.Denial == nil) {
		text += fmt.Sprintf(" (%t, %v, %v)", got.Consumed, got.Permit, got.Denial)
	}
	return text
}

// inWords puts a refusal into the words of the model.
func inWords(e *wire.Error) string {
	var details []any
	if r := e.Data.Resolution; r != nil {
		details = append(details, r.Decision, r.ResolvedBy, r.Outcome, r.ViewCursor)
	}
	if e.Data.Reason != "" {
		details = append(details, e.Data.Reason)
	}
	if e.Data.SuccessorApprovalID != "" {
		details = append(details, e.Data.SuccessorApprovalID)
	}
	if c := e.Data.CurrentRequirementID; c != nil {
		details = append(details, "current", c.SourceIndex)
	}
	return refused(e.Code, details...)
}
