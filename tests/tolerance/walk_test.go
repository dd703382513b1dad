package tolerance

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/scenario"
	"github.com/approvald/approvald/wire"
)

// line is a line of a recorded scenario (internal/scenario says what they are).
type line struct {
	Dir    string  `json:"dir"`
	Conn   string  `json:"conn,omitempty"`
	Role   string  `json:"role,omitempty"`
	Raw    *string `json:"raw,omitempty"`
	Base64 string  `json:"base64,omitempty"`
	text   []byte
}

// recording is a recorded scenario.
type recording struct {
	header []byte
	steps  []happening
}

// happening is a client or control line and what everybody is told because of it.
type happening struct {
	line
	want map[string][]string // frames by connection
}

// recordings are the scenarios by their files, without those that stand for recordings made
// elsewhere.
func recordings(t *testing.T) map[string]recording {
	t.Helper()
	files, err := filepath.Glob("../../testdata/scenarios/*.ndjson")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios found: %v", err)
	}
	all := map[string]recording{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		header, rest, _ := bytes.Cut(text, []byte("\n"))
		if bytes.Contains(header, []byte(`"vars"`)) {
			continue
		}
		r := recording{header: header}
		for text := range bytes.Lines(rest) {
			l := line{text: bytes.TrimSpace(text)}
			if err := json.Unmarshal(text, &l); err != nil {
				t.Fatal(err)
			}
			if l.Conn == "" {
				l.Conn = "main"
			}
			if l.Dir != "server" {
				r.steps = append(r.steps, happening{line: l, want: map[string][]string{}})
				continue
			}
			want := r.steps[len(r.steps)-1].want
			want[l.Conn] = append(want[l.Conn], *l.Raw)
		}
		all[filepath.Base(file)] = r
	}
	return all
}

// isFrame reports whether the step is a frame of a client that is a JSON object.
func (h happening) frame() (*node, bool) {
	if h.Dir != "client" || h.Raw == nil || strings.Contains(string(h.text), `"pad"`) {
		return nil, false
	}
	n, ok := parse(*h.Raw)
	return n, ok && n.object
}

// says is a client line of this step with another frame.
func (h happening) says(t *rapid.T, frame []byte) []byte {
	l := line{Dir: "client", Conn: h.Conn, Role: h.Role, Base64: base64.StdEncoding.EncodeToString(frame)}
	text, err := wire.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// walk plays a recording in which every frame is spelt by spell, nil for as it is, and behind every
// step comes what comes between. Everybody must be told what is recorded, byte for byte but for the
// spelling of ids.
func (r recording) walk(t *rapid.T, s *speller, between func(*scenario.World, happening)) {
	w, err := scenario.NewWorld(r.header)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	spelt := map[string]bool{} // the ids of frames that were
	for _, step := range r.steps {
		text := step.text
		if frame, ok := step.frame(); s != nil && ok {
			text = step.says(t, []byte(s.frame(frame)))
			if id := frame.get("id"); id != nil {
				spelt[id.scalar] = true
			}
		}
		heard, err := w.Step(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string][]string{}
		for _, h := range heard {
			got[h.Conn] = h.Lines
		}
		for _, conn := range slices.Concat(keys(step.want), keys(got)) {
			want := slices.Clone(step.want[conn])
			for i := range want {
				if id := answered(want[i]); spelt[id] {
					want[i] = strings.Replace(want[i], id, s.id(id), 1)
				}
			}
			if !slices.Equal(want, got[conn]) {
				t.Fatalf("sent %s\ninstead of %s\n%s is told\n  %s\nwant\n  %s", text, step.text, conn,
					strings.Join(got[conn], "\n  "), strings.Join(want, "\n  "))
			}
		}
		if between != nil {
			between(w, step)
		}
	}
}

func keys(m map[string][]string) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	return names
}

