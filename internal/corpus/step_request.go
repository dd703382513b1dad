package corpus

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/approvald/approvald/wire"
)

// request is the agent opening an approval.
type request struct {
	ID      string   `json:"id"` // the label; "?" for one that is never named
	Session string   `json:"session"`
	Subject *Subject `json:"subject"` // nil: the case's
	Call    string   `json:"call"`    // the toolCallId; "": the label
	// Environment is where the action is to take effect. approvald knows one for a session, so that
	// another one is another session.
	Environment string `json:"environment"`
	TimeoutS    int64  `json:"timeout_s"`  //nolint:tagliatelle // SCHEMA.md's spelling
	Requested   bool   `json:"requested"`  // the agent's own flag, of the mode onRequest
	Unattended  string `json:"unattended"` // park or refuse; "": the session's
	// Before and After are sha(TEXT) of the content that a write replaces and leaves; null: no file.
	Before *string `json:"before_sha256"` //nolint:tagliatelle // SCHEMA.md's spelling
	After  string  `json:"after_sha256"`  //nolint:tagliatelle // SCHEMA.md's spelling
}

// asking is an action that is one request, so that several can be sent at once.
type asking interface {
	// ask is the request, and what its answer means.
	ask(ctx context.Context, r *run) (call, func(answer) (seen, error), error)
}

// alone sends the one request of an action.
func alone(ctx context.Context, r *run, a asking) (seen, error) {
	c, took, err := a.ask(ctx, r)
	if err != nil {
		return seen{}, err
	}
	answers, err := r.call(ctx, c)
	if err != nil {
		return seen{}, err
	}
	return took(answers[0])
}

func (q *request) do(ctx context.Context, r *run) (seen, error) { return alone(ctx, r, q) }

func (q *request) ask(ctx context.Context, r *run) (call, func(answer) (seen, error), error) {
	subject := q.Subject
	if subject == nil {
		subject = r.c.Input.Subject
	}
	if subject == nil {
		return call{}, nil, errors.New("neither the step nor the case has a subject")
	}
	form, err := subject.wire()
	if err != nil {
		return call{}, nil, err
	}
	args, err := subject.rawArgs()
	if err != nil {
		return call{}, nil, err
	}
	more := object{}
	if q.TimeoutS != 0 {
		more = append(more, member{"timeoutMs", q.TimeoutS * 1000})
	}
	if q.Requested {
		more = append(more, member{"requested", true})
	}
	more = more.with("unattended", q.Unattended)
	if q.After != "" {
		operation, err := q.operation(r, subject)
		if err != nil {
			return call{}, nil, err
		}
		more = append(more, member{"operation", operation})
	}
	return q.open(ctx, r, subject, form, args, more)
}

// open is the call of approval/open for a subject in approvald's form.
func (q *request) open(ctx context.Context, r *run, subject *Subject, form jsontext.Value, args string, more object) (call, func(answer) (seen, error), error) {
	name := q.Session
	if q.Environment != "" {
		name = strings.TrimPrefix(name+"@"+q.Environment, "@")
	}
	s, err := r.start(ctx, name)
	if err != nil {
		return call{}, nil, err
	}
	toolCall := q.Call
	if toolCall == "" {
		toolCall = fmt.Sprintf("call-%d", r.requests)
	}
	if id, ok := r.catalogs[listed{s.id, subject.Server}]; ok && subject.Kind == "tool" {
		more = append(more, member{"catalogId", id})
	}
	params, err := append(object{
		{"commandId", r.command("")}, {"sessionId", s.id}, {"toolCallId", toolCall}, {"toolName", subject.toolName()},
		{"rawArgs", args}, {"reason", "a case of the corpus"}, {"subject", form},
	}, more...).encode()
	if err != nil {
		return call{}, nil, err
	}
	took := func(a answer) (seen, error) {
		if out, refused := a.refused(); refused {
			return out, nil
		}
		var opened wire.ApprovalOpenResult
		if err := a.read(&opened); err != nil {
			return seen{}, err
		}
		label := r.file(q.ID, &approved{
			session: s.id, id: opened.ApprovalID, ids: []string{opened.ApprovalID}, subject: subject, call: opened.ToolCallID,
			subjectDigest: opened.SubjectDigest, argsDigest: opened.ArgsDigest, resolution: opened.Resolution,
		})
		out := standing(opened.Resolution)
		out.label = label
		return out, nil
	}
	return call{r.agent(), wire.MethodApprovalOpen, params}, took, nil
}

// file keeps an approval under its label, and returns that.
func (r *run) file(label string, a *approved) string {
	if label == "" || label == "?" {
		label = fmt.Sprintf("?%d", len(r.labels)+1)
	}
	r.approvals[label] = a
	r.labels = append(r.labels, label)
	return label
}

// operation is what the agent means to do to the file.
func (q *request) operation(r *run, s *Subject) (object, error) {
	out := object{{"kind", wire.OperationFileWrite}, {"path", s.Path}, {"workspaceRoot", r.c.workspace()}, {"beforeDigest", nil}}
	if q.Before != nil {
		text, err := symbol(*q.Before)
		if err != nil {
			return nil, err
		}
		out[len(out)-1].value = sum(text)
	}
	text, err := symbol(q.After)
	return append(out, member{"afterDigest", sum(text)}), err
}

