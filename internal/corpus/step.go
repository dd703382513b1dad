package corpus

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Step is one thing that happens.
type Step struct {
	Do     string
	action action
}

// action is what a step does. An error is a fault of the case or of the run; what the daemon refuses
// is something seen.
type action interface {
	do(ctx context.Context, r *run) (seen, error)
}

// actions are the kinds of step, each with its members.
var actions = map[string]func() action{
	"connect":              func() action { return new(connect) },
	"disconnect":           func() action { return new(disconnect) },
	"agent_connect":        func() action { return new(agentConnect) },
	"agent_disconnect":     func() action { return new(agentDisconnect) },
	"request":              func() action { return new(request) },
	"request_raw":          func() action { return new(requestRaw) },
	"request_generated":    func() action { return new(requestGenerated) },
	"check":                func() action { return new(check) },
	"decide":               func() action { return new(decide) },
	"decide_batch":         func() action { return new(decideBatch) },
	"execute":              func() action { return new(execute) },
	"agent_result":         func() action { return new(agentResult) },
	"mutate_caller_object": func() action { return new(mutate) },
	"cancel":               func() action { return new(cancel) },
	"spawn":                func() action { return new(spawn) },
	"end":                  func() action { return new(end) },
	"set_mode":             func() action { return new(setMode) },
	"set_rules":            func() action { return new(setRules) },
	"load_policy":          func() action { return new(loadPolicy) },
	"wait":                 func() action { return new(wait) },
	"restart":              func() action { return &restart{op: "restart"} },
	"crash":                func() action { return &restart{op: "crash"} },
	"list_pending":         func() action { return new(listPending) },
	"state":                func() action { return new(state) },
	"history":              func() action { return new(history) },
	"list_rules":           func() action { return new(listRules) },
	"revoke":               func() action { return new(revoke) },
	"presented":            func() action { return new(presented) },
	"parallel":             func() action { return new(parallel) },
	"file_change":          func() action { return new(fileChange) },
	"process_change":       func() action { return new(processChange) },
	"catalog":              func() action { return new(catalog) },
	"start_turn":           func() action { return new(startTurn) },
	"hook":                 func() action { return new(hook) },
}

// UnmarshalJSON reads a step of any kind, strictly.
func (s *Step) UnmarshalJSON(text []byte) error {
	members := make(map[string]jsontext.Value)
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	if err := json.Unmarshal(members["do"], &s.Do); err != nil {
		return errors.New("a step says in do what it does")
	}
	kind, known := actions[s.Do]
	if !known {
		return fmt.Errorf("there is no step %q", s.Do)
	}
	delete(members, "do")
	rest, err := json.Marshal(members)
	if err != nil {
		return err
	}
	s.action = kind()
	if err := json.Unmarshal(rest, s.action, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("step %s: %w", s.Do, err)
	}
	return nil
}

// seen is what a step brought.
type seen struct {
	word   word
	detail string   // more about it, in approvald's words: an outcome, a refusal's reason
	labels []string // of the approvals it is about, in order
	// label is the approval that the step is about, by the case's name for it; "" for none.
	label string
	heard []string // who heard that approvals are resolved
	parts []seen   // of parallel steps
}

// word is what a step brought, in one word.
type word string

// The words. Those of errors are spelt as SCHEMA.md spells outcomes.
const (
	nothing   word = ""
	pending   word = "pending"
	allowed   word = "allowed"
	denied    word = "denied"
	cancelled word = "cancelled"
	timedOut  word = "timed-out"
	accepted  word = "accepted"
	executed  word = "executed"
	loaded    word = "loaded"
	conflict  word = "error:conflict"
	notFound  word = "error:not-found"
	invalid   word = "error:invalid"
	forbidden word = "error:forbidden"
	stale     word = "error:stale"
	badPolicy word = "error:config"
	refused   word = "error:refused"
)

// all are the seen of every step, those of parallel ones in place of their step.
func all(steps []seen) []seen {
	var out []seen
	for _, s := range steps {
		if len(s.parts) > 0 {
			out = append(out, s.parts...)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// last is the last of what was seen that has one of the words.
func last(steps []seen, words ...word) (seen, bool) {
	for _, s := range slices.Backward(all(steps)) {
		if slices.Contains(words, s.word) {
			return s, true
		}
	}
	return seen{}, false
}

// missingError says that a case needs what is not there.
type missingError struct{ need string }

func (e *missingError) Error() string { return e.need + " is missing" }
