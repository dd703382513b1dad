package shell

import (
	"slices"
	"strings"
	"sync"

	"github.com/approvald/approvald/internal/approval"
)

// uses says what a program does to the files that its words name.
type uses struct {
	operands fileRole
	first    int    // operands in front of the files: a pattern, a script, a mode
	unless   string // letters of options that say what those operands would: then there are none
	valued   string // letters of options with a value that is no file
	reads    string // … that is a file to read
	writes   string // … that is a file to write
	writing  string // long options whose value is a file to write
	reading  string // long options whose value is a file to read
	inplace  string // letters of options that make it write its operands
}

// fileRole is what happens to the operands.
type fileRole int

const (
	roleNone  fileRole = iota
	roleRead           // all are read
	roleWrite          // all are written
	roleCopy           // the last is written, the others are read
	roleMove           // all are written, the last also below itself
)

// fileUses are the programs that are known to read or write the files that they are given. Their
// operands are bound by deny and ask rules only, so that an operand too many does no harm.
var fileUses = sync.OnceValue(func() map[string]uses {
	return map[string]uses{
		"cat": {operands: roleRead}, "tac": {operands: roleRead}, "nl": {operands: roleRead}, "rev": {operands: roleRead},
		"less": {operands: roleRead}, "more": {operands: roleRead}, "most": {operands: roleRead}, "bat": {operands: roleRead}, "batcat": {operands: roleRead},
		"head": {operands: roleRead, valued: "nc"}, "tail": {operands: roleRead, valued: "ncs"},
		"wc": {operands: roleRead, reading: "files0-from"}, "file": {operands: roleRead}, "stat": {operands: roleRead, valued: "cf"},
		"strings": {operands: roleRead, valued: "n"}, "xxd": {operands: roleCopy, valued: "lscgo"}, "od": {operands: roleRead, valued: "AtNjw"}, "hexdump": {operands: roleRead, valued: "ns"},
		"base64": {operands: roleRead, valued: "w"}, "base32": {operands: roleRead, valued: "w"},
		"md5sum": {operands: roleRead}, "sha1sum": {operands: roleRead}, "sha256sum": {operands: roleRead}, "cksum": {operands: roleRead},
		"sum": {operands: roleRead}, "b2sum": {operands: roleRead}, "sha224sum": {operands: roleRead}, "sha384sum": {operands: roleRead}, "sha512sum": {operands: roleRead}, "shasum": {operands: roleRead, valued: "a"},
		"expand": {operands: roleRead, valued: "t"}, "unexpand": {operands: roleRead, valued: "t"}, "fmt": {operands: roleRead, valued: "wgp"}, "pr": {operands: roleRead, valued: "hlowW"}, "pg": {operands: roleRead},
		"look": {operands: roleRead, first: 1, valued: "t"}, "tsort": {operands: roleRead}, "ptx": {operands: roleRead}, "date": {reads: "fr", valued: "d"},
		"uuencode": {operands: roleRead}, "basenc": {operands: roleRead, valued: "w"}, "iconv": {operands: roleRead, valued: "ft", writes: "o", writing: "output"},
		"gpg": {operands: roleRead, valued: "ru", writes: "o", writing: "output"}, "sdiff": {operands: roleRead, writes: "o", writing: "output", valued: "wW"}, "diff3": {operands: roleRead},
		"cut": {operands: roleRead, valued: "dfcb"}, "paste": {operands: roleRead, valued: "d"}, "fold": {operands: roleRead, valued: "w"}, "column": {operands: roleRead, valued: "ts"},
		"uniq": {operands: roleCopy, valued: "fsw"}, "comm": {operands: roleRead}, "join": {operands: roleRead, valued: "t12ej"},
		"diff": {operands: roleRead, valued: "ULIx"}, "cmp": {operands: roleRead, valued: "nl"}, "colordiff": {operands: roleRead}, "vimdiff": {operands: roleRead},
		"sort":  {operands: roleRead, valued: "ktST", writes: "o", writing: "output", reading: "files0-from"},
		"shuf":  {operands: roleRead, valued: "nei", writes: "o", writing: "output"},
		"grep":  {operands: roleRead, first: 1, unless: "ef", valued: "eABCmd", reads: "f"},
		"egrep": {operands: roleRead, first: 1, unless: "ef", valued: "eABCmd", reads: "f"},
		"fgrep": {operands: roleRead, first: 1, unless: "ef", valued: "eABCmd", reads: "f"},
		"zgrep": {operands: roleRead, first: 1, unless: "ef", valued: "eABCm", reads: "f"},
		"rg":    {operands: roleRead, first: 1, unless: "ef", valued: "eABCmgtTjdrM", reads: "f"},
		"ag":    {operands: roleRead, first: 1, valued: "ABCGm"},
		"sed":   {operands: roleRead, first: 1, unless: "ef", valued: "el", reads: "f", inplace: "i"},
		"gsed":  {operands: roleRead, first: 1, unless: "ef", valued: "el", reads: "f", inplace: "i"},
		"awk":   {operands: roleRead, first: 1, unless: "f", valued: "Fv", reads: "f"},
		"gawk":  {operands: roleRead, first: 1, unless: "f", valued: "Fv", reads: "f"},
		"jq":    {operands: roleRead, first: 1, unless: "f", reads: "f", valued: "L"},
		"yq":    {operands: roleRead, first: 1, inplace: "i"},
		"ls":    {operands: roleRead, valued: "Iw"}, "tree": {operands: roleRead, valued: "LIP", writes: "o"}, "du": {operands: roleRead, valued: "d"}, "find": {operands: roleRead},
		"readlink": {operands: roleRead}, "realpath": {operands: roleRead},
		"tee": {operands: roleWrite}, "touch": {operands: roleWrite, valued: "dt", reads: "r"}, "mkdir": {operands: roleWrite, valued: "m"},
		"rm": {operands: roleWrite}, "rmdir": {operands: roleWrite}, "unlink": {operands: roleWrite}, "shred": {operands: roleWrite, valued: "ns"},
		"truncate": {operands: roleWrite, valued: "s", reads: "r"}, "mkfifo": {operands: roleWrite, valued: "m"}, "mktemp": {operands: roleWrite, writes: "p", writing: "tmpdir"}, "mknod": {operands: roleWrite, valued: "m"}, "fallocate": {operands: roleWrite, valued: "lo"},
		"sponge": {operands: roleWrite}, "dos2unix": {operands: roleWrite}, "unix2dos": {operands: roleWrite}, "ar": {operands: roleWrite, first: 1}, "7z": {operands: roleWrite, first: 1}, "code": {operands: roleWrite}, "ssh-keygen": {writes: "f", valued: "tbCNP"},
		"make": {reads: "f", reading: "file makefile", valued: "CIjloW"}, "ssh": {reads: "iF", valued: "BbcDeJLlmpQRWo"},
		"chmod": {operands: roleWrite, first: 1}, "chown": {operands: roleWrite, first: 1}, "chgrp": {operands: roleWrite, first: 1}, "chattr": {operands: roleWrite, first: 1}, "setfacl": {operands: roleWrite, valued: "mx"},
		"cp": {operands: roleCopy, valued: "S", writes: "t", writing: "target-directory"}, "install": {operands: roleCopy, valued: "mogS", writes: "t", writing: "target-directory"},
		"rsync": {operands: roleCopy, valued: "fTB"}, "scp": {operands: roleCopy, valued: "PilcJ"}, "ln": {operands: roleCopy, valued: "S", writes: "t", writing: "target-directory"},
		"mv": {operands: roleMove, valued: "S", writes: "t", writing: "target-directory"}, "rename": {operands: roleWrite, first: 1},
		"gzip": {operands: roleWrite}, "gunzip": {operands: roleWrite}, "bzip2": {operands: roleWrite}, "bunzip2": {operands: roleWrite}, "xz": {operands: roleWrite}, "unxz": {operands: roleWrite}, "zstd": {operands: roleWrite, writes: "o"},
		"zcat": {operands: roleRead}, "bzcat": {operands: roleRead}, "xzcat": {operands: roleRead},
		"tar": {operands: roleRead, writes: "fC", writing: "file directory"}, "gtar": {operands: roleRead, writes: "fC", writing: "file directory"}, "bsdtar": {operands: roleRead, writes: "fC", writing: "file directory"},
		"zip": {operands: roleWrite, valued: "x"}, "unzip": {operands: roleRead, writes: "d"},
		"patch": {operands: roleWrite, valued: "p", reads: "i", writes: "o", writing: "output"},
		"split": {operands: roleCopy, valued: "abCln"}, "csplit": {operands: roleRead, writes: "f"},
		"vim": {operands: roleWrite}, "vi": {operands: roleWrite}, "nvim": {operands: roleWrite}, "nano": {operands: roleWrite}, "emacs": {operands: roleWrite},
		"curl": {writes: "oDc", reads: "T", reading: "upload-file", writing: "output output-dir dump-header cookie-jar"},
		"wget": {writes: "OPoa", reads: "i", reading: "post-file body-file input-file", writing: "output-document directory-prefix output-file append-output"},
		"gcc":  {operands: roleRead, writes: "o"}, "cc": {operands: roleRead, writes: "o"}, "clang": {operands: roleRead, writes: "o"},
		"openssl": {}, "pandoc": {operands: roleRead, writes: "o", writing: "output"},
		"sh": {operands: roleRead, valued: "co"}, "bash": {operands: roleRead, valued: "coO"}, "dash": {operands: roleRead, valued: "co"}, "zsh": {operands: roleRead, valued: "co"},
		"source": {operands: roleRead}, ".": {operands: roleRead},
		"python": {operands: roleRead, valued: "cmWX"}, "python3": {operands: roleRead, valued: "cmWX"}, "node": {operands: roleRead, valued: "ep"}, "php": {operands: roleRead, valued: "rf"}, "perl": {operands: roleRead, valued: "eE"}, "ruby": {operands: roleRead, valued: "e"},
	}
})

