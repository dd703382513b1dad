package inspect

import (
	"strings"

	"github.com/approvald/approvald/internal/approval"
)

// Spelled is a path as a command spells it.
type Spelled struct {
	Access     approval.Access
	Redirected bool   // the shell itself opens it
	Text       string // after quote removal; source text where Dynamic
	Dynamic    bool   // only the running shell knows it
}

// Reasons for Target.Unresolved that are not about the file system.
const (
	unknownText = "only the running shell knows the path"
	unknownDir  = "only the running shell knows the directory that the path is taken from"
	connection  = "bash opens a network connection by that name"
)

// Target finds what p means, taken from the absolute directory dir where it is relative; dir may have
// links and ".." in it, and "" says that it is not known. What cannot be known, or could not be
// opened by any name, is no error: Unresolved says why.
//
// Of what is dynamic only a leading ~ with a plain path behind it is understood, as the home of the
// Inspector's user; the caller must know that the command leaves HOME as it was.
func (i *Inspector) Target(p Spelled, dir string) approval.Target {
	text, why := p.Text, ""
	if p.Dynamic {
		home, ok := i.tilde(p.Text)
		if !ok {
			why = unknownText
		}
		text = home
	}
	if p.Redirected && (strings.HasPrefix(text, "/dev/tcp/") || strings.HasPrefix(text, "/dev/udp/")) {
		why = connection
	}
	if why == "" && dir == "" && !strings.HasPrefix(text, "/") {
		why = unknownDir
	}
	var found File
	if why == "" {
		var err error
		if found, err = i.File(text, dir); err != nil {
			why = err.Error()
		}
	}
	target := found.Target(p.Access)
	target.Redirected, target.Text, target.Unresolved = p.Redirected, p.Text, why
	return target
}

// tilde is the path that source text stands for where it is an unquoted ~, alone or before plain
// names; false for any other text.
func (i *Inspector) tilde(source string) (string, bool) {
	rest, found := strings.CutPrefix(source, "~")
	if !found || i.user.Home == "" || rest != "" && rest[0] != '/' || strings.ContainsFunc(rest, notPlain) {
		return "", false
	}
	return i.user.Home + rest, true
}

// notPlain reports whether a character might mean something to a shell.
func notPlain(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+,:@%", r))
}
