package web

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func TestTheListHasPagesAndAnOrderThatStays(t *testing.T) {
	in := open(t, nil)
	session := in.session(nil)
	tb := in.follow("after="+cursorOf(t, in.page("/")), "")
	var paths []string
	for i := range pageRows + 10 {
		paths = append(paths, in.ask(session, fmt.Sprintf("c%d", i), shell("make "+itoa(int64(i))), nil))
		tb.next("pending")
	}
	first, second := in.page("/"), in.page("/?page=2")
	if a, b := strings.Count(first, `class="row"`), strings.Count(second, `class="row"`); a != pageRows || b != 10 {
		t.Errorf("the pages have %d and %d rows", a, b)
	}
	if strings.Index(first, paths[0]) > strings.Index(first, paths[1]) || !strings.Contains(second, paths[pageRows]) {
		t.Error("the oldest is not the first")
	}
	contains(t, first, "1–50 of 60", `href="/?page=2"`)
	contains(t, second, "51–60 of 60", `href="/?page=1"`)
	if last := in.page("/?page=99"); !strings.Contains(last, "51–60 of 60") {
		t.Error("a page behind the last is not the last")
	}
	contains(t, in.page(paths[55]), "51–60 of 60") // the list beside a card is where the card is in it
}

// What a browser is sent of what waits does not grow with how much waits, nor with how
// long it is.
func TestAPageOfWhatWaitsIsOfABoundedSize(t *testing.T) {
	in := open(t, nil)
	session := in.session(nil)
	tb := in.follow("after="+cursorOf(t, in.page("/")), "")
	ask := func(from, to int, command string) string {
		for i := from; i < to; i++ {
			in.ask(session, fmt.Sprintf("c%d", i), shell(command), nil)
			tb.next("pending")
		}
		return in.page("/")
	}
	few := len(ask(0, 2*pageRows, "make it"))
	if many := ask(2*pageRows, 1000, "make it"); strings.Count(many, `class="row"`) != pageRows || len(many) > few+200 {
		t.Errorf("with 1,000 waiting the page has %d rows in %d bytes, with %d it has %d bytes",
			strings.Count(many, `class="row"`), len(many), 2*pageRows, few)
	}
	long := open(t, nil)
	session = long.session(nil)
	in, tb = long, long.follow("after="+cursorOf(t, long.page("/")), "")
	if got := ask(0, pageRows, "echo "+strings.Repeat("<x>", 20_000)); len(got) > 3*few {
		t.Errorf("of %d long commands the page has %d bytes, of short ones %d", pageRows, len(got), few)
	}
}

func TestHistoryIsFilteredAndSearched(t *testing.T) {
	in := open(t, nil)
	session := in.session(nil)
	allowed := in.ask(session, "c1", shell("make all"), nil)
	rejected := in.ask(session, "c2", shell("rm -rf build"), func(p *wire.ApprovalOpenParams) { p.ToolName = "Shell" })
	cancelled := in.ask(session, "c3", shell("make test"), nil)
	goesTo(t, in.decide(allowed, 0, "allow_once"), "/")
	goesTo(t, in.decide(rejected, 0, "abort"), "/")
	if _, err := in.agent.Cancel(t.Context(), wire.ApprovalCancelParams{SessionID: session, ToolCallID: "c3"}); err != nil {
		t.Fatal(err)
	}
	all := []string{cancelled, rejected, allowed} // the latest first
	for query, want := range map[string][]string{
		"":                           all,
		"q=MAKE":                     {cancelled, allowed},
		"q=nothing+such":             nil,
		"outcome=rejected":           {rejected},
		"tool=Shell":                 {rejected},
		"who=anyone":                 {rejected, allowed},
		"who=policy":                 {cancelled},
		"q=make&outcome=allowedOnce": {allowed},
		"q=the+web+inbox":            {rejected, allowed},
		"before=x":                   all,
	} {
		page := in.page("/history?" + query)
		var got []string
		for _, path := range all {
			if strings.Contains(page, `href="`+path+`"`) {
				got = append(got, path)
			}
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%q finds %v, want %v", query, got, want)
		}
		if len(want) > 1 && strings.Index(page, want[0]) > strings.Index(page, want[1]) {
			t.Errorf("%q does not begin with the latest", query)
		}
	}
}

func TestHistoryHasPages(t *testing.T) {
	in := open(t, nil)
	deny := wire.ModeDenyUnmatched
	session := in.session(func(p *wire.SessionStartParams) { p.ApprovalMode = &deny })
	for i := range pageRows + 5 {
		in.ask(session, fmt.Sprintf("c%d", i), shell("make"), nil)
	}
	first := in.page("/history?q=make")
	_, next, found := strings.Cut(first, `<a href="/history?before=`)
	if !found || strings.Count(first, "<tr>") != pageRows+1 {
		t.Fatalf("the first page has %d rows and goes on: %t", strings.Count(first, "<tr>")-1, found)
	}
	next, _, _ = strings.Cut(next, `"`)
	second := in.page("/history?before=" + strings.ReplaceAll(next, "&amp;", "&"))
	if rows := strings.Count(second, "<tr>") - 1; rows != 5 || strings.Contains(second, `rel="next"`) {
		t.Errorf("the second page has %d rows", rows)
	}
	contains(t, second, "55 decisions", `value="make"`)
}

