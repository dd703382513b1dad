package policy

import (
	"iter"

	"github.com/approvald/approvald/internal/approval"
)

// entry is one rule in a book.
type entry struct {
	Rule
	mode ToolMode // of an entry that stands for a [[tool]]; "" otherwise
	at   string   // Ref as people are told it
	seq  int      // its place among those that it was compiled with: of two alike, the first is named
	// layer is that of a protected or unprotected glob, from 1; 0 for a default.
	layer int
}

// book is the rules of one place, arranged so that what an action needs is
// found without walking over the others. The nil book is empty.
type book struct {
	allowed words               // shell rules that allow
	binding words               // shell rules that ask or deny
	near    *near               // the same once more, for the near-miss principle
	strict  *entry              // the strongest of the binding ones
	readers map[string][]*entry // read-only rules by program
	files   map[fileKey]*globs
	guarded *globs // files that are protected beyond the defaults
	freed   *globs // files that are not
	network hosts
	process map[[2]string][]*entry
	tools   map[[2]string][]*entry
	size    int
}

// fileKey tells the file rules that allow from those that bind.
type fileKey struct {
	access  approval.Access
	binding bool
}

// newBook is an empty book. Its maps are made when something is put into them:
// most of the books that are made are for a single rule.
func newBook() *book { return &book{near: &near{}, guarded: noGlobs, freed: noGlobs} }

// noGlobs is what books share that have none; nothing is added to it.
var noGlobs = newGlobs()

// put appends e to the entries under key.
func put[K comparable](m *map[K][]*entry, key K, e *entry) {
	if *m == nil {
		*m = make(map[K][]*entry)
	}
	(*m)[key] = append((*m)[key], e)
}

// addLayer adds everything of a file, the nth, and says what of it is not well formed.
func (b *book) addLayer(layer Layer, n int) (faults []error) {
	for _, r := range layer.Rules {
		if err := b.add(r); err != nil {
			faults = append(faults, err)
		}
	}
	for _, t := range layer.Tools {
		if err := b.addTool(t); err != nil {
			faults = append(faults, err)
		}
	}
	for _, list := range []struct {
		key   string
		globs []string
		to    **globs
	}{{"protected", layer.Protected, &b.guarded}, {"unprotected", layer.Unprotected, &b.freed}} {
		if *list.to == noGlobs && len(list.globs) > 0 {
			*list.to = newGlobs()
		}
		for i, glob := range list.globs {
			r := Rule{Effect: Ask, Kind: approval.KindFile, Access: approval.Write, Glob: glob}
			r.Ref = Ref{Layer: list.key, Index: i + 1}
			if why := badGlob(glob); why != "" {
				faults = append(faults, &RuleError{Ref: r.Ref, Key: list.key, Why: why})
				continue
			}
			(*list.to).add(glob, &entry{Rule: r, layer: n})
		}
	}
	return faults
}

// add arranges one rule, or says what is wrong with it.
func (b *book) add(r Rule) error {
	if err := check(r); err != nil {
		return err
	}
	b.size++
	e := &entry{Rule: r, at: r.Ref.String(), seq: b.size}
	switch r.Kind {
	case approval.KindShell:
		b.addShell(e)
	case approval.KindFile:
		key := fileKey{r.Access, r.Effect != Allow}
		if b.files == nil {
			b.files = make(map[fileKey]*globs)
		}
		if b.files[key] == nil {
			b.files[key] = newGlobs()
		}
		b.files[key].addRule(e)
	case approval.KindNetwork:
		b.network.add(e)
	case approval.KindProcess:
		put(&b.process, [2]string{r.Action, r.Target}, e)
	case approval.KindTool:
		put(&b.tools, [2]string{r.Server, r.Tool}, e)
	}
	return nil
}

func (b *book) addShell(e *entry) {
	switch {
	case !e.HasArgv:
		for _, program := range e.Programs {
			put(&b.readers, program, e)
		}
	case e.Effect == Allow:
		b.allowed.add(e.Argv, e)
	default:
		b.strict = stronger(b.strict, e)
		b.binding.add(e.Argv, e)
		b.near.add(e)
	}
}

func (b *book) addTool(t ToolRule) error {
	b.size++
	e := &entry{Rule: Rule{Kind: approval.KindTool, Server: t.Server, Tool: t.Tool, Reason: t.Reason, Ref: t.Ref}, mode: t.Mode, at: t.Ref.String(), seq: b.size}
	switch {
	case t.Server == "" || t.Tool == "":
		return &RuleError{Ref: t.Ref, Why: "it needs both server and tool; either may be \"*\""}
	case t.Mode == PreApproved:
		e.Effect = Allow
	case t.Mode == Always, t.Mode == OncePerSession:
		e.Effect = Ask
	default:
		return &RuleError{Ref: t.Ref, Key: "mode", Why: "mode " + quote(string(t.Mode)) + " is none of preApproved, always and oncePerSession"}
	}
	put(&b.tools, [2]string{t.Server, t.Tool}, e)
	return nil
}

// keyed are the entries under every key, in order.
func keyed[K comparable](m map[K][]*entry, keys ...K) iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for i, key := range keys {
			if i > 0 && key == keys[i-1] {
				continue
			}
			for _, e := range m[key] {
				if !yield(e) {
					return
				}
			}
		}
	}
}