// operands notes the files that the words of a program name.
func (c *command) operands(name string) {
	words := c.words[1:]
	switch name {
	case "curl":
		c.curlOperands()
	case "openssl":
		c.opensslOperands()
	case "git", "docker", "podman":
		c.subcommandOperands(name)
		return
	case "dd":
		c.ddOperands()
		return
	case "tar", "gtar", "bsdtar":
		c.tarOperands(name)
		return
	case "find": // its operands come first
		for i, w := range words {
			if w.mayBeOption() || w.text == "!" || w.text == "(" {
				words = words[:i]
				break
			}
		}
	}
	use, known := fileUses()[name]
	if !known {
		return
	}
	f := files{command: c, uses: use}
	f.read(words)
	f.note()
}

// ddOperands notes if= and of=.
func (c *command) ddOperands() {
	for _, w := range c.words[1:] {
		text := w.text
		if path, ok := strings.CutPrefix(text, "if="); ok {
			c.touches(approval.Read, word{text: path, dynamic: w.dynamic})
		} else if path, ok := strings.CutPrefix(text, "of="); ok {
			c.touches(approval.Write, word{text: path, dynamic: w.dynamic})
		}
	}
}

// tarOperands notes the files of tar, whose first operand may be letters without a dash, and whose
// archive is written or read by what they say.
func (c *command) tarOperands(name string) {
	words, use := slices.Clone(c.words[1:]), fileUses()[name]
	if len(words) > 0 && !words[0].dynamic && words[0].text != "" && words[0].text[0] != '-' {
		words[0].text = "-" + words[0].text
	}
	if len(words) > 0 && !strings.ContainsAny(words[0].text, "cruA") && !strings.HasPrefix(words[0].text, "--") {
		use.reads, use.writes = "f", "C"
	}
	f := files{command: c, uses: use}
	f.read(words)
	f.note()
}

