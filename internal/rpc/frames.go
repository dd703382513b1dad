package rpc

import (
	"encoding/json"
	"strconv"

	"github.com/approvald/approvald/wire"
)

// The frames are put together here from parts that are JSON already, so that
// an ack replayed from the log is not encoded a second time and keeps its
// bytes. Each ends with its newline.

func responseFrame(id, result json.RawMessage) []byte {
	b := make([]byte, 0, len(id)+len(result)+40)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"result":`...)
	b = append(b, result...)
	return append(b, '}', '\n')
}

func errorFrame(id json.RawMessage, e *wire.Error) []byte {
	body, err := wire.Marshal(e)
	if err != nil { // strings and numbers only: it always encodes
		body = []byte(`{"code":-32603,"message":"internal error","data":{"kind":"internal","retryable":false}}`)
	}
	b := make([]byte, 0, len(id)+len(body)+40)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"error":`...)
	b = append(b, body...)
	return append(b, '}', '\n')
}

// notificationFrame carries emittedAtMs unless it is 0. within is where the
// params stand in the frame.
func notificationFrame(method string, params []byte, emittedAtMs int64) (frame, within []byte) {
	b := make([]byte, 0, len(method)+len(params)+80)
	b = append(b, `{"jsonrpc":"2.0","method":"`...)
	b = append(b, method...)
	b = append(b, `","params":`...)
	from := len(b)
	b = append(b, params...)
	to := len(b)
	if emittedAtMs != 0 {
		b = append(b, `,"emittedAtMs":`...)
		b = strconv.AppendInt(b, emittedAtMs, 10)
	}
	b = append(b, '}', '\n')
	return b, b[from:to:to]
}

func requestFrame(id int64, method string, params []byte) []byte {
	b := make([]byte, 0, len(method)+len(params)+64)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `,"method":"`...)
	b = append(b, method...)
	b = append(b, `","params":`...)
	b = append(b, params...)
	return append(b, '}', '\n')
}

// mustNotification encodes params that this program made itself; a struct of
// wire always encodes.
func mustNotification(method string, params any, emittedAtMs int64) []byte {
	body, err := wire.Marshal(params)
	if err != nil {
		panic("rpc: encode " + method + ": " + err.Error())
	}
	frame, _ := notificationFrame(method, body, emittedAtMs)
	return frame
}
