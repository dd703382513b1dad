package record

import (
	"fmt"
	"maps"
	"slices"
)

// Kind tells what a record says. The set is closed and its numbers are on
// disk: do not reorder or reuse one, add at the end.
type Kind uint8

// The kinds of record (design §6).
const (
	KindSessionStarted   Kind = 1
	KindModeSet          Kind = 2
	KindApprovalOpened   Kind = 3
	KindStageSettled     Kind = 4
	KindApprovalSettled  Kind = 5
	KindGrantAdded       Kind = 6
	KindSessionClosed    Kind = 7
	KindRecovered        Kind = 8
	KindCommandSettled   Kind = 9
	KindGrantRevoked     Kind = 10
	KindPolicyPersisted  Kind = 11
	KindApprovalConsumed Kind = 12
	KindPermitVoided     Kind = 13
	KindCatalogOpened    Kind = 16
	KindCatalogChanged   Kind = 17
	KindCatalogClosed    Kind = 18
	KindTurnEnded        Kind = 19
	KindInputOpened      Kind = 20
	KindInputEngaged     Kind = 21
	KindInputSettled     Kind = 22
	KindTurnStarted      Kind = 23
)

// spec is one row of the table of kinds.
type spec struct {
	name    string
	version uint8       // of the body that is written today
	empty   func() Body // a pointer to decode into
}

var kinds = map[Kind]spec{
	KindSessionStarted:   {"sessionStarted", 1, func() Body { return new(SessionStarted) }},
	KindModeSet:          {"modeSet", 1, func() Body { return new(ModeSet) }},
	KindApprovalOpened:   {"approvalOpened", 1, func() Body { return new(ApprovalOpened) }},
	KindStageSettled:     {"stageSettled", 1, func() Body { return new(StageSettled) }},
	KindApprovalSettled:  {"approvalSettled", 1, func() Body { return new(ApprovalSettled) }},
	KindGrantAdded:       {"grantAdded", 1, func() Body { return new(GrantAdded) }},
	KindSessionClosed:    {"sessionClosed", 1, func() Body { return new(SessionClosed) }},
	KindRecovered:        {"recovered", 1, func() Body { return new(Recovered) }},
	KindCommandSettled:   {"commandSettled", 1, func() Body { return new(CommandSettled) }},
	KindGrantRevoked:     {"grantRevoked", 1, func() Body { return new(GrantRevoked) }},
	KindPolicyPersisted:  {"policyPersisted", 1, func() Body { return new(PolicyPersisted) }},
	KindApprovalConsumed: {"approvalConsumed", 1, func() Body { return new(ApprovalConsumed) }},
	KindPermitVoided:     {"permitVoided", 1, func() Body { return new(PermitVoided) }},
	KindCatalogOpened:    {"catalogOpened", 1, func() Body { return new(CatalogOpened) }},
	KindCatalogChanged:   {"catalogChanged", 1, func() Body { return new(CatalogChanged) }},
	KindCatalogClosed:    {"catalogClosed", 1, func() Body { return new(CatalogClosed) }},
	KindTurnEnded:        {"turnEnded", 1, func() Body { return new(TurnEnded) }},
	KindInputOpened:      {"inputOpened", 1, func() Body { return new(InputOpened) }},
	KindInputEngaged:     {"inputEngaged", 1, func() Body { return new(InputEngaged) }},
	KindInputSettled:     {"inputSettled", 1, func() Body { return new(InputSettled) }},
	KindTurnStarted:      {"turnStarted", 1, func() Body { return new(TurnStarted) }},
}

// String is the name of the kind as design §6 writes it.
func (k Kind) String() string {
	if s, ok := kinds[k]; ok {
		return s.name
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Body is the JSON part of a record: a pointer to one of the structs of this
// package. A decoded body is shared by everyone who reads the record and must
// not be modified.
type Body interface {
	Kind() Kind
	// command is the part that makes the record an entry of the ledger of
	// commands; nil where it is not one.
	command() *Intake
}

// Record is one durable fact.
type Record struct {
	Seq uint64 // its place in the log, from 1 without holes
	Header
	Body Body
}

// Intake returns what the ledger keeps of the command that caused this
// record; nil where this record is not the ledger's entry for a command. Of
// the records that one command caused, exactly one is.
func (r Record) Intake() *Intake { return r.Body.command() }

// Kinds are all kinds, by their numbers.
func Kinds() []Kind { return slices.Sorted(maps.Keys(kinds)) }

// New is an empty body of the kind, and the version of such bodies that is written today. The kind
// must be one of [Kinds].
func (k Kind) New() (body Body, version uint8) { return kinds[k].empty(), kinds[k].version }
