package hook

import (
	"strings"
	"unicode"

	"github.com/approvald/approvald/wire"
)

// The exit codes, as Claude Code reads them. Any other lets the call through, unless the
// settings say onFailure: block.
const (
	ExitAnswered = 0 // standard output says what was decided
	ExitBroken   = 2 // nothing was decided, and the call is blocked
)

// Answer is what the hook leaves behind.
type Answer struct {
	Stdout []byte // a line of JSON, or nothing
	Stderr string // a line, or nothing
	Code   int
}

// decision is the output of PreToolUse and of PermissionRequest.
type decision struct {
	Specific specific `json:"hookSpecificOutput"`
}

type specific struct {
	Event    Kind      `json:"hookEventName"`
	Decision string    `json:"permissionDecision,omitempty"`
	Reason   string    `json:"permissionDecisionReason,omitempty"`
	Behavior *behavior `json:"decision,omitempty"`
}

type behavior struct {
	Behavior string `json:"behavior"`
	Message  string `json:"message,omitempty"`
}

// Allow lets exactly the call of the event go ahead.
func (e *Event) Allow(why string) Answer { return e.answer("allow", why) }

// Deny refuses the call of the event, by somebody's decision or for want of one.
func (e *Event) Deny(why string) Answer { return e.answer("deny", why) }

func (e *Event) answer(verdict, why string) Answer {
	var out specific
	switch e.Kind {
	case PermissionRequest:
		out = specific{Event: e.Kind, Behavior: &behavior{Behavior: verdict}}
		if verdict == "deny" {
			out.Behavior.Message = why
		}
	default:
		out = specific{Event: e.Kind, Decision: verdict, Reason: why}
	}
	return Answer{Stdout: encode(decision{out}), Code: ExitAnswered}
}

// Done is the answer to an event that asks nothing.
func Done() Answer { return Answer{Code: ExitAnswered} }

// Broken says that the gate itself failed: nobody decided anything, and the call is blocked. The
// reason goes both ways, since which of them is read depends on the version of the agent.
func Broken(kind Kind, why string) Answer {
	if kind != SessionStart && kind != SessionEnd {
		why = "approvald's hook failed, so this call is blocked; nobody refused it: " + why
	}
	out := Answer{Stderr: "approvald hook: " + visible(why) + "\n", Code: ExitBroken}
	switch {
	case kind.gates():
		e := Event{Kind: kind}
		out.Stdout = e.Deny(why).Stdout
	case kind != SessionStart && kind != SessionEnd:
		out.Stdout = encode(struct {
			Decision string `json:"decision"`
			Reason   string `json:"reason"`
		}{"block", why})
	}
	return out
}

// encode is a line of JSON. What is encoded are texts, which always can be.
func encode(v any) []byte {
	line, err := wire.Marshal(v)
	if err != nil {
		panic(err)
	}
	return append(line, '\n')
}

// visible is a text as a line of standard error, in which nothing acts on a terminal.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return '\ufffd'
		}
		return r
	}, text)
}

// Decided is the answer to what was taken of an approval. Only a permit for exactly these
// arguments allows anything.
func (e *Event) Decided(approval string, r wire.Resolution, taken wire.ApprovalConsumeResult) Answer {
	if taken.PolicyResult == wire.PolicyAllow && taken.Consumed && taken.Permit != nil && taken.Permit.ArgsDigest == e.Call.ArgsDigest {
		return e.Allow("approvald: allowed by " + by(r) + " (approval " + approval + ").")
	}
	if taken.Denial == nil {
		return Broken(e.Kind, "the daemon gave neither a permit nor a reason (approval "+approval+").")
	}
	why := taken.Denial.Message
	if taken.Denial.Feedback != "" {
		why += "\nThe reviewer says: " + taken.Denial.Feedback
	}
	return e.Deny(why)
}

func by(r wire.Resolution) string {
	if r.ResolvedBy == wire.ResolvedByUser {
		return "a reviewer"
	}
	return "policy"
}
