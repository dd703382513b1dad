package tolerance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// promise is one row: what a client sends, bytes as they are, and the answers in short, separated
// by "; ". Nothing else may be answered, and the connection must be of use afterwards.
type promise struct{ what, send, want string }

// ask is a request that everybody may make, whose envelope has further members.
func ask(members string) string {
	return `{"jsonrpc":"2.0","method":"session/list",` + members + "}\n"
}

// asking is a request with a param that means nothing.
func asking(value string) string { return ask(`"id":1,"params":{"future":` + value + `}`) }

const (
	parseError  = "null -32700 parseError"
	noRequest   = "null -32600 invalidRequest"
	badRequest  = "1 -32600 invalidRequest"
	badParams   = "1 -32602 invalidParams"
	noMethod    = "1 -32601 methodNotFound"
	fine        = "1 result"
	surrogate   = `\ud800`
	levelsInAsk = 2 // the frame's object and its params
)

func nested(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }

// envelopes are the promises about what is a message and what is not.
var envelopes = []promise{
	{"a request is answered", ask(`"id":1`), fine},
	{"members of the envelope that nobody knows are passed over", ask(`"id":1,"future":{"a":[1,null]},"":0`), fine},
	{"trace is passed over, whatever it is", ask(`"id":1,"trace":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}`), fine},
	{"trace may be a scalar", ask(`"id":1,"trace":7`), fine},
	{"meta is passed over", ask(`"id":1,"meta":[]`), fine},
	{"names in another case are other names", ask(`"id":1,"ID":2,"Method":"x","JSONRPC":"1.0","PARAMS":[],"Result":{},"Error":{"code":1}`), fine},
	{"members may come in any order", `{"params":{},"method":"session/list","id":1,"jsonrpc":"2.0"}` + "\n", fine},
	{"names and values may be escaped", `{"\u006asonrpc":"2\u002e0","i\u0064":1,"method":"session\/\u006cist"}` + "\n", fine},

	{"params may be absent", ask(`"id":1`), fine},
	{"params may be empty", ask(`"id":1,"params":{}`), fine},
	{"params null are params absent", ask(`"id":1,"params":null`), fine},
	{"params that are an array are refused", ask(`"id":1,"params":[]`), badParams},
	{"params that are an array with something in it are refused", ask(`"id":1,"params":[{}]`), badParams},
	{"params that are a string are refused", ask(`"id":1,"params":"{}"`), badParams},
	{"params that are a number are refused", ask(`"id":1,"params":0`), badParams},
	{"params that are false are refused", ask(`"id":1,"params":false`), badParams},

	{"an unknown method is refused", `{"jsonrpc":"2.0","id":1,"method":"future/thing","params":{}}` + "\n", noMethod},
	{"a method of MSP that is not served is an unknown one", `{"jsonrpc":"2.0","id":1,"method":"model/list"}` + "\n", noMethod},
	{"a method in another case is an unknown one", `{"jsonrpc":"2.0","id":1,"method":"Session/List"}` + "\n", noMethod},
	{"a method with a NUL is an unknown one", `{"jsonrpc":"2.0","id":1,"method":"session/list\u0000"}` + "\n", noMethod},
	{"what the daemon asks cannot be asked of it", `{"jsonrpc":"2.0","id":1,"method":"approval/request","params":{}}` + "\n", noMethod},
	{"what the daemon tells cannot be asked of it", `{"jsonrpc":"2.0","id":1,"method":"approval/resolved","params":{}}` + "\n", noMethod},
	{"initialized with an id is an unknown method", `{"jsonrpc":"2.0","id":1,"method":"initialized"}` + "\n", noMethod},

	{"an unknown notification is passed over", `{"jsonrpc":"2.0","method":"future/thing","params":{"a":1}}` + "\n", ""},
	{"a notification of a method that is served is passed over", `{"jsonrpc":"2.0","method":"session/list"}` + "\n", ""},
	{"a notification with wrong params is passed over", `{"jsonrpc":"2.0","method":"future/thing","params":[1]}` + "\n", ""},
	{"a notification of the daemon's own is passed over", `{"jsonrpc":"2.0","method":"approval/resolved","params":{"approvalId":7}}` + "\n", ""},
	{"a notification that is served is passed over where it cannot be read", `{"jsonrpc":"2.0","method":"userInput/engaged","params":{"sessionId":7}}` + "\n", ""},
	{"and where it is about nothing", `{"jsonrpc":"2.0","method":"userInput/engaged","params":{"sessionId":"0198f0aa-1111-7000-8000-0000000000aa","userInputId":"0198f0aa-1111-7000-8000-0000000000aa"}}` + "\n", ""},
	{"a cancellation of other protocols is passed over", `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}` + "\n", ""},

	{"jsonrpc must be there", `{"id":1,"method":"session/list"}` + "\n", badRequest},
	{"jsonrpc must be 2.0", `{"jsonrpc":"1.0","id":1,"method":"session/list"}` + "\n", badRequest},
	{"jsonrpc must be a string", `{"jsonrpc":2.0,"id":1,"method":"session/list"}` + "\n", badRequest},
	{"method must be there", `{"jsonrpc":"2.0","id":1}` + "\n", badRequest},
	{"method must be a string", `{"jsonrpc":"2.0","id":1,"method":["session/list"]}` + "\n", badRequest},
	{"method must not be null", `{"jsonrpc":"2.0","id":1,"method":null}` + "\n", badRequest},
	{"method must not be empty", `{"jsonrpc":"2.0","id":1,"method":""}` + "\n", badRequest},
	{"a request has no result", ask(`"id":1,"result":{}`), badRequest},
	{"a request has no error", ask(`"id":1,"error":null`), badRequest},
	{"an empty object is no request", "{}\n", noRequest},
	{"a batch is refused as one frame", "[" + strings.TrimSpace(ask(`"id":1`)) + "," + strings.TrimSpace(ask(`"id":2`)) + "]\n", noRequest},
	{"an empty batch is refused", "[]\n", noRequest},
	{"a batch of one is refused", "[" + strings.TrimSpace(ask(`"id":1`)) + "]\n", noRequest},
	{"a string is refused", `"session/list"` + "\n", noRequest},
	{"a number is refused", "-1e9\n", noRequest},
	{"null is refused", "null\n", noRequest},
	{"true is refused", "true\n", noRequest},
}

