package shell

import (
	"strings"
	"sync"

	"github.com/approvald/approvald/internal/approval"
)

// subcommandUses are the programs that name files behind a subcommand, and what that does with them.
// The subcommand is no operand of its own.
var subcommandUses = sync.OnceValue(func() map[string]map[string]uses {
	return map[string]map[string]uses{
		"git": {
			"add": {operands: roleRead}, "stage": {operands: roleRead}, "hash-object": {operands: roleRead, valued: "t"},
			"diff": {operands: roleRead, valued: "UGSOl", writing: "output"}, "show": {operands: roleRead, valued: "UGSOl", writing: "output"},
			"log": {operands: roleRead, valued: "nULGSOl", writing: "output"}, "shortlog": {writing: "output"}, "rev-list": {writing: "output"}, "stash": {writing: "output"},
			"blame": {operands: roleRead, valued: "LSCM", writing: "output"}, "annotate": {operands: roleRead, valued: "LSCM", writing: "output"},
			"cat-file": {operands: roleRead, first: 1}, "grep": {operands: roleRead, first: 1, unless: "ef", valued: "eABCm", reads: "f"},
			"apply": {operands: roleRead, valued: "pC"}, "am": {operands: roleRead, valued: "pC"},
			"commit": {operands: roleRead, valued: "mCct", reads: "F", reading: "file"}, "tag": {valued: "mu", reads: "F", reading: "file"},
			"rm": {operands: roleWrite}, "mv": {operands: roleMove}, "restore": {operands: roleWrite, valued: "s"}, "checkout": {operands: roleWrite, valued: "bB"},
			"clone": {operands: roleCopy, valued: "bocju"}, "init": {operands: roleWrite, valued: "b"}, "worktree": {operands: roleWrite, first: 1, valued: "bB"},
			"archive": {writes: "o", writing: "output"}, "format-patch": {writes: "o", writing: "output-directory output"}, "bundle": {operands: roleWrite, first: 1},
			"config": {reads: "f", reading: "file blob"},
		},
		"docker": {"cp": {operands: roleCopy}},
		"podman": {"cp": {operands: roleCopy}},
	}
})

// subcommandOperands notes the files behind the subcommand of a program.
func (c *command) subcommandOperands(name string) {
	for i := 1; i < len(c.words); i++ {
		switch w := c.words[i]; {
		case w.dynamic:
			return
		case name == "git" && w.text == "-C":
			i++
		case strings.HasPrefix(w.text, "-"):
		default:
			use, known := subcommandUses()[name][w.text]
			if !known {
				return
			}
			f := files{command: c, uses: use}
			f.read(c.words[i+1:])
			for _, o := range f.plain { // main:.env
				if _, at, found := strings.Cut(o.text, ":"); found && !o.dynamic && use.operands == roleRead {
					c.touches(approval.Read, word{text: at})
				}
			}
			f.note()
			return
		}
	}
}

// curlOperands notes the files that curl sends, @FILE and <FILE in a value, and file URLs.
func (c *command) curlOperands() {
	for _, w := range c.words[1:] {
		if at := strings.LastIndexAny(w.text, "@<"); at >= 0 {
			sent, _, _ := strings.Cut(w.text[at+1:], ";")
			c.touches(approval.Read, word{text: sent, dynamic: w.dynamic})
		}
		if lower := strings.ToLower(w.text); strings.Contains(lower, "file:/") {
			local := strings.TrimLeft(w.text[strings.Index(lower, "file:/")+len("file:"):], "/")
			c.touches(approval.Read, word{text: "/" + strings.TrimPrefix(local, "localhost/"), dynamic: w.dynamic})
		}
	}
}

// opensslFiles are the options of openssl whose value is a file.
var opensslFiles = map[string]approval.Access{
	"-in": approval.Read, "-inkey": approval.Read, "-key": approval.Read, "-CAfile": approval.Read, "-CA": approval.Read, "-CAkey": approval.Read,
	"-cert": approval.Read, "-certfile": approval.Read, "-kfile": approval.Read,
	"-out": approval.Write, "-keyout": approval.Write,
}

// opensslOperands notes the files of openssl.
func (c *command) opensslOperands() {
	for i, w := range c.words[1:] {
		if access, known := opensslFiles[w.text]; known && !w.dynamic && i+2 < len(c.words) {
			c.touches(access, c.words[i+2])
		}
	}
}
