package card

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// ShellWords is an argv as one would type it in bash, so that its words cannot
// be mistaken for one another. It is not visible yet.
func ShellWords(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = shellWord(w)
	}
	return strings.Join(words, " ")
}

func shellWord(w string) string {
	quoted, err := syntax.Quote(w, syntax.LangBash)
	if err != nil { // a NUL, which no argv of a process holds
		return strconv.Quote(w)
	}
	return quoted
}
