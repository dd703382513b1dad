// Package decide knows what may follow what: it turns a command and the state
// it meets into the records that the command makes, and the answer it is
// given, or into a refusal. It is the only package that does.
//
// It is pure. The time, the source of identities and whether a reviewer is
// present come in with Env; the same state, command and Env give the same
// records. Deciding changes nothing but the overlay it is given: the
// sequencer makes the records durable and applies them to the state.
package decide
