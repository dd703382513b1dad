package main

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// kindPrompt selects prompts beside the kinds of subjects.
const kindPrompt = "prompt"

// kinds are what --kind takes, and others are kinds that an agent made up.
var kinds = []string{
	string(wire.SubjectShell), string(wire.SubjectFile), string(wire.SubjectNetwork),
	string(wire.SubjectProcess), string(wire.SubjectTool), kindPrompt,
}

// filter says which of what waits is meant. The zero filter means all of it.
type filter struct {
	session, tool, kind, match, children string
	older                                time.Duration
}

// flags gives a command the filter. waits says that it is about what waits, which has an
// age.
func (f *filter) flags(cmd *cobra.Command, waits bool) {
	flags := cmd.Flags()
	flags.StringVar(&f.session, "session", "", "only of the session whose id begins so, and of those below it")
	flags.StringVar(&f.tool, "tool", "", "only calls of this tool, by its whole name")
	flags.StringVar(&f.kind, "kind", "", "only of this kind: "+strings.Join(kinds, ", "))
	flags.StringVar(&f.match, "match", "", "only where the subject, as list shows it, has this text in it")
	flags.StringVar(&f.children, "sub-agents", "", "only what sub-agents ask (only), or only what they do not (none)")
	if waits {
		flags.DurationVar(&f.older, "older-than", 0, "only what has waited for so long: 90s, 10m, 2h")
	}
	completeWith(cmd, "kind", kinds...)
	completeWith(cmd, "sub-agents", "only", "none")
}

// check refuses a filter that could not mean anything.
func (f *filter) check() error {
	if f.children != "" && f.children != "only" && f.children != "none" {
		return exitf(exitUsage, "--sub-agents is only or none, not %s", f.children)
	}
	if f.older < 0 {
		return exitf(exitUsage, "--older-than is no negative time")
	}
	return nil
}

// set reports whether the filter leaves anything out.
func (f *filter) set() bool { return *f != filter{} }

// approval reports whether an approval is meant.
func (f *filter) approval(r *wire.ApprovalRequest, now time.Time) bool {
	kind, _ := wire.KindOf(r.Subject)
	return f.common(r.SessionID, r.ToolName, kind, r.SubagentOrigin) && f.age(r.CreatedAt, now) &&
		(f.match == "" || strings.Contains(subjectLine(r.Subject), f.match))
}

// prompt reports whether a prompt is meant.
func (f *filter) prompt(r *wire.UserInputRequest, now time.Time) bool {
	return f.common(r.SessionID, r.ToolName, kindPrompt, r.SubagentOrigin) && f.age(r.CreatedAt, now) &&
		(f.match == "" || strings.Contains(promptLine(r.Questions), f.match))
}

func (f *filter) waiting(w waiting, now time.Time) bool {
	if w.prompt != nil {
		return f.prompt(w.prompt, now)
	}
	return f.approval(w.approval, now)
}

func (f *filter) common(session, tool, kind string, origin *wire.SubagentOrigin) bool {
	child := card.ChildText(origin) != ""
	return f.inSession(session, origin) && (f.tool == "" || f.tool == tool) && (f.kind == "" || f.kind == kind) &&
		(f.children == "" || (f.children == "only") == child)
}

// inSession reports whether a session, or one above it, is meant.
func (f *filter) inSession(session string, origin *wire.SubagentOrigin) bool {
	if strings.HasPrefix(session, f.session) {
		return true
	}
	return origin != nil && slices.ContainsFunc(origin.Path, func(id string) bool { return strings.HasPrefix(id, f.session) })
}

func (f *filter) age(since wire.Time, now time.Time) bool {
	at, err := since.Parse()
	return f.older == 0 || err == nil && now.Sub(at) >= f.older
}

// originOf is where an event of a child says it comes from.
func originOf(params json.RawMessage) *wire.SubagentOrigin {
	var of struct {
		Origin *wire.SubagentOrigin `json:"subagentOrigin"`
	}
	if json.Unmarshal(params, &of) != nil {
		return nil
	}
	return of.Origin
}

// nothing says that there is nothing that is meant.
func (f *filter) nothing() string {
	if f.set() {
		return "nothing that waits fits"
	}
	return "nothing waits for a decision"
}
