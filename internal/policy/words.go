package policy

import (
	"iter"
	"path"
	"slices"
	"strings"
)

// words is a trie of argv prefixes by word: how many rules there are weighs
// nothing, only how many words the command has (perf.md T18).
type words struct {
	rules []*entry // whose prefix ends here
	next  map[string]*words
}

func (w *words) add(prefix []string, e *entry) {
	for _, word := range prefix {
		child := w.next[word]
		if child == nil {
			child = &words{}
			if w.next == nil {
				w.next = map[string]*words{}
			}
			w.next[word] = child
		}
		w = child
	}
	w.rules = append(w.rules, e)
}

// along are the rules whose prefixes argv begins with, the shortest first.
func (w *words) along(argv []string) iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for node, i := w, 0; node != nil; i++ {
			for _, e := range node.rules {
				if !yield(e) {
					return
				}
			}
			if i == len(argv) {
				return
			}
			node = node.next[argv[i]]
		}
	}
}

// line is one simple command as rules look at it.
type line struct {
	argv    []string
	dynamic []int    // ascending indices of the words that only the running shell knows
	names   []string // the ways in which a rule that binds may name the program
}

// newLine is argv, whose command word leads to the program at that path. What
// was recorded about words that are not there is left out.
func newLine(argv []string, dynamic []int, program string) line {
	dynamic = slices.Clone(dynamic)
	slices.Sort(dynamic)
	dynamic = slices.DeleteFunc(dynamic, func(i int) bool { return i < 0 || i >= len(argv) })
	return line{argv, dynamic, names(argv, program)}
}

func (l line) isDynamic(i int) bool {
	_, found := slices.BinarySearch(l.dynamic, i)
	return found
}

// names are the ways in which a deny or ask rule may name the program of argv:
// as it is spelled, by the last component of its path, and by the file that it
// leads to (policy.md "Shell": a bare name also covers paths).
func names(argv []string, program string) []string {
	if len(argv) == 0 {
		return nil
	}
	all := append(make([]string, 0, 2), argv[0]) // most programs are found on the PATH
	for _, other := range []string{baseName(argv[0]), program, baseName(program)} {
		if other != "" && !slices.Contains(all, other) {
			all = append(all, other)
		}
	}
	return all
}

// baseName is the last component of a program's path, as far as text tells.
func baseName(program string) string {
	if program == "" {
		return ""
	}
	base := strings.TrimRight(program, `"'`)
	if strings.Contains(base, "/") {
		base = path.Base(base)
	}
	if base == "." || base == "/" {
		return ""
	}
	return base
}

// bind are the binding rules that l begins with, whatever its program is
// called. A word that is not static matches a rule that spells it as the text
// does (rm -rf ~).
func (w *words) bind(l line) iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for _, e := range w.rules { // the catch-all
			if !yield(e) {
				return
			}
		}
		for _, name := range l.names {
			child := w.next[name]
			if child == nil {
				continue
			}
			for e := range child.along(l.argv[1:]) {
				if !yield(e) {
					return
				}
			}
		}
	}
}