// ids are the promises about ids of requests.
var ids = []promise{
	{"zero", ask(`"id":0`), `0 result`},
	{"a negative number", ask(`"id":-1`), `-1 result`},
	{"minus zero keeps its sign", ask(`"id":-0`), `-0 result`},
	{"more than 64 bits", ask(`"id":123456789012345678901234567890`), `123456789012345678901234567890 result`},
	{"the largest of 64 bits and one more", ask(`"id":18446744073709551615`) + ask(`"id":18446744073709551616`), `18446744073709551615 result; 18446744073709551616 result`},
	{"no precision is lost behind 53 bits", ask(`"id":9007199254740993`), `9007199254740993 result`},
	{"a string", ask(`"id":"a"`), `"a" result`},
	{"an empty string", ask(`"id":""`), `"" result`},
	{"a string keeps its spelling", ask(`"id":"\u0061\/é\n"`), `"\u0061\/é\n" result`},
	{"a string with a NUL", ask(`"id":"\u0000"`), `"\u0000" result`},
	{"1 is not \"1\"", ask(`"id":1`) + ask(`"id":"1"`), `1 result; "1" result`},
	{"as long as an id may be", ask(`"id":"` + strings.Repeat("x", 4094) + `"`), `"` + strings.Repeat("x", 4094) + `" result`},
	{"a number as long as an id may be", ask(`"id":` + strings.Repeat("9", 4096)), strings.Repeat("9", 4096) + ` result`},
	{"a string that is too long is not repeated", ask(`"id":"` + strings.Repeat("x", 4095) + `"`), noRequest},
	{"a number that is too long is not repeated", ask(`"id":` + strings.Repeat("9", 4097)), noRequest},
	{"one id in flight twice is answered twice", ask(`"id":1`) + ask(`"id":1`), fine + "; " + fine},
	{"ids may come in any order", ask(`"id":3`) + ask(`"id":1`) + ask(`"id":2`), `3 result; 1 result; 2 result`},
	{"an id may be used again", ask(`"id":1`) + `{"jsonrpc":"2.0","id":1,"method":"future/thing"}` + "\n" + ask(`"id":1`), fine + "; " + noMethod + "; " + fine},
	{"null is no id", ask(`"id":null`), noRequest},
	{"true is no id", ask(`"id":true`), noRequest},
	{"an object is no id", ask(`"id":{}`), noRequest},
	{"an array is no id", ask(`"id":[1]`), noRequest},
	{"a fraction is no id, and is repeated", ask(`"id":1.5`), `1.5 -32600 invalidRequest`},
	{"a whole number with a fraction is no id", ask(`"id":1.0`), `1.0 -32600 invalidRequest`},
	{"an exponent is no id", ask(`"id":1e3`), `1e3 -32600 invalidRequest`},
	{"half a surrogate pair in an id is refused under it", ask(`"id":"` + surrogate + `"`), `"` + surrogate + `" -32602 invalidParams`},
}