// sum is a digest as the wire spells it.
func sum(text string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))) }

// check is looking whether an address may be connected to, before it is. approvald judges what is
// connected to, which is a request of its own, for the address: what was resolved earlier weighs
// nothing, so nothing is asked here.
type check struct {
	ResolvesTo string `json:"resolves_to"` //nolint:tagliatelle // SCHEMA.md's spelling
}

func (*check) do(context.Context, *run) (seen, error) { return seen{}, nil }

// requestRaw is a request whose text is hostile: it is sent as it is.
type requestRaw struct {
	Raw string `json:"raw"`
}

func (q *requestRaw) do(ctx context.Context, r *run) (seen, error) { return alone(ctx, r, q) }

func (q *requestRaw) ask(ctx context.Context, r *run) (call, func(answer) (seen, error), error) {
	var form struct {
		ID      string         `json:"id"`
		Session string         `json:"session"`
		Subject jsontext.Value `json:"subject"`
	}
	var subject Subject
	hostile := json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), json.RejectUnknownMembers(true))
	if err := json.Unmarshal([]byte(q.Raw), &form, hostile); err != nil {
		return call{}, nil, fmt.Errorf("raw: %w", err)
	}
	if err := json.Unmarshal(form.Subject, &subject, hostile); err != nil {
		return call{}, nil, fmt.Errorf("raw: subject: %w", err)
	}
	return verbatim(ctx, r, form.ID, form.Session, &subject)
}

// verbatim opens an approval for a subject whose arguments are sent byte for byte.
func verbatim(ctx context.Context, r *run, id, session string, subject *Subject) (call, func(answer) (seen, error), error) {
	text, err := subject.wire()
	if err != nil {
		return call{}, nil, err
	}
	args, err := subject.rawArgs()
	if err != nil {
		return call{}, nil, err
	}
	q := request{ID: id, Session: session}
	return q.open(ctx, r, subject, text, args, nil)
}

// requestGenerated is a tool call whose arguments are too large to be written down: the generator
// TEXT×N is TEXT, up to the : in it, N times, and the rest N times.
type requestGenerated struct {
	ID        string `json:"id"`
	Session   string `json:"session"`
	Generator string `json:"generator"`
	Server    string `json:"server"`
	Tool      string `json:"tool"`
}

func (q *requestGenerated) do(ctx context.Context, r *run) (seen, error) { return alone(ctx, r, q) }

func (q *requestGenerated) ask(ctx context.Context, r *run) (call, func(answer) (seen, error), error) {
	text, times, found := strings.Cut(q.Generator, "×")
	var n int
	if _, err := fmt.Sscan(times, &n); !found || err != nil || n < 1 || n > maxLine {
		return call{}, nil, fmt.Errorf("generator is %q; give TEXT×N", q.Generator)
	}
	head, tail, _ := strings.Cut(text, ":")
	args := strings.Repeat(head+":", n) + "1" + strings.Repeat(tail, n)
	return verbatim(ctx, r, q.ID, q.Session, &Subject{Kind: "tool", Server: q.Server, Tool: q.Tool, Arguments: jsontext.Value(args)})
}

// standing is what became of an approval, in one word.
func standing(res *wire.Resolution) seen {
	if res == nil {
		return seen{word: pending}
	}
	out := seen{detail: string(res.Outcome)}
	switch {
	case res.PolicyResult == wire.PolicyAllow:
		out.word = allowed
	case res.Outcome == wire.OutcomeCancelled:
		out.word = cancelled
	case res.Outcome == wire.OutcomeTimedOut:
		out.word = timedOut
	default:
		out.word = denied
	}
	return out
}

// failures are the errors that SCHEMA.md has a word for.
var failures = map[int]word{
	wire.CodeParseError:               invalid,
	wire.CodeInvalidRequest:           invalid,
	wire.CodeInvalidParams:            invalid,
	wire.CodeInputTooLarge:            invalid,
	wire.CodeRoleForbidden:            forbidden,
	wire.CodeApprovalMismatch:         stale,
	wire.CodeApprovalAlreadyResolved:  conflict,
	wire.CodeApprovalAlreadyConsumed:  conflict,
	wire.CodeApprovalNotFound:         notFound,
	wire.CodeApprovalChoiceInvalid:    refused,
	wire.CodeApprovalRequirementStale: refused,
	wire.CodeCommandRejected:          refused,
}

// refused is the daemon's refusal in one word, with its reason; false where it is a result.
func (a answer) refused() (seen, bool) {
	if a.err == nil {
		return seen{}, false
	}
	out := seen{word: cmp.Or(failures[a.err.Code], refused), detail: a.err.Error()}
	switch data := a.err.Data; {
	case data.Resolution != nil:
		out.detail = string(data.Resolution.Outcome)
	case data.Reason != "":
		out.detail = string(data.Reason)
	}
	return out, true
}
