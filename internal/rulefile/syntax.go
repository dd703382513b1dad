package rulefile

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// bare is a line whose value lacks its quotes: key, value and comment.
var bare = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*([A-Za-z0-9_-]+)\s*=\s*([^\s"'\[\]{},#][^"'\[\]{},#]*?)\s*(#.*)?$`)
})

// colon is a line written as YAML or JSON have it.
var colon = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*"?([A-Za-z0-9_-]+)"?\s*:\s*(.*?),?\s*$`) })

// syntax is the sentence on text that is no TOML at an offset. The parser says
// what it met; where the line is one of the mistakes that people make, the
// sentence says what to write. The mistake may be known to end with its line.
func (s *scanner) syntax(at int, met string) (why string, oneLine bool) {
	line := s.line(at)
	if m := bare().FindStringSubmatch(line); m != nil {
		switch word := strings.ToLower(m[2]); word {
		case "true", "yes", "on":
			return fmt.Sprintf("%s is no value in TOML; write %s = true", shown(m[2]), m[1]), true
		case "false", "no", "off":
			return fmt.Sprintf("%s is no value in TOML; write %s = false", shown(m[2]), m[1]), true
		}
		if _, err := strconv.Atoi(m[2]); err != nil {
			return fmt.Sprintf("text needs quotes; write %s = %s", m[1], quote(m[2])), true
		}
	}
	if m := colon().FindStringSubmatch(line); m != nil {
		return fmt.Sprintf("a key is followed by = and not by a colon; write %s = %s", m[1], shown(m[2])), true
	}
	for _, h := range hints {
		if strings.Contains(met, h.met) {
			return h.say, false
		}
	}
	return "this is not TOML: " + met, false
}

// hints are what to say of the commoner words of the parser.
var hints = []struct{ met, say string }{
	{"array is incomplete", "a list is not closed; write ] behind its last value"},
	{"after array value", "two values of a list have no comma between them; write one, or close the list with ]"},
	{"strings cannot have new lines", "text in quotes is not closed on its line; write the closing quote"},
	{"unterminated", "text in quotes is not closed; write the closing quote"},
	{"escape", `a \ in "…" begins an escape, and this is none; write \\ for the character itself, or the text in '…'`},
	{"expected newline", "there is more on this line than one key and its value; begin a new line for what follows"},
	{"at start of value", "a key has no value that TOML knows; write text in quotes, a number, true or a list behind the ="},
	{"not end of input", "a key has no value; write one behind the ="},
	{"to close array table", "a header is not closed; write [[rule]] or [[tool]]"},
	{"expected '=' after key", "a key is not followed by =; write key = value"},
}

// line is the line that holds an offset, without its end.
func (s *scanner) line(at int) string {
	start := bytes.LastIndexByte(s.text[:at], '\n') + 1
	line, _, _ := bytes.Cut(s.text[start:], []byte{'\n'})
	return strings.TrimSuffix(string(line), "\r")
}

// shown is untrusted text for an error message: bounded, on one line, and with
// what nobody can see escaped.
func shown(text string) string {
	const most = 80
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	quoted := quote(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