// texts are the promises about lines, JSON and UTF-8.
var texts = []promise{
	{"CR before LF is taken", strings.TrimSpace(ask(`"id":1`)) + "\r\n", fine},
	{"CR alone ends no frame", strings.TrimSpace(ask(`"id":1`)) + "\r" + ask(`"id":2`), parseError},
	{"CR within a frame is white space", strings.ReplaceAll(ask(`"id":1`), ",", "\r,\r"), fine},
	{"two CR before LF are white space", strings.TrimSpace(ask(`"id":1`)) + "\r\r\n", fine},
	{"empty lines are passed over", "\n\r\n\n" + ask(`"id":1`) + "\n\r\n", fine},
	{"spaces and tabs may stand around a frame", " \t " + strings.TrimSpace(ask(`"id":1`)) + " \t \n", fine},
	{"a line of spaces is not empty", "  \n", parseError},
	{"two frames in a line are none", strings.TrimSpace(ask(`"id":1`)) + ask(`"id":2`), parseError},
	{"many frames in one write are all answered", strings.Repeat(ask(`"id":1`), 60), strings.TrimSuffix(strings.Repeat(fine+"; ", 60), "; ")},
	{"a bad frame among good ones is one answer", ask(`"id":1`) + "{]\n" + ask(`"id":1`), "any order: " + fine + "; " + fine + "; " + parseError},

	{"characters outside ASCII are taken as they are", asking(`"é😀\u2028"`), fine},
	{"a surrogate pair is one character", asking(`"\ud83d\ude00"`), fine},
	{"what only looks like half a pair is none", asking(`"\\ud800"`), fine},
	{"half a surrogate pair is refused with the id", asking(`"` + surrogate + `"`), badParams},
	{"halves in the wrong order are refused", asking(`"\ude00\ud83d"`), badParams},
	{"half a surrogate pair in a name is refused", asking(`{"` + surrogate + `":1}`), badParams},
	{"half a surrogate pair that nobody would read is refused", ask(`"id":1,"future":"` + surrogate + `"`), badParams},
	{"half a surrogate pair as the method is refused", `{"jsonrpc":"2.0","id":1,"method":"` + surrogate + `"}` + "\n", badParams},
	{"half a surrogate pair in a notification is passed over", `{"jsonrpc":"2.0","method":"` + surrogate + `"}` + "\n", ""},
	{"bytes that are no UTF-8 are refused", asking("\"\xff\""), parseError},
	{"UTF-8 that is cut off is refused", asking("\"\xf0\x9f\x98\""), parseError},
	{"UTF-8 that is longer than need be is refused", asking("\"\xc0\xaf\""), parseError},
	{"surrogates as UTF-8 are refused", asking("\"\xed\xa0\x80\""), parseError},
	{"a byte order mark is refused", "\ufeff" + ask(`"id":1`), parseError},
	{"a byte order mark in a string is a character", asking("\"\ufeff\""), fine},
	{"NUL before a frame is refused", "\x00" + ask(`"id":1`), parseError},
	{"NUL behind a frame is refused", strings.TrimSpace(ask(`"id":1`)) + "\x00\n", parseError},
	{"NUL in a string is refused", asking("\"\x00\""), parseError},
	{"NUL as an escape is a character", asking(`"\u0000"`), fine},
	{"a tab in a string is refused", asking("\"\t\""), parseError},

	{"64 levels are taken", asking(nested(64 - levelsInAsk)), fine},
	{"65 levels are refused", asking(nested(65 - levelsInAsk)), parseError},
	{"65 levels of objects are refused", asking(strings.Repeat(`{"a":`, 63) + "1" + strings.Repeat("}", 63)), parseError},
	{"brackets in strings are no levels", asking(`"` + strings.Repeat("[{", 500) + `"`), fine},
	{"ten thousand levels are refused", asking(nested(10_000)), parseError},
	{"ten thousand levels that are never closed are refused", strings.Repeat("[", 10_000) + "\n", parseError},
	{"the same name twice is refused", ask(`"id":1,"id":1`), parseError},
	{"the same name twice in two spellings is refused", ask(`"id":1,"\u0069d":1`), parseError},
	{"the same name twice further down is refused", asking(`{"a":[{"b":1,"b":1}]}`), parseError},
	{"the same unknown name twice is refused", ask(`"id":1,"future":1,"future":1`), parseError},
	{"the same name in two objects is no matter", asking(`[{"a":1},{"a":1}]`), fine},
	{"numbers of any size are taken", asking(`[1e400,-0.0e-9,` + strings.Repeat("9", 500) + `]`), fine},
	{"JSON ends where it ends", asking(`1}`), parseError},
	{"trailing commas are refused", asking(`[1,]`), parseError},
	{"comments are refused", asking(`1/**/`), parseError},
	{"single quotes are refused", "{'jsonrpc':'2.0'}\n", parseError},
	{"NaN is refused", asking(`NaN`), parseError},
	{"what is no JSON at all is refused", "GET / HTTP/1.1\n", parseError},
	{"headers of another framing are refused line by line", "Content-Length: 2\r\n\r\n{}\n", parseError + "; " + noRequest},
}

