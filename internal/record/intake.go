package record

import "encoding/json"

// Intake is what the ledger keeps of an admitted command, so that the same
// command is answered with the same bytes at any later time (protocol §3).
// Exactly one of Ack and Refusal is set.
type Intake struct {
	Payload string          `json:"payload"`           // hex SHA-256 of method and params, canon.Payload
	Ack     json.RawMessage `json:"ack,omitempty"`     // the result that was sent
	Refusal json.RawMessage `json:"refusal,omitempty"` // the error object that was sent
}
