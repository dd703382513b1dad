package client

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// begun is a frame of turn/started, of a child session where origin is one.
func begun(session, turn string, seq int, origin string) string {
	if origin != "" {
		origin = `,"subagentOrigin":{"childSessionId":"` + origin + `","path":["p","` + origin + `"]}`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"turn/started","params":{"sessionId":%q,"viewCursor":"v:%[1]s:%d","sourceRange":{"stream":{"kind":"session","id":%[1]q},`+
		`"first":{"id":"x","sequence":%[3]d},"last":{"id":"x","sequence":%[3]d}},"turnId":%[4]q,"input":[{"text":%[4]q}]%[5]s}}`, session, 4*seq, seq, turn, origin)
}

const startS1 = `
	> {"jsonrpc":"2.0","id":"$s","method":"session/start","params":{"commandId":"$c"}}
	< {"jsonrpc":"2.0","id":"$s","result":{"commandId":"$c","status":"accepted","session":{"sessionId":"s1"},"viewCursor":"v:s1:4"}}
`

// turnsOf are options that collect what OnTurn is called for.
func turnsOf(o Options, told *[]string) Options {
	o.OnTurn = func(t wire.TurnStarted) { *told = append(*told, t.SessionID+" "+t.TurnID) }
	return o
}

func TestATurnIsToldOnceToWhoseSessionItIs(t *testing.T) {
	var told []string
	bubble(t, []string{
		strings.Replace(hello, `"$hello"`, `{"clientInfo":{"name":"approvald_go","version":"0"},"capabilities":{"userInputDialogs":false,"approvald":{"interactive":false,"turns":true}}}`, 1) + startS1 + `
		< ` + begun("s1", "t1", 2, "") + `
		< ` + begun("s1", "t1", 2, "") + `
		> {"jsonrpc":"2.0","id":"$v","method":"view/subscribe","params":{"sessionId":"other"}}
		< {"jsonrpc":"2.0","id":"$v","result":{"viewCursor":"v:other:4"}}
		< ` + begun("other", "t2", 3, "") + `
		< ` + begun("child", "t3", 4, "child") + `
		< ` + begun("s1", "t4", 5, "") + `
		> {"jsonrpc":"2.0","id":"$r","method":"session/resume","params":{"commandId":"$rc","sessionId":"child","excludeItems":true}}
		< {"jsonrpc":"2.0","id":"$r","result":{"commandId":"$rc","status":"accepted","session":{"sessionId":"child","activeTurnId":"t3"}}}
		< ` + begun("grandchild", "t5", 6, "grandchild") + `
		< {"jsonrpc":"2.0","method":"turn/completed","params":{"sessionId":"grandchild","viewCursor":"v:grandchild:28","turnId":"t5","terminal":"cancelled"}}
		> {"jsonrpc":"2.0","id":"$g","method":"session/resume","params":{"commandId":"$gc","sessionId":"grandchild","excludeItems":true}}
		< {"jsonrpc":"2.0","id":"$g","result":{"commandId":"$gc","status":"accepted","session":{"sessionId":"grandchild"}}}
		close`,
	}, func(t *testing.T, dial Dialer) {
		c := connect(t, dial, turnsOf(Options{}, &told))
		if _, err := c.StartSession(t.Context(), wire.SessionStartParams{}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Subscribe(t.Context(), "other", Head()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for _, id := range []string{"child", "grandchild"} {
			if _, err := c.ResumeSession(t.Context(), resumeParams(id)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
	})
	if diff := cmp.Diff([]string{"s1 t1", "s1 t4", "child t3"}, told); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
}

// A member whose name differs in case is another one, as everywhere.
func TestATurnIsReadByTheNamesOfItsMembers(t *testing.T) {
	twice := func(turn string) string { return `"TurnId":"other","turnId":"` + turn + `","TURNID":"another"` }
	var told []string
	bubble(t, []string{
		hello + startS1 + `
		< ` + strings.Replace(begun("s1", "t1", 2, ""), `"turnId":"t1"`, twice("t1"), 1) + `
		wait
		close`,
		hello + `
		> {"jsonrpc":"2.0","id":"$r","method":"session/resume","params":{"commandId":"$rc","sessionId":"s1","excludeItems":true}}
		< {"jsonrpc":"2.0","id":"$r","result":{"commandId":"$rc","status":"accepted","session":{"sessionId":"s1","activeTurnId":"t2"}}}
		> {"jsonrpc":"2.0","id":"$p","method":"view/page","params":{"sessionId":"s1","limit":1000,"direction":"backward"}}
		< {"jsonrpc":"2.0","id":"$p","result":{"events":[` + strings.Replace(begun("s1", "t2", 3, ""), `"turnId":"t2"`, twice("t2"), 1) + `],"nextCursor":null}}`,
	}, func(t *testing.T, dial Dialer) {
		c := connect(t, dial, turnsOf(again, &told))
		if _, err := c.StartSession(t.Context(), wire.SessionStartParams{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // of fake time: it has reconnected
	})
	if diff := cmp.Diff([]string{"s1 t1", "s1 t2"}, told); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
}

// A program that the daemon has started for a session never started nor resumed it.
func TestATurnIsToldToTheProgramThatWasStartedForIt(t *testing.T) {
	var told []string
	bubble(t, []string{hello + `
		< ` + begun("s1", "t1", 2, "") + `
		close`,
	}, func(t *testing.T, dial Dialer) {
		connect(t, dial, turnsOf(Options{}, &told))
		synctest.Wait()
	})
	if diff := cmp.Diff([]string{"s1 t1"}, told); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
}

// A turn that began while nobody could be told is found, however far back, and told
// once.
func TestATurnThatBeganMeanwhileIsFound(t *testing.T) {
	var told []string
	page := `> {"jsonrpc":"2.0","id":"$p","method":"view/page","params":{"sessionId":"s1","limit":1000,"direction":"backward"}}
		< {"jsonrpc":"2.0","id":"$p","result":{"events":[{"method":"approval/resolved","params":{}}],"nextCursor":"v:s1:8"}}
		> {"jsonrpc":"2.0","id":"$q","method":"view/page","params":{"sessionId":"s1","limit":1000,"cursor":"v:s1:8","direction":"backward"}}
		< {"jsonrpc":"2.0","id":"$q","result":{"events":[{"method":"turn/started","params":{"sessionId":"s1","turnId":"t0","input":[]}},` +
		`{"method":"turn/started","params":{"sessionId":"s1","turnId":"t1","input":[{}]}}],"nextCursor":null}}`
	resume := func(n, turn string) string {
		return `
		> {"jsonrpc":"2.0","id":"$` + n + `","method":"session/resume","params":{"commandId":"$c` + n + `","sessionId":"s1","excludeItems":true}}
		< {"jsonrpc":"2.0","id":"$` + n + `","result":{"commandId":"$c` + n + `","status":"accepted","session":{"sessionId":"s1","activeTurnId":` + turn + `}}}
		`
	}
	bubble(t, []string{
		hello + startS1 + "wait\nclose",
		hello + resume("a", `"t1"`) + page + "\nclose",
		hello + resume("b", `"t1"`) + "close",
		hello + resume("d", `null`) + "close",
		hello + resume("e", `"t9"`) + `
		> {"jsonrpc":"2.0","id":"$x","method":"view/page","params":{"sessionId":"s1","limit":1000,"direction":"backward"}}
		< {"jsonrpc":"2.0","id":"$x","error":{"code":-32011,"message":"m","data":{"kind":"notFound","retryable":false}}}`,
	}, func(t *testing.T, dial Dialer) {
		c := connect(t, dial, turnsOf(again, &told))
		if _, err := c.StartSession(t.Context(), wire.SessionStartParams{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // of fake time
		synctest.Wait()
	})
	if diff := cmp.Diff([]string{"s1 t1"}, told); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
}

func TestAReviewerCarriesOutNoTurns(t *testing.T) {
	o := turnsOf(Options{Role: wire.RoleReviewer}, new([]string))
	if _, err := o.withDefaults(); err == nil || !strings.Contains(err.Error(), "a reviewer carries out no turns") {
		t.Errorf("error %v", err)
	}
}
