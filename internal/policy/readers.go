package policy

import (
	"sync"

	"github.com/approvald/approvald/internal/policy/shell"
)

// classReadOnly is the class of shell rules that covers a program as long as
// the invocation only reads and starts nothing else.
const classReadOnly = "read-only"

// invocation says which uses of a program, or of its subcommand, only read. A
// long option is named by any unambiguous beginning, as getopt_long(3) takes
// it, and short ones stand in clusters; both are seen here.
type invocation struct {
	// refused are the options that write, start a program or wait for orders.
	// Where only is set, every option that is not among those is refused.
	refused string
	only    string
	// single says that long options have one dash, so that there are no
	// clusters: find -exec.
	single bool
	// operands is how many words may be no options, as "1", or "0"; "" is any
	// number. Beyond them there is something else that the program would do.
	operands string
	// listing are options that lift the limit of operands (git branch --list).
	listing string
	// stops says that options stand in front of the operands: what looks like
	// one behind them is an operand, "--" too (git config core.pager x --get).
	stops bool
	// values are options whose value may be the next word, which is then no
	// operand.
	values string
	// joined are options of one letter whose value may follow in the same word,
	// so that what stands behind it is no cluster (date -Iseconds).
	joined string
	// quotes marks programs that print or search for their operands and do
	// nothing with them.
	quotes bool
	// code says of the first operand, which is a program, whether it only edits
	// and prints.
	code func(string) bool
	// commands are subcommands; a word that is none of them is refused, and
	// only are then the options before it.
	commands map[string]invocation
}

// readers are the programs of which something is known to only read. One that
// is not here is covered by no read-only rule, whoever lists it.
var readers = sync.OnceValue(func() map[string]invocation {
	return map[string]invocation{
		"[":         {quotes: true},
		":":         {quotes: true},
		"awk":       awkReads,
		"basename":  {quotes: true},
		"cat":       {},
		"cd":        {},
		"cksum":     {},
		"cmp":       {},
		"column":    {},
		"comm":      {},
		"command":   {only: "-v -V", operands: "0", listing: "-v -V"}, // else it is a launcher
		"cut":       {},
		"date":      {refused: "-s --set", operands: "+", values: "-d --date -r --reference -f --file", joined: "-d -r -f -I"}, // sets the clock
		"df":        {},
		"diff":      {refused: "-l --paginate", joined: "-x -I -F -L"}, // starts pr
		"dirname":   {quotes: true},
		"du":        {},
		"echo":      {quotes: true},
		"egrep":     {quotes: true},
		"env":       {operands: "0", only: ""}, // prints; with operands it is a launcher
		"expr":      {quotes: true},
		"false":     {quotes: true},
		"fgrep":     {quotes: true},
		"file":      {refused: "-C --compile -m --magic-file -z --uncompress -Z --uncompress-noreport -S --no-sandbox"},
		"find":      {refused: "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls", single: true},
		"fold":      {},
		"gawk":      awkReads,
		"free":      {refused: "-s --seconds"},
		"git":       {values: "-C", only: "-C -P --no-pager --no-optional-locks --literal-pathspecs --no-replace-objects --version", commands: gitReaders()},
		"grep":      {quotes: true},
		"groups":    {},
		"head":      {},
		"hexdump":   {},
		"hostname":  {only: "-f -s -i -I -d --fqdn --short --all-ip-addresses", operands: "0"}, // sets it
		"id":        {},
		"join":      {},
		"jq":        {},
		"ls":        {},
		"lscpu":     {},
		"man":       {only: "-a -f -k -w -W --all --apropos --path --whatis --where"}, // -P, -H, -l: a pager, a browser, any file
		"md5sum":    {},
		"mawk":      awkReads,
		"nl":        {},
		"nproc":     {},
		"od":        {},
		"paste":     {},
		"printenv":  {},
		"printf":    {refused: "-v", quotes: true}, // sets a variable, with code in its subscript
		"ps":        {},
		"pwd":       {},
		"readlink":  {},
		"realpath":  {},
		"rev":       {},
		"rg":        {refused: "--pre --pre-glob --hostname-bin -z --search-zip", joined: "-e -f -g -m -r -t -A -B -C -E -M -T", quotes: true}, // all start programs
		"sed":       {refused: "-i --in-place -f --file -s --separate -l --line-length", code: shell.PlainSed},                                 // the value of -l looks like its program
		"seq":       {},
		"sha1sum":   {},
		"sha256sum": {},
		"sha512sum": {},
		"sort":      {refused: "-o --output --compress-program -T --temporary-directory --files0-from"},
		"stat":      {},
		"strings":   {refused: "-T --target"},
		"sum":       {},
		"tac":       {},
		"tail":      {},
		"test":      {quotes: true},
		"tr":        {},
		"tree":      {refused: "-o -R"}, // both write
		"true":      {quotes: true},
		"tty":       {},
		"type":      {},
		"uname":     {},
		"uniq":      {operands: "1", values: "-f -s -w"}, // the second is written
		"uptime":    {},
		"wc":        {},
		"which":     {},
		"whoami":    {},
		"xxd":       {refused: "-r -revert", operands: "1", stops: true, values: "-l -s -c -g -o"}, // the second is written
		"yq":        {refused: "-i --inplace -s --split-exp --split-exp-file --from-file --security-enable-system-operator", joined: "-o -p -I"},
	}
})

