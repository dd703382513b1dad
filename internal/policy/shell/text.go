package shell

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// unreadable says why command is not even parsed, or "". What it refuses is text that a parser, a
// shell and a person's eyes could read in different ways (policy.md "Shell": not parsed).
func unreadable(command string) string {
	if len(command) > maxBytes {
		return "is longer than 64 KiB"
	}
	if !utf8.ValidString(command) {
		return "is not valid UTF-8"
	}
	for _, r := range command {
		if (r < ' ' || r > '~') && hidden(r) {
			return fmt.Sprintf("contains the hidden character %U", r)
		}
	}
	return ""
}

// hidden reports whether r is drawn as nothing, as a blank that the shell does not take for one, or
// reorders what is around it: C0 and C1 controls except tab and newline, bidi and zero-width
// characters, fillers, variation selectors and every space outside ASCII.
func hidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r != '\t' && r != '\n' && unicode.IsControl(r)
	}
	const brailleBlank = '\u2800'
	return r == brailleBlank || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Z,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
