package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

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

// refusalError reads the error of a response. A server that sends no data, or
// none that can be read, gets the kind that its code has in the error table.
func refusalError(text []byte) (*wire.Error, error) {
	var sent struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := decode(text, &sent); err != nil {
		return nil, err
	}
	spec, _ := wire.LookupError(sent.Code)
	out := &wire.Error{
		Code:    sent.Code,
		Message: sent.Message,
		Data:    wire.ErrorData{Kind: spec.Kind, Retryable: spec.Retryable},
	}
	if data := out.Data; bytes.HasPrefix(sent.Data, []byte("{")) && decode(sent.Data, &data) == nil {
		out.Data = data
	}
	return out, nil
}
