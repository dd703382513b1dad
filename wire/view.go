package wire

import "encoding/json"

// SourceRange names the records behind a view event (protocol §5).
type SourceRange struct {
	Stream Stream   `json:"stream"`
	First  Position `json:"first"`
	Last   Position `json:"last"`
}

// Stream names a log. Kind is "session" and ID the session's.
type Stream struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// StreamSession is the kind of every stream that approvald names.
const StreamSession = "session"

// Position is one record; ID is "<sessionId>:<sequence>".
type Position struct {
	ID       string `json:"id"`
	Sequence uint64 `json:"sequence"`
}

// ViewEvent is a view notification without envelope, as in pages. Params is one
// of the view event structs of this package, or of a method unknown to it.
type ViewEvent struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// Direction is the way view/page walks from its cursor. Events ascend within
// the page either way. The set is closed.
type Direction string

const (
	DirectionForward  Direction = "forward" // the default
	DirectionBackward Direction = "backward"
)

// ViewPageParams asks for a page of durable view events. Cursor is exclusive;
// without one the page starts at the beginning, or backward at the head. Cursor
// and Anchor exclude each other.
type ViewPageParams struct {
	SessionID string    `json:"sessionId"`
	Limit     int       `json:"limit"` // 1 to 1000
	Cursor    string    `json:"cursor,omitzero"`
	Direction Direction `json:"direction,omitzero"`
	Anchor    string    `json:"anchor,omitzero"`
}

// ViewPageResult answers view/page. NextCursor is the cursor of the last event
// (backward: the first), null at the end. A page may be shorter than its limit
// without being the last.
type ViewPageResult struct {
	Events     List[ViewEvent] `json:"events"`
	NextCursor *string         `json:"nextCursor"`
}

// ViewSubscribeParams subscribes the connection. With After the events behind
// it are replayed without a gap; without, the subscription starts at the head.
type ViewSubscribeParams struct {
	SessionID string `json:"sessionId"`
	After     string `json:"after,omitzero"`
}

// ViewSubscribeResult carries the head at the time of subscribing.
type ViewSubscribeResult struct {
	ViewCursor string `json:"viewCursor"`
}

// ViewUnsubscribeParams ends a subscription; the result is [Empty].
type ViewUnsubscribeParams struct {
	SessionID string `json:"sessionId"`
}

// SubagentOrigin marks what came from a child session to a subscriber of an
// ancestor. Path runs from the root to the child (protocol §4, "Children").
type SubagentOrigin struct {
	ChildSessionID string       `json:"childSessionId"`
	Path           List[string] `json:"path"`
}