// answered is the id that a frame answers, as it is spelt; "" where it is no answer.
func answered(frame string) string {
	rest, ok := strings.CutPrefix(frame, `{"jsonrpc":"2.0","id":`)
	for _, after := range []string{`,"result":`, `,"error":`} {
		if id, _, is := strings.Cut(rest, after); ok && is && json.Valid([]byte(id)) {
			return id
		}
	}
	return ""
}

// Whatever is recorded holds for every spelling of it: with members that nobody knows at every level,
// white space, members in another order, escapes, CR at the end, and ids spelt otherwise.
func TestScenariosSpeltOtherwiseAreAnsweredTheSame(t *testing.T) {
	all := recordings(t)
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range all {
			if !yield(name) {
				return
			}
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		r := all[rapid.SampledFrom(names).Draw(t, "scenario")]
		r.walk(t, &speller{rapid.Uint64().Draw(t, "seed")}, nil)
	})
}

// spoiling is a way to make of a request what is none, or one that nobody may be served.
type spoiling struct {
	what string
	code int // of the answer; 0: any, where what is wrong may be hidden behind something else
	// spoil gives the bytes, or nil where this request cannot be spoilt so.
	spoil func(r *rand.Rand, request *node) []byte
	id    func(request *node) string // under which it is refused
}

func sameID(request *node) string { return request.get("id").scalar }
func nullID(*node) string         { return "null" }

// changed makes a spoiling of a change to the object.
func changed(change func(r *rand.Rand, request *node) *node) func(*rand.Rand, *node) []byte {
	return func(r *rand.Rand, request *node) []byte {
		if out := change(r, request); out != nil {
			return []byte(out.String())
		}
		return nil
	}
}

func scalar(text string) *node { return &node{scalar: text} }

// withParam changes a member of params.
func withParam(request *node, name string, value *node) *node {
	params := request.get("params")
	if params == nil || params.get(name) == nil {
		return nil
	}
	return request.with("params", params.with(name, value))
}

var spoilings = []spoiling{
	{"a member twice", wire.CodeParseError, func(r *rand.Rand, request *node) []byte {
		twice := request.members[r.IntN(len(request.members))]
		return []byte((&node{object: true, members: append(slices.Clone(request.members), twice)}).String())
	}, nullID},
	{"cut off", wire.CodeParseError, func(r *rand.Rand, request *node) []byte {
		text := request.String()
		return []byte(text[:1+r.IntN(len(text)-1)])
	}, nullID},
	{"closed once too often", wire.CodeParseError, func(_ *rand.Rand, request *node) []byte { return []byte(request.String() + "}") }, nullID},
	{"twice in a line", wire.CodeParseError, func(_ *rand.Rand, request *node) []byte { return []byte(request.String() + request.String()) }, nullID},
	{"behind a byte order mark", wire.CodeParseError, func(_ *rand.Rand, request *node) []byte { return []byte("\ufeff" + request.String()) }, nullID},
	{"with a byte that is no UTF-8", wire.CodeParseError, func(_ *rand.Rand, request *node) []byte {
		return []byte(request.with("future", scalar("\"\xff\"")).String())
	}, nullID},
	{"with a NUL", wire.CodeParseError, func(r *rand.Rand, request *node) []byte {
		text := request.String()
		at := r.IntN(len(text) + 1)
		return []byte(text[:at] + "\x00" + text[at:])
	}, nullID},
	{"too deep", wire.CodeParseError, changed(func(_ *rand.Rand, request *node) *node { return request.with("future", scalar(nested(64))) }), nullID},
	{"in a batch", wire.CodeInvalidRequest, func(_ *rand.Rand, request *node) []byte { // without params, which may be as deep as they may
		return []byte("[" + request.with("params", nil).String() + "]")
	}, nullID},
	{"under an id that is null", wire.CodeInvalidRequest, changed(func(_ *rand.Rand, request *node) *node { return request.with("id", scalar("null")) }), nullID},
	{"under an id with a fraction", wire.CodeInvalidRequest, changed(func(_ *rand.Rand, request *node) *node { return request.with("id", scalar("1.5")) }), func(*node) string { return "1.5" }},
	{"of another version", wire.CodeInvalidRequest, changed(func(_ *rand.Rand, request *node) *node { return request.with("jsonrpc", scalar(`"1.0"`)) }), sameID},
	{"without a method", wire.CodeInvalidRequest, changed(func(_ *rand.Rand, request *node) *node { return request.with("method", nil) }), sameID},
	{"with a result", wire.CodeInvalidRequest, changed(func(_ *rand.Rand, request *node) *node { return request.with("result", scalar("{}")) }), sameID},
	{"with params in an array", wire.CodeInvalidParams, changed(func(_ *rand.Rand, request *node) *node { return request.with("params", scalar(`[{"sessionId":"x"}]`)) }), sameID},
	{"with half a surrogate pair", wire.CodeInvalidParams, changed(func(_ *rand.Rand, request *node) *node { return request.with("future", scalar(`"\ud800"`)) }), sameID},
	{"of a method that nobody knows", 0, changed(func(_ *rand.Rand, request *node) *node {
		return request.with("method", scalar(`"future/`+strings.TrimPrefix(request.get("method").scalar, `"`)))
	}), sameID},
	{"without its commandId", 0, changed(func(_ *rand.Rand, request *node) *node { return withParam(request, "commandId", nil) }), sameID},
	{"with a commandId of version 4", 0, changed(func(_ *rand.Rand, request *node) *node {
		return withParam(request, "commandId", scalar(`"0198f0aa-1111-4000-8000-0000000000aa"`))
	}), sameID},
	{"with a number for a session", 0, changed(func(_ *rand.Rand, request *node) *node { return withParam(request, "sessionId", scalar("7")) }), sameID},
	{"with a session in capitals", 0, changed(func(_ *rand.Rand, request *node) *node {
		return withParam(request, "sessionId", scalar(`"0198F0AA-1111-7000-8000-0000000000AA"`))
	}), sameID},
}

