// Package canon is the one canonical form of JSON that digests and payload comparisons stand on
// (protocol §7 "Digests"), and the strict reading of JSON that goes with it.
//
// The form: object members sorted by the UTF-16 code units of their names, no white space, strings
// written as in RFC 8785, numbers kept as their source text. So 1.0, 1 and 1E0 are three values:
// re-formatting numbers, as RFC 8785 does, would make one digest of arguments that a tool may tell
// apart, and would lose digits beyond 2^53.
//
// Canonical, Digest, Sum and Payload read I-JSON only (RFC 7493): duplicate names, invalid UTF-8,
// lone surrogate escapes and nesting beyond MaxDepth are errors, since two readers might
// understand such a text differently. The package is pure and safe for concurrent use.
package canon

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns the canonical form of the one JSON value in json.
// The result is the caller's; json is not changed and not kept.
func Canonical(json []byte) ([]byte, error) {
	// The canonical form is never longer than its source, so this is the one allocation.
	return appendCanonical(make([]byte, 0, len(json)), json)
}

// Sum returns the SHA-256 of the canonical form of json.
func Sum(json []byte) ([sha256.Size]byte, error) {
	form, err := Canonical(json)
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	return sha256.Sum256(form), nil
}

// Digest returns "sha256:" and the 64 lower-case hex digits of Sum: the spelling of argsDigest,
// subjectDigest and every other digest on the wire (protocol §7).
func Digest(json []byte) (string, error) {
	sum, err := Sum(json)
	if err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// errTooDeep is the answer to a text whose nesting goes beyond MaxDepth.
var errTooDeep = fmt.Errorf("JSON is nested deeper than %d levels", MaxDepth)

// appendCanonical appends the canonical form of json to dst. On an error the result is nil.
func appendCanonical(dst, json []byte) ([]byte, error) {
	if TooDeep(json) {
		return nil, errTooDeep
	}
	// Strings get their shortest spelling by default, which is that of RFC 8785; numbers keep
	// theirs because no CanonicalizeRaw option is set.
	dst, err := jsontext.AppendFormat(dst, json, jsontext.ReorderRawObjects(true))
	if err != nil {
		return nil, readable(err)
	}
	return dst, nil
}

// readable turns an error of the JSON reader into a sentence that names the place. What went
// wrong keeps its identity, so errors.Is(err, jsontext.ErrDuplicateName) holds.
func readable(err error) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return err
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return fmt.Errorf("%w %q", jsontext.ErrDuplicateName, Path(syntax.JSONPointer))
	}
	return fmt.Errorf("not a JSON text (byte %d): %w", syntax.ByteOffset, syntax.Err)
}
