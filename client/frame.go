package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	strict "github.com/go-json-experiment/json"

	"github.com/approvald/approvald/wire"
)

// decode reads what a server sent. Unlike encoding/json it takes no name for
// another that differs in case, no name twice, and no text that is not UTF-8:
// what a reviewer is shown must not depend on who reads it.
func decode(text []byte, v any) error { return strict.Unmarshal(text, v) }

// frame holds the members of an inbound frame, each as it was sent.
type frame map[string]json.RawMessage

// has reports whether there is such a member that is not null.
func (f frame) has(member string) bool { return f[member] != nil && string(f[member]) != "null" }

// text is a member that is a string, "" for anything else.
func (f frame) text(member string) (text string) {
	if decode(f[member], &text) != nil {
		return ""
	}
	return text
}

// emittedAtMs is the time of a notification, 0 where it has none that is one.
func (f frame) emittedAtMs() int64 {
	ms, _ := strconv.ParseInt(string(f["emittedAtMs"]), 10, 64)
	return ms
}

// What an answer is, in the text that goes through the library.
const (
	isResult = "result"
	isError  = "error"
)

// outline is the frame as the library is shown it. A question is whether there
// is one; its id and params stay in the frame. An answer is a text, which
// readAnswer reads, under the id of the question; those of this client are
// strings, so any other id answers nothing.
func (f frame) outline() ([]byte, error) {
	_, result := f[isResult]
	switch {
	case f.has("method") && (result || f.has(isError)), f.has(isResult) && f.has(isError):
		return nil, errors.New("it is both")
	case f.text("method") != "" && f.has("id"):
		return wire.Marshal(map[string]any{"method": f.text("method"), "id": 0})
	case f.text("method") != "":
		return wire.Marshal(map[string]any{"method": f.text("method")})
	case !result && !f.has(isError):
		return nil, errors.New("it has neither method nor result nor error")
	}
	answer := isResult + string(f[isResult])
	if f.has(isError) {
		answer = isError + string(f[isError])
	}
	id := f["id"]
	if !strings.HasPrefix(string(id), `"`) {
		id = json.RawMessage("null")
	}
	return wire.Marshal(map[string]any{"id": id, "result": answer})
}

// readAnswer reads an answer into result, which may be nil to ignore it, or
// returns the refusal that it is.
func readAnswer(method, answer string, result any) error {
	if text, refused := strings.CutPrefix(answer, isError); refused {
		refusal, err := refusalError([]byte(text))
		if err != nil {
			return unfit(method, err)
		}
		return refusal
	}
	text := strings.TrimPrefix(answer, isResult)
	if !strings.HasPrefix(text, "{") {
		return unfit(method, errors.New("it is no object"))
	}
	if result == nil {
		return nil
	}
	if err := decode([]byte(text), result); err != nil {
		return unfit(method, err)
	}
	return nil
}

func unfit(method string, err error) error {
	return fmt.Errorf("%s: the daemon's answer does not fit: %w", method, err)
}
