package decide_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

var (
	send     = approval.Tool{ServerName: "mail", ToolName: "send"}
	mailList = []approval.ToolDefinition{{Name: "send", Digest: "sha256:01"}, {Name: "read", Digest: "sha256:02"}}
)

// resent is the list with another digest for one of its tools.
func resent(digest string) []approval.ToolDefinition {
	return []approval.ToolDefinition{{Name: "send", Digest: digest}, {Name: "read", Digest: "sha256:02"}}
}

// catalog opens a catalog and gives its id.
func (w *world) catalog(session approval.ID, server string, tools ...approval.ToolDefinition) approval.ID {
	w.t.Helper()
	r := w.do(decide.OpenCatalog{Intent: w.intent(), Session: session, Server: server, Tools: tools})
	if r.Refusal != nil {
		w.t.Fatalf("catalog/open: %v", r.Refusal)
	}
	id, err := approval.ParseID(decoded[wire.CatalogOpenResult](w.t, r.Ack).CatalogID)
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *world) relist(session, catalog approval.ID, tools ...approval.ToolDefinition) decide.Result {
	w.t.Helper()
	r := w.do(decide.UpdateCatalog{Intent: w.intent(), Session: session, Catalog: catalog, Tools: tools})
	if r.Refusal != nil {
		w.t.Fatalf("catalog/update: %v", r.Refusal)
	}
	return r
}

func under(catalog approval.ID) func(*decide.Open) {
	return func(o *decide.Open) { o.Action.Catalog = catalog }
}

// state says in a word how an approval stands.
func (w *world) stateOf(session, id approval.ID) string {
	a := w.approval(session, id)
	switch {
	case a.Pending():
		return "pending"
	case a.Voided != "":
		return a.Voided
	}
	return a.Settled.Outcome + " by " + a.Settled.Source
}

