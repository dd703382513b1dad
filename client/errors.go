package client

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/approvald/approvald/wire"
)

var (
	// ErrConnectionLost says that the connection ended before an answer came. The
	// request may have had its effect; a command can be sent again with the same
	// commandId. The cause is wrapped beside it.
	ErrConnectionLost = errors.New("the connection to the daemon was lost")

	// ErrFrameTooLarge says that the daemon sent a frame of more than
	// [wire.MaxFrame] bytes, which protocol §1 forbids; the error around it shows
	// how that frame begins. It ends the client, with Reconnect too, and it is not
	// ErrConnectionLost: the same question would bring the same frame again on
	// every further connection. A command in flight may have had its effect.
	ErrFrameTooLarge = errors.New("the daemon sent a frame over the limit")

	// ErrClosed says that the client or subscription was closed by its user.
	ErrClosed = errors.New("the client is closed")
)

// callError turns what jsonrpc2 returned for a call of method into this
// package's errors. lost says why the connection ended, if it did.
func callError(method string, err, lost error) error {
	if refusal, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		return refusalError(refusal)
	}
	if local, ok := errors.AsType[*wire.Error](err); ok { // the stream refused to send the frame
		return local
	}
	if errors.Is(lost, ErrFrameTooLarge) {
		return fmt.Errorf("%s: %w", method, lost)
	}
	if lost == nil {
		lost = err
	}
	return fmt.Errorf("%s: %w: %w", method, ErrConnectionLost, lost)
}

// refusalError decodes the data of a refusal. A server that sends none gets the
// kind that its code has in the error table.
func refusalError(e *jsonrpc2.Error) *wire.Error {
	spec, _ := wire.LookupError(int(e.Code))
	out := &wire.Error{
		Code:    int(e.Code),
		Message: e.Message,
		Data:    wire.ErrorData{Kind: spec.Kind, Retryable: spec.Retryable},
	}
	if e.Data == nil {
		return out
	}
	data := out.Data
	if err := json.Unmarshal(*e.Data, &data); err == nil {
		out.Data = data
	}
	return out
}
