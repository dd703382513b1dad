package policy

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/approvald/approvald/internal/approval"
)

// Describe says in one line exactly what r covers: what a reviewer is shown
// before a decision writes it, and what a listing shows. Text that came from an
// agent is quoted where it holds more than plain characters.
func Describe(r Rule) string {
	verb := r.Effect.String()
	if r.Effect == Ask {
		verb = "ask about"
	}
	return verb + " " + r.covers()
}

func (r Rule) covers() string {
	switch r.Kind {
	case approval.KindShell:
		return r.coversCommands()
	case approval.KindFile:
		return r.coversFiles()
	case approval.KindNetwork:
		return r.coversHosts()
	case approval.KindProcess:
		if r.Target == "" {
			return fmt.Sprintf("process action %s on any target", plain(r.Action))
		}
		return fmt.Sprintf("process action %s on %s", plain(r.Action), plain(r.Target))
	case approval.KindTool:
		return fmt.Sprintf("%s of %s, whatever its arguments and its definition", orAny(r.Tool, "tool "+plain(r.Tool), "every tool"), orAny(r.Server, "server "+plain(r.Server), "every server"))
	}
	return "nothing: the kind " + quote(r.Kind) + " is not known"
}

func orAny(pattern, one, all string) string {
	if pattern == "*" {
		return all
	}
	return one
}

func (r Rule) coversCommands() string {
	switch {
	case !r.HasArgv:
		return "uses that only read of " + strings.Join(r.Programs, ", ")
	case len(r.Argv) == 0 && r.Effect == Allow:
		return "commands whose words are all known"
	case len(r.Argv) == 0:
		return "every command"
	}
	return string(appendBeginning(nil, r.Argv))
}

func appendBeginning(text []byte, argv []string) []byte {
	return appendPlain(append(text, "commands that begin with the words: "...), argv...)
}

func (r Rule) coversFiles() string {
	if r.Outside {
		return string(r.Access) + " of everything outside the workspace"
	}
	if !strings.HasPrefix(r.Glob, "/") {
		where := " below the workspace"
		if strings.HasPrefix(r.Glob, "**/") {
			where = " in any place"
		}
		return fmt.Sprintf("%s of files that match %s%s", r.Access, strconv.QuoteToASCII(r.Glob), where)
	}
	if p := unescape(r.Glob); EscapeGlob(p) == r.Glob {
		return fmt.Sprintf("%s of exactly %s", r.Access, plain(p))
	}
	return fmt.Sprintf("%s of files that match %s", r.Access, strconv.QuoteToASCII(r.Glob))
}

func (r Rule) coversHosts() string {
	to := "addresses of the class " + r.Class
	switch name, wild := strings.CutPrefix(r.Host, "*."); {
	case r.Host == "*":
		to = "any host"
	case wild:
		to = "hosts below " + plain(name)
	case r.Host != "":
		to = plain(r.Host)
	}
	switch {
	case r.Port != 0:
		return fmt.Sprintf("connections to %s, port %d", to, r.Port)
	case r.Effect == Allow:
		return fmt.Sprintf("connections to %s, the default port of the scheme", to)
	}
	return fmt.Sprintf("connections to %s, any port", to)
}

// String is the effect as policy files spell it.
func (e Effect) String() string {
	switch e {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	case Deny:
		return "deny"
	}
	return "effect " + strconv.Itoa(int(e))
}
