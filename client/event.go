package client

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/approvald/approvald/wire"
)

// Event is a notification of the daemon. Params are the bytes as they were sent.
type Event struct {
	Method      string
	Params      json.RawMessage
	SessionID   string
	Cursor      string // "" where the event is not part of the view
	EmittedAtMs int64  // Unix milliseconds; 0 for events read from pages

	sequence uint64 // of the last record behind it; 0 where it is not durable
}

// newEvent reads what places an event in its session's view.
func newEvent(method string, params json.RawMessage, emittedAtMs int64) (Event, error) {
	var place struct {
		SessionID   string           `json:"sessionId"`
		ViewCursor  string           `json:"viewCursor"`
		SourceRange wire.SourceRange `json:"sourceRange"`
		Session     struct {
			SessionID string `json:"sessionId"`
		} `json:"session"` // of session/started
	}
	if len(params) > 0 {
		if err := decode(params, &place); err != nil {
			return Event{}, fmt.Errorf("params of %s: %w", method, err)
		}
	}
	if place.SessionID == "" {
		place.SessionID = place.Session.SessionID
	}
	return Event{
		Method:      method,
		Params:      params,
		SessionID:   place.SessionID,
		Cursor:      place.ViewCursor,
		EmittedAtMs: emittedAtMs,
		sequence:    place.SourceRange.Last.Sequence,
	}, nil
}

// durable reports whether the event is in pages, and so in subscriptions.
func (e Event) durable() bool { return e.Cursor != "" && e.sequence > 0 }

// Decode reads Params into the struct that package wire has for Method: a
// pointer such as *wire.ApprovalResolved. A method unknown to wire is an error;
// a reader that wants to be ready for newer daemons ignores those first.
func (e Event) Decode() (any, error) {
	spec, ok := wire.LookupMethod(e.Method)
	if !ok {
		return nil, fmt.Errorf("the notification %s is not known to this version of the client", e.Method)
	}
	params := reflect.New(reflect.TypeOf(spec.Params)).Interface()
	if err := decode(e.Params, params); err != nil {
		return nil, fmt.Errorf("params of %s: %w", e.Method, err)
	}
	return params, nil
}
