package rpc

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"

	"github.com/approvald/approvald/wire"
)

// malformedKind is one way in which a frame can be no message (protocol §1).
type malformedKind struct {
	name string
	code int // of the answer
	make func(r *rand.Rand) string
}

// malformedKinds holds every kind but the oversized frame. Each frame is one line and owed exactly
// one answer, in the order of the frames; faulty notifications, which are owed none, are not here.
var malformedKinds = []malformedKind{
	{"empty but for white space", wire.CodeParseError, func(r *rand.Rand) string { return strings.Repeat(" ", 1+r.IntN(9)) }},
	{"cut off", wire.CodeParseError, func(r *rand.Rand) string {
		whole := anyRequest(r)
		return whole[:1+r.IntN(len(whole)-1)]
	}},
	{"two values", wire.CodeParseError, func(r *rand.Rand) string { return anyRequest(r) + pickOne(r, "", " ", ",") + anyRequest(r) }},
	{"garbage behind the value", wire.CodeParseError, func(r *rand.Rand) string { return anyRequest(r) + pickOne(r, "}", "]", "x", "\x00", "//") }},
	{"garbage before the value", wire.CodeParseError, func(r *rand.Rand) string {
		return pickOne(r, "x", "\ufeff", "\x1b[0m", "Content-Length: 12", ")]}',") + anyRequest(r)
	}},
	{"bad punctuation", wire.CodeParseError, func(r *rand.Rand) string {
		return pickOne(r, `{"a":1,}`, `{,"a":1}`, `{"a" 1}`, `{"a":1 "b":2}`, `[1 2]`, `[1,]`, `[,]`, `{"a":}`, `{"a"}`, `{1:2}`, `{a:1}`, `{'a':1}`, `{]`, `[}`)
	}},
	{"bad literal", wire.CodeParseError, func(r *rand.Rand) string {
		return withParam(r, pickOne(r, "nul", "True", "NULL", "NaN", "Infinity", "-Infinity", "undefined", "'a'", ""))
	}},
	{"bad number", wire.CodeParseError, func(r *rand.Rand) string {
		return withParam(r, pickOne(r, "01", "+1", "1.", ".5", "-", "--1", "0x1", "1e", "1e+", "1_000", "-01"))
	}},
	{"bad escape", wire.CodeParseError, func(r *rand.Rand) string {
		return withParam(r, pickOne(r, `"\x41"`, `"\u12G4"`, `"\u12"`, `"\'"`, `"\U0041"`, `"\0"`))
	}},
	{"bare control character", wire.CodeParseError, func(r *rand.Rand) string {
		return withParam(r, `"a`+pickOne(r, "\x00", "\t", "\x1f", "\r")+`b"`)
	}},
	{"invalid UTF-8", wire.CodeParseError, func(r *rand.Rand) string {
		return withParam(r, `"a`+pickOne(r, "\xff", "\xc0\xaf", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80", "\xf8\x88\x80\x80\x80")+`b"`)
	}},
	{"duplicate member of the frame", wire.CodeParseError, func(r *rand.Rand) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/list",%s}`, anyID(r),
			pickOne(r, `"id":7`, `"method":"session/list"`, `"jsonrpc":"2.0"`, `"\u0069d":7`, `"x":1,"x":1`, `"params":{},"params":{}`))
	}},
	{"duplicate member further down", wire.CodeParseError, func(r *rand.Rand) string {
		return withParam(r, within(r, r.IntN(60), pickOne(r, `{"a":1,"a":1}`, `{"a":1,"\u0061":1}`, `{"":1,"b":{},"":1}`)))
	}},
	{"too deep", wire.CodeParseError, func(r *rand.Rand) string { return withParam(r, within(r, 63+r.IntN(500), "1")) }},
	{"too deep and open", wire.CodeParseError, func(r *rand.Rand) string { return strings.Repeat(pickOne(r, "[", `{"a":`), 65+r.IntN(9000)) }},

	{"batch", wire.CodeInvalidRequest, func(r *rand.Rand) string {
		return pickOne(r, "[]", "["+anyRequest(r)+"]", "["+anyRequest(r)+","+anyRequest(r)+"]", "[1]", `[{"a":"\ud800"}]`)
	}},
	{"scalar", wire.CodeInvalidRequest, func(r *rand.Rand) string {
		return pickOne(r, "1", "-0.5e9", `"a"`, "true", "false", "null", `"\ud800"`)
	}},
	{"no jsonrpc", wire.CodeInvalidRequest, func(r *rand.Rand) string { return fmt.Sprintf(`{"id":%s,"method":"session/list"}`, anyID(r)) }},
	{"wrong jsonrpc", wire.CodeInvalidRequest, func(r *rand.Rand) string {
		return fmt.Sprintf(`{"jsonrpc":%s,"id":%s,"method":"session/list"}`, pickOne(r, `"1.0"`, `"2"`, `2.0`, `null`, `""`, `"\ud800"`), anyID(r))
	}},
	{"no method", wire.CodeInvalidRequest, func(r *rand.Rand) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s%s}`, anyID(r), pickOne(r, ``, `,"params":{}`, `,"METHOD":"session/list"`, `,"Method":"session/list"`))
	}},
	{"wrong method", wire.CodeInvalidRequest, func(r *rand.Rand) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%s}`, anyID(r), pickOne(r, `7`, `null`, `""`, `{}`, `["session/list"]`, `true`))
	}},
	{"wrong id", wire.CodeInvalidRequest, func(r *rand.Rand) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/list"}`,
			pickOne(r, "null", "true", "{}", "[]", "[1]", "1.5", "1.0", "1e0", "-2E+3", `"`+strings.Repeat("a", maxID)+`"`))
	}},
	{"request with a result or an error", wire.CodeInvalidRequest, func(r *rand.Rand) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/list",%s}`, anyID(r), pickOne(r, `"result":{}`, `"error":{}`, `"result":null`, `"error":null`))
	}},
	{"wrong response", wire.CodeInvalidRequest, func(r *rand.Rand) string {
		return pickOne(r,
			`{"jsonrpc":"2.0","result":{}}`, `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, `{"jsonrpc":"2.0","id":1,"error":"no"}`,
			`{"jsonrpc":"2.0","id":1,"error":null}`, `{"jsonrpc":"2.0","id":1.5,"result":{}}`, `{"id":1,"result":{}}`)
	}},
	{"empty object", wire.CodeInvalidRequest, func(r *rand.Rand) string { return pickOne(r, `{}`, `{ }`, `{"trace":{}}`, `{"":0}`) }},

	{"params that are no object", wire.CodeInvalidParams, func(r *rand.Rand) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/list","params":%s}`, anyID(r), pickOne(r, `[]`, `[{}]`, `"a"`, `1`, `true`))
	}},
	{"lone surrogate in a param", wire.CodeInvalidParams, func(r *rand.Rand) string {
		return withParam(r, within(r, r.IntN(60), pickOne(r, `"a\ud800"`, `"\uDFFFb"`, `"\udc00\ud800"`, `"\ud800\n"`, `{"\ud800":1,"\ud801":1}`)))
	}},
	{"lone surrogate elsewhere", wire.CodeInvalidParams, func(r *rand.Rand) string {
		return pickOne(r,
			`{"jsonrpc":"2.0","id":"\ud800","method":"session/list"}`, `{"jsonrpc":"2.0","id":1,"method":"\ud800"}`,
			`{"jsonrpc":"2.0","id":1,"method":"session/list","trace":"\udfff"}`, `{"jsonrpc":"2.0","id":1,"method":"session/list","\ud800":1}`)
	}},
}

