package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
	"weak"

	"github.com/approvald/approvald/internal/canon"
	"github.com/approvald/approvald/wire"
)

func TestDecodeMessage(t *testing.T) {
	tests := []struct {
		name, line string
		want       message
	}{
		{"a request", `{"jsonrpc":"2.0","id":1,"method":"a/b","params":{"x":1}}`, message{id: rawJSON(`1`), method: "a/b", params: rawJSON(`{"x":1}`)}},
		{"a request without params", `{"jsonrpc":"2.0","id":1,"method":"a/b"}`, message{id: rawJSON(`1`), method: "a/b"}},
		{"members in any order, white space anywhere", " {\t\"params\" : { } ,\"method\":\"a/b\"\r, \"id\":\"x\" ,\"jsonrpc\":\"2.0\" } ", message{id: rawJSON(`"x"`), method: "a/b", params: rawJSON(`{ }`)}},
		{"a notification", `{"jsonrpc":"2.0","method":"initialized"}`, message{method: "initialized"}},
		{"a result", `{"jsonrpc":"2.0","id":7,"result":{"x":1}}`, message{id: rawJSON(`7`), result: rawJSON(`{"x":1}`)}},
		{"a result that is null", `{"jsonrpc":"2.0","id":7,"result":null}`, message{id: rawJSON(`7`), result: rawJSON(`null`)}},
		{"an error", `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":""}}`, message{id: rawJSON(`7`), rpcError: rawJSON(`{"code":1,"message":""}`)}},
		{"an error to id null", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}`, message{id: rawJSON(`null`), rpcError: rawJSON(`{"code":-32700}`)}},

		{"params null is params absent", `{"jsonrpc":"2.0","id":1,"method":"a/b","params":null}`, message{id: rawJSON(`1`), method: "a/b"}},
		{"params of a response are ignored", `{"jsonrpc":"2.0","id":7,"result":{},"params":[]}`, message{id: rawJSON(`7`), result: rawJSON(`{}`)}},
		{"params keep their bytes", `{"jsonrpc":"2.0","id":1,"method":"a/b","params":{"b": 1.0,"a":"<\u0041\/>"}}`, message{id: rawJSON(`1`), method: "a/b", params: rawJSON(`{"b": 1.0,"a":"<\u0041\/>"}`)}},
		{"unknown members are ignored", `{"trace":{"traceparent":"00"},"jsonrpc":"2.0","id":1,"method":"a/b","x":[null]}`, message{id: rawJSON(`1`), method: "a/b"}},
		{"names are case-sensitive", `{"jsonrpc":"2.0","ID":5,"id":1,"Method":"x","method":"a/b","PARAMS":[]}`, message{id: rawJSON(`1`), method: "a/b"}},
		{"escaped names are the same names", `{"json\u0072pc":"\u0032.0","\u0069d":1,"method":"a\/\u0062"}`, message{id: rawJSON(`1`), method: "a/b"}},
		{"names of params are none of the frame", `{"jsonrpc":"2.0","id":1,"method":"a/b","params":{"id":2,"method":"c","result":3}}`, message{id: rawJSON(`1`), method: "a/b", params: rawJSON(`{"id":2,"method":"c","result":3}`)}},

		{"id 0", `{"jsonrpc":"2.0","id":0,"method":"m"}`, message{id: rawJSON(`0`), method: "m"}},
		{"id -1", `{"jsonrpc":"2.0","id":-1,"method":"m"}`, message{id: rawJSON(`-1`), method: "m"}},
		{"id -0", `{"jsonrpc":"2.0","id":-0,"method":"m"}`, message{id: rawJSON(`-0`), method: "m"}},
		{"a huge id", `{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"m"}`, message{id: rawJSON(`123456789012345678901234567890`), method: "m"}},
		{"a string id keeps its spelling", `{"jsonrpc":"2.0","id":"\u0061\/","method":"m"}`, message{id: rawJSON(`"\u0061\/"`), method: "m"}},
		{"an empty id", `{"jsonrpc":"2.0","id":"","method":"m"}`, message{id: rawJSON(`""`), method: "m"}},

		{"64 levels", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":` + nestedArrays(62) + `}}`, message{id: rawJSON(`1`), method: "m", params: rawJSON(`{"a":` + nestedArrays(62) + `}`)}},
		{"a surrogate pair", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\ud83d\ude00"}}`, message{id: rawJSON(`1`), method: "m", params: rawJSON(`{"a":"\ud83d\ude00"}`)}},
		{"an escaped backslash before what looks like a surrogate", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\\ud800"}}`, message{id: rawJSON(`1`), method: "m", params: rawJSON(`{"a":"\\ud800"}`)}},
		{"the same name in two objects", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":{"x":1},"b":{"x":1}}}`, message{id: rawJSON(`1`), method: "m", params: rawJSON(`{"a":{"x":1},"b":{"x":1}}`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, f := decode([]byte(tt.line))
			if f != nil {
				t.Fatalf("fault %v", f.err)
			}
			if got, want := describeMessage(got), describeMessage(tt.want); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestDecodeFault(t *testing.T) {
	long := `"` + strings.Repeat("a", maxID) + `"`
	tests := []struct {
		name, line string
		code       int
		id         string
		text       string // in the message
	}{
		{"a frame that is cut off", `{"jsonrpc":"2.0","id":1,"method":"m"`, wire.CodeParseError, "null", "ends before"},
		{"white space only", ` `, wire.CodeParseError, "null", "ends before"},
		{"a syntax error", `{"jsonrpc":"2.0","id":1;}`, wire.CodeParseError, "null", "not JSON from byte 23 on"},
		{"a byte order mark", "\ufeff{}", wire.CodeParseError, "null", "not JSON from byte 0 on"},
		{"two messages", `{"jsonrpc":"2.0","id":1,"method":"m"}{"jsonrpc":"2.0","id":2,"method":"m"}`, wire.CodeParseError, "null", "more than one"},
		{"two scalars", `1 2`, wire.CodeParseError, "null", "more than one"},
		{"invalid UTF-8 in params", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"a\":\"\xff\"}}", wire.CodeParseError, "null", "not UTF-8"},
		{"invalid UTF-8 in an unknown member", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"\xc0\xaf\":1}", wire.CodeParseError, "null", "not UTF-8"},
		{"invalid UTF-8 beside a lone surrogate", "{\"id\":1,\"a\":\"\\ud800\xff\"}", wire.CodeParseError, "null", "not UTF-8"},
		{"a member twice", `{"jsonrpc":"2.0","id":1,"method":"m","id":1}`, wire.CodeParseError, "null", `member "id" twice`},
		{"a member twice in two spellings", `{"jsonrpc":"2.0","id":1,"method":"m","\u0069d":1}`, wire.CodeParseError, "null", `member "id" twice`},
		{"an unknown member twice", `{"jsonrpc":"2.0","id":1,"method":"m","x":1,"x":1}`, wire.CodeParseError, "null", `member "x" twice`},
		{"a member of params twice", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[{"b":1,"b":1}]}}`, wire.CodeParseError, "null", `member "params.a.0.b" twice`},
		{"a member twice beside a lone surrogate", `{"id":1,"a":"\ud800","a":1}`, wire.CodeParseError, "null", `member "a" twice`},
		{"a lone surrogate twice as a name", `{"id":1,"\ud800":1,"\ud800":1}`, wire.CodeParseError, "null", `twice`},
		{"65 levels", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":` + nestedArrays(63) + `}}`, wire.CodeParseError, "null", "deeper than 64"},
		{"65 levels of a batch", nestedArrays(65), wire.CodeParseError, "null", "deeper than 64"},
		{"65 levels in an unknown member", `{"x":` + nestedArrays(64) + `}`, wire.CodeParseError, "null", "deeper than 64"},
		{"a batch that is cut off", `[{"jsonrpc":"2.0","id":1,"method":"m"}`, wire.CodeParseError, "null", "ends before"},

		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"m"}]`, wire.CodeInvalidRequest, "null", "one a line"},
		{"an empty batch", `[]`, wire.CodeInvalidRequest, "null", "one a line"},
		{"a batch with a lone surrogate", `["\ud800"]`, wire.CodeInvalidRequest, "null", "one a line"},
		{"a number", `1`, wire.CodeInvalidRequest, "null", "JSON object"},
		{"a string", `"a"`, wire.CodeInvalidRequest, "null", "JSON object"},
		{"null", `null`, wire.CodeInvalidRequest, "null", "JSON object"},

		{"no jsonrpc", `{"id":1,"method":"m"}`, wire.CodeInvalidRequest, "1", "jsonrpc"},
		{"jsonrpc 1.0", `{"jsonrpc":"1.0","id":"a","method":"m"}`, wire.CodeInvalidRequest, `"a"`, "jsonrpc"},
		{"jsonrpc as a number", `{"jsonrpc":2.0,"id":1,"method":"m"}`, wire.CodeInvalidRequest, "1", "jsonrpc"},
		{"jsonrpc in upper case", `{"JSONRPC":"2.0","id":1,"method":"m"}`, wire.CodeInvalidRequest, "1", "jsonrpc"},
		{"no jsonrpc in a notification", `{"method":"m"}`, wire.CodeInvalidRequest, "null", "jsonrpc"},
		{"an empty object", `{}`, wire.CodeInvalidRequest, "null", "jsonrpc"},
		{"no method", `{"jsonrpc":"2.0","id":-1,"params":{}}`, wire.CodeInvalidRequest, "-1", "method"},
		{"no method and no id", `{"jsonrpc":"2.0"}`, wire.CodeInvalidRequest, "null", "method"},
		{"a method that is no string", `{"jsonrpc":"2.0","id":1,"method":7}`, wire.CodeInvalidRequest, "1", "method"},
		{"a method that is null", `{"jsonrpc":"2.0","id":1,"method":null}`, wire.CodeInvalidRequest, "1", "method"},
		{"an empty method", `{"jsonrpc":"2.0","id":1,"method":""}`, wire.CodeInvalidRequest, "1", "method"},

		{"id null", `{"jsonrpc":"2.0","id":null,"method":"m"}`, wire.CodeInvalidRequest, "null", "id must be"},
		{"id true", `{"jsonrpc":"2.0","id":true,"method":"m"}`, wire.CodeInvalidRequest, "null", "id must be"},
		{"an id that is an object", `{"jsonrpc":"2.0","id":{"a":1},"method":"m"}`, wire.CodeInvalidRequest, "null", "id must be"},
		{"an id that is an array", `{"jsonrpc":"2.0","id":[1],"method":"m"}`, wire.CodeInvalidRequest, "null", "id must be"},
		{"id 1.5 is echoed", `{"jsonrpc":"2.0","id":1.5,"method":"m"}`, wire.CodeInvalidRequest, "1.5", "id must be"},
		{"id 1.0 is echoed", `{"jsonrpc":"2.0","id":1.0,"method":"m"}`, wire.CodeInvalidRequest, "1.0", "id must be"},
		{"id 1E0 is echoed", `{"jsonrpc":"2.0","id":1E0,"method":"m"}`, wire.CodeInvalidRequest, "1E0", "id must be"},
		{"an id that is too long", `{"jsonrpc":"2.0","id":` + long + `,"method":"m"}`, wire.CodeInvalidRequest, "null", "4096"},
		{"a number that is too long an id", `{"jsonrpc":"2.0","id":1` + strings.Repeat("0", maxID) + `,"method":"m"}`, wire.CodeInvalidRequest, "null", "4096"},

		{"a method and a result", `{"jsonrpc":"2.0","id":1,"method":"m","result":{}}`, wire.CodeInvalidRequest, "1", "neither"},
		{"a method and a null error", `{"jsonrpc":"2.0","id":1,"method":"m","error":null}`, wire.CodeInvalidRequest, "1", "neither"},
		{"a notification with a result", `{"jsonrpc":"2.0","method":"m","result":{}}`, wire.CodeInvalidRequest, "null", "neither"},
		{"a result and an error", `{"jsonrpc":"2.0","id":1,"result":null,"error":{}}`, wire.CodeInvalidRequest, "null", "not both"},
		{"a result without id", `{"jsonrpc":"2.0","result":{}}`, wire.CodeInvalidRequest, "null", "names the id"},
		{"a result to a wrong id", `{"jsonrpc":"2.0","id":1.5,"result":{}}`, wire.CodeInvalidRequest, "null", "id must be"},
		{"an error that is no object", `{"jsonrpc":"2.0","id":1,"error":"no"}`, wire.CodeInvalidRequest, "null", "error must be"},
		{"a response without jsonrpc", `{"id":1,"result":{}}`, wire.CodeInvalidRequest, "null", "jsonrpc"},

		{"params in an array", `{"jsonrpc":"2.0","id":1,"method":"m","params":[{}]}`, wire.CodeInvalidParams, "1", "params must be"},
		{"params in a string", `{"jsonrpc":"2.0","id":"a","method":"m","params":"{}"}`, wire.CodeInvalidParams, `"a"`, "params must be"},
		{"params false", `{"jsonrpc":"2.0","id":1,"method":"m","params":false}`, wire.CodeInvalidParams, "1", "params must be"},
		{"the envelope is checked before the params", `{"jsonrpc":"1.0","id":1,"method":"m","params":[]}`, wire.CodeInvalidRequest, "1", "jsonrpc"},

		{"a lone surrogate in params", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\ud800"}}`, wire.CodeInvalidParams, "1", "surrogate"},
		{"a lone surrogate in a name", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"\udc00":1}}`, wire.CodeInvalidParams, "1", "surrogate"},
		{"two lone surrogates as names", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"\ud800":1,"\ud801":1}}`, wire.CodeInvalidParams, "1", "surrogate"},
		{"a lone surrogate in an unknown member", `{"jsonrpc":"2.0","id":1,"method":"m","trace":"\ud800"}`, wire.CodeInvalidParams, "1", "surrogate"},
		{"a lone surrogate in the method", `{"jsonrpc":"2.0","id":1,"method":"\ud800"}`, wire.CodeInvalidParams, "1", "surrogate"},
		{"a lone surrogate in the id", `{"jsonrpc":"2.0","id":"\uD800","method":"m"}`, wire.CodeInvalidParams, `"\uD800"`, "surrogate"},
		{"a lone surrogate in a result", `{"jsonrpc":"2.0","id":1,"result":"\ud800"}`, wire.CodeInvalidParams, "null", "surrogate"},
		{"a lone surrogate in a broken envelope", `{"jsonrpc":"2.0","id":1,"params":{"a":"\ud800"}}`, wire.CodeInvalidRequest, "1", "method"},
		{"a lone surrogate as jsonrpc", `{"jsonrpc":"\ud800","id":1,"method":"m"}`, wire.CodeInvalidRequest, "1", "jsonrpc"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, f := decode([]byte(tt.line))
			if f == nil {
				t.Fatalf("message %s, want fault %d", describeMessage(got), tt.code)
			}
			if f.err.Code != tt.code || string(f.id) != tt.id || !strings.Contains(f.err.Message, tt.text) {
				t.Errorf("\n got %v to id %s\nwant %d to id %s with %q", f.err, f.id, tt.code, tt.id, tt.text)
			}
			if f.silent {
				t.Error("the fault is silent, want it answered")
			}
		})
	}
}

