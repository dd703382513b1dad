package shell

import (
	"strings"
	"sync"
)

// launcher is a program that starts the one named by its operands.
type launcher struct {
	short   string // its options of one letter without a value
	valued  string // … with one, joined or as the next word
	joined  string // … with one that is joined, or none
	long    string // its long options; a final = says that it has a value
	numeric bool   // -5 is an option too
	before  int    // operands in front of the command
	assigns bool   // NAME=value in front of the command sets its environment
	own     bool   // it is a stage of its own: who or where it runs is a decision too
	away    bool   // the command runs in another directory, or on another machine
	builtin bool   // the shell itself carries it out
	input   bool   // it adds words that it reads
	empty   string // what it does without a command, where that matters
}

// launchers are understood option by option; with any other option the stage is opaque (policy.md
// "Shell"). They are GNU's, those of BSD and busybox having fewer.
var launchers = sync.OnceValue(func() map[string]*launcher {
	return map[string]*launcher{
		// Transparent: the command runs as it would without them.
		"env":        {short: "iv", valued: "u", long: "ignore-environment debug unset=", assigns: true}, // -S splits text into words: opaque
		"nice":       {valued: "n", long: "adjustment=", numeric: true},
		"nohup":      {},
		"timeout":    {short: "fpv", valued: "ks", long: "foreground preserve-status verbose kill-after= signal=", before: 1},
		"gtimeout":   {short: "fpv", valued: "ks", long: "foreground preserve-status verbose kill-after= signal=", before: 1}, // as Homebrew names it
		"time":       {short: "pv", long: "portability verbose"},                                                              // -o writes a file: opaque
		"stdbuf":     {valued: "ioe", long: "input= output= error="},
		"setsid":     {short: "cfw", long: "ctty fork wait"},
		"ionice":     {short: "t", valued: "cn", long: "class= classdata= ignore"},
		"chrt":       {short: "abfiormR", long: "all-tasks batch fifo idle other rr reset-on-fork", before: 1},
		"taskset":    {short: "ac", long: "all-tasks cpu-list", before: 1},
		"caffeinate": {short: "dimsu", valued: "t"},
		"unbuffer":   {short: "p"},
		"chronic":    {short: "ev"},
		"busybox":    {},
		"toybox":     {},
		"command":    {short: "p", builtin: true}, // -v and -V only print
		"builtin":    {builtin: true},
		"exec":       {short: "cl", valued: "a", builtin: true, empty: "changes the redirections of the shell"},
		"xargs": {short: "0rtx", valued: "nLPsEId", joined: "iel",
			long: "null no-run-if-empty verbose exit max-args= max-procs= max-chars= max-lines= delimiter= replace=", input: true}, // -a reads a file, -p a terminal: opaque

		// Privilege: a stage of their own.
		"sudo":     {short: "AbEHknPS", valued: "Cghpu", long: "askpass background preserve-env set-home non-interactive stdin group= host= prompt= user=", assigns: true, own: true}, // -s and -i start a shell: opaque
		"doas":     {short: "n", valued: "u", own: true, empty: "starts a shell"},
		"pkexec":   {long: "user= disable-internal-agent", own: true},
		"setpriv":  {long: "no-new-privs reuid= regid= clear-groups keep-groups init-groups inh-caps= ambient-caps= bounding-set=", own: true},
		"fakeroot": {own: true, empty: "starts a shell"},

		// Another root or namespace, a tracer, a lock: a stage of their own.
		"chroot":           {long: "userspec= groups= skip-chdir", before: 1, own: true, away: true, empty: "starts a shell"},
		"unshare":          {short: "cfimnprTuU", long: "fork ipc mount net pid user uts map-root-user mount-proc", own: true, empty: "starts a shell"},
		"nsenter":          {short: "aimnpuUC", valued: "t", long: "target= all mount net pid ipc uts user", own: true, away: true, empty: "starts a shell"},
		"systemd-run":      {short: "PqtG", valued: "u", long: "user scope pty pipe wait quiet collect unit= description=", own: true, away: true},
		"strace":           {short: "cfrtTvyi", valued: "esp", own: true}, // -o may name a command, -E sets the environment: opaque
		"ltrace":           {short: "cfirSt", valued: "es", own: true},
		"valgrind":         {short: "qv", long: "quiet verbose tool= leak-check= error-exitcode= track-origins= show-leak-kinds=", own: true},
		"systemd-inhibit":  {long: "what= who= why= mode=", own: true},
		"dbus-run-session": {own: true},
		"xvfb-run":         {short: "a", long: "auto-servernum", own: true},
	}
})

