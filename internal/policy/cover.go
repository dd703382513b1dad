package policy

import (
	"strings"

	"github.com/approvald/approvald/internal/approval"
)

// cover is the allow rule that covers a stage, or, as a sentence part, why
// none does. No rule covers what is not fully known (policy.md "Shell").
func (q *inquiry) cover(st *stage) (*entry, *say) {
	switch was := st.Resolution.Diagnostic; {
	case !st.ArgvComplete && was != "" && !strings.HasPrefix(was, denialPrefix):
		return nil, says("no rule covers %s: %s", st, visible(was))
	case !st.ArgvComplete:
		return nil, says("no rule covers %s, which cannot be read in full", st)
	case !st.known || len(st.Argv) == 0:
		return nil, uncovered(st).why
	}
	own := st.lines[0]
	if own.isDynamic(0) {
		return nil, says("no rule covers %s, whose program only the running shell knows", st)
	}
	best, why := q.candidate(st, own, q.longest(own, st), q.reader(own.argv[0], st))
	if best == nil {
		return nil, why
	}
	if st.part.Elsewhere && !steady[st.Argv[0]] {
		return nil, says("%s would run in another directory than the command's, where %s may take orders from other files", st, quoted(st.Argv[0]))
	}
	return best, nil
}

// mayLaunch is the deny or ask rule about a program that l may start, if its own
// program is a launcher that nobody here knows: its first operand is what such a
// rule names (SCHEMA.md: a catch-all does not cover what a launcher launches).
// The word behind an option may be the value of that, and a number is none.
func (q *inquiry) mayLaunch(l line) *entry {
	program := l.argv[0]
	if _, reads := readers()[program]; reads || steady[program] || subcommands[program] {
		return nil
	}
	value := false
	for _, word := range l.argv[1:] {
		if isOption(word) {
			value = !strings.Contains(word, "=")
			continue
		}
		if e := q.strongest(q.missed([]line{newLine([]string{word}, nil, "")})); e != nil {
			return e
		}
		if !value && strings.Trim(word, "0123456789.") != "" {
			return nil
		}
		value = false
	}
	return nil
}

// candidate is the better of two rules about the words alone, where it covers
// the stage: one whose words the stage begins with, and a read-only one. Either
// may be nil.
func (q *inquiry) candidate(st *stage, own line, prefix, reader *entry) (*entry, *say) {
	switch bare := !strings.Contains(own.argv[0], "/"); {
	case prefix == nil && reader == nil:
		return nil, uncovered(st).why
	case bare && st.part.Program.Untrusted != "":
		return nil, says("no rule about the name %s covers %s: %s",
			quoted(own.argv[0]), quoted(st.part.Program.Path), visible(st.part.Program.Untrusted))
	}
	var why *say
	if prefix != nil {
		miss := q.strongest(q.missedBeyond(st.lines, prefix.Argv))
		switch {
		case st.part.CodeAt > 0 && len(prefix.Argv) <= st.part.CodeAt:
			why = says("%s does not reach the option that makes %s run program text", prefix, st)
		case miss != nil:
			why = says("%s comes so close to %s that %s does not cover it", st, miss, prefix)
		case len(prefix.Argv) == 0 && len(own.dynamic) > 0:
			why = says("%s has words that only the running shell knows, and %s covers every command of which all words are known", st, prefix)
		case len(prefix.Argv) == 0 && q.mayLaunch(own) != nil:
			why = says("%s may run a program that %s names, so %s does not cover it", st, q.mayLaunch(own), prefix)
		default:
			return prefix, nil
		}
	}
	if reader != nil {
		miss := q.strongest(q.missedBeyond(st.lines, nil))
		refused := readsOnly(own)
		switch {
		case miss != nil:
			why = says("%s comes so close to %s that %s does not cover it", st, miss, reader)
		case st.part.CodeAt > 0:
			why = says("%s runs program text, which %s does not cover", st, reader)
		case refused != "":
			why = says("%s does not cover %s: %s", reader, st, refused)
		default:
			return reader, nil
		}
	}
	return nil, why
}

// longest is the allow rule with the longest prefix that the line begins with,
// among static words. Of the rules that cover a command it is the one that a
// near miss spares where it spares any.
func (q *inquiry) longest(l line, st *stage) (found *entry) {
	argv := l.argv
	if len(l.dynamic) > 0 {
		argv = argv[:l.dynamic[0]]
	}
	for _, b := range q.shelves {
		if b.local && !st.cwd {
			continue
		}
		for e := range b.allowed.along(argv) {
			if q.inForce(e) && (found == nil || len(e.Argv) > len(found.Argv)) {
				found = e
			}
		}
	}
	return found
}

// reader is the read-only rule about the program; nil for none.
func (q *inquiry) reader(program string, st *stage) *entry {
	for _, b := range q.shelves {
		if b.local && !st.cwd {
			continue
		}
		for _, e := range b.readers[program] {
			if q.inForce(e) {
				return e
			}
		}
	}
	return nil
}

// missedBeyond are the rules just missed that say more than prefix: what is
// allowed by fewer words than a rule denies may be what is denied.
func (q *inquiry) missedBeyond(lines []line, prefix []string) func(func(*entry) bool) {
	return func(yield func(*entry) bool) {
		for e := range q.missed(lines) {
			if beyond(e.Argv, prefix) && !yield(e) {
				return
			}
		}
	}
}

// beyond reports whether prefix is a proper prefix of argv.
func beyond(argv, prefix []string) bool {
	if len(argv) <= len(prefix) {
		return false
	}
	for i, word := range prefix {
		if argv[i] != word {
			return false
		}
	}
	return true
}

// persistShell is the rule that may be written for the first open stage: its
// suggested prefix, where it would settle the stage (policy.md "Shell").
func (q *inquiry) persistShell(stages []stage) *Rule {
	for i := range stages {
		st := &stages[i]
		if st.ruling.effect != Ask {
			continue
		}
		if !st.cwd || !st.known || !st.ArgvComplete || st.SuggestedPrefix == nil || !onlyUnmatched(st.found) || needsFile(st.found) {
			return nil
		}
		e := &entry{Rule: Rule{Effect: Allow, Kind: approval.KindShell, HasArgv: true, Argv: st.SuggestedPrefix.ArgvPrefix}}
		if len(e.Argv) == 0 || check(e.Rule) != nil || !q.wouldCover(st, e) {
			return nil
		}
		return &e.Rule
	}
	return nil
}

// wouldCover reports whether a rule would cover the stage if it were in force.
func (q *inquiry) wouldCover(st *stage, e *entry) bool {
	if len(st.lines) == 0 || st.part.Elsewhere && !steady[st.Argv[0]] || len(e.Argv) > len(st.Argv) {
		return false
	}
	for i, word := range e.Argv {
		if st.Argv[i] != word || st.lines[0].isDynamic(i) {
			return false
		}
	}
	if _, unseen := q.unseen(st.part.Targets, e); unseen {
		return false
	}
	covers, _ := q.candidate(st, st.lines[0], e, nil)
	return covers != nil
}

// needsFile reports whether a file that the stage writes is an open question
// of its own, which a rule about the words leaves open.
func needsFile(found []finding) bool {
	for _, f := range found {
		if f.match == unmatched && f.target != nil {
			return true
		}
	}
	return false
}
