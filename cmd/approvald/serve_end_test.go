package main

import (
	"encoding/json"
	"fmt"
	"syscall"
	"testing"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// However a daemon is told to end, with requests on their way: it exits 0, what it
// has acknowledged is there when the next one starts, and at the end of input
// everything that was asked before is answered.
func TestEndWithWorkInFlightLosesNothing(t *testing.T) {
	const asked = 400
	for name, end := range map[string]func(o *owner){
		"end of input": (*owner).leaves,
		"SIGTERM": func(o *owner) {
			if err := o.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				o.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			o := p.owned(t)
			o.says(hello, initialized, startOne)
			o.hearsOf(`"id":2,"result"`)
			for n := range asked {
				o.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":"open %d","method":"approval/open","params":{"commandId":"018f6a2a-3333-7abc-8def-%012x",`+
					`"sessionId":"0198f0aa-1111-7000-8000-0000000000aa","toolCallId":"call_%d","toolName":"t","rawArgs":"{}","reason":"r","subject":{"kind":"x"}}}`, n, 0xe000+n, n))
			}
			end(o)
			var acked []string
			refused := 0
			for o.lines.Scan() {
				var f struct {
					ID     any
					Method string
					Result struct{ ApprovalID string }
					Error  *wire.Error
				}
				if err := json.Unmarshal(o.lines.Bytes(), &f); err != nil {
					t.Fatalf("%v: %s", err, o.lines.Text())
				}
				switch {
				case f.Method != "":
				case f.Error != nil:
					refused++
				case f.Result.ApprovalID != "":
					acked = append(acked, f.Result.ApprovalID)
				}
			}
			if code := o.endsWith(); code != exitOK {
				t.Errorf("exit code %d", code)
			}
			if name == "end of input" && len(acked)+refused != asked {
				t.Errorf("%d were acknowledged and %d refused, of %d", len(acked), refused, asked)
			}
			p.serve(t)
			c := p.dial(t, "host", client.Options{})
			for _, id := range acked {
				if _, err := c.ReadApproval(t.Context(), wire.ApprovalReadParams{SessionID: "0198f0aa-1111-7000-8000-0000000000aa", ApprovalID: id}); err != nil {
					t.Fatalf("an approval that was acknowledged: %v", err)
				}
			}
			page, err := c.ListPending(t.Context(), wire.ApprovalListPendingParams{})
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Approvals) < len(acked) {
				t.Errorf("%d wait after the restart, and %d were acknowledged", len(page.Approvals), len(acked))
			}
			t.Logf("%d acknowledged, %d refused", len(acked), refused)
		})
	}
}
