package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/approvald/approvald/internal/canon"
	"github.com/approvald/approvald/wire"
)

// message is one well-formed frame: a request (id and method), a notification (method), or a
// response to a request of ours (id, and result or rpcError). Members are nil where the frame
// does not have them, and otherwise the bytes as received, within the line that was decoded.
type message struct {
	id       json.RawMessage // of a response also null, with which a peer refuses what it could not read
	method   string          // empty in a response
	params   json.RawMessage // an object, or nil; checked as JSON, not against the method
	result   json.RawMessage
	rpcError json.RawMessage // an object
}

// fault is what a frame that is no message is answered: err to the id, which is null where the
// frame has none to echo.
//
// silent means that the frame is a notification: nothing is sent, since JSON-RPC (§4.1) leaves
// notifications unanswered even when their params are wrong. A frame that is not even well-formed
// enough to be one is answered, as protocol §1 says.
type fault struct {
	id     json.RawMessage
	err    *wire.Error
	silent bool
}

// maxID is how long an id may be. Every answer repeats it, and must stay within wire.MaxFrame.
const maxID = 4 << 10

// nullID answers a frame whose id is unknown or no id (protocol §1).
var nullID = json.RawMessage("null")

// decode reads one line as protocol §1 has it. It keeps line, within which the message lies, and
// never changes it. Exactly one of the results is set. Rules that the page leaves open:
//
//   - params null is params absent: sourcegraph/jsonrpc2, on which clients in Go are built, sends
//     it for a call without params.
//   - A frame without a method that has a result or an error is a response. Its id is one of
//     ours, so a faulty one is answered to id null: an echo could settle a request of the peer's
//     own. A response to id null is a message, or two peers could answer each other for ever.
//   - Faults of the envelope (-32600) come before those of the params (-32602).
func decode(line []byte) (message, *fault) {
	env, err := parse(line, line)
	mended := false
	if err != nil {
		// Lone surrogate escapes are not for the JSON reader to refuse: that would cost the id.
		masked, found := canon.MaskLoneSurrogates(line)
		if !found {
			return message{}, parseFault(line, err)
		}
		if env, err = parse(masked, line); err != nil {
			return message{}, parseFault(line, err)
		}
		mended = true
	}
	if f := env.check(); f != nil {
		return message{}, f
	}
	if mended {
		return message{}, env.refuse(wire.CodeInvalidParams,
			`A string holds half of a surrogate pair (\ud800 to \udfff) without its other half.`)
	}
	return message{
		id:       env.id,
		method:   unquote(env.method),
		params:   env.params,
		result:   env.result,
		rpcError: env.rpcError,
	}, nil
}

// oversized answers a frame of which only the prefix was kept. Its id is recovered where it
// stands in the prefix; most writers put it before the params.
func oversized(prefix []byte) *fault {
	// The prefix may end within a number, which then looks whole.
	prefix = bytes.TrimRight(prefix, "-+.0123456789Ee")
	masked, _ := canon.MaskLoneSurrogates(prefix)
	env, err := parse(masked, prefix)
	if err != nil && !isTruncation(err) {
		env = envelope{}
	}
	return &fault{id: env.echo(), err: wire.NewError(wire.CodeInputTooLarge,
		fmt.Sprintf("The frame is longer than the %d bytes that a frame may have.", wire.MaxFrame),
		func(d *wire.ErrorData) { d.LimitBytes = wire.MaxFrame })}
}

// envelope holds the members of a frame's object that JSON-RPC knows, nil where they are absent.
// In a frame that is no object all are nil and top says what it is.
type envelope struct {
	top                                           jsontext.Kind
	version, id, method, params, result, rpcError json.RawMessage
}

// check reports what keeps the frame from being a message. It drops params that count as absent.
func (e *envelope) check() *fault {
	response := e.isResponse()
	switch {
	case e.top == jsontext.KindBeginArray:
		return e.refuse(wire.CodeInvalidRequest, "A frame is one request; send the requests of a batch one a line.")
	case e.top != jsontext.KindBeginObject:
		return e.refuse(wire.CodeInvalidRequest, "A frame is a JSON object.")
	case e.id != nil && !isID(e.id) && !(response && kindOf(e.id) == jsontext.KindNull):
		return e.refuse(wire.CodeInvalidRequest, fmt.Sprintf(
			"id must be a string or an integer without fraction and exponent, of at most %d bytes", maxID))
	case unquote(e.version) != wire.Version:
		return e.refuse(wire.CodeInvalidRequest, `jsonrpc must be "2.0"`)
	case response && e.id == nil:
		return e.refuse(wire.CodeInvalidRequest, "A response names the id that it answers.")
	case response && e.result != nil && e.rpcError != nil:
		return e.refuse(wire.CodeInvalidRequest, "A response has a result or an error, not both.")
	case response && e.rpcError != nil && kindOf(e.rpcError) != jsontext.KindBeginObject:
		return e.refuse(wire.CodeInvalidRequest, "error must be an object")
	case response:
		e.params = nil // a member that responses do not have, ignored like any other
		return nil
	case kindOf(e.method) != jsontext.KindString || len(e.method) == len(`""`):
		return e.refuse(wire.CodeInvalidRequest, "method must be a string that is not empty")
	case e.result != nil || e.rpcError != nil:
		return e.refuse(wire.CodeInvalidRequest, "A request has neither result nor error.")
	}
	switch kindOf(e.params) {
	case jsontext.KindInvalid, jsontext.KindBeginObject:
		return nil
	case jsontext.KindNull:
		e.params = nil
		return nil
	default:
		return e.refuse(wire.CodeInvalidParams, "params must be an object, with a member for each param")
	}
}

