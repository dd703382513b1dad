package tolerance

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// mixture is bytes of a client with everything in it that may lie across a cut: CR LF, empty lines,
// escapes, characters of two to four bytes, bad UTF-8, and frames that are none.
var mixture = promise{"a mixture",
	strings.TrimSpace(ask(`"id":"é\u00e9"`)) + "\r\n\r\n\n" +
		`{"jsonrpc":"2.0","method":"future/😀"}` + "\n" +
		asking(`"\ud83d\ude00 😀 ü \ud800"`) +
		asking("\"\xf0\x9f\x98\"") +
		"[]\n" + ask(`"id":-1,"trace":"\\"`) + `{"jsonrpc":"2.0","id":2}` + "\n",
	// What is queued and what is refused at once may overtake each other.
	`any order: "é\u00e9" result; ` + badParams + "; " + parseError + "; " + noRequest + "; -1 result; 2 -32600 invalidRequest"}

// The daemon reads each piece before the next is written: the pipe has no buffer.
func TestFramesMayBeCutAnywhere(t *testing.T) {
	p := newPlace(t).start(t).join(wire.RoleBoth)
	for at := range len(mixture.send) {
		p.write(mixture.send[:at])
		row := promise{fmt.Sprintf("cut before byte %d", at), mixture.send[at:], mixture.want}
		if p.holds(row); t.Failed() {
			return
		}
	}
}

func TestFramesMayComeInPiecesOfAnySize(t *testing.T) {
	p := newPlace(t).start(t).join(wire.RoleBoth)
	for size := 1; size <= len(mixture.send); size = size*3/2 + 1 {
		for piece := range slices.Chunk([]byte(mixture.send), size) {
			p.write(string(piece))
		}
		if p.holds(promise{fmt.Sprintf("pieces of %d bytes", size), "", mixture.want}); t.Failed() {
			return
		}
	}
}

// One byte a write, and everything in one, by the transports there are.
func TestPiecesOfOneByteByEveryTransport(t *testing.T) {
	for door, open := range doors {
		t.Run(door, func(t *testing.T) {
			t.Parallel()
			p := open(t)
			p.hello()
			for i := range len(mixture.send) {
				p.write(mixture.send[i : i+1])
			}
			p.holds(promise{"one byte a write", "", mixture.want})
			const times = 50 // within what may wait on a connection
			p.write(strings.Repeat(mixture.send, times))
			if got, want := len(p.answers()), times*6; got != want {
				t.Errorf("%d answers to %d mixtures in one write, want %d", got, times, want)
			}
		})
	}
}

// A whole conversation, whose every frame changes something, cut at each of its bytes, comes to the
// same as in one piece.
func TestACommandMayBeCutAnywhere(t *testing.T) {
	w := newPlace(t).start(t)
	p := w.join(wire.RoleBoth, `"interactive":false`)
	session := p.start()
	const text = "naïve 😀"
	for at := 0; ; at++ {
		id, line := p.request(wire.MethodApprovalOpen, opening(session, `"justification":"`+text+`"`))
		if at > len(line) {
			return
		}
		p.write(line[:at])
		p.write(line[at:])
		opened := p.answer(id)
		if opened.Error != nil {
			t.Fatalf("cut before byte %d of %q: %s", at, line, opened.raw)
		}
		approval := member(t, opened.Result, "approvalId")
		if got := member(t, p.must(wire.MethodApprovalRead, object(in(session), about(approval))), "request", "justification"); got != text {
			t.Fatalf("cut before byte %d, the justification is %q", at, got)
		}
		p.must(wire.MethodApprovalDecide, deciding(session, approval, wire.ChoiceAbort))
	}
}

// padded is a request of a frame of so many bytes, which the given ending follows.
func padded(id string, size int, ending string) string {
	head, tail := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/list","params":{"future":"`, id), `"}}`
	return head + strings.Repeat("x", size-len(head)-len(tail)) + tail + ending
}