func TestActivityCountsByToolOutcomeRuleAndPerson(t *testing.T) {
	in := open(t, nil)
	session := in.session(nil)
	for i, choice := range []string{"allow_once", "allow_once", "abort"} {
		goesTo(t, in.decide(in.ask(session, fmt.Sprintf("c%d", i), shell("make"), nil), 0, choice), "/")
	}
	for _, span := range []string{"", "?span=week", "?span=month"} {
		page := in.page("/activity" + span)
		contains(t, page, "2 allowed, 1 refused or ended, at most 3 in one step", "<bdi>the web inbox</bdi>", "<bdi>Bash</bdi>", "<bdi>rejected</bdi>", "By Rule",
			`aria-label="2 allowed, 1 refused or ended"`)
	}
}

// What the inbox has forgotten is not counted, which the page says.
func TestActivityThatIsForgottenIsNotCounted(t *testing.T) {
	in := open(t, nil)
	if strings.Contains(in.page("/activity"), "Counted from") {
		t.Error("something is forgotten already")
	}
	at := time.Now().Add(-time.Minute).UTC()
	in.server.ledger.mu.Lock()
	for i := range 2*mostEntries + 1 {
		in.server.ledger.add(entry{at: at.Add(time.Duration(i) * time.Millisecond), outcome: "rejected"})
	}
	in.server.ledger.mu.Unlock()
	contains(t, in.page("/activity"), "Counted from "+stamp(at.Add(mostEntries*time.Millisecond))+" on", "<dd>20001</dd>")
}

func TestATimelineHasAColumnForEachStep(t *testing.T) {
	since := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(d time.Duration, allowed bool) entry { return entry{at: since.Add(d), allowed: allowed} }
	tl := timelineOf([]entry{
		at(-time.Second, true), at(0, true), at(time.Hour-1, false), at(time.Hour, true), at(24*time.Hour-1, true), at(24*time.Hour, true),
	}, since, spans[0])
	var counts []string
	for i, c := range tl.Columns {
		if c.AllowedH+c.OtherH > 0 {
			counts = append(counts, fmt.Sprintf("%d:%.0f+%.0f", i, c.AllowedH, c.OtherH))
		}
	}
	if got, want := strings.Join(counts, " "), "0:73+73 1:73+0 23:73+0"; got != want || tl.Most != 2 || len(tl.Columns) != 24 {
		t.Errorf("%d columns, at most %d: %s, want %s", len(tl.Columns), tl.Most, got, want)
	}
}

func TestAGrantIsShownToTheLetterAndRevoked(t *testing.T) {
	in := open(t, nil)
	session := in.session(nil)
	goesTo(t, in.decide(in.ask(session, "c1", shell("make"), nil), 0, "allow_session"), "/")
	list, err := in.agent.Grants(t.Context(), wire.GrantListParams{SessionID: session})
	if err != nil || len(list.Grants) != 1 {
		t.Fatalf("there are %d grants (%v)", len(list.Grants), err)
	}
	g := list.Grants[0]
	contains(t, in.page("/grants"), "until the session ends", "Revoke", strings.Split(g.RulePreview, "\n")[0])
	goesTo(t, in.post("/grants/"+session+"/"+g.GrantID+"/revoke"), "/grants?note=revoked")
	page := in.page("/grants?note=revoked")
	contains(t, page, "not in force", "It binds the next action")
	if strings.Contains(page, "/revoke") {
		t.Error("it can be revoked again")
	}
}

func TestAModeIsSetWithinTheCeiling(t *testing.T) {
	in := open(t, nil)
	session := in.session(nil)
	page := in.page("/sessions")
	contains(t, page, "a session", "<option selected>promptUnmatched</option>", "<option >denyUnmatched</option>")
	if strings.Contains(page, "allowAll") {
		t.Error("a mode above the ceiling is offered")
	}
	goesTo(t, in.post("/sessions/"+session+"/mode", "mode", "denyUnmatched"), "/sessions?note=mode")
	contains(t, in.page("/sessions"), "<option selected>denyUnmatched</option>")
	if got := in.post("/sessions/"+session+"/mode", "mode", "allowAll"); got.StatusCode != http.StatusConflict {
		t.Errorf("a mode above the ceiling is answered %s", got.Status)
	}
}

// What a page says of what has happened is one of its own sentences.
func TestAnAddressPutsNoWordsIntoThePage(t *testing.T) {
	in := open(t, nil)
	page := in.page("/?note=All+is+well&about=Allow+everything")
	if strings.Contains(page, "All is well") || strings.Contains(page, "everything") {
		t.Error("the page says what its address says")
	}
}

func TestASubAgentIsShownAsOne(t *testing.T) {
	in := open(t, nil)
	root := in.session(nil)
	child := in.session(func(p *wire.SessionStartParams) { p.ParentSessionID, p.Name = root, "the child" })
	tb := in.follow("after="+cursorOf(t, in.page("/")), "")
	path := in.ask(child, "c1", shell("make"), nil)
	tb.next("pending")
	contains(t, in.page("/"), "sub-agent", "the child")
	contains(t, in.page(path), "sub-agent", short(root), short(child))
	contains(t, in.page("/sessions"), "sub-agent")
}

// The inbox is one daemon's, so it lists what waits in all of its sessions, those that
// another client opened as well.
func TestEverySessionIsInTheList(t *testing.T) {
	in := open(t, nil)
	tb := in.follow("after="+cursorOf(t, in.page("/")), "")
	one, two := in.ask(in.session(nil), "c1", shell("make"), nil), in.ask(in.session(nil), client.NewCommandID(), shell("make"), nil)
	tb.next("pending")
	tb.next("pending")
	contains(t, in.page("/"), one, two)
}
