package shell

import (
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// dialects maps the names that a subject may carry to the parser's.
var dialects = map[string]syntax.LangVariant{
	"": syntax.LangBash, "bash": syntax.LangBash, "sh": syntax.LangPOSIX, "zsh": syntax.LangZsh,
}

// read parses a text that passed every check made before and after, or says why it is opaque.
func read(command string, variant syntax.LangVariant) (*syntax.File, outline, string) {
	if why := unreadable(command); why != "" {
		return nil, outline{}, why
	}
	seen, why := scan(command, variant == syntax.LangPOSIX, variant == syntax.LangZsh)
	if why != "" {
		return nil, outline{}, why
	}
	file, ok := parse(command, variant)
	if !ok {
		return nil, outline{}, whyUnparsed
	}
	var out outline
	for _, st := range file.Stmts {
		out.statement(st)
	}
	if out.commands > maxStages {
		return nil, outline{}, whyTooMany
	}
	if out.census != seen {
		return nil, outline{}, "can be read in more than one way"
	}
	return file, out, ""
}

// parsers have each read a text to its end, and read the next one as a new parser would
// (TestAUsedParserReadsAsANewOneDoes). One is most of what a parse of a short text allocates.
var parsers = map[syntax.LangVariant]*sync.Pool{
	syntax.LangBash: parsersOf(syntax.LangBash), syntax.LangPOSIX: parsersOf(syntax.LangPOSIX), syntax.LangZsh: parsersOf(syntax.LangZsh),
}

func parsersOf(variant syntax.LangVariant) *sync.Pool {
	return &sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(variant)) }}
}

// parse reports failure without the parser's own words, which would tie a record to a version of the
// library. A text that makes the parser panic is one that it does not parse: one command must not
// end the daemon. A parser that failed or panicked is not used again.
func parse(command string, variant syntax.LangVariant) (file *syntax.File, ok bool) {
	defer func() {
		if recover() != nil {
			file, ok = nil, false
		}
	}()
	parser := parsers[variant].Get().(*syntax.Parser) //nolint:errcheck // the pool holds nothing else
	file, err := parser.Parse(strings.NewReader(command), "")
	if err != nil {
		return nil, false
	}
	parsers[variant].Put(parser)
	return file, true
}