func TestFramesAtTheLimit(t *testing.T) {
	late := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/list","params":{"future":"%s"},"id":1}`+"\n", strings.Repeat("x", wire.MaxFrame))
	tooLarge := "1 -32002 inputTooLarge"
	for door, open := range doors {
		t.Run(door, func(t *testing.T) {
			t.Parallel()
			p := open(t)
			p.hello()
			for _, row := range []promise{
				{"10 MiB are taken", padded("1", wire.MaxFrame, "\n"), fine},
				{"CR does not count", padded("1", wire.MaxFrame, "\r\n"), fine},
				{"one byte more is refused with its id", padded("1", wire.MaxFrame+1, "\n"), tooLarge},
				{"one byte more is refused with a long id", padded(`"`+strings.Repeat("y", 4000)+`"`, wire.MaxFrame+1, "\n"), `"` + strings.Repeat("y", 4000) + `" -32002 inputTooLarge`},
				{"spaces count", padded("1", wire.MaxFrame, " \n"), tooLarge},
				{"a second CR counts", padded("1", wire.MaxFrame, "\r\r\n"), tooLarge},
				{"twice as much is refused once", padded("1", 2*wire.MaxFrame, "\n"), tooLarge},
				{"where the id stands behind it is not seen", late, "null -32002 inputTooLarge"},
				{"what is no JSON at all is refused without id", strings.Repeat("x", wire.MaxFrame+1) + "\n", "null -32002 inputTooLarge"},
				{"spaces alone are refused without id", strings.Repeat(" ", wire.MaxFrame+1) + "\n", "null -32002 inputTooLarge"},
				{"a large frame leaves nothing behind for the next", padded("1", wire.MaxFrame+1, "\n") + ask(`"id":2`), tooLarge + "; 2 result"},
			} {
				p.holds(row)
			}
		})
	}
}

// An oversized frame says how large one may be.
func TestAnOversizedFrameIsToldTheLimit(t *testing.T) {
	p := newPlace(t).start(t).join(wire.RoleBoth)
	p.write(padded("1", wire.MaxFrame+1, "\n"))
	if f := p.answer("1"); f.Error == nil || f.Error.Data.LimitBytes != wire.MaxFrame {
		t.Errorf("answered %s", f.raw)
	}
}

// printf '{…}' | approvald serve --stdio: the last frame needs no newline, whatever transport it comes by.
func TestTheLastFrameNeedsNoNewline(t *testing.T) {
	for door, open := range doors {
		if strings.HasPrefix(door, "a pipe") {
			continue // it cannot be half closed
		}
		t.Run(door, func(t *testing.T) {
			t.Parallel()
			for ending, want := range map[string][]string{
				strings.TrimSpace(ask(`"id":1`)):        {fine},
				strings.TrimSpace(ask(`"id":1`)) + "\r": {fine},
				ask(`"id":1`) + "\r":                    {fine},
				ask(`"id":1`)[:20]:                      {parseError},
				ask(`"id":1`) + "\xf0\x9f":              {fine, parseError},
			} {
				p := open(t)
				p.hello()
				p.answers()
				p.write(ending)
				p.closeWrite()
				got := p.rest()
				slices.Sort(got)
				slices.Sort(want)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("ending in %q, answers (-want +got):\n%s", ending, diff)
				}
			}
		})
	}
}

// What was cut off when a connection broke is nobody's frame.
func TestAConnectionThatBreaksWithinAFrameIsNoMatter(t *testing.T) {
	place := newPlace(t)
	place.serve(t)
	other := dial(t, place.socket("host"))
	other.hello(`"interactive":false`)
	session := other.start()
	_, line := other.request(wire.MethodApprovalOpen, opening(session))
	for at := 1; at < len(line); at += 7 {
		p := dial(t, place.socket("host"))
		p.hello(`"interactive":false`)
		p.write(line[:at])
		p.hangUp()
	}
	if got := string(other.must(wire.MethodApprovalListPending, object(in(session)))); !strings.Contains(got, `"approvals":[]`) {
		t.Errorf("half a frame had an effect: %s", got)
	}
	if _, err := io.WriteString(other.conn, line); err != nil { // the whole frame is good
		t.Fatal(err)
	}
	other.event(wire.MethodApprovalRequested)
}
