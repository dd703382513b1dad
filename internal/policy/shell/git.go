package shell

import (
	"slices"
	"strings"
	"sync"
)

// gitFlags are the options in front of git's subcommand that change nothing about what runs. The
// others (-c, --exec-path, --config-env, --git-dir …) lead to other configuration, and with it to
// other programs. -C is read apart: it is a cd.
var gitFlags = wordSet(`
	--no-pager -P --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs
	--icase-pathspecs --no-replace-objects --no-lazy-fetch --version -v --help -h
`)

// gitCarriers are the options of git's subcommands that hold a command, by subcommand.
var gitCarriers = sync.OnceValue(func() map[string][]carrier {
	return listed(map[string][]carrier{
		"grep":        {{short: "O", long: "open-files-in-pager"}},                   // a pager
		"rebase":      {{short: "xs", long: "exec strategy"}},                        // a command after every commit, git-merge-NAME
		"merge":       {{short: "s", long: "strategy"}},                              // git-merge-NAME
		"pull":        {{short: "s", long: "strategy upload-pack"}},                  // the same, and the program at the other end
		"cherry-pick": {{long: "strategy"}},                                          // git-merge-NAME
		"revert":      {{long: "strategy"}},                                          // git-merge-NAME
		"fetch":       {{long: "upload-pack"}},                                       // the program at the other end, which may be this one
		"push":        {{long: "receive-pack exec"}},                                 // the same
		"clone":       {{short: "uc", long: "upload-pack config template"}},          // the same, configuration, hooks
		"init":        {{long: "template"}},                                          // hooks
		"ls-remote":   {{long: "upload-pack exec"}},                                  // the program at the other end
		"fetch-pack":  {{long: "upload-pack exec"}},                                  // the same
		"send-pack":   {{long: "receive-pack exec"}},                                 // the same
		"archive":     {{long: "exec remote"}},                                       // the same
		"difftool":    {{short: "x", long: "extcmd tool"}},                           // a viewer
		"mergetool":   {{short: "t", long: "tool"}},                                  // a tool
		"send-email":  {{long: "to-cmd cc-cmd header-cmd smtp-server sendmail-cmd"}}, // programs that write headers and send
		"svn":         {{long: "authors-prog config-dir"}},                           // a program that names authors, configuration
		"bisect":      {{exact: "run"}},                                              // a command for every step
		"submodule":   {{exact: "foreach"}},                                          // a command for every module
		"config":      {{short: "ef", long: "edit file blob"}, {exact: "edit"}},      // an editor, other files
		"log":         {{long: "ext-diff"}},                                          // a program from the configuration
		"show":        {{long: "ext-diff"}},                                          // the same
		"stash":       {{long: "ext-diff"}},                                          // the same
		"help":        {{short: "wm", long: "web man"}},                              // a browser, a viewer
	})
})

// gitOpaque are the subcommands that are about nothing but running commands.
var gitOpaque = wordSet(`filter-branch filter-repo merge-index hook for-each-repo instaweb web--browse daemon shell difftool--helper mergetool--lib remote-ext remote-fd`)

// gitSettings are the keys that git config may set with nothing running differently afterwards.
var gitSettings = wordSet(`
	user.name user.email user.signingkey init.defaultbranch pull.rebase pull.ff push.default
	push.autosetupremote core.autocrlf core.eol core.filemode core.quotepath core.ignorecase
	color.ui commit.gpgsign tag.gpgsign merge.conflictstyle rerere.enabled fetch.prune advice.detachedhead
`)

// gitDynamic are the subcommands whose rows are only about configuration that is there already, so
// that a word not known may pass.
var gitDynamic = wordSet(`log show stash bisect submodule help`)

// git weighs the words of git: where it runs, and whether anything in them can hold a command.
func git(words []word) (dir string, why string) {
	i := 1
options:
	for ; i < len(words); i++ {
		w := words[i]
		switch {
		case w.dynamic:
			return "", "has a git subcommand that is not static"
		case w.text == "-C" && i+1 < len(words) && !words[i+1].dynamic && dir == "":
			i++
			dir = words[i].text
			continue
		case gitFlags()[w.text]:
			continue
		case strings.HasPrefix(w.text, "-"):
			return "", "has an option of git that can change what runs"
		}
		break options
	}
	if i >= len(words) {
		return dir, ""
	}
	return dir, gitSubcommand(words[i:])
}

// gitSubcommand weighs the words from the subcommand on.
func gitSubcommand(words []word) string {
	name := words[0].text
	if gitOpaque()[name] {
		return "has a git subcommand that runs commands"
	}
	for _, w := range words[1:] {
		if strings.Contains(w.text, "ext::") || strings.Contains(w.text, "fd::") {
			return "has an address that runs a command"
		}
	}
	rows := gitCarriers()[name]
	if name == "config" && !gitConfigReads(words) {
		return "sets configuration of git that can change what runs"
	}
	if gitDynamic()[name] {
		words = slices.Clone(words)
		for i := range words {
			if words[i].dynamic && words[i].lead == "" {
				words[i] = word{}
			}
		}
	}
	return carriesCommand(rows, words)
}

// gitConfigReading are the options and subcommands with which git config only prints. They count in
// front of the first operand alone: behind it git takes every word for one.
var (
	gitConfigReading  = wordSet(`--get --get-all --get-regexp --get-urlmatch --list -l`)
	gitConfigPrinting = wordSet(`get list`)
	gitConfigValued   = wordSet(`--type --default`) // with a value in the next word
)

// gitConfigReads reports whether git config only prints, or sets what is harmless.
func gitConfigReads(words []word) bool {
	var operands []string
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case w.dynamic:
			return false
		case len(operands) == 0 && gitConfigValued()[w.text]:
			i++
		case len(operands) == 0 && gitConfigReading()[w.text]:
			return true
		case len(operands) > 0 || !strings.HasPrefix(w.text, "-"):
			operands = append(operands, w.text)
		}
	}
	if len(operands) > 1 && gitConfigPrinting()[operands[0]] {
		return true
	}
	return len(operands) <= 1 || len(operands) == 2 && gitSettings()[strings.ToLower(operands[0])]
}
