package corpus

import (
	"regexp"
	"slices"
	"strings"

	"github.com/approvald/approvald/wire"
)

// answered are the words that a request or an execution may bring.
var answered = []word{pending, allowed, denied, cancelled, timedOut, executed, invalid, forbidden, stale, badPolicy, refused}

// outcomeIs is the claim that the last thing which a request or an execution brought is one of words.
func outcomeIs(phrase string, words ...word) claim[*run] {
	return claim[*run]{on(phrase), func(r *run, _ []string) bool {
		s, _ := last(r.seen, answered...)
		return slices.Contains(words, s.word)
	}}
}

// brought is the claim that some step brought one of the words.
func brought(phrase string, words ...word) claim[*run] {
	return claim[*run]{on(phrase), func(r *run, _ []string) bool { return r.any(words...) }}
}

// ofRuns are the phrases about the outcome of a whole case. Some are long: what they say is compared
// by what the case expects of its steps and its end.
var ofRuns = []claim[*run]{
	outcomeIs(`allow`, allowed, executed),
	outcomeIs(`prompt|R\d prompts|prompt in .*`, pending),
	outcomeIs(`deny`, denied),
	outcomeIs(`prompt or error, never allow`, pending, invalid, badPolicy),
	brought(`error:invalid(, service alive)?`, invalid),
	{on(`prompt with a fault notice`), func(r *run, _ []string) bool { // what follows the broken hook is asked about
		s, _ := last(r.seen, answered...)
		return s.word == pending && r.told(hookFault)
	}},
	brought(`error:config`, badPolicy),
	brought(`error:stale`, stale),
	brought(`error:forbidden`, forbidden),
	brought(`(?:error:)?conflict(?: error)?`, conflict),
	outcomeIs(`refused`, stale, denied, refused),
	{on(`one accepted, one conflict error`), func(r *run, _ []string) bool {
		return count(all(r.seen), accepted) == 1 && count(all(r.seen), conflict) == 1
	}},
	{on(`new turn refused or (R\w+) explicitly cancelled`), func(r *run, m []string) bool {
		turn, _ := last(r.seen, refused, accepted)
		e := r.endings[m[1]]
		return turn.word == refused && turn.detail == string(wire.ReasonRunActive) && e.resolution == nil ||
			turn.word == accepted && e.resolution != nil && e.resolution.Outcome == wire.OutcomeCancelled
	}},
	{on(`(\w+) stays (?:pending|decided by the full policy)`), func(r *run, m []string) bool {
		return r.endings[m[1]].resolution == nil
	}},
}

// ofNever are the phrases about what must not be.
var ofNever = []claim[*run]{
	{on(`allow(?:ed)?|prompt-and-allow`), func(r *run, _ []string) bool { return r.any(allowed, executed) }},
	{on(`(R\w+) (?:allowed|auto-allowed)`), func(r *run, m []string) bool {
		e, found := r.endings[m[1]]
		return found && e.resolution != nil && e.resolution.PolicyResult == wire.PolicyAllow
	}},
	brought(`deny|denied`, denied),
	{on(`reason: (denied by policy)`), func(r *run, m []string) bool { return r.told(m[1]) }},
	outcomeIs(`prompt`, pending),
	brought(`accepted`, accepted),
	brought(`executed|signal sent`, executed),
	{on(`executed twice`), func(r *run, _ []string) bool { return count(all(r.seen), executed) > 1 }},
	{on(`(\w+)=(\w+) executed`), func(r *run, m []string) bool {
		s, found := last(r.seen, executed)
		return found && regexp.MustCompile(`"`+m[1]+`": ?"?`+m[2]+`\b`).MatchString(s.detail)
	}},
	brought(`loaded(?: with allow)?`, loaded),
	brought(`not-found`, notFound),
	brought(`error on insert`, invalid, refused),
	{on(`both accepted`), func(r *run, _ []string) bool { return count(all(r.seen), accepted) > 1 }},
	{on(`(R\w+) missing`), func(r *run, m []string) bool {
		_, found := r.endings[m[1]]
		return !found
	}},
	{on(`(R\w+) auto-resolved`), func(r *run, m []string) bool {
		e := r.endings[m[1]]
		return e.resolution != nil && e.resolution.ResolvedBy == wire.ResolvedByPolicy
	}},
	{on(`(R\w+) rejected without a human`), func(r *run, m []string) bool {
		e := r.endings[m[1]]
		return e.resolution != nil && e.resolution.PolicyResult == wire.PolicyDeny && e.resolution.ResolvedBy == wire.ResolvedByPolicy
	}},
	{on(`(R\w+) never settles`), func(r *run, m []string) bool { return r.endings[m[1]].resolution == nil }},
	{on(`(R\w+) overwritten`), func(r *run, m []string) bool {
		a, found := r.find(m[1])
		return found && a.subject.Command != "" && !strings.Contains(r.subjectOf(m[1]), a.subject.Command)
	}},
	{on(`(R\w+) orphaned|resolved without record`), func(r *run, _ []string) bool {
		for _, e := range r.endings {
			if e.resolution != nil && e.told != 1 {
				return true
			}
		}
		return false
	}},
	{on(`two decisions recorded|last writer wins|allowed and denied`), func(r *run, _ []string) bool {
		for _, e := range r.endings {
			if e.told > 1 {
				return true
			}
		}
		return count(all(r.seen), accepted) > 1
	}},
	{on(`one entry`), func(r *run, _ []string) bool { return len(r.endings) < 2 }},
	{on(`two more prompts`), func(r *run, _ []string) bool {
		waiting := 0
		for _, e := range r.endings {
			if e.resolution == nil {
				waiting++
			}
		}
		return waiting > 1
	}},
	{on(`denied by user`), func(r *run, _ []string) bool {
		for _, e := range r.endings {
			if e.resolution != nil && e.resolution.PolicyResult == wire.PolicyDeny && e.resolution.ResolvedBy == wire.ResolvedByUser {
				return true
			}
		}
		return false
	}},
	{on(`session closed`), func(r *run, _ []string) bool {
		for _, p := range r.peers {
			if slices.ContainsFunc(p.events, func(e event) bool { return e.Method == wire.MethodSessionClosed }) {
				return true
			}
		}
		return false
	}},
	{on(`crash`), func(*run, []string) bool { return false }}, // a daemon that ends fails the run
	{on(`prompt showing .*`), func(r *run, _ []string) bool { return r.any(pending, allowed) }},
	{on(`allow offered`), func(r *run, _ []string) bool {
		for label := range r.endings {
			if slices.ContainsFunc(r.choices(label), func(c wire.Choice) bool { return c.ChoiceID != wire.ChoiceAbort }) {
				return true
			}
		}
		return false
	}},
	{on(`rule '(.+)'`), func(r *run, m []string) bool {
		for _, s := range r.seen {
			if hasRule(s.labels, m[1]) {
				return true
			}
		}
		return false
	}},
}
