// Package fold turns records into what approvald knows: sessions, their
// pending approvals, grants and the ledger of commands; and into the view
// events that subscribers see.
//
// Apply is the same function live and on replay, so that a restart computes
// the state it had (invariant 4). It is total: it never fails, blocks, logs
// or reads a clock; a record has been decided and checked before it is here.
//
// State is used in two ways. The view holds what is durable and is what
// readers see. An overlay of it, made by Over, holds the records of one group
// while the group is being decided; it is thrown away after the commit, and
// the same records are applied to the view.
package fold