func (c *command) touches(access approval.Access, w word) {
	if w.text == "-" && !w.dynamic || w.text == "" || w.dynamic && strings.HasPrefix(w.text[1:], "(") {
		return // standard input, or a process substitution
	}
	if len(c.stage.Files) == maxFiles {
		c.opaque("names more files than are told apart")
		return
	}
	c.stage.Files = append(c.stage.Files, File{Access: access, Text: w.text, Dynamic: w.dynamic})
}

// files sorts the words of one program.
type files struct {
	*command
	uses
	plain []word // operands
	skip  bool   // no operand in front of the files after all
	write bool   // operands are written in place
	dir   bool   // the destination was given by an option
}

func (f *files) read(words []word) {
	options := true
	for i := 0; i < len(words); i++ {
		w := words[i]
		text := w.text
		if w.dynamic {
			text = w.lead
		}
		switch {
		case !options || len(text) < 2 || text[0] != '-':
			f.plain = append(f.plain, w)
		case text == "--" && !w.dynamic:
			options = false
		case strings.HasPrefix(text, "--"):
			i += f.long(w, words[i+1:])
		default:
			i += f.short(w, text, words[i+1:])
		}
	}
}

// long weighs a long option and says how many words it takes besides its own.
func (f *files) long(w word, rest []word) int {
	name, _, joined := strings.Cut(w.text[2:], "=")
	if name == "in-place" && f.inplace != "" {
		f.write = true
	}
	for _, options := range []struct {
		names  string
		access approval.Access
	}{{f.writing, approval.Write}, {f.reading, approval.Read}} {
		for known := range strings.FieldsSeq(options.names) {
			if name == "" || !strings.HasPrefix(known, name) {
				continue
			}
			f.dir = f.dir || known == "target-directory"
			if joined {
				f.touches(options.access, word{text: w.text[strings.IndexByte(w.text, '=')+1:], dynamic: w.dynamic})
				return 0
			}
			if len(rest) > 0 {
				f.touches(options.access, rest[0])
				return 1
			}
		}
	}
	return 0
}

