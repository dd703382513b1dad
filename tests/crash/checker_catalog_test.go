package crash

import (
	"testing"
	"time"

	"github.com/approvald/approvald/wire"
)

// catalog appends one that lists the tool send with the digest 1.
func (h *history) catalog(command string) *entry {
	return h.put(catalogOpened, "", command, body{
		CatalogID: fourth, Tools: []wire.CatalogTool{{Name: "send", Digest: "1"}},
		Command: h.say(command, wire.MethodCatalogOpen, `{}`, `{"catalogId":"`+fourth+`"}`),
	})
}

// under puts the second approval, which is pending, and the third, a permit, under
// a catalog.
func (h *history) under() {
	h.catalog(later)
	for _, i := range []int{2, 5} {
		b := &h.log[i].body
		b.CatalogID, b.Protected = fourth, false
		b.Subject.ToolName, b.Subject.ToolDigest = "send", "1"
	}
	h.seal()
}

// lose appends what a restart owes a history with under.
func (h *history) lose() {
	h.put(recovered, "", "", body{Pending: 1})
	h.put(approvalSettled, second, "", body{Opened: 3, Outcome: "cancelled", PolicyResult: "deny", ResolvedBy: "policy", Source: "catalog"})
	h.put(permitVoided, third, "", body{Opened: 6, Reason: "catalogClosed"})
	h.put(catalogClosed, "", "", body{CatalogID: fourth})
	h.seal()
}

func TestTheCheckerKnowsThatCatalogsEndWithTheDaemon(t *testing.T) {
	for name, c := range map[string]struct {
		wrong func(h *history)
		finds string // "" for nothing
	}{
		"as it should be": {func(*history) {}, ""},
		"superseded":      {func(h *history) { h.log[9].body.Outcome, h.log[9].body.Source = "superseded", "recovery" }, "its catalog ended with the daemon"},
		"a permit stays":  {func(h *history) { h.log = append(h.log[:10:10], h.log[11]); h.seal() }, "has outlived the restart"},
		"a permit is taken": {func(h *history) {
			h.log[10] = entry{kind: approvalConsumed, session: sessionA, approval: third, body: body{Opened: 6}}
			h.seal()
		}, "was taken after the restart"},
		"opened under it": {func(h *history) {
			h.open(opened3, first)
			h.log[len(h.log)-1].approval, h.log[len(h.log)-1].body.CatalogID = decided1, fourth
			h.seal()
		}, "under a catalog of the daemon before"},
	} {
		t.Run(name, func(t *testing.T) {
			h := good()
			h.under()
			before := twinOf(append([]entry(nil), h.log...))
			h.lose()
			c.wrong(h)
			now := after{twinOf(h.log), time.Now(), true}
			faults := faultsSince(before, now)
			if c.finds != "" {
				finds(t, faults, c.finds)
			} else if faults = append(faults, now.faults...); len(faults) > 0 {
				t.Errorf("it finds %q", faults)
			}
			if ids, _ := before.expected(time.Now()); len(ids) != 0 {
				t.Errorf("it expects %q to be pending", ids)
			}
		})
	}
}
