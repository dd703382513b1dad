package record

import "fmt"

// upcaster turns the body of one kind at one version into that of the next.
// It is pure, and it is never changed once a release has shipped it.
type upcaster func(body []byte) ([]byte, error)

// from names the version that an upcaster starts at.
type from struct {
	kind    Kind
	version uint8
}

type upcasterChain map[from]upcaster

// upcasters holds one entry a step. No kind has a second version yet.
var upcasters = upcasterChain{}

// raise walks a body from the version it was written in to the current one,
// which is not below it, one step at a time.
func (c upcasterChain) raise(kind Kind, version, current uint8, body []byte) ([]byte, error) {
	for ; version < current; version++ {
		up, ok := c[from{kind, version}]
		if !ok {
			return nil, fmt.Errorf("no upcaster from version %d of %s", version, kind)
		}
		next, err := up(body)
		if err != nil {
			return nil, fmt.Errorf("raise %s from version %d: %w", kind, version, err)
		}
		body = next
	}
	return body, nil
}