func TestFaultyParamsOfANotificationAreSilent(t *testing.T) {
	tests := []struct{ name, line string }{
		{"params in an array", `{"jsonrpc":"2.0","method":"m","params":[]}`},
		{"a lone surrogate", `{"jsonrpc":"2.0","method":"m","params":{"a":"\ud800"}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, f := decode([]byte(tt.line))
			if f == nil || f.err.Code != wire.CodeInvalidParams || !f.silent {
				t.Errorf("got %+v, want a silent fault %d", f, wire.CodeInvalidParams)
			}
		})
	}
}

func TestDecodeKeepsNothingOfALine(t *testing.T) {
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`)
	first := weak.Make(&line[0])
	if _, f := decode(line); f != nil {
		t.Fatal(f.err)
	}
	runtime.GC()
	if first.Value() != nil {
		t.Error("the line is still held")
	}
}

func TestOversizedRecoversTheID(t *testing.T) {
	tests := []struct{ name, prefix, want string }{
		{"an id before the params", `{"id":"x","jsonrpc":"2.0","method":"m","params":{"a":"bbb`, `"x"`},
		{"an id keeps its spelling", `{"jsonrpc":"2.0","id":"\u0061","params":{`, `"\u0061"`},
		{"a number", `{"jsonrpc":"2.0","id":-17,"params":{"a":`, `-17`},
		{"a number that is no id is echoed", `{"id":1.5,"params":`, `1.5`},
		{"a prefix that ends behind a name", `{"id":1,"par`, `1`},
		{"a prefix that ends in a character", "{\"id\":1,\"a\":\"\xe2\x82", `1`},
		{"a prefix that ends in an escape", `{"id":1,"a":"\ud83d\ud`, `1`},
		{"a lone surrogate in the prefix", `{"id":1,"a":"\ud800","b":"`, `1`},
		{"a whole object", `{"id":1}`, `1`},
		{"an id behind the params", `{"jsonrpc":"2.0","method":"m","params":{"id":1,"a":"bbb`, `null`},
		{"an id that is cut off", `{"id":"abc`, `null`},
		{"a number that may go on", `{"id":12`, `null`},
		{"an id that is no id", `{"id":{"a":1},"params":`, `null`},
		{"two ids", `{"id":1,"id":2,"params":`, `null`},
		{"a result, whose id is ours", `{"id":1,"result":{},"x":"`, `null`},
		{"a prefix that is no JSON", `{"id":1,,`, `null`},
		{"a batch", `[{"id":1,`, `null`},
		{"no object", `aaaaaaaa`, `null`},
		{"a number", `1111111`, `null`},
		{"65 levels", `{"id":1,"a":` + strings.Repeat("[", 100), `null`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := oversized([]byte(tt.prefix))
			if string(f.id) != tt.want {
				t.Errorf("id %s, want %s", f.id, tt.want)
			}
			if f.err.Code != wire.CodeInputTooLarge || f.err.Data.LimitBytes != wire.MaxFrame || f.silent {
				t.Errorf("got %+v, want %d with the limit", f.err, wire.CodeInputTooLarge)
			}
		})
	}
}

