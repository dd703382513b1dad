// Package recovery is how a daemon comes to know what its log holds, and in
// which order it must be known. There is no other way into serving: an ordinary
// start takes it as well (design: "fatal means restart").
package recovery

import (
	"fmt"

	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// Log is what is read: internal/log's Log and Memory.
type Log interface {
	Each(fn func(seq uint64, value []byte) error) error
	Walk(from uint64, prev func(value []byte) uint64, fn func(seq uint64, value []byte) error) error
}

// Outlined is what a log holds.
type Outlined struct {
	State *fold.State  // no session in it is loaded
	Chain record.Chain // the link that the next record carries
}

// Outline holds every record of the log against a Checker but for the chain, and
// folds their headers, and of those that say what sessions and grants there are,
// the bodies too (design §5). It stops at the first record that is refused, with a
// RecordError: serving a part of a log as if it were the log would lose decisions
// silently. That a record was exchanged for another with a checksum of its own is
// for `approvald verify` to find, which hashes all of them: that takes longer than
// the rest of a start.
func Outline(l Log) (Outlined, error) {
	var outline fold.Outline
	var checker Checker
	err := l.Each(func(seq uint64, value []byte) error {
		h, err := checker.unchained(seq, value)
		if err != nil {
			return err
		}
		if !outline.NeedsBody(h) {
			outline.Skim(seq, h)
			return nil
		}
		r, err := record.DecodeBody(seq, h, value)
		if err != nil {
			return &RecordError{Seq: seq, Kind: h.Kind, Err: err}
		}
		outline.Apply(r)
		return nil
	})
	out := Outlined{State: outline.State()}
	if err == nil {
		out.Chain, err = chainAt(l, out.State.Head())
	}
	if err != nil {
		return Outlined{}, fmt.Errorf("read the log: %w", err)
	}
	return out, nil
}

// chainAt is the link that the record behind seq carries.
func chainAt(l Log, seq uint64) (chain record.Chain, err error) {
	first := func([]byte) uint64 { return 0 } // one step, and no further
	err = l.Walk(seq, first, func(_ uint64, value []byte) error {
		chain = record.ChainOf(value)
		return nil
	})
	return chain, err
}
