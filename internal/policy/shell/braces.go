package shell

import "strings"

// maxBraceWords bounds what one word may expand to.
const maxBraceWords = 64

// expandBraces gives the words that bash makes of a word with brace lists, or nil where the word is
// not made of plain characters and lists alone, or would be read in more than one way.
func expandBraces(text string) []string {
	depth, comma := 0, false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ',':
			comma = comma || depth > 0
		case !isPlain(c) && c != '=':
			return nil
		}
		if depth < 0 || depth > 4 {
			return nil
		}
	}
	if depth != 0 || !comma || strings.Contains(text, "..") {
		return nil
	}
	return expandList(text)
}

// expandList expands a text that is balanced. Every brace must have a comma of its own.
func expandList(text string) []string {
	open := strings.IndexByte(text, '{')
	if open < 0 {
		return []string{text}
	}
	var items []string
	depth, begin := 0, open+1
	for i := open; i < len(text); i++ {
		switch c := text[i]; {
		case c == '{':
			depth++
			continue
		case c == '}':
			depth--
		case c == ',' && depth == 1:
		default:
			continue
		}
		if depth > 1 || depth == 1 && text[i] != ',' {
			continue
		}
		items = append(items, text[begin:i])
		begin = i + 1
		if depth == 0 {
			break
		}
	}
	if len(items) < 2 {
		return nil
	}
	rest := expandList(text[begin:])
	var out []string
	for _, item := range items {
		middle := expandList(item)
		if middle == nil || rest == nil || len(out)+len(middle)*len(rest) > maxBraceWords {
			return nil
		}
		for _, m := range middle {
			for _, r := range rest {
				if w := text[:open] + m + r; w != "" { // bash drops a word that is empty
					out = append(out, w)
				}
			}
		}
	}
	return out
}
