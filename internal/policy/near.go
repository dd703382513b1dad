package policy

import (
	"iter"
	"path"
	"slices"
	"strings"
)

// near finds the deny and ask rules that a command misses only by options or
// by words that nobody knows yet: rm -r -f under [rm -rf], git -C x push under
// [git push], rm -rf "$HOME" under [rm -rf ~] (SCHEMA.md "Near-miss
// principle"), or the program in other letters. It is a trie of the rules' words without their options.
//
// What separates two commands is judged by position, not by what a program's
// options mean: whether -fr is -rf, only that program knows.
type near struct {
	rules []nearRule
	next  map[string]*near
	paths bool // next has path operands, which programs take in any order
}

// nearRule is a rule by what of it the trie does not hold.
type nearRule struct {
	*entry
	options bool // it has options: a command without any cannot mean it
	early   bool // its first one comes before the subcommand
}

func (n *near) add(e *entry) {
	if len(e.Argv) == 0 {
		return // the catch-all is matched, never missed
	}
	rule := nearRule{entry: e}
	n = n.child(e.Argv[0])
	for i, word := range e.Argv[1:] {
		if isOption(word) {
			rule.options = true
			rule.early = rule.early || i == 0 && subcommands[baseName(e.Argv[0])]
			continue
		}
		if isPath(word) {
			n.paths = true
			word = path.Clean(word)
		}
		n = n.child(word)
	}
	n.rules = append(n.rules, rule)
}

func (n *near) child(word string) *near {
	child := n.next[word]
	if child == nil {
		child = &near{}
		if n.next == nil {
			n.next = map[string]*near{}
		}
		n.next[word] = child
	}
	return child
}

// missed are the rules that l meets or only just misses, each at least once.
func (n *near) missed(l line) iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		if len(l.argv) > 0 && l.isDynamic(0) && baseName(l.argv[0]) == l.argv[0] {
			n.all(yield)
			return
		}
		for _, name := range l.names {
			if start := n.next[name]; start != nil && !start.from(l, yield) {
				return
			}
			// A file system that folds case finds rm by RM.
			if small := strings.ToLower(baseName(name)); small != name && !slices.Contains(l.names, small) {
				if start := n.next[small]; start != nil && !start.from(l, yield) {
					return
				}
			}
		}
	}
}

// from walks the words after the program. At each word there is a set of
// places in the trie that the words so far may have led to; each place is
// looked at once, where it is first reached.
func (n *near) from(l line, yield func(*entry) bool) bool {
	some, early := false, false // l has an option or an unknown word, at all and first
	leads := len(n.rules) > 0   // l may lead to a rule; most lines do not
	for i := 1; i < len(l.argv); i++ {
		word, unknown := l.argv[i], l.isDynamic(i)
		if isOption(word) || unknown {
			some, early = true, early || i == 1
		}
		leads = leads || unknown || n.next[word] != nil || n.paths && isPath(word)
	}
	if !leads {
		return true
	}
	w := walk{line: l, at: make([][]*near, len(l.argv)+2), seen: map[*near]bool{}}
	w.reach(1, n)
	for i := 1; i <= len(l.argv); i++ {
		for _, node := range w.at[i] {
			first := !w.seen[node]
			w.seen[node] = true
			for _, rule := range node.rules {
				if !first || rule.options && !some || rule.early && !early {
					continue
				}
				if !yield(rule.entry) {
					return false
				}
			}
			if i < len(l.argv) && !w.step(node, i, first, yield) {
				return false
			}
		}
	}
	return true
}

// walk is the state of one walk over a line.
type walk struct {
	line
	at   [][]*near // by index of the next word
	seen map[*near]bool
}

func (w *walk) reach(i int, to *near) {
	if !slices.Contains(w.at[i], to) {
		w.at[i] = append(w.at[i], to)
	}
}

// step follows word i from n, and where n is met first, the path operands
// that may stand anywhere behind.
func (w *walk) step(n *near, i int, first bool, yield func(*entry) bool) bool {
	if w.isDynamic(i) { // it may be any word, several or none
		return n.all(yield)
	}
	word := w.argv[i]
	if child := n.next[word]; child != nil {
		w.reach(i+1, child)
	}
	if isOption(word) {
		w.reach(i+1, n)
		if !strings.Contains(word, "=") && i+1 < len(w.argv) && !w.isDynamic(i+1) {
			w.reach(i+2, n) // the next word may be the value of this one
		}
	}
	if !n.paths || !first {
		return true
	}
	for j := i; j < len(w.argv); j++ {
		if w.isDynamic(j) {
			return n.all(yield)
		}
		if !isPath(w.argv[j]) {
			continue
		}
		if child := n.next[path.Clean(w.argv[j])]; child != nil {
			w.reach(j+1, child)
		}
	}
	return true
}

// all yields every rule at n and below.
func (n *near) all(yield func(*entry) bool) bool {
	for _, rule := range n.rules {
		if !yield(rule.entry) {
			return false
		}
	}
	for _, child := range n.next {
		if !child.all(yield) {
			return false
		}
	}
	return true
}

func isOption(word string) bool { return strings.HasPrefix(word, "-") }

// isPath reports whether a word of a rule is a path operand by its looks.
func isPath(word string) bool {
	return strings.Contains(word, "/") || word == "~" || word == "." || word == ".."
}

// subcommands are programs whose first plain word says what they do, so that
// an option before it and one behind it are different things.
var subcommands = map[string]bool{
	"apt": true, "aws": true, "az": true, "brew": true, "bun": true, "cargo": true, "composer": true,
	"docker": true, "dotnet": true, "gcloud": true, "gem": true, "gh": true, "git": true, "glab": true,
	"go": true, "helm": true, "hg": true, "ip": true, "jj": true, "kubectl": true, "launchctl": true,
	"npm": true, "openssl": true, "pip": true, "pip3": true, "pnpm": true, "podman": true, "poetry": true,
	"rustup": true, "svn": true, "systemctl": true, "terraform": true, "uv": true, "yarn": true,
}