// oversizedKind names the frames that exceed wire.MaxFrame, and oversizedEvery says that one frame
// in so many is of that kind: each is 10 MiB.
const (
	oversizedKind  = "oversized"
	oversizedEvery = 2000
)

// malformedCode returns the code with which frames of this kind are answered.
func malformedCode(kind string) int {
	for _, k := range malformedKinds {
		if k.name == kind {
			return k.code
		}
	}
	return wire.CodeInputTooLarge
}

// malformedFrames yields malformed frames without end, each with the name of its kind: the kinds
// in turn, the frames at random, the same ones for the same seed. A frame is one line without
// its LF and belongs to the caller.
func malformedFrames(seed uint64) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		r := rand.New(rand.NewPCG(seed, 0))
		for i := 0; ; i++ {
			if i%oversizedEvery == oversizedEvery/2 {
				frame := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/list","params":{"a":"%s"}}`,
					anyID(r), strings.Repeat("a", wire.MaxFrame))
				if !yield(oversizedKind, []byte(frame)) {
					return
				}
			}
			kind := malformedKinds[i%len(malformedKinds)]
			if !yield(kind.name, []byte(kind.make(r))) {
				return
			}
		}
	}
}

// anyRequest returns a well-formed request.
func anyRequest(r *rand.Rand) string { return withParam(r, pickOne(r, "1", `"a"`, "{}", "[]", "null")) }

// withParam returns a request with one param, which may be no JSON.
func withParam(r *rand.Rand, value string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/list","params":{"p":%s}}`, anyID(r), value)
}

// within returns value within depth objects and arrays.
func within(r *rand.Rand, depth int, value string) string {
	for range depth {
		if r.IntN(2) == 0 {
			value = `{"n":` + value + `}`
		} else {
			value = `[` + value + `]`
		}
	}
	return value
}

// anyID returns a valid id as it stands in a frame.
func anyID(r *rand.Rand) string {
	return pickOne(r, fmt.Sprint(r.Int64()), fmt.Sprint(-r.IntN(100)), fmt.Sprintf(`"%x"`, r.Uint64()), `"\u0061"`, `""`, `9007199254740993000000000001`)
}

func pickOne(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }
