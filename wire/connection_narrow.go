package wire

// ConnectionNarrowParams gives up a part of what a connection may do, for good:
// from then on initialize may ask for Role and nothing wider, and gets it where
// it asks for none. It is for whoever hands a connection on to somebody else, such
// as a second `approvald serve --stdio`, which relays its pipe to the first: it is
// served before initialize and never after it, and a wider role than the
// connection has is -32602.
type ConnectionNarrowParams struct {
	Role Role `json:"role"`
}

// ConnectionNarrowResult answers connection/narrow. Role is the widest that the
// connection can have now.
type ConnectionNarrowResult struct {
	Role Role `json:"role"`
}
