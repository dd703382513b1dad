package hook

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// path is the path that Claude Code takes a text for: blanks around it are nothing, ~ is the home
// directory, and .. is followed by name, before any link is. A reviewer sees that path, and not
// where the system would find the text.
func (in *input) path(text string, around Surroundings) string {
	text = strings.TrimFunc(text, isBlank)
	if rest, found := strings.CutPrefix(text, "~"); found && around.Home != "" && (rest == "" || rest[0] == '/') {
		return path.Join(around.Home, rest)
	}
	switch {
	case !slices.Contains(strings.Split(text, "/"), ".."):
		return text
	case path.IsAbs(text):
		return path.Clean(text)
	}
	return path.Join(in.cwd, text)
}

// isBlank is what JavaScript trims.
func isBlank(r rune) bool { return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r) }
