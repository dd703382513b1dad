package tolerance

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// server is one that nobody here wrote, at the other end of a client's connection. It is for one
// goroutine beside those of the client.
type server struct {
	t     *testing.T
	conn  net.Conn
	lines *bufio.Reader
}

// connect makes the handshake between a client with these options and a server.
func connect(t *testing.T, o client.Options) (*client.Client, *server) {
	t.Helper()
	near, far := net.Pipe()
	s := &server{t, far, bufio.NewReader(far)}
	var shaking sync.WaitGroup
	shaking.Go(func() {
		s.say(`{"jsonrpc":"2.0","id":` + s.hear("initialize") + `,"result":{"serverInfo":{"name":"other","version":"9","future":1},"museHome":"/","schema":{"version":7},"sessionDurability":"eternal","grantedCapabilities":["future"],"future":{}}}` + "\n")
		s.hear("initialized")
	})
	c, err := client.New(t.Context(), near, o)
	if err != nil {
		t.Fatal(err)
	}
	shaking.Wait()
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), far.Close()); err != nil {
			t.Error(err)
		}
	})
	return c, s
}

// say sends bytes as they are. The client may have given the connection up.
func (s *server) say(bytes string) {
	if _, err := io.WriteString(s.conn, bytes); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		s.t.Errorf("the server cannot write: %v", err)
	}
}

// hear reads the client's next frame, of which the method must be this, and gives the id.
func (s *server) hear(method string) (id string) {
	line, err := s.lines.ReadString('\n')
	var f struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if err != nil || json.Unmarshal([]byte(line), &f) != nil || f.Method != method {
		s.t.Errorf("the client sent %q (%v), want %s", line, err, method)
	}
	return string(f.ID)
}

// answering is one row: what a server sends when it is asked to read an approval, $id being the id of
// the question, and what the client's caller is told. Afterwards the connection must be of use,
// unless it is told that it was lost.
type answering struct{ what, send, want string }

const (
	read = `{"request":{"subject":{"kind":"tool"}},"resolution":{"outcome":"rejected"}}`
	lost = "lost"
)

// answerOf is a response with this result.
func answerOf(result string) string { return `{"jsonrpc":"2.0","id":$id,"result":` + result + "}\n" }

// errorOf is a response with this error.
func errorOf(e string) string { return `{"jsonrpc":"2.0","id":$id,"error":` + e + "}\n" }

// inShort is what the caller of ReadApproval is told, in short: outcome and subject, or the error's
// code, kind and whether it may be retried.
func inShort(r wire.ApprovalReadResult, err error) string {
	if refusal, ok := errors.AsType[*wire.Error](err); ok {
		return fmt.Sprintf("%d %s %t", refusal.Code, refusal.Data.Kind, refusal.Data.Retryable)
	}
	switch {
	case errors.Is(err, client.ErrFrameTooLarge):
		return "too large"
	case errors.Is(err, client.ErrConnectionLost):
		return lost
	case err != nil && strings.Contains(err.Error(), "does not fit"):
		return "does not fit"
	case err != nil:
		return err.Error()
	case r.Resolution == nil:
		return "pending " + string(r.Request.Subject)
	}
	return string(r.Resolution.Outcome) + " " + string(r.Request.Subject)
}

const rejected = `rejected {"kind":"tool"}`

