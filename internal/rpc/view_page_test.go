package rpc

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// A record without events, such as that of a command which changed nothing,
// neither fills a page nor ends the view.
func TestPagesPassOverRecordsWithoutEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		c := h.as(wire.RoleBoth)
		session := c.start()
		for range 3 {
			c.open(session)
			for range 20 {
				c.must(wire.MethodSessionSetApprovalMode, inSession(session, fmt.Sprintf(`"commandId":%q,"mode":"promptUnmatched"`, command())), nil)
			}
		}
		whole := c.page(session, 1000)
		if len(whole) != 3 {
			t.Fatalf("the view has %d events, want one for each approval", len(whole))
		}
		for limit := 1; limit < 4; limit++ {
			if diff := cmp.Diff(whole, c.page(session, limit)); diff != "" {
				t.Errorf("in pages of %d (-whole +paged):\n%s", limit, diff)
			}
			var last wire.ViewPageResult
			c.must(wire.MethodViewPage, inSession(session, fmt.Sprintf(`"limit":%d,"direction":"backward"`, limit)), &last)
			if diff := cmp.Diff(whole[3-limit:], []wire.ViewEvent(last.Events)); diff != "" {
				t.Errorf("the last %d (-whole +paged):\n%s", limit, diff)
			}
		}
	})
}