// doors are the ways to a daemon.
var doors = map[string]func(t *testing.T) *peer{
	"stdio of the real binary":           func(t *testing.T) *peer { return newPeer(t, newPlace(t).serve(t, "--stdio").stdio()) },
	"the agents' socket of the binary":   func(t *testing.T) *peer { return throughSocket(t, "agent") },
	"the reviewers' socket of the same":  func(t *testing.T) *peer { return throughSocket(t, "reviewer") },
	"a pipe to a daemon in this process": func(t *testing.T) *peer { return newPeer(t, newPlace(t).start(t).pipe(wire.RoleBoth)) },
}

// throughSocket starts a daemon of its own: this process would be an agent's to the reviewers' socket.
func throughSocket(t *testing.T, name string) *peer {
	place := newPlace(t)
	place.serve(t)
	return dial(t, place.socket(name))
}

func TestFramesOfClients(t *testing.T) {
	for door, open := range doors {
		t.Run(door, func(t *testing.T) {
			t.Parallel()
			p := open(t)
			p.hello()
			for _, row := range slices.Concat(envelopes, ids, texts) {
				t.Run(row.what, func(t *testing.T) {
					p.t = t
					p.holds(row)
				})
			}
			p.t = t
		})
	}
}

// holds checks a row.
func (p *peer) holds(row promise) {
	p.t.Helper()
	p.write(row.send)
	got := p.answers()
	text, unordered := strings.CutPrefix(row.want, "any order: ")
	want := []string{}
	if text != "" {
		want = strings.Split(text, "; ")
	}
	if unordered {
		slices.Sort(got)
		slices.Sort(want)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Errorf("%s: %s\nanswers (-want +got):\n%s", row.what, clip(row.send), diff)
	}
}

func clip(s string) string {
	if len(s) > 300 {
		return fmt.Sprintf("%.300q… (%d bytes)", s, len(s))
	}
	return fmt.Sprintf("%q", s)
}