func TestMalformedFramesAreAnsweredByKind(t *testing.T) {
	seen := map[string]int{}
	n := 0
	for kind, line := range malformedFrames(1) {
		if n++; n > 20*len(malformedKinds) {
			break
		}
		seen[kind]++
		if bytes.IndexByte(line, '\n') >= 0 || len(line) == 0 {
			t.Fatalf("%s: %q is not one line", kind, line)
		}
		got, f := decode(line)
		if f == nil {
			t.Fatalf("%s: %s is the message %s", kind, line, describeMessage(got))
		}
		if f.err.Code != malformedCode(kind) || f.silent {
			t.Fatalf("%s: %s is answered %v, want code %d", kind, line, f.err, malformedCode(kind))
		}
	}
	if len(seen) != len(malformedKinds) {
		t.Errorf("%d kinds were generated, want %d", len(seen), len(malformedKinds))
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":7,"result":{}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":1}}`))
	n := 0
	for _, line := range malformedFrames(1) {
		if n++; n > 3*len(malformedKinds) {
			break
		}
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		before := bytes.Clone(line)
		m, f := decode(line)
		if !bytes.Equal(line, before) {
			t.Fatalf("the line was changed from %q to %q", before, line)
		}
		wellFormed := isWellFormed(line)
		if f == nil {
			if !wellFormed {
				t.Fatalf("%q is the message %s, but it is malformed", line, describeMessage(m))
			}
			checkMessage(t, line, m)
			return
		}
		loneSurrogate := strings.Contains(strings.ToLower(string(line)), `\ud`)
		if parseError := f.err.Code == wire.CodeParseError; parseError == wellFormed && !loneSurrogate {
			t.Fatalf("%q is answered %v; well-formed: %t", line, f.err, wellFormed)
		}
		checkFault(t, f)
		checkFault(t, oversized(line))
	})
}

// checkMessage holds a message against the line that it was decoded from.
func checkMessage(t *testing.T, line []byte, m message) {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		t.Fatalf("%q is the message %s, but no object: %v", line, describeMessage(m), err)
	}
	for name, got := range map[string]json.RawMessage{"id": m.id, "params": m.params, "result": m.result, "error": m.rpcError} {
		if want := members[name]; got != nil && !bytes.Equal(got, want) {
			t.Fatalf("%q: %s is %s, want %s", line, name, got, want)
		}
	}
	request := m.method != ""
	response := m.id != nil && (m.result == nil) != (m.rpcError == nil)
	if request == response {
		t.Fatalf("%q is neither or both of request and response: %s", line, describeMessage(m))
	}
}

// checkFault holds the answer to a fault against what a peer like us would make of it: a message,
// or a fault whose answer is one, so that two peers cannot answer each other for ever.
func checkFault(t *testing.T, f *fault) {
	t.Helper()
	answer := func(f *fault) []byte {
		line, err := wire.Marshal(wire.ErrorResponse{JSONRPC: wire.Version, ID: f.id, Error: f.err})
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	line := answer(f)
	if _, second := decode(line); second != nil {
		if _, third := decode(answer(second)); third != nil {
			t.Fatalf("%s is answered %s and so on", line, answer(second))
		}
	}
}

// isWellFormed is the naive twin of parse: valid UTF-8, one JSON value, no name twice in one
// object, at most 64 levels. It takes lone surrogates for U+FFFD, as encoding/json does.
func isWellFormed(line []byte) bool {
	if !utf8.Valid(line) || !json.Valid(line) {
		return false
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var names []map[string]bool // per open level; nil for arrays
	var isName []bool
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			return false
		}
		top := len(names) - 1
		if delim, ok := token.(json.Delim); ok && (delim == '}' || delim == ']') {
			names, isName = names[:top], isName[:top]
			continue
		}
		if top >= 0 && names[top] != nil {
			if isName[top] = !isName[top]; isName[top] {
				name := fmt.Sprint(token)
				if names[top][name] {
					return false
				}
				names[top][name] = true
				continue
			}
		}
		switch token {
		case json.Delim('{'):
			names, isName = append(names, map[string]bool{}), append(isName, false)
		case json.Delim('['):
			names, isName = append(names, nil), append(isName, false)
		}
		if len(names) > canon.MaxDepth {
			return false
		}
	}
}

func rawJSON(s string) json.RawMessage { return json.RawMessage(s) }

// describeMessage spells a message so that nil and empty members differ.
func describeMessage(m message) string {
	out := fmt.Sprintf("method %q", m.method)
	for _, member := range []struct {
		name string
		raw  json.RawMessage
	}{{"id", m.id}, {"params", m.params}, {"result", m.result}, {"error", m.rpcError}} {
		if member.raw != nil {
			out += fmt.Sprintf(" %s %s", member.name, member.raw)
		}
	}
	return out
}

// nestedArrays returns n arrays within one another.
func nestedArrays(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