// systemDirectories are where a launcher is the system's own, and nothing of the user's.
var systemDirectories = wordSet(`/bin/ /usr/bin/ /sbin/ /usr/sbin/ /usr/local/bin/ /opt/homebrew/bin/`)

// launcherNamed finds the launcher that a command word leads to, or nil. One from any other directory
// is a stage of its own: it only has the name of a launcher.
func launcherNamed(name string, builtin bool) *launcher {
	l, dir := launchers()[base(name)], name[:len(name)-len(base(name))]
	switch {
	case l == nil || l.builtin && (!builtin || dir != ""):
		return nil
	case dir != "" && !systemDirectories()[dir]:
		stranger := *l
		stranger.own = true
		return &stranger
	}
	return l
}

// peeled is what a launcher in front of a command comes to.
type peeled struct {
	command int    // index of the command's first word
	assigns []word // the assignments in front of it
	replace string // what xargs puts its input in place of; "" for behind the words
	why     string // not "": why it is not understood
}

// peel finds the command that the words of a launcher start. A launcher that starts nothing has its
// command behind the last word.
func (l *launcher) peel(words []word) peeled {
	const strange = "has options of a launcher that are not understood"
	p := peeled{}
	i := 1
	for ; i < len(words); i++ {
		w := words[i]
		if w.dynamic {
			return peeled{why: "has a launcher with a word that is not static"}
		}
		if w.text == "--" {
			i++
			break
		}
		if len(w.text) < 2 || w.text[0] != '-' {
			break
		}
		values, ok := l.option(w.text, &p)
		if !ok {
			return peeled{why: strange}
		}
		if values {
			if i++; i == len(words) || words[i].dynamic {
				return peeled{why: strange}
			}
			if strings.HasSuffix(w.text, "I") && l.input {
				p.replace = words[i].text
			}
		}
	}
	for range l.before {
		if i < len(words) && words[i].dynamic {
			return peeled{why: "has a launcher with a word that is not static"}
		}
		i++
	}
	for l.assigns && i < len(words) && strings.Contains(words[i].text, "=") {
		p.assigns = append(p.assigns, words[i])
		i++
	}
	p.command = min(i, len(words))
	return p
}

// option weighs one option and says whether its value is the next word.
func (l *launcher) option(text string, p *peeled) (valueNext, ok bool) {
	if strings.HasPrefix(text, "--") {
		name, value, joined := strings.Cut(text[2:], "=")
		for known := range strings.FieldsSeq(l.long) {
			if bare, takes := strings.CutSuffix(known, "="); bare == name {
				if name == "replace" && l.input {
					p.replace = "{}"
					if joined {
						p.replace = value
					}
					return false, true
				}
				return takes && !joined, takes || !joined
			}
		}
		return false, false
	}
	if l.numeric && strings.Trim(text[1:], "0123456789-") == "" {
		return false, true
	}
	for i := 1; i < len(text); i++ {
		c := text[i]
		switch {
		case strings.IndexByte(l.short, c) >= 0:
		case strings.IndexByte(l.valued, c) >= 0:
			if c == 'I' && i+1 < len(text) {
				p.replace = text[i+1:]
			}
			return i+1 == len(text), true
		case strings.IndexByte(l.joined, c) >= 0:
			if c == 'i' {
				if p.replace = "{}"; i+1 < len(text) {
					p.replace = text[i+1:]
				}
			}
			return false, true
		default:
			return false, false
		}
	}
	return false, true
}
