package canon

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Payload returns the signature by which two requests are "the same payload" (protocol §3): the
// SHA-256 over the canonical form of {"method":…,"params":{…}}, the params without their commandId
// and without their null members. Only top-level nulls go: MSP lets a client spell an absent
// member as null there, while a null further down may be a value.
//
// params must be an object; nil and null stand for an empty one. Signatures are kept in the log,
// so what they cover must never change.
func Payload(method string, params []byte) ([sha256.Size]byte, error) {
	payload := make([]byte, 0, len(`{"method":"","params":}`)+len(method)+len(params))
	payload = append(payload, `{"method":`...)
	payload, err := jsontext.AppendQuote(payload, method)
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("method name: %w", err)
	}
	payload = append(payload, `,"params":`...)
	payload, err = appendSignificant(payload, params)
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("params of %s: %w", method, err)
	}
	return sha256.Sum256(append(payload, '}')), nil
}

// appendSignificant appends the canonical form of params without the members that do not count.
func appendSignificant(dst, params []byte) ([]byte, error) {
	if len(params) == 0 {
		return append(dst, `{}`...), nil
	}
	form, err := Canonical(params)
	if err != nil {
		return nil, err
	}
	switch {
	case string(form) == `null`:
		return append(dst, `{}`...), nil
	case form[0] != '{':
		return nil, errors.New("not an object")
	}
	dst = append(dst, '{')
	first := len(dst)
	for rest := form[1:]; rest[0] != '}'; {
		member := rest[:memberLen(rest)]
		if rest = rest[len(member):]; rest[0] == ',' {
			rest = rest[1:]
		}
		// In canonical form a name has one spelling, and a value is null where its text is.
		if bytes.HasPrefix(member, []byte(`"commandId":`)) || isNull(member) {
			continue
		}
		if len(dst) > first {
			dst = append(dst, ',')
		}
		dst = append(dst, member...)
	}
	return append(dst, '}'), nil
}

// memberLen returns the length of the first member ("name":value) of rest, which is the inside of
// a canonical object and its closing brace.
func memberLen(rest []byte) int {
	depth := 0
	for i := 0; ; i++ {
		switch rest[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		case '"':
			for i++; rest[i] != '"'; i++ {
				if rest[i] == '\\' {
					i++
				}
			}
		}
	}
}

// isNull reports whether the value of a canonical member is null. A string value ends in a quote,
// so no string can look like one.
func isNull(member []byte) bool {
	return bytes.HasSuffix(member, []byte(`":null`))
}
