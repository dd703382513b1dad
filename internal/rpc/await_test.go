package rpc

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/wire"
)

// A session may be unloaded, and not be read again, between the checks of an await
// and its being parked: what the peer is told says so.
func TestAnAwaitThatCannotBeParkedSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(log.Memory)
		before := newHostOver(t, l)
		opener := before.as(wire.RoleBoth)
		session := opener.start()
		id := opener.open(session)
		before.close()

		h := newHostOver(t, l, func(h *host, _ *Config) {
			h.reads = func(uint64) error { return errors.New("the disk is gone") }
		})
		c := h.as(wire.RoleBoth)
		p := &parked{
			awaited: awaited{known: knownApprovals}, request: &request{id: json.RawMessage(`"parked"`)},
			in: parsed(t, session), about: []approval.ID{parsed(t, id)},
		}
		for conn := range h.conns {
			p.request.conn = conn
		}
		p.start()
		if f := c.answer(`"parked"`); f.Error == nil || !strings.Contains(f.Error.Message, "cannot be read from the log") {
			t.Errorf("answered %+v", f)
		}
	})
}

func parsed(t *testing.T, text string) approval.ID {
	t.Helper()
	id, err := approval.ParseID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}
