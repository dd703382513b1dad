package shell

import (
	"path"
	"slices"
	"strings"
)

// program weighs a command word that is a program found on the PATH or by its path.
func (w *walker) program(c *command) {
	name := base(c.words[0].text)
	c.operands(name)
	switch {
	case opaqueProgram(name) != "":
		c.opaque(opaqueProgram(name))
		c.stage.Code = suffixes(c.words)
	case name == "git":
		dir, why := git(c.words)
		if why != "" {
			c.opaque(why)
		}
		switch {
		case dir == "":
		case !w.leadsNowhere(dir):
			c.in = c.in.into(dir)
		case path.IsAbs(dir):
			c.in = atHome
		}
	case name == "find":
		w.find(c)
	case awks()[name]:
		c.awk()
	case name == "sed" || name == "gsed":
		c.sed()
	case name == "ssh":
		w.ssh(c)
	case name == "sqlite3" || name == "sqlite":
		c.sqlite()
	case name == "make" || name == "gmake":
		c.makefiles()
		fallthrough
	default:
		if in := interpreterNamed(name); in != nil {
			w.interpreter(c, in)
			return
		}
		if rows := carriers()[name]; rows != nil {
			if why := carriesCommand(rows, c.words); why != "" {
				c.opaque(why)
			}
		}
		w.runner(c, name)
	}
}

// makefiles weighs the files that make reads its rules from.
func (c *command) makefiles() {
	for i := 1; i < len(c.words); i++ {
		text, value := c.words[i].text, ""
		if name, joined, found := strings.Cut(text, "="); strings.HasPrefix(name, "--") && len(name) > len("--") {
			if !strings.HasPrefix("--file", name) && !strings.HasPrefix("--makefile", name) {
				continue
			} else if found {
				value = joined
			}
		} else if at := strings.IndexAny(text, makeValued); len(text) < 2 || text[0] != '-' || at < 0 || text[at] != 'f' {
			continue
		} else {
			value = text[at+1:]
		}
		if value != "" {
			c.scriptFile(word{text: value, dynamic: c.words[i].dynamic})
		} else if i+1 < len(c.words) {
			c.scriptFile(c.words[i+1])
		}
	}
}

// makeValued are the letters of the options of make with a value.
const makeValued = "CEIWfjlo"

// interpreter weighs a program that runs program text.
func (w *walker) interpreter(c *command, in *interpreter) {
	p := in.find(c.words)
	switch {
	case p.why != "":
		c.opaque(p.why)
		if in.shell != "" && c.input != "" {
			c.stage.Code, _ = w.code(c.input, in.shell)
		}
	case p.codeAt > 0:
		c.stage.CodeAt = p.codeAt
		if c.fed {
			c.opaque("is given program text by xargs")
		}
		if in.shell == "" {
			return
		}
		if p.text >= len(c.words) || c.words[p.text].dynamic {
			c.opaque("has program text that only the shell knows")
			return
		}
		code, readable := w.code(c.words[p.text].text, in.shell)
		c.stage.Code = code
		if !readable {
			c.opaque("has program text that cannot be read")
		}
	}
}

// code are the simple commands of a text inside this one; readable says that they are all of them.
func (w *walker) code(text, dialect string) (commands [][]string, readable bool) {
	if _, known := dialects[dialect]; !known || w.embedded == maxEmbedded {
		return nil, false
	}
	stages, why := split(text, dialect, w.cwd, w.embedded+1)
	readable = why == "" || why == whyNothing
	for _, s := range stages {
		readable = readable && s.Complete
		commands = append(commands, s.Launchers...)
		if s.Complete {
			commands = append(commands, s.Argv)
		} else if s.Words != nil {
			commands = append(commands, s.Words)
		}
		commands = append(commands, s.Code...)
		readable = readable && !slices.ContainsFunc(s.Files, func(f File) bool { return f.Redirected && f.Access == "write" })
	}
	return commands, readable
}

// suffix are the commands in the words of another, up to the ; that ends them for find.
func (w *walker) suffix(words []word) [][]string {
	for i, o := range words {
		if o.text == ";" || o.text == "+" {
			words = words[:i]
			break
		}
	}
	if len(words) == 0 {
		return nil
	}
	out := [][]string{texts(words[:min(len(words), maxSuffixWords)])}
	if in := interpreterNamed(base(words[0].text)); in != nil && in.shell != "" {
		if p := in.find(words); p.text > 0 && p.text < len(words) && !words[p.text].dynamic {
			code, _ := w.code(words[p.text].text, in.shell)
			out = append(out, code...)
		}
	}
	return out
}

// runners start the command in their operands in some environment of their own. They are stages with
// no inner one: a rule that allows them allows what they run, as far as it reaches.
var runners = wordSet(`
	docker podman nerdctl docker-compose kubectl oc lxc crictl
	npx bunx uvx pipx uv poetry pipenv pdm hatch rye tox nox conda mamba micromamba
	npm pnpm yarn bun bundle mise asdf direnv nix devbox rbenv pyenv volta
	vagrant heroku fly gcloud aws-vault op doppler dotenv cross-env
`)

// runner notes what a program may start, for deny and ask rules.
func (w *walker) runner(c *command, name string) {
	if !runners()[name] {
		return
	}
	for i := 1; i < len(c.words) && len(c.stage.Code) < maxSuffixes; i++ {
		if o := c.words[i]; !o.dynamic && o.text != "" && o.text[0] != '-' {
			c.stage.Code = append(c.stage.Code, w.suffix(c.words[i:])...)
		}
	}
}

// ssh runs its operands, joined, in a shell elsewhere.
var ssh = launcher{short: "46AaCfGgKkMNnqsTtVvXxYy", valued: "BbcDeiJLlmpQRW", before: 1}

func (w *walker) ssh(c *command) {
	p := ssh.peel(c.words)
	if p.why != "" {
		c.opaque(p.why)
		c.stage.Code = suffixes(c.words)
		return
	}
	at := p.command
	if at < len(c.words) && c.words[at].text == "--" {
		at++
	}
	if at >= len(c.words) {
		return
	}
	c.stage.CodeAt = at
	if strings.HasPrefix(c.words[at].text, "-") { // ssh goes on reading options behind the host
		c.opaque("has options of a launcher that are not understood")
	}
	for _, o := range c.words[at:] {
		if o.dynamic {
			c.opaque("has a command for another machine that only the shell knows")
		}
	}
	code, readable := w.code(strings.Join(texts(c.words[at:]), " "), "sh")
	c.stage.Code = code
	if !readable || len(code) > 1 {
		c.opaque("has a command for another machine that is not a simple one")
	}
}
