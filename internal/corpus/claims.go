package corpus

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/approvald/approvald/wire"
)

// What a case wants is said in words: an outcome of the whole, what a step brings, how an approval
// ends, and what must never be. This file says what each phrase means. Words in a phrase that approvald
// has no way to show (a reason in a log, a colour) are not read; a phrase that is not here at all is
// not compared, and a case of which nothing can be compared is not run.

// claim is what a phrase says of what was seen.
type claim[T any] struct {
	phrase func() *regexp.Regexp
	holds  func(of T, m []string) bool // m: the groups of the phrase
}

// weigh finds out whether a phrase holds; false, false for one that is not known.
func weigh[T any](claims []claim[T], phrase string, of T) (holds, known bool) {
	for _, c := range claims {
		if m := c.phrase().FindStringSubmatch(phrase); m != nil {
			return c.holds(of, m), true
		}
	}
	return false, false
}

// on compiles a phrase when it is first asked about: the daemon, which runs no cases, starts without.
func on(phrase string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:` + phrase + `)$`) })
}

// is is the claim that a step brought one of the words.
func is(phrase string, words ...word) claim[seen] {
	return claim[seen]{on(phrase), func(s seen, _ []string) bool { return slices.Contains(words, s.word) }}
}

// ofSteps are the phrases about one step.
var ofSteps = []claim[seen]{
	is(`pending|prompts?`, pending),
	is(`allow(ed)?( .*)?`, allowed, executed),
	is(`den(y|ied)`, denied),
	is(`denied or pending|pending or denied`, denied, pending),
	{on(`pending or denied, reason says hook failed to start`), func(s seen, _ []string) bool { // where there is a reason
		return s.word == pending || s.word == denied && strings.Contains(s.detail, hookFault)
	}},
	is(`accepted`, accepted),
	is(`cancelled`, cancelled),
	is(`timed-out`, timedOut),
	is(`forbidden|error:forbidden`, forbidden),
	is(`not-found|error:not-found`, notFound),
	is(`error at load.*|error: duplicate key effect|error:config`, badPolicy),
	is(`loaded`, loaded),
	is(`error: (invalid|duplicate key|too deep|empty command|.* not allowed).*|error:invalid`, invalid),
	is(`error:stale`, stale),
	is(`refused.*`, refused, stale, denied, forbidden, invalid, conflict),
	is(`conflict error`, conflict),
	{on(`conflict error: (?:already resolved as )?(cancelled|timed-out|already resolved)`), func(s seen, m []string) bool {
		return s.word == conflict && (m[1] == "already resolved" || same(s.detail, m[1]))
	}},
	{on(`conflict error with winner (\w+) by \w+`), func(s seen, m []string) bool { // by whom is in the log, for history
		return s.word == conflict && s.detail == string(outcomes[m[1]])
	}},
	{on(`(R\w+) delivered again`), func(s seen, m []string) bool { return slices.Contains(s.labels, m[1]) }},
	{on(`(R\w+) resolved: cancelled`), func(s seen, m []string) bool {
		return s.word == cancelled && slices.Contains(s.labels, m[1])
	}},
	{on(`resolved\(cancelled\) to (\w+) and (\w+)`), func(s seen, m []string) bool {
		return s.word == cancelled && slices.Contains(s.heard, m[1]) && slices.Contains(s.heard, m[2])
	}},
	{on(`(R\w+) (?:delivered|(denied|allowed|cancelled|timed-out) by \w+)`), func(s seen, m []string) bool {
		return slices.Contains(s.labels, m[0]) || m[2] == "" && slices.Contains(s.labels, m[1])
	}},
	{on(`two entries(?: with different ids)?`), func(s seen, _ []string) bool {
		return len(s.labels) == 2 && s.labels[0] != s.labels[1]
	}},
	{on(`one entry`), func(s seen, _ []string) bool { return len(s.labels) == 1 }},
	{on(`service answers|nothing`), func(s seen, _ []string) bool { return s.word == nothing }},
	{on(`exactly one accepted; the other gets conflict, never not-found`), func(s seen, _ []string) bool {
		return len(s.parts) == 2 && count(s.parts, accepted) == 1 && count(s.parts, conflict) == 1
	}},
	{on(`no rule for:? (.*?)(?:; .*)?`), func(s seen, m []string) bool {
		for _, name := range regexp.MustCompile(`, | or `).Split(m[1], -1) {
			if hasRule(s.labels, strings.TrimSuffix(name, " …")) {
				return false
			}
		}
		return true
	}},
	{on(`(no|one|two) rules?`), func(s seen, m []string) bool {
		return len(s.labels) == slices.Index([]string{"no", "one", "two"}, m[1])
	}},
}

// outcomes are what choices lead to.
var outcomes = map[string]wire.Outcome{
	"allow_once": wire.OutcomeAllowedOnce, "allow_session": wire.OutcomeAllowedSession,
	"allow_always": wire.OutcomeAllowedPersistent, "deny": wire.OutcomeRejected,
}

// same reports whether an outcome of the wire is meant by a word of the corpus.
func same(outcome, corpus string) bool {
	fold := strings.NewReplacer("-", "", "_", "")
	return strings.EqualFold(outcome, fold.Replace(corpus))
}

func count(steps []seen, w word) int {
	n := 0
	for _, s := range steps {
		if s.word == w {
			n++
		}
	}
	return n
}

// hasRule reports whether a preview of a rule begins with a word, whatever it puts around it.
func hasRule(previews []string, name string) bool {
	return slices.ContainsFunc(previews, func(preview string) bool {
		return slices.Contains(regexp.MustCompile("[\\s`\"'\\[\\],]+").Split(preview, -1), name)
	})
}

