package wire

import (
	"bytes"
	"encoding/json"
)

// List is a JSON array that is never null: a nil List encodes as [].
// It is assignable from and to a plain slice.
type List[T any] []T

// MarshalJSON encodes l, without HTML escapes.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if len(l) == 0 {
		return []byte("[]"), nil
	}
	return Marshal([]T(l))
}

// Marshal encodes v as one line of JSON without HTML escapes and without a
// trailing newline. The caller owns the result.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
