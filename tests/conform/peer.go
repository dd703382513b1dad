package conform

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/approvald/approvald/wire"
)

// A Peer is one connection as its client sees it. It is safe for concurrent use; a request must be told
// of before its answer can come.
type Peer struct {
	// Fair says that the client sends what the contract lets it send: params that the daemon takes are
	// then of the schema. The daemon takes more, such as "" for a member that is not given.
	Fair bool

	mu      sync.Mutex
	waiting map[string][]message // requests by their id, as it was sent
}

// A test that has thousands of answers has many that differ in their id only, and of an event many
// connections hear the same. told are the digests, without the id, of frames that are of the schema, and
// fit those whose result is the method's.
var told, fit sync.Map

type fitting struct {
	method string
	frame  [sha256.Size]byte
}

// Sent takes a line of the client. What is no request is of no interest: a client may send anything.
func (p *Peer) Sent(line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil || m.Method == "" || m.ID == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == nil {
		p.waiting = map[string][]message{}
	}
	p.waiting[string(m.ID)] = append(p.waiting[string(m.ID)], m)
}

// Heard takes a line of the daemon. The error says what of it is not of the schema, or that the schema
// has no room for params that the daemon has taken.
func (p *Peer) Heard(line []byte) error {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return err
	}
	alike := sha256.Sum256(bytes.Replace(line, m.ID, nil, 1))
	if _, known := told.Load(alike); !known {
		if err := Frame(line); err != nil {
			return err
		}
		told.Store(alike, true)
	}
	if m.Method != "" {
		return nil
	}
	var refusal wire.Error
	if m.Error != nil {
		if err := json.Unmarshal(m.Error, &refusal); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.waiting[string(m.ID)]
	if len(asked) == 0 {
		return nil // asked in a way that nobody could read
	}
	var err error
	for i := range asked { // more than one where a client uses an id twice
		if err = p.answered(asked[i], m, refusal.Code, alike); err == nil {
			p.waiting[string(m.ID)] = slices.Delete(asked, i, i+1)
			return nil
		}
	}
	return err
}

// answered holds an answer against its request.
func (p *Peer) answered(asked, answer message, code int, alike [sha256.Size]byte) error {
	if _, known := fit.Load(fitting{asked.Method, alike}); code == 0 && !known {
		if err := Result(asked.Method, answer.Result); err != nil {
			return err
		}
		fit.Store(fitting{asked.Method, alike}, true)
	}
	if p.Fair && (code == 0 || taken[code]) {
		if err := Params(asked.Method, asked.Params); err != nil {
			return fmt.Errorf("the daemon took params that the schema has no room for: %w", err)
		}
	}
	return nil
}

// taken are the refusals that come when the params have been read and are in order.
var taken = map[int]bool{
	wire.CodeApprovalNotFound: true, wire.CodeApprovalAlreadyResolved: true, wire.CodeApprovalChoiceInvalid: true,
	wire.CodeApprovalRequirementStale: true, wire.CodeApprovalReviewerUnavailable: true,
	wire.CodeApprovalAlreadyConsumed: true, wire.CodeApprovalPending: true,
}
