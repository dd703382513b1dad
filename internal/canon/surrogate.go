package canon

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// MaskLoneSurrogates makes a text readable that is valid JSON but for lone surrogate escapes, so
// that what is said about it may be said to the right id (protocol §1). Each \ud8xx to \udfxx
// without its other half becomes \ue0xx to \ue7xx, a private character; the second result says
// whether there was any. If not, text itself is returned; it is never changed.
//
// Offsets stay, and so do equality and inequality of names, unless a name spells just these private
// characters. Of a text that is not JSON for another reason it makes one that is not JSON either.
func MaskLoneSurrogates(text []byte) ([]byte, bool) {
	masked := text
	found := false
	for i := 0; ; {
		next := bytes.IndexByte(text[i:], '\\')
		if next < 0 {
			return masked, found
		}
		i += next
		unit, ok := surrogate(text[i:])
		if !ok {
			i = min(i+2, len(text)) // the backslash and what it escapes
			continue
		}
		if partner, ok := surrogate(text[i+escapeLen:]); ok && utf16.DecodeRune(unit, partner) != utf8.RuneError {
			i += 2 * escapeLen
			continue
		}
		if !found {
			masked, found = bytes.Clone(text), true
		}
		const toPrivate = 0xe000 - 0xd800
		strconv.AppendInt(masked[:i+len(`\u`)], int64(unit+toPrivate), 16)
		i += escapeLen
	}
}

const escapeLen = len(`\ud800`)

// surrogate returns the surrogate whose escape text begins with.
func surrogate(text []byte) (rune, bool) {
	if len(text) < escapeLen || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:escapeLen]), 16, 16)
	return rune(unit), err == nil && utf16.IsSurrogate(rune(unit))
}
