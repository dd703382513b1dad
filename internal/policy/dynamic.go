package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// startsFixed reports whether a word begins with text that makes an operand of
// it, or the value of an option that is written out, whatever the rest becomes.
func startsFixed(word string) bool {
	parts, ok := whole(word)
	if !ok {
		return false
	}
	var text string
	switch first := parts[0].(type) {
	case *syntax.ProcSubst:
		return true // the path of a descriptor
	case *syntax.Lit:
		text = first.Value
	case *syntax.SglQuoted:
		text = first.Value
	case *syntax.DblQuoted:
		if lit, ok := first.Parts[0].(*syntax.Lit); ok {
			text = lit.Value
		}
	}
	if strings.HasPrefix(text, "-") {
		name, _, found := strings.Cut(text, "=")
		return found && !strings.ContainsAny(name, "*?[{\\")
	}
	return text != "" && !strings.ContainsAny(text[:1], "*?[{!\\")
}

// whole are the parts of the source text of a word, if everything in it that
// is expanded stands in double quotes, so that it cannot fall apart into
// several words. Globs are let through: what they become begins as they do.
func whole(text string) ([]syntax.WordPart, bool) {
	var words []*syntax.Word
	for word, err := range syntax.NewParser().WordsSeq(strings.NewReader(text)) {
		if err != nil {
			return nil, false
		}
		words = append(words, word)
	}
	if len(words) != 1 {
		return nil, false
	}
	for _, part := range words[0].Parts {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted, *syntax.ProcSubst, *syntax.ExtGlob:
		case *syntax.DblQuoted:
			if len(part.Parts) == 0 || slices.ContainsFunc(part.Parts, manyWords) {
				return nil, false
			}
		default:
			return nil, false
		}
	}
	return words[0].Parts, true
}

// manyWords reports whether an expansion gives several words even in double
// quotes: "$@", "${a[@]}", "${!a@}".
func manyWords(part syntax.WordPart) bool {
	p, ok := part.(*syntax.ParamExp)
	if !ok {
		return false
	}
	var text strings.Builder
	return syntax.NewPrinter().Print(&text, p) != nil || strings.Contains(text.String(), "@")
}

func hasWord(list, word string) bool {
	for each := range strings.FieldsSeq(list) {
		if each == word {
			return true
		}
	}
	return false
}
