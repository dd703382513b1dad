package audit

import (
	"slices"

	"github.com/approvald/approvald/internal/record"
)

// Event is what a line says that happened. Every record is one event.
type Event string

// The events, in the order in which an approval meets them, then a prompt, then the
// others.
const (
	Opened          Event = "opened"
	StageSettled    Event = "stageSettled"
	Settled         Event = "settled"
	Consumed        Event = "consumed"
	Voided          Event = "voided"
	InputOpened     Event = "inputOpened"
	InputEngaged    Event = "inputEngaged"
	InputSettled    Event = "inputSettled"
	GrantAdded      Event = "grantAdded"
	GrantRevoked    Event = "grantRevoked"
	PolicyPersisted Event = "policyPersisted"
	ModeSet         Event = "modeSet"
	SessionStarted  Event = "sessionStarted"
	SessionClosed   Event = "sessionClosed"
	Recovered       Event = "recovered"
	CatalogOpened   Event = "catalogOpened"
	CatalogChanged  Event = "catalogChanged"
	CatalogClosed   Event = "catalogClosed"
	TurnStarted     Event = "turnStarted"
	TurnEnded       Event = "turnEnded"
	Refused         Event = "refused"
	Unchanged       Event = "unchanged"
)

// eventsOf are the events that records of a kind may be.
var eventsOf = map[record.Kind][]Event{
	record.KindApprovalOpened:   {Opened},
	record.KindStageSettled:     {StageSettled},
	record.KindApprovalSettled:  {Settled},
	record.KindApprovalConsumed: {Consumed},
	record.KindPermitVoided:     {Voided},
	record.KindInputOpened:      {InputOpened},
	record.KindInputEngaged:     {InputEngaged},
	record.KindInputSettled:     {InputSettled},
	record.KindGrantAdded:       {GrantAdded},
	record.KindGrantRevoked:     {GrantRevoked},
	record.KindPolicyPersisted:  {PolicyPersisted},
	record.KindModeSet:          {ModeSet},
	record.KindSessionStarted:   {SessionStarted},
	record.KindSessionClosed:    {SessionClosed},
	record.KindRecovered:        {Recovered},
	record.KindCatalogOpened:    {CatalogOpened},
	record.KindCatalogChanged:   {CatalogChanged},
	record.KindCatalogClosed:    {CatalogClosed},
	record.KindTurnStarted:      {TurnStarted},
	record.KindTurnEnded:        {TurnEnded},
	record.KindCommandSettled:   {Refused, Unchanged},
}

// Events are all events.
func Events() []Event {
	return []Event{
		Opened, StageSettled, Settled, Consumed, Voided, InputOpened, InputEngaged, InputSettled, GrantAdded, GrantRevoked, PolicyPersisted,
		ModeSet, SessionStarted, SessionClosed, Recovered, CatalogOpened, CatalogChanged, CatalogClosed, TurnStarted, TurnEnded,
		Refused, Unchanged,
	}
}

// aboutApproval reports whether lines of a kind say what an approval is about.
func aboutApproval(k record.Kind) bool {
	return slices.Contains([]record.Kind{
		record.KindApprovalOpened, record.KindStageSettled, record.KindApprovalSettled,
		record.KindApprovalConsumed, record.KindPermitVoided, record.KindPolicyPersisted,
	}, k)
}
