package wire

import "encoding/json"

// Version is the value of every frame's jsonrpc member.
const Version = "2.0"

// MaxFrame is the largest frame in bytes, without its newline, that either side
// may send (protocol §1).
const MaxFrame = 10 << 20

// Request is a frame that wants an answer. Params may be any value that encodes
// to an object; nil leaves the member out. To decode, put a pointer in Params
// first, or a *json.RawMessage to keep the bytes.
type Request struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  any             `json:"params,omitempty"`
}

// Notification is a frame that wants no answer. Params are as in [Request].
// EmittedAtMs is the record's time in Unix milliseconds; every frame that the
// server sends unasked carries it except requests (protocol §5).
type Notification struct {
	JSONRPC     string `json:"jsonrpc"`
	Method      string `json:"method"`
	Params      any    `json:"params,omitempty"`
	EmittedAtMs int64  `json:"emittedAtMs,omitzero"`
}

// Response answers a request. ID is the request's, byte for byte (protocol §1);
// Result encodes to an object.
type Response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result"`
}

// ErrorResponse refuses a request. A nil ID is sent as null and means that the
// id could not be recovered.
type ErrorResponse struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   *Error          `json:"error"`
}

// Empty is the result {} of methods that have nothing to say, and the receipt
// with which a client answers approval/request (protocol §6).
type Empty struct{}
