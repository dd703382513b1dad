package canon

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Unmarshal decodes the JSON text data into *v as the edge of the program needs it: names match
// in their exact case, unknown members are ignored (protocol §1), a null leaves the zero value,
// and duplicate names, invalid UTF-8, lone surrogates and nesting beyond MaxDepth are errors.
//
// An error is a sentence for the peer that sent data: it names the member at fault and what was
// expected there. *v may then be partly filled. Nothing of data is kept.
func Unmarshal(data []byte, v any) error {
	if TooDeep(data) {
		return errTooDeep
	}
	err := json.Unmarshal(data, v)
	if err == nil {
		return nil
	}
	var mismatch *json.SemanticError
	if !errors.As(err, &mismatch) {
		return readable(err)
	}
	at := "the value"
	if mismatch.JSONPointer != "" {
		at = fmt.Sprintf("member %q", Path(mismatch.JSONPointer))
	}
	switch cause := mismatch.Err; {
	case cause == nil:
		return fmt.Errorf("%s must be %s, not %s", at, expected(mismatch.GoType), found(mismatch.JSONKind))
	case numeric(cause):
		return fmt.Errorf("%s must be %s", at, expected(mismatch.GoType))
	default:
		return fmt.Errorf("%s: %w", at, cause)
	}
}

// numeric reports whether err says that a number does not fit its Go type, which expected words
// better. Other causes come from a type's own UnmarshalJSON.
func numeric(err error) bool {
	return errors.Is(err, strconv.ErrRange) || errors.Is(err, strconv.ErrSyntax)
}

// maxPath is how many bytes of a path an error repeats: its names may be a peer's, of any length.
const maxPath = 128

// Path spells a JSON pointer as a reader of the protocol would, requirementId.sourceIndex, and
// cuts it where it gets too long for a message.
func Path(p jsontext.Pointer) string {
	var path strings.Builder
	for name := range p.Tokens() {
		if path.Len() > 0 {
			path.WriteByte('.')
		}
		path.WriteString(name[:min(len(name), maxPath+1)])
		if path.Len() > maxPath {
			return strings.ToValidUTF8(path.String()[:maxPath], "") + "…"
		}
	}
	return path.String()
}

// expected says in JSON's words what a Go type takes.
func expected(t reflect.Type) string {
	if t == nil {
		return "another type"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return expected(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprintf("an integer of at most %d bits", t.Bits())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprintf("a non-negative integer of at most %d bits", t.Bits())
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	default:
		return "an object"
	}
}

// found says what kind of value stands in the text.
func found(k jsontext.Kind) string {
	switch k {
	case jsontext.KindNull:
		return "null"
	case jsontext.KindFalse, jsontext.KindTrue:
		return "a boolean"
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "an array"
	default:
		return "what it is"
	}
}
