package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/approvald/approvald/wire"
)

// A rule of a workspace outlives the session that it was given in, and can be taken back
// as long as another one of its workspace is open; where none is, the page says what does
// it all the same.
func TestARuleIsRevokedWhenItsSessionIsOver(t *testing.T) {
	in := open(t, nil)
	over := in.session(nil)
	goesTo(t, in.decide(in.ask(over, "c1", shell("git commit -m x"), nil), 0, "allow_local_prefix"), "/")
	if _, err := in.agent.CloseSession(t.Context(), wire.SessionCloseParams{SessionID: over}); err != nil {
		t.Fatal(err)
	}
	list, err := in.agent.Grants(t.Context(), wire.GrantListParams{})
	if err != nil || len(list.Grants) != 1 {
		t.Fatalf("there are %d grants (%v)", len(list.Grants), err)
	}
	path := "/grants/" + over + "/" + list.Grants[0].GrantID + "/revoke"
	got := in.post(path)
	if got.StatusCode != http.StatusConflict || !strings.Contains(got.body, "approvald grants revoke "+list.Grants[0].GrantID) {
		t.Errorf("without an open session it is answered %s: %s", got.Status, got.body)
	}
	in.session(nil)
	goesTo(t, in.post(path), "/grants?note=revoked")
	goesTo(t, in.post(path), "/grants?note=revoked") // as another tab would
}

// A grant that is not there, or only for a session that is over, is not revoked through
// another one.
func TestWhatCannotBeRevokedIsSaid(t *testing.T) {
	in := open(t, nil)
	session := in.session(nil)
	goesTo(t, in.decide(in.ask(session, "c1", shell("make"), nil), 0, "allow_session"), "/")
	list, err := in.agent.Grants(t.Context(), wire.GrantListParams{})
	if err != nil || len(list.Grants) != 1 {
		t.Fatalf("there are %d grants (%v)", len(list.Grants), err)
	}
	if _, err := in.agent.CloseSession(t.Context(), wire.SessionCloseParams{SessionID: session}); err != nil {
		t.Fatal(err)
	}
	other := in.session(nil)
	for path, want := range map[string]int{
		session + "/" + list.Grants[0].GrantID: http.StatusConflict,
		session + "/" + session:                http.StatusConflict,
		other + "/" + session:                  http.StatusNotFound,
		other + "/x":                           http.StatusNotFound,
	} {
		if got := in.post("/grants/" + path + "/revoke"); got.StatusCode != want {
			t.Errorf("%s is answered %s: %s", path, got.Status, got.body)
		}
	}
}