// A tool under a catalog shows the digest that is listed, and its grant covers
// that definition alone: not the next one, not the same tool elsewhere, and not
// a call that names no catalog.
func TestAGrantUnderACatalogIsBoundToServerToolAndDigest(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	mail, other := w.catalog(session, "mail", mailList...), w.catalog(session, "post", mailList...)
	id := w.open(session, send, under(mail))
	subject, ok := w.full(session, id).Subject().(approval.Tool)
	if !ok || subject.ToolDigest != "sha256:01" {
		t.Errorf("subject %+v", subject)
	}
	want := "[" + allowOnce + "," +
		allowSession("tool send of server mail with any arguments; as its catalog defines it now (sha256:01), until that changes or the catalog is closed") + "," +
		allowLocal("mcp_tool", "this tool", "allow tool send of server mail, whatever its arguments and its definition") + "," + abort + "]"
	if diff := cmp.Diff(want, string(w.full(session, id).Menu)); diff != "" {
		t.Errorf("menu (-want +got):\n%s", diff)
	}
	w.choose(session, id, 0, wire.ChoiceAllowSession)

	read := approval.Tool{ServerName: "mail", ToolName: "read"}
	for name, c := range map[string]struct {
		subject approval.Subject
		catalog approval.ID
		want    string
	}{
		"the same":                     {send, mail, "allowedOnce by sessionGrant"},
		"with other arguments":         {approval.Tool{ServerName: "mail", ToolName: "send", Arguments: []byte(`{"to":"me"}`)}, mail, "allowedOnce by sessionGrant"},
		"another tool":                 {read, mail, "pending"},
		"the tool of another server":   {approval.Tool{ServerName: "post", ToolName: "send"}, other, "pending"},
		"without the catalog":          {send, approval.ID{}, "pending"},
		"the other server without one": {approval.Tool{ServerName: "post", ToolName: "send"}, approval.ID{}, "pending"},
	} {
		if got := w.stateOf(session, w.open(session, c.subject, under(c.catalog))); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// The names of two servers and of their tools may join to the same text.
func TestNamesThatCollideWhenTheyAreJoinedAreTwoTools(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	one := w.catalog(session, "a", approval.ToolDefinition{Name: "b__c", Digest: "sha256:01"})
	two := w.catalog(session, "a__b", approval.ToolDefinition{Name: "c", Digest: "sha256:01"})
	first, second := approval.Tool{ServerName: "a", ToolName: "b__c"}, approval.Tool{ServerName: "a__b", ToolName: "c"}
	w.choose(session, w.open(session, first, under(one)), 0, wire.ChoiceAllowSession)
	if got := w.stateOf(session, w.open(session, first, under(one))); got != "allowedOnce by sessionGrant" {
		t.Errorf("what was granted: %s", got)
	}
	waits := w.open(session, second, under(two))
	if got := w.stateOf(session, waits); got != "pending" {
		t.Errorf("what joins alike: %s", got)
	}
	w.relist(session, one) // the server a has no tools any more
	if got := w.stateOf(session, waits); got != "pending" {
		t.Errorf("when the other server's tool is gone: %s", got)
	}
}

// The rug-pull: a tool that is defined otherwise loses what it had.
func TestAToolThatChangesOrVanishesLosesWhatItHad(t *testing.T) {
	for name, change := range map[string]func(w *world, session, catalog approval.ID) decide.Result{
		"another digest": func(w *world, s, c approval.ID) decide.Result { return w.relist(s, c, resent("sha256:09")...) },
		"gone":           func(w *world, s, c approval.ID) decide.Result { return w.relist(s, c, mailList[1:]...) },
		"opened again with another digest": func(w *world, s, _ approval.ID) decide.Result {
			return w.do(decide.OpenCatalog{Intent: w.intent(), Session: s, Server: "mail", Tools: resent("sha256:09")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			catalog := w.catalog(session, "mail", mailList...)
			granted := w.open(session, send, under(catalog))
			w.choose(session, granted, 0, wire.ChoiceAllowSession)
			taken := w.open(session, send, under(catalog))
			w.do(w.consuming(session, taken))
			w.rules(policy.Rule{Effect: policy.Ask, Kind: approval.KindTool, Server: "mail", Tool: "send"}) // which a grant does not beat
			waits := w.open(session, send, under(catalog))
			denied := w.open(session, send, under(catalog))
			w.choose(session, denied, 0, wire.ChoiceAbort)
			plain := w.open(session, send)
			reads := w.open(session, approval.Tool{ServerName: "mail", ToolName: "read"}, under(catalog))
			w.policy = new(policy.Policy)

			r := change(w, session, catalog)
			if diff := cmp.Diff([]string{"resolved abort by policy (catalog)"}, w.tell(r)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			for id, want := range map[approval.ID]string{
				granted: "catalogClosed", taken: "allowedOnce by sessionGrant", waits: "cancelled by catalog",
				denied: "rejected by reviewer", plain: "pending", reads: "pending",
			} {
				if got := w.stateOf(session, id); got != want {
					t.Errorf("%s, want %s", got, want)
				}
			}
			if got := w.approval(session, waits).Settled.Reason; got != "The tool that it was about has changed, or is gone." {
				t.Errorf("reason %q", got)
			}
			if r := w.do(w.consuming(session, granted)); r.Refusal == nil || r.Refusal.Data.Reason != wire.ReasonPermitCatalogClosed {
				t.Errorf("its permit: %v", r.Refusal)
			}
			w.do(decide.OpenCatalog{Intent: w.intent(), Session: session, Server: "mail", Tools: mailList}) // as it was
			if got := w.stateOf(session, w.open(session, send, under(catalog))); got != "pending" {
				t.Errorf("after it changed back: %s", got)
			}
		})
	}
}

// What was granted without a catalog was granted whatever the definition, as its
// preview says: it covers the tool under a catalog too, and survives its changes.
func TestAGrantWithoutACatalogSurvivesAnyChange(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	w.choose(session, w.open(session, send), 0, wire.ChoiceAllowSession)
	catalog := w.catalog(session, "mail", mailList...)
	check := func(when string, in approval.ID) {
		t.Helper()
		if got := w.stateOf(session, w.open(session, send, under(in))); got != "allowedOnce by sessionGrant" {
			t.Errorf("%s: %s", when, got)
		}
	}
	check("under a catalog", catalog)
	w.relist(session, catalog, resent("sha256:09")...)
	check("after a change", catalog)
	w.do(decide.CloseCatalog{Intent: w.intent(), Session: session, Catalog: catalog})
	check("after the end", approval.ID{})
	w.do(decide.Recover{Session: session})
	check("after a restart", approval.ID{})
}

func TestACatalogThatListsTheSameIsNotChanged(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	catalog := w.catalog(session, "mail", mailList...)
	backward := []approval.ToolDefinition{mailList[1], mailList[0]}
	for name, c := range map[string]decide.Command{
		"opened again": decide.OpenCatalog{Intent: w.intent(), Session: session, Server: "mail", Tools: backward},
		"updated":      decide.UpdateCatalog{Intent: w.intent(), Session: session, Catalog: catalog, Tools: backward},
	} {
		r := w.do(c)
		if r.Refusal != nil || len(r.Records) != 1 || r.Records[0].Body.Kind() != record.KindCommandSettled {
			t.Errorf("%s: %v, %d records", name, r.Refusal, len(r.Records))
		}
	}
	if got := w.catalog(session, "mail", backward...); got != catalog {
		t.Errorf("opened again it is %s, want %s", got, catalog)
	}
	more := append(backward, approval.ToolDefinition{Name: "new", Digest: "sha256:07"})
	waits := w.open(session, send, under(catalog))
	w.relist(session, catalog, more...)
	if got := w.stateOf(session, waits); got != "pending" {
		t.Errorf("when a tool was added: %s", got)
	}
}

// Whoever speaks over another transport is another server.
func TestAnotherTransportChangesEveryTool(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	catalog := w.catalog(session, "mail", mailList...)
	waits := w.open(session, send, under(catalog))
	again := decide.OpenCatalog{Intent: w.intent(), Session: session, Server: "mail", Transport: "http", Tools: mailList}
	isAcked(t, w.do(again), `{"commandId":"`+again.Command.String()+`","status":"accepted","catalogId":"`+catalog.String()+`"}`)
	w.endedAs(session, waits, approval.ByCatalog)
	shown, _ := w.full(session, w.open(session, send, under(catalog))).Subject().(approval.Tool)
	if shown.Transport != "http" {
		t.Errorf("it is shown with the transport %q", shown.Transport)
	}
}

func TestClosingACatalogEndsWhatIsUnderIt(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	catalog, other := w.catalog(session, "mail", mailList...), w.catalog(session, "post", mailList...)
	granted := w.open(session, send, under(catalog))
	w.choose(session, granted, 0, wire.ChoiceAllowSession)
	read := approval.Tool{ServerName: "mail", ToolName: "read"}
	waits, below := w.open(session, read, under(catalog)), w.start("", func(s *decide.StartSession) { s.Parent = session })
	childs := w.open(below, read, under(catalog)) // its parent's servers are its own
	elsewhere := w.open(session, approval.Tool{ServerName: "post", ToolName: "send"}, under(other))
	inherited := w.open(below, send, under(catalog))
	if got := w.stateOf(below, inherited); got != "allowedOnce by sessionGrant" {
		t.Errorf("in the child, under its parent's grant: %s", got)
	}
	r := w.do(decide.CloseCatalog{Intent: w.intent(), Session: session, Catalog: catalog})
	closed, ok := r.Records[len(r.Records)-1].Body.(*record.CatalogClosed)
	if !ok || len(closed.Grants) != 1 || closed.Reason != record.CatalogWasClosed {
		t.Errorf("the last record is %+v", r.Records[len(r.Records)-1].Body)
	}
	for id, want := range map[approval.ID]string{waits: "cancelled by catalog", granted: "catalogClosed", elsewhere: "pending"} {
		if got := w.stateOf(session, id); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for id, want := range map[approval.ID]string{childs: "cancelled by catalog", inherited: "catalogClosed"} {
		if got := w.stateOf(below, id); got != want {
			t.Errorf("in the child: %s, want %s", got, want)
		}
	}
	again := decide.CloseCatalog{Intent: w.intent(), Session: session, Catalog: catalog}
	isAcked(t, w.do(again), `{"commandId":"`+again.Command.String()+`","status":"accepted"}`)
	if next := w.catalog(session, "mail", mailList...); next == catalog {
		t.Error("a catalog that is closed was opened again")
	}
}

// Catalogs end with the daemon, and what is under one has no successor.
func TestARestartEndsCatalogs(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	below := w.start("", func(s *decide.StartSession) { s.Parent = session })
	catalog := w.catalog(session, "mail", mailList...)
	granted := w.open(session, send, under(catalog))
	w.choose(session, granted, 0, wire.ChoiceAllowSession)
	read := approval.Tool{ServerName: "mail", ToolName: "read"}
	waits, childs := w.open(session, read, under(catalog)), w.open(below, read, under(catalog))
	late := w.open(session, read, under(catalog), func(o *decide.Open) { o.Timeout = time.Second })
	plain := w.open(session, read)
	w.now = w.now.Add(time.Hour) // the catalog had ended before the deadline
	r := w.do(decide.Recover{Session: session})
	want := []string{
		"resolved abort by policy (catalog)", "resolved abort by policy (catalog)", "resolved abort by policy (recovery)", "restartRecovered at 0",
		"requested 0: allow_once allow_session allow_local_mcp_tool abort",
	}
	if diff := cmp.Diff(want, w.tell(r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	for id, want := range map[approval.ID]string{waits: "cancelled by catalog", late: "cancelled by catalog", granted: "catalogClosed", plain: "superseded by recovery"} {
		if got := w.stateOf(session, id); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	w.do(decide.Recover{Session: below})
	w.endedAs(below, childs, approval.ByCatalog)
	if got := w.approval(session, waits).Resolution(); got.SuccessorApprovalID != "" {
		t.Errorf("its successor is %s", got.SuccessorApprovalID)
	}
	next := w.catalog(session, "mail", mailList...)
	if got := w.stateOf(session, w.open(session, send, under(next))); got != "pending" {
		t.Errorf("under the same list after the restart: %s", got)
	}
}

func TestARestartWithNothingButACatalogHasSomethingToDo(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	w.catalog(session, "mail", mailList...)
	if !decide.NeedsRecovery(w.session(session)) {
		t.Fatal("nothing is owed")
	}
	w.do(decide.Recover{Session: session})
	if decide.NeedsRecovery(w.session(session)) {
		t.Error("it is owed again")
	}
}

// The checks in their order: whatever comes first is what the agent hears.
func TestOpeningUnderACatalogIsRefused(t *testing.T) {
	const params = `","data":{"kind":"invalidParams","retryable":false}}`
	for _, c := range []struct {
		name     string
		edit     func(w *world, o *decide.Open)
		recorded bool
		want     string
	}{
		{
			"in a turn that is over, under a catalog that never was",
			func(w *world, o *decide.Open) {
				w.open(o.Session, file, func(o *decide.Open) { o.Action.TurnID = "t" })
				w.do(decide.CompleteTurn{Intent: w.intent(), Session: o.Session, Turn: "t", Terminal: wire.TurnWasCompleted})
				o.Action.TurnID, o.Action.Catalog = "t", seedSession
			}, true,
			`{"code":-32030,"message":"The turn \"t\" has ended; name another.","data":{"kind":"commandRejected","retryable":false,` +
				`"reason":"turn_ended","commandId":"018f6a2a-0000-7000-8000-000000000003"}}`,
		},
		{
			"under one that never was", func(_ *world, o *decide.Open) { o.Action.Catalog = seedSession }, false,
			`{"code":-32011,"message":"No catalog 0198f0aa-1111-7000-8000-0000000000aa was ever opened in this session or one above it.",` +
				`"data":{"kind":"notFound","retryable":false}}`,
		},
		{
			"under one of another session",
			func(w *world, o *decide.Open) { o.Action.Catalog = w.catalog(w.start(""), "mail", mailList...) }, false,
			`{"code":-32011,"message":"No catalog 0198f0ac-0000-7000-8000-000000000004 was ever opened in this session or one above it.",` +
				`"data":{"kind":"notFound","retryable":false}}`,
		},
		{
			"under one that is closed, whatever it is about",
			func(w *world, o *decide.Open) {
				w.do(decide.CloseCatalog{Intent: w.intent(), Session: o.Session, Catalog: o.Action.Catalog})
				o.Action.Subject = file
			}, true,
			`{"code":-32094,"message":"Catalog 0198f0ac-0000-7000-8000-000000000002 is closed; open the server's catalog again.",` +
				`"data":{"kind":"catalogClosed","retryable":false}}`,
		},
		{
			"under one, though it is no tool", func(_ *world, o *decide.Open) { o.Action.Subject = file }, false,
			`{"code":-32602,"message":"catalogId: only a subject of kind tool can be under a catalog.` + params,
		},
		{
			"for a tool of another server", func(_ *world, o *decide.Open) {
				o.Action.Subject = approval.Tool{ServerName: "mail__send", ToolName: "x"}
			}, false,
			`{"code":-32602,"message":"subject.serverName must be that of the catalog, \"mail\".` + params,
		},
		{
			"for a tool of the agent's own", func(_ *world, o *decide.Open) { o.Action.Subject = approval.Tool{ToolName: "send"} }, false,
			`{"code":-32602,"message":"subject.serverName must be that of the catalog, \"mail\".` + params,
		},
		{
			"for a tool that is not listed", func(_ *world, o *decide.Open) {
				o.Action.Subject = approval.Tool{ServerName: "mail", ToolName: "delete"}
			}, false,
			`{"code":-32602,"message":"subject.toolName: the catalog of \"mail\" lists no such tool; update it first.` + params,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			catalog := w.catalog(session, "mail", mailList...)
			o := w.opening(session, send, under(catalog))
			c.edit(w, &o)
			isRefused(t, w.do(o), c.recorded, c.want)
		})
	}
}

func TestCatalogCommandsAreRefused(t *testing.T) {
	const (
		unknown = `{"code":-32020,"message":"There is no session 0198f0aa-1111-7000-8000-0000000000aa.","data":{"kind":"sessionNotFound","retryable":false,` +
			`"sessionId":"0198f0aa-1111-7000-8000-0000000000aa"}}`
		closed   = `{"code":-32030,"message":"Session 0198f0ac-0000-7000-8000-000000000001 is closed; start another.","data":{"kind":"commandRejected",`
		notFound = `{"code":-32011,"message":"No catalog 0198f0aa-1111-7000-8000-0000000000aa was ever opened in this session.","data":{"kind":"notFound","retryable":false}}`
	)
	rejected := func(w *world) string {
		return closed + `"retryable":false,"reason":"session_closed","commandId":"` + commandID(w.t, w.commands).String() +
			`","sessionId":"0198f0ac-0000-7000-8000-000000000001"}}`
	}
	w := newWorld(t)
	session := w.start("")
	catalog := w.catalog(session, "mail", mailList...)
	below := w.start("", func(s *decide.StartSession) { s.Parent = session })
	isRefused(t, w.do(decide.OpenCatalog{Intent: w.intent(), Session: seedSession}), false, unknown)
	isRefused(t, w.do(decide.UpdateCatalog{Intent: w.intent(), Session: seedSession, Catalog: catalog}), false, unknown)
	isRefused(t, w.do(decide.CloseCatalog{Intent: w.intent(), Session: seedSession, Catalog: catalog}), false, unknown)
	isRefused(t, w.do(decide.UpdateCatalog{Intent: w.intent(), Session: session, Catalog: seedSession}), false, notFound)
	isRefused(t, w.do(decide.CloseCatalog{Intent: w.intent(), Session: session, Catalog: seedSession}), false, notFound)
	if r := w.do(decide.CloseCatalog{Intent: w.intent(), Session: below, Catalog: catalog}); r.Refusal == nil || r.Refusal.Code != wire.CodeNotFound {
		t.Errorf("a child closes its parent's catalog: %v", r.Refusal)
	}
	w.do(decide.CloseCatalog{Intent: w.intent(), Session: session, Catalog: catalog})
	late := decide.UpdateCatalog{Intent: w.intent(), Session: session, Catalog: catalog, Tools: mailList}
	const over = `{"code":-32094,"message":"Catalog 0198f0ac-0000-7000-8000-000000000002 is closed; open the server's catalog again.",` +
		`"data":{"kind":"catalogClosed","retryable":false}}`
	isRefused(t, w.do(late), true, over)
	isRefused(t, w.do(late), false, over) // replayed
	w.do(decide.CloseSession{Intent: w.intent(), Session: session})
	isRefused(t, w.do(decide.OpenCatalog{Intent: w.intent(), Session: session, Server: "mail"}), false, rejected(w))
	isRefused(t, w.do(decide.UpdateCatalog{Intent: w.intent(), Session: session, Catalog: catalog}), false, rejected(w))
	isRefused(t, w.do(decide.CloseCatalog{Intent: w.intent(), Session: session, Catalog: catalog}), false, rejected(w))
}

// A tool in the mode oncePerSession is granted anew for each definition.
func TestOncePerSessionIsOncePerDefinition(t *testing.T) {
	w := newWorld(t)
	compiled, err := policy.Compile(policy.Setup{Layers: []policy.Layer{{Tools: []policy.ToolRule{{Server: "mail", Tool: "send", Mode: policy.OncePerSession}}}}})
	if err != nil {
		t.Fatal(err)
	}
	w.policy = compiled
	session := w.start(approval.AllowAll)
	catalog := w.catalog(session, "mail", mailList...)
	id := w.open(session, send, under(catalog))
	if got := w.stateOf(session, id); got != "pending" {
		t.Fatalf("at first: %s", got)
	}
	w.choose(session, id, 0, wire.ChoiceAllowSession)
	if got := w.stateOf(session, w.open(session, send, under(catalog))); got != "allowedOnce by sessionGrant" {
		t.Errorf("granted: %s", got)
	}
	w.relist(session, catalog, resent("sha256:09")...)
	if got := w.stateOf(session, w.open(session, send, under(catalog))); got != "pending" {
		t.Errorf("with another definition: %s", got)
	}
}