// ofEnds are the phrases about how an approval ends.
var ofEnds = []claim[ending]{
	ends(`pending`, ""),
	ends(`allowed-once`, wire.OutcomeAllowedOnce),
	ends(`allowed-session`, wire.OutcomeAllowedSession),
	ends(`allowed-always`, wire.OutcomeAllowedPersistent),
	ends(`cancelled(?: with event)?`, wire.OutcomeCancelled),
	{on(`pending, or cancelled with event`), func(e ending, _ []string) bool {
		return e.resolution == nil || e.resolution.Outcome == wire.OutcomeCancelled && e.told == 1
	}},
	ends(`timed-out`, wire.OutcomeTimedOut),
	ends(`denied`, wire.OutcomeRejected),
	ends(`unavailable`, wire.OutcomeUnavailable),
	{on(`allowed by grant`), func(e ending, _ []string) bool { return byPolicy(e, wire.SourceSessionGrant, wire.SourceRule) }},
	{on(`allowed by rule`), func(e ending, _ []string) bool { return byPolicy(e, wire.SourceRule) }},
	{on(`allowed by mode \(recorded\)`), func(e ending, _ []string) bool { return byPolicy(e, wire.SourceMode) && e.told == 1 }},
	{on(`denied by policy`), func(e ending, _ []string) bool {
		return e.resolution != nil && e.resolution.PolicyResult == wire.PolicyDeny && e.resolution.ResolvedBy == wire.ResolvedByPolicy
	}},
}

// ends is the claim that an approval has an outcome, and was told once; "": that it waits.
func ends(phrase string, outcome wire.Outcome) claim[ending] {
	return claim[ending]{on(phrase), func(e ending, _ []string) bool {
		if outcome == "" {
			return e.resolution == nil
		}
		return e.resolution != nil && e.resolution.Outcome == outcome && e.told == 1
	}}
}

func byPolicy(e ending, sources ...wire.Source) bool {
	return e.resolution != nil && e.resolution.PolicyResult == wire.PolicyAllow && slices.Contains(sources, e.resolution.Source)
}
