package corpus

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/approvald/approvald/internal/scenario"
	"github.com/approvald/approvald/wire"
)

// run is one run of a case.
type run struct {
	c        *Case
	program  string // approvald; "" for none
	world    *scenario.World
	peers    map[string]*peer
	requests int    // sent so far; ids of requests
	commands int    // minted so far
	replies  []said // that nobody has taken yet

	sessions  map[string]*session
	approvals map[string]*approved
	catalogs  map[listed]string // ids of the last that were opened
	labels    []string          // of approvals, in the order of their requests
	owned     []string          // names of sessions, in the order in which they were started
	deciders  map[string]string // who sent a commandId
	seen      []seen            // of each step so far
	added     []Rule            // to the case's own, by steps
	endings   map[string]ending // by label, when every step is done
}

// session is a session by the case's name for it.
type session struct{ id string }

// approved is an approval by the case's name for it.
type approved struct {
	session       string   // its id
	id            string   // of the successor, after a restart
	ids           []string // every id it ever had
	subject       *Subject
	call          string
	subjectDigest string
	argsDigest    string
	resolution    *wire.Resolution // at opening
}

// play runs every step of a case and returns what was seen, with the states at the end.
func play(ctx context.Context, c *Case, program string) (_ *run, err error) {
	r := &run{
		c: c, program: program, peers: make(map[string]*peer), sessions: make(map[string]*session),
		approvals: make(map[string]*approved), catalogs: make(map[listed]string), deciders: make(map[string]string),
	}
	steps := c.Input.Steps
	if len(steps) == 0 && c.Input.Subject.Kind != kindPolicyLoad {
		steps = []Step{{Do: "request", action: &request{ID: "R1", Session: "S1"}}}
	}
	first, err := header(c)
	if err != nil {
		return nil, err
	}
	r.world, err = scenario.NewWorld(first)
	if refusedPolicy(err) {
		r.seen = []seen{{word: badPolicy, detail: err.Error()}}
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.world.Close()) }()
	if len(steps) == 0 {
		r.seen = []seen{{word: loaded}}
	}
	for i := range steps {
		s, err := steps[i].action.do(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("step %d (%s): %w", i, steps[i].Do, err)
		}
		r.seen = append(r.seen, s)
	}
	return r, r.look(ctx)
}

// rootName is the workspace of a case that names none.
const rootName = "/srv/app"

func (c *Case) workspace() string {
	if c.Input.Workspace != "" {
		return c.Input.Workspace
	}
	return rootName
}

// start is the session of that name, started where it is new. A name with a dot in it is the child
// of what stands before the last one.
func (r *run) start(ctx context.Context, name string, more ...member) (*session, error) {
	if name == "" {
		name = "S1"
	}
	if s := r.sessions[name]; s != nil {
		return s, nil
	}
	params := object{{"commandId", r.command("")}, {"workspaceRoot", r.c.workspace()}}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		parent, err := r.start(ctx, name[:dot])
		if err != nil {
			return nil, err
		}
		params = append(params, member{"parentSessionId", parent.id})
	} else if r.c.Input.Mode != "" {
		params = append(params, member{"approvalMode", r.c.Input.Mode})
	}
	var started wire.SessionStartResult
	if err := r.must(ctx, &started, r.agent(), wire.MethodSessionStart, append(params, more...)); err != nil {
		return nil, fmt.Errorf("start the session %s: %w", name, err)
	}
	s := &session{id: started.Session.SessionID}
	r.sessions[name] = s
	r.owned = append(r.owned, name)
	r.agent().reads = append(r.agent().reads, s.id)
	return s, nil
}

// command mints a commandId. The same key, if it is not empty, gives the same one.
func (r *run) command(key string) string {
	if key == "" {
		r.commands++
		return fmt.Sprintf("0198f0ac-0000-7000-8000-%012x", r.commands)
	}
	sum := sha256.Sum256([]byte(key))
	return derived(sum)
}

// derived spells a digest as a UUID of version 8.
func derived(sum [sha256.Size]byte) string {
	sum[6] = 0x80 | sum[6]&0x0f
	sum[8] = 0x80 | sum[8]&0x3f
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// find is the approval of that label, and false for one that was never opened.
func (r *run) find(label string) (*approved, bool) {
	a, ok := r.approvals[label]
	return a, ok
}

// label is the case's name for an approval, "?" for none.
func (r *run) label(id string) string {
	for _, label := range r.labels {
		if slices.Contains(r.approvals[label].ids, id) {
			return label
		}
	}
	return "?"
}