// short weighs a cluster of short options and says how many words it takes besides its own.
func (f *files) short(w word, text string, rest []word) int {
	for i := 1; i < len(text); i++ {
		c := text[i]
		f.skip = f.skip || strings.IndexByte(f.unless, c) >= 0
		if strings.IndexByte(f.inplace, c) >= 0 {
			f.write = true
			return 0 // the rest is a suffix
		}
		access := approval.Access("")
		switch {
		case strings.IndexByte(f.reads, c) >= 0:
			access = approval.Read
		case strings.IndexByte(f.writes, c) >= 0:
			access = approval.Write
			f.dir = f.dir || c == 't'
		case strings.IndexByte(f.valued, c) < 0:
			continue
		}
		value, n := word{text: w.text[min(i+1, len(w.text)):], dynamic: w.dynamic}, 0
		if i+1 == len(text) && !w.dynamic {
			if len(rest) == 0 {
				return 0
			}
			value, n = rest[0], 1
		}
		if access != "" {
			f.touches(access, value)
		}
		return n
	}
	return 0
}

// maxCopies bounds the files of one stage that are told apart below its destination.
const maxCopies = 32

// note writes down what happens to the operands.
func (f *files) note() {
	plain := f.plain
	if !f.skip {
		plain = plain[min(f.first, len(plain)):]
	}
	for i, w := range plain {
		last := i == len(plain)-1 && !f.dir
		switch role := f.uses.operands; {
		case role == roleWrite, role == roleMove, role == roleCopy && last && i > 0, role == roleRead && f.write:
			f.touches(approval.Write, w)
		case role == roleRead, role == roleCopy:
			f.touches(approval.Read, w)
		}
		if f.uses.operands < roleCopy || last || f.dir {
			continue
		}
		// The destination may be a directory.
		to := plain[len(plain)-1]
		if i >= maxCopies || len(to.text) > maxPath {
			f.touches(approval.Write, word{text: to.text, dynamic: true}) // some file below it
			continue
		}
		if !w.dynamic && !to.dynamic && to.text != "" {
			f.touches(approval.Write, word{text: strings.TrimRight(to.text, "/") + "/" + base(strings.TrimRight(w.text, "/"))})
		}
	}
}
