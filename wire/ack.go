package wire

// AckStatus is the status of an ack.
type AckStatus string

// StatusAccepted is the one status: admitted and durable.
const StatusAccepted AckStatus = "accepted"

// Ack begins the result of every command. It states what was admitted, never
// what became of it, so the same command has the same ack for ever
// (protocol §3).
type Ack struct {
	CommandID string    `json:"commandId"`
	Status    AckStatus `json:"status"`
}

// Accepted is the ack of the command commandID.
func Accepted(commandID string) Ack {
	return Ack{CommandID: commandID, Status: StatusAccepted}
}