// refuse makes the fault of code. It is silent for bad params of a notification.
func (e *envelope) refuse(code int, message string) *fault {
	return &fault{
		id:     e.echo(),
		err:    wire.NewError(code, message),
		silent: code == wire.CodeInvalidParams && e.id == nil,
	}
}

// echo returns the id to which a fault of this frame is answered.
func (e *envelope) echo() json.RawMessage {
	number := kindOf(e.id) == jsontext.KindNumber && len(e.id) <= maxID
	if e.isResponse() || !number && !isID(e.id) {
		return nullID
	}
	return e.id
}

func (e *envelope) isResponse() bool {
	return e.method == nil && (e.result != nil || e.rpcError != nil)
}

// isID reports whether raw is an id by protocol §1.
func isID(raw json.RawMessage) bool {
	switch kindOf(raw) {
	case jsontext.KindString:
		return len(raw) <= maxID
	case jsontext.KindNumber:
		return len(raw) <= maxID && !bytes.ContainsAny(raw, ".eE")
	default:
		return false
	}
}

// kindOf returns the kind of a member, jsontext.KindInvalid where it is absent.
func kindOf(raw json.RawMessage) jsontext.Kind { return jsontext.Value(raw).Kind() }

// unquote returns the text of a string, "" for anything else.
func unquote(raw json.RawMessage) string {
	if kindOf(raw) != jsontext.KindString {
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return "" // half of a surrogate pair: no text that this program knows
	}
	return string(text)
}

// parse takes the envelope out of text, cutting the members out of source: text itself, or what
// it was before its lone surrogates were masked. All of text is checked: JSON, UTF-8, no name
// twice in one object, at most canon.MaxDepth levels, nothing behind the value. Beside an error
// the envelope holds the members that were read before it.
func parse(text, source []byte) (envelope, error) {
	if canon.TooDeep(text) {
		return envelope{}, errTooDeep
	}
	p := parsers.Get().(*parser) //nolint:errcheck // the pool holds nothing else
	defer p.release()
	p.text = *bytes.NewBuffer(text)

	env := envelope{top: p.PeekKind()}
	if env.top != jsontext.KindBeginObject {
		if _, err := p.ReadValue(); err != nil {
			return env, err
		}
		return env, p.atEnd(text)
	}
	if _, err := p.ReadToken(); err != nil {
		return env, err
	}
	for p.PeekKind() != jsontext.KindEndObject {
		name, err := p.ReadValue()
		if err != nil {
			return env, err
		}
		member := env.member(name)
		value, err := p.ReadValue()
		if err != nil {
			return env, err
		}
		if end := p.InputOffset(); member != nil {
			*member = source[end-int64(len(value)) : end : end]
		}
	}
	if _, err := p.ReadToken(); err != nil {
		return env, err
	}
	return env, p.atEnd(text)
}

// member returns where the member of this name, given in quotes, goes; nil for an unknown one.
func (e *envelope) member(name jsontext.Value) *json.RawMessage {
	if bytes.IndexByte(name, '\\') >= 0 {
		name = jsontext.Value(`"` + unquote(json.RawMessage(name)) + `"`)
	}
	switch string(name) {
	case `"jsonrpc"`:
		return &e.version
	case `"id"`:
		return &e.id
	case `"method"`:
		return &e.method
	case `"params"`:
		return &e.params
	case `"result"`:
		return &e.result
	case `"error"`:
		return &e.rpcError
	default:
		return nil
	}
}

// parser is a JSON reader over one text. Out of use it holds neither text nor position.
type parser struct {
	jsontext.Decoder
	text bytes.Buffer
}

var parsers = sync.Pool{New: func() any {
	p := new(parser)
	p.Reset(&p.text)
	return p
}}

func (p *parser) release() {
	p.text = bytes.Buffer{}
	p.Reset(&p.text)
	parsers.Put(p)
}

var (
	errTooDeep   = fmt.Errorf("frame is nested deeper than %d levels", canon.MaxDepth)
	errTwoValues = errors.New("frame holds more than one JSON value")
)

// atEnd reports whether there is nothing but white space behind the value that was read.
func (p *parser) atEnd(text []byte) error {
	if len(bytes.TrimLeft(text[p.InputOffset():], " \t\r\n")) > 0 {
		return errTwoValues
	}
	return nil
}

// isTruncation reports whether the text of a parse error ended too early and is flawless so far.
func isTruncation(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// parseFault answers a line that parse refused. Its words are ours, not those of the JSON reader,
// so that an upgrade of that changes no frame.
func parseFault(line []byte, err error) *fault {
	var text string
	var syntax *jsontext.SyntacticError
	switch {
	case isTruncation(err):
		text = "frame ends before its JSON value does"
	case !errors.As(err, &syntax): // errTooDeep, errTwoValues
		text = err.Error()
	case !utf8.Valid(line):
		text = "frame is not UTF-8"
	case errors.Is(err, jsontext.ErrDuplicateName):
		text = fmt.Sprintf("frame has the member %q twice", canon.Path(syntax.JSONPointer))
	default:
		text = fmt.Sprintf("frame is not JSON from byte %d on", syntax.ByteOffset)
	}
	return &fault{id: nullID, err: wire.NewError(wire.CodeParseError, "The "+text+".")}
}