// serverFrames are the promises about frames of servers.
var serverFrames = []answering{
	{"an answer", answerOf(read), rejected},
	{"members of the envelope that nobody knows", `{"future":[1],"trace":{},"jsonrpc":"2.0","id":$id,"meta":7,"result":` + read + "}\n", rejected},
	{"names of the envelope in another case", `{"ID":7,"Method":"x","RESULT":{},"Error":{"code":1},"jsonrpc":"2.0","id":$id,"result":` + read + "}\n", rejected},
	{"members in any order", `{"result":` + read + `,"id":$id,"jsonrpc":"2.0"}` + "\n", rejected},
	{"escapes and white space", " {\t\"\\u006asonrpc\" : \"2\\u002e0\" ,\r\"id\" : $id , \"result\" : " + read + " } \n", rejected},
	{"an error that is null beside a result", `{"jsonrpc":"2.0","id":$id,"error":null,"result":` + read + "}\n", rejected},
	{"CR before LF", strings.TrimSpace(answerOf(read)) + "\r\n", rejected},
	{"empty lines", "\n\r\n  \n" + answerOf(read) + "\n\n", rejected},
	{"an answer to nothing before", `{"jsonrpc":"2.0","id":"future","result":{}}` + "\n" + answerOf(read), rejected},
	{"an error to nothing before", `{"jsonrpc":"2.0","id":4711,"error":{"code":1,"message":"m"}}` + "\n" + answerOf(read), rejected},
	{"an answer twice: the first counts", answerOf(read) + answerOf(`{"resolution":{"outcome":"allowedOnce"}}`), rejected},
	{"an answer under a number is not that under a text", strings.NewReplacer(`"id":$id`, `"id":$number`).Replace(answerOf(`{"resolution":{"outcome":"allowedOnce"}}`)) + answerOf(read), rejected},
	{"another version is none of ours", `{"jsonrpc":"1.0","id":$id,"result":` + read + "}\n", lost},
	{"a batch is none of ours", "[" + strings.TrimSpace(answerOf(read)) + "]\n", lost},
	{"what is no JSON", "{]\n", lost},
	{"result and error", `{"jsonrpc":"2.0","id":$id,"error":{"code":1,"message":"m"},"result":` + read + "}\n", lost},
	{"an answer to id null", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}` + "\n", lost},
	{"a frame of 10 MiB", `{"jsonrpc":"2.0","future":"$pad","id":$id,"result":` + read + "}\n", rejected},
	{"a frame of one byte more", `{"jsonrpc":"2.0","future":"$pad-","id":$id,"result":` + read + "}\n", "too large"},
}

// serverResults are the promises about what is in results.
var serverResults = []answering{
	{"members that nobody knows", answerOf(`{"future":1,"request":{"future":{"a":[]},"subject":{"kind":"tool"}},"resolution":{"outcome":"rejected","future":null}}`), rejected},
	{"names in another case are other names", answerOf(`{"request":{"subject":{"kind":"tool"},"Subject":{"kind":"shell"}},"resolution":{"outcome":"rejected","OUTCOME":"allowedOnce"},"Resolution":{"outcome":"allowedOnce"}}`), rejected},
	{"members that are null", answerOf(`{"request":{"subject":{"kind":"tool"},"operation":null,"subagentOrigin":null,"toolName":null},"resolution":null}`), `pending {"kind":"tool"}`},
	{"an outcome that nobody knows is kept", answerOf(`{"request":{"subject":{"kind":"tool"}},"resolution":{"outcome":"postponed"}}`), `postponed {"kind":"tool"}`},
	{"a subject of an unknown kind is kept to the byte", answerOf(`{"request":{"subject":{"z":1e400,"kind":"hologram","a":"<\u0026>"}},"resolution":{"outcome":"rejected"}}`), `rejected {"z":1e400,"kind":"hologram","a":"<\u0026>"}`},
	{"numbers of any size where nobody looks", answerOf(`{"future":1e999,"request":{"subject":{"kind":"tool"}},"resolution":{"outcome":"rejected"}}`), rejected},
	{"a result that is null is none", answerOf(`null`), "does not fit"},
	{"a result that is an array is none", answerOf(`[]`), "does not fit"},
	{"a result that is a text is none", answerOf(`"rejected"`), "does not fit"},
	{"a member of another type", answerOf(`{"resolution":{"outcome":7}}`), "does not fit"},
	{"a member twice is not guessed at", answerOf(`{"request":{"subject":{"kind":"tool"}},"resolution":{"outcome":"rejected","outcome":"allowedOnce"}}`), lost},
	{"text that is no UTF-8 is not guessed at", answerOf("{\"resolution\":{\"outcome\":\"rejected\xff\"}}"), lost},
}

// serverErrors are the promises about errors: callers branch on a kind, whatever the server leaves out.
var serverErrors = []answering{
	{"an error", errorOf(`{"code":-32050,"message":"m","data":{"kind":"approvalNotFound","retryable":false}}`), "-32050 approvalNotFound false"},
	{"without data it has the kind of its code", errorOf(`{"code":-32050,"message":"m"}`), "-32050 approvalNotFound false"},
	{"and whether it may be retried", errorOf(`{"code":-32095,"message":"m"}`), "-32095 shuttingDown true"},
	{"with data null", errorOf(`{"code":-32050,"message":"m","data":null}`), "-32050 approvalNotFound false"},
	{"with data that are an array", errorOf(`{"code":-32050,"message":"m","data":[1]}`), "-32050 approvalNotFound false"},
	{"with data that are a text", errorOf(`{"code":-32050,"message":"m","data":"approvalNotFound"}`), "-32050 approvalNotFound false"},
	{"with data without a kind", errorOf(`{"code":-32050,"message":"m","data":{"future":1}}`), "-32050 approvalNotFound false"},
	{"with data that nobody knows", errorOf(`{"code":-32050,"message":"m","data":{"kind":"approvalNotFound","retryable":false,"future":{"a":1},"details":[1]}}`), "-32050 approvalNotFound false"},
	{"with a kind that nobody knows", errorOf(`{"code":-32050,"message":"m","data":{"kind":"approvalEvaporated","retryable":true}}`), "-32050 approvalEvaporated true"},
	{"with retryable against the table", errorOf(`{"code":-32050,"message":"m","data":{"kind":"approvalNotFound","retryable":true}}`), "-32050 approvalNotFound true"},
	{"with a known member of another type", errorOf(`{"code":-32051,"message":"m","data":{"kind":"approvalAlreadyResolved","resolution":"rejected"}}`), "-32051 approvalAlreadyResolved false"},
	{"with a kind in another case", errorOf(`{"code":-32050,"message":"m","data":{"kind":"approvalNotFound","Kind":"internal","RETRYABLE":true}}`), "-32050 approvalNotFound false"},
	{"with a code that nobody knows", errorOf(`{"code":-31999,"message":"m","data":{"kind":"future","retryable":false}}`), "-31999 future false"},
	{"with a code that nobody knows, and nothing else", errorOf(`{"code":-31999,"message":"m"}`), "-31999  false"},
	{"with members that nobody knows", errorOf(`{"future":1,"code":-32050,"message":"m","Code":7}`), "-32050 approvalNotFound false"},
	{"without a message", errorOf(`{"code":-32050}`), "-32050 approvalNotFound false"},
	{"beside a result that is null", `{"jsonrpc":"2.0","id":$id,"result":null,"error":{"code":-32050,"message":"m"}}` + "\n", "-32050 approvalNotFound false"},
	{"that is a text is none", errorOf(`"approvalNotFound"`), "does not fit"},
	{"with a code that is no number is none", errorOf(`{"code":"approvalNotFound","message":"m"}`), "does not fit"},
}

func TestAnswersOfServers(t *testing.T) {
	for name, rows := range map[string][]answering{"frames": serverFrames, "results": serverResults, "errors": serverErrors} {
		for _, row := range rows {
			t.Run(name+"/"+row.what, func(t *testing.T) {
				c, s := connect(t, client.Options{})
				var serving sync.WaitGroup
				defer serving.Wait()
				serving.Go(func() { s.say(fill(row.send, s.hear(wire.MethodApprovalRead))) })
				r, err := c.ReadApproval(t.Context(), wire.ApprovalReadParams{SessionID: "s", ApprovalID: "a"})
				if got := inShort(r, err); got != row.want {
					t.Fatalf("the caller is told %q (%v), want %q", got, err, row.want)
				}
				if row.want == lost || row.want == "too large" {
					return
				}
				serving.Go(func() { s.say(fill(answerOf(read), s.hear(wire.MethodApprovalRead))) })
				if r, err = c.ReadApproval(t.Context(), wire.ApprovalReadParams{SessionID: "s", ApprovalID: "a"}); inShort(r, err) != rejected {
					t.Errorf("afterwards the caller is told %q (%v)", inShort(r, err), err)
				}
			})
		}
	}
}

// fill puts the id into a frame: as it is, as a number, and padding to 10 MiB.
func fill(frame, id string) string {
	frame = strings.NewReplacer("$id", id, "$number", strings.Trim(id, `"`)).Replace(frame)
	return strings.Replace(frame, "$pad", strings.Repeat("x", max(0, wire.MaxFrame-len(strings.TrimSuffix(frame, "\n"))+len("$pad")+strings.Count(frame, "$pad-"))), 1)
}

func TestFramesOfServersMayBeCutAnywhere(t *testing.T) {
	c, s := connect(t, client.Options{})
	text := strings.Replace(answerOf(read), "tool", "é😀", 1) + "\r\n"
	for at := range len(text) {
		var serving sync.WaitGroup
		serving.Go(func() {
			frame := fill(text, s.hear(wire.MethodApprovalRead))
			s.say(frame[:at])
			s.say(frame[at:])
		})
		r, err := c.ReadApproval(t.Context(), wire.ApprovalReadParams{SessionID: "s", ApprovalID: "a"})
		serving.Wait()
		if got, want := inShort(r, err), `rejected {"kind":"é😀"}`; got != want {
			t.Fatalf("cut before byte %d the caller is told %q (%v), want %q", at, got, err, want)
		}
	}
}
