// Package corpus runs a corpus of policy cases through the wire: it starts a daemon in memory for
// each case, opens approvals on real connections with real frames, and judges what becomes of them.
//
// A case is one JSON object a line, in a vocabulary that belongs to no product: kinds of subject and
// rule, steps, and what a careful engineer demands (testdata/corpus, whose format
// testdata/corpus/SCHEMA.md describes). This package is the adapter from that vocabulary to
// approvald's: rules become the text of a policy file, subjects become those of approval/open, steps
// become requests. Nothing is special-cased: a rule that a policy file cannot say is refused by the
// loader, an action that is malformed by the edge.
//
// Reading is strict. A member or step that is not known makes the case unreadable, so that no part of
// a case is silently not run. A case that needs a method the daemon does not serve, or a program that
// is not there, is counted as not run, with its name, and never as passed.
package corpus
