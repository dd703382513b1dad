package canon

import "bytes"

// MaxDepth is how many objects and arrays may lie within one another in a text that this program
// reads, the outermost being level 1 (protocol §1 for frames, §7 for rawArgs).
const MaxDepth = 64

// TooDeep reports whether json nests objects and arrays beyond MaxDepth. It expects valid JSON and
// may answer either way for anything else; ask it before a parser that recurses.
func TooDeep(json []byte) bool {
	// Most texts have too few brackets to be deep at all, and counting costs a fraction of the
	// walk below.
	if bytes.Count(json, []byte{'{'})+bytes.Count(json, []byte{'['}) <= MaxDepth {
		return false
	}
	depth := 0
	for i := 0; i < len(json); i++ {
		switch json[i] {
		case '{', '[':
			if depth++; depth > MaxDepth {
				return true
			}
		case '}', ']':
			depth--
		case '"':
			for i++; i < len(json) && json[i] != '"'; i++ {
				if json[i] == '\\' {
					i++
				}
			}
		}
	}
	return false
}
