package web

import (
	"testing"
	"time"

	"github.com/approvald/approvald/wire"
)

// An agent that must not wait in an empty room waits while somebody looks at a page,
// and no longer. A page that nobody looks at is an empty room.
func TestSomebodyIsThereWhileAPageIsInSight(t *testing.T) {
	in := open(t, nil) // without lingering
	session := in.session(func(p *wire.SessionStartParams) { p.Unattended = wire.UnattendedRefuse })
	after := "after=" + cursorOf(t, in.page("/"))
	hidden := in.follow(after+"&visible=0", "")
	hidden.next("hello")
	if r := in.became(in.ask(session, "c1", shell("make"), nil)); r == nil || r.Outcome != wire.OutcomeUnavailable {
		t.Fatalf("with a page out of sight it became %+v", r)
	}
	one, two := in.follow(after+"&visible=1", ""), in.follow(after+"&visible=1", "")
	one.next("hello")
	two.next("hello")
	path := in.ask(session, "c2", shell("make"), nil)
	hidden.next("pending")
	one.close()
	if r := in.became(path); r != nil {
		t.Fatalf("while one still looks it became %+v", r)
	}
	two.close()
	if a := about(t, hidden.next("settled")); a.Words != "refused, since no reviewer was there" {
		t.Errorf("of its end: %+v", a)
	}
}

// To go from one page to the next is not to leave.
func TestWhoComesBackInTimeHasNotLeft(t *testing.T) {
	in := open(t, func(c *Config) { c.Linger = time.Hour })
	session := in.session(func(p *wire.SessionStartParams) { p.Unattended = wire.UnattendedRefuse })
	after := "after=" + cursorOf(t, in.page("/"))
	in.follow(after+"&visible=1", "").close()
	path := in.ask(session, "c1", shell("make"), nil)
	if r := in.became(path); r != nil {
		t.Errorf("between two pages it became %+v", r)
	}
}