// awkReads is awk with a program in its words: one that is read from a file may
// do anything.
var awkReads = invocation{only: "-F -v", values: "-F -v", joined: "-F -v", code: shell.PlainAwk}

// Options by which git commands that show changes write a file or start a
// program: a pager, a diff driver, a converter, gpg.
const gitShowRefused = "--output --ext-diff --textconv --show-signature --open-files-in-pager"

// gitReaders are the commands of git that read, with what makes each write.
var gitReaders = sync.OnceValue(func() map[string]invocation {
	return map[string]invocation{
		"annotate":      {refused: gitShowRefused},
		"bisect":        {commands: map[string]invocation{"log": {}, "terms": {}}},
		"blame":         {refused: gitShowRefused},
		"branch":        {only: "-a -r -v -vv -l --list --all --remotes --verbose --show-current --contains --no-contains --merged --no-merged --points-at --sort --format --column --no-column --color --no-color --abbrev --no-abbrev -i --ignore-case", operands: "0", listing: "--list --contains --no-contains --merged --no-merged --points-at"},
		"cat-file":      {refused: "--textconv --filters --batch-command"},
		"check-ignore":  {},
		"cherry":        {},
		"config":        {only: "--get --get-all --get-regexp --get-urlmatch -l --list --show-origin --show-scope --name-only --local --global --system --worktree -z --null --includes --no-includes --type --bool --int --path --default", operands: "1", stops: true, values: "--type --default", listing: "--get --get-all --get-regexp --get-urlmatch"},
		"count-objects": {},
		"describe":      {},
		"diff":          {refused: gitShowRefused},
		"diff-files":    {refused: gitShowRefused},
		"diff-index":    {refused: gitShowRefused},
		"diff-tree":     {refused: gitShowRefused},
		"for-each-ref":  {},
		"grep":          {refused: "-O --open-files-in-pager --textconv --ext-grep"},
		"log":           {refused: gitShowRefused},
		"ls-files":      {},
		"ls-tree":       {},
		"merge-base":    {},
		"name-rev":      {},
		"notes":         {commands: map[string]invocation{"": {}, "list": {}}},
		"range-diff":    {refused: gitShowRefused},
		"reflog":        {commands: map[string]invocation{"": {}, "show": {refused: gitShowRefused}, "exists": {}, "list": {}}},
		"remote":        {only: "-v --verbose", commands: map[string]invocation{"": {}, "get-url": {}}},
		"rev-list":      {refused: gitShowRefused},
		"rev-parse":     {},
		"shortlog":      {refused: gitShowRefused},
		"show":          {refused: gitShowRefused},
		"show-branch":   {},
		"show-ref":      {},
		"stash":         {commands: map[string]invocation{"list": {refused: gitShowRefused}, "show": {refused: gitShowRefused}}},
		"status":        {},
		"submodule":     {only: "-q --quiet", commands: map[string]invocation{"": {}, "status": {}}},
		"symbolic-ref":  {only: "-q --quiet --short", operands: "1"}, // the second is written
		"tag":           {only: "-l --list -n --contains --no-contains --merged --no-merged --points-at --sort --format --column --no-column --color -i --ignore-case", operands: "0", listing: "-l --list --contains --no-contains --merged --no-merged --points-at"},
		"var":           {},
		"version":       {},
		"whatchanged":   {refused: gitShowRefused},
		"worktree":      {commands: map[string]invocation{"list": {}}},
	}
})