// Frames that are not taken are refused one by one, and change nothing of what is recorded: not in
// one cursor of what follows.
func TestScenariosAmongHostileFramesAreAnsweredTheSame(t *testing.T) {
	all := recordings(t)
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range all {
			if !yield(name) {
				return
			}
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		r := all[rapid.SampledFrom(names).Draw(t, "scenario")]
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		r.walk(t, nil, func(w *scenario.World, step happening) {
			request, ok := step.frame()
			if !ok || request.get("id") == nil || !speaks(step) {
				return
			}
			s := spoilings[random.IntN(len(spoilings))]
			frame := s.spoil(random, request)
			if frame == nil {
				return
			}
			heard, err := w.Step(t.Context(), step.says(t, frame))
			if err != nil {
				t.Fatal(err)
			}
			if len(heard) != 1 || heard[0].Conn != step.Conn || len(heard[0].Lines) != 1 {
				t.Fatalf("%s: %s is answered %v", s.what, frame, heard)
			}
			var f struct {
				ID    json.RawMessage `json:"id"`
				Error *wire.Error     `json:"error"`
			}
			if err := json.Unmarshal([]byte(heard[0].Lines[0]), &f); err != nil {
				t.Fatal(err)
			}
			if f.Error == nil || f.Error.Data.Kind == "" || s.code != 0 && f.Error.Code != s.code || string(f.ID) != s.id(request) {
				t.Fatalf("%s: %s is answered %s", s.what, frame, heard[0].Lines[0])
			}
		})
	})
}

// speaks reports whether the step was answered at once by a result: the request was a good one, and
// its connection goes on.
func speaks(step happening) bool {
	request, _ := step.frame()
	return slices.ContainsFunc(step.want[step.Conn], func(frame string) bool {
		return strings.HasPrefix(frame, `{"jsonrpc":"2.0","id":`+request.get("id").scalar+`,"result":`)
	})
}
