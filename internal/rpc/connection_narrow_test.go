package rpc

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/approvald/approvald/wire"
)

// Whoever hands a connection on bounds what it may be; nobody can widen it again.
func TestAConnectionIsNarrowedForGood(t *testing.T) {
	for _, widest := range everyRole {
		for _, bound := range append([]wire.Role{"", "admin"}, everyRole...) {
			t.Run(fmt.Sprintf("%s to %q", widest, bound), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := newHost(t).connect("host", widest)
					narrow := func(to wire.Role) received {
						return c.call(wire.MethodConnectionNarrow, wire.ConnectionNarrowParams{Role: to})
					}
					now := widest
					if f := narrow(bound); f.Error == nil {
						now = bound
					} else if f.Error.Code != wire.CodeInvalidParams || roleWithin(bound, widest) {
						t.Fatalf("it is answered %s", f.raw)
					}
					if !roleWithin(now, widest) {
						t.Fatalf("it is %s now", now)
					}
					for _, role := range everyRole {
						if roleWithin(role, now) {
							continue
						}
						if f := narrow(role); f.Error == nil || f.Error.Code != wire.CodeInvalidParams {
							t.Errorf("%s after %s is answered %s", role, now, f.raw)
						}
						asks := fmt.Sprintf(`{"clientInfo":{"name":"a","version":"1"},"capabilities":{"approvald":{"role":%q}}}`, role)
						if e := c.refused(wire.MethodInitialize, asks); e.Code != wire.CodeInvalidParams {
							t.Errorf("initialize as %s after %s: %+v", role, now, e)
						}
					}
					var got wire.InitializeResult
					c.must(wire.MethodInitialize, `{"clientInfo":{"name":"a","version":"1"}}`, &got)
					if got.Approvald.Role != now {
						t.Errorf("the connection is %s, want %s", got.Approvald.Role, now)
					}
					if e := c.refused(wire.MethodConnectionNarrow, wire.ConnectionNarrowParams{Role: now}); e.Data.Kind != wire.KindAlreadyInitialized {
						t.Errorf("after the handshake has begun: %+v", e)
					}
				})
			})
		}
	}
}

// A peer that may do nothing here is not told that it may be less.
func TestARefusedPeerIsNotNarrowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		p := h.serve(Transport{Name: "host", Widest: wire.RoleBoth, Refused: "it belongs to an agent"})
		c := newClient(t, clientEnd{p})
		h.clients.Go(c.read)
		if e := c.refused(wire.MethodConnectionNarrow, wire.ConnectionNarrowParams{Role: wire.RoleAgent}); e.Code != wire.CodeRoleForbidden {
			t.Errorf("it is answered %+v", e)
		}
		c.hangUp()
	})
}
