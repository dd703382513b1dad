package decide_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
)

const (
	allowOnce = `{"choiceId":"allow_once","label":"Allow once","decision":"approved","scope":"once"}`
	abort     = `{"choiceId":"abort","label":"Reject","decision":"abort","scope":"once","acceptsFeedback":true}`
)

// allowSession is the row of a session grant whose preview, as JSON text, is
// given.
func allowSession(preview string) string {
	return `{"choiceId":"allow_session","label":"Allow for this session","decision":"approvedForSession","scope":"session","rulePreview":"` + preview + `"}`
}

// allowLocal is the row of a choice that writes a rule.
func allowLocal(kind, what, preview string) string {
	return `{"choiceId":"allow_local_` + kind + `","label":"Always allow ` + what + ` in this workspace","decision":"approvedPolicyAmendment",` +
		`"scope":"localPersistent","rulePreview":"` + preview + `"}`
}

// A preview is shown verbatim, and the grant covers no more than it says.
func TestMenusArePublishedByteForByte(t *testing.T) {
	for _, c := range []struct {
		name    string
		subject approval.Subject
		want    []string
	}{
		{"file", file, []string{allowOnce, allowSession("write /srv/app/a.txt"), allowLocal("path", "this access", "allow write of exactly /srv/app/a.txt"), abort}},
		{"network", network, []string{
			allowOnce, allowSession("example.org:443 (https)"),
			allowLocal("network", "this destination", "allow connections to example.org, port 443"), abort,
		}},
		{"process", process, []string{allowOnce, allowSession(`signal SIGTERM: exactly sleep \"1 2\"`), abort}},
		{"process without argv", approval.Process{Action: "attach", Target: "17"}, []string{allowOnce, allowSession("attach 17"), abort}},
		{"tool", tool, []string{
			allowOnce, allowSession("tool create_issue of server github with any arguments; not bound to a tool definition"),
			allowLocal("mcp_tool", "this tool", "allow tool create_issue of server github, whatever its arguments and its definition"), abort,
		}},
		{"tool of the agent's own", approval.Tool{ToolName: "edit"}, []string{allowOnce, allowSession("tool edit with any arguments; not bound to a tool definition"), abort}},
		{"unknown kind", teleport, []string{allowOnce, abort}},
		{"shell", shell("make && true"), []string{allowOnce, allowSession("exactly this command, in /srv/app, by bash: make && true"), abort}},
		{"shell, a rule for its first part", shell("git add . && make"), []string{
			allowOnce,
			`{"choiceId":"allow_all_once","label":"Allow all 2 parts once","decision":"approved","scope":"once","rulePreview":"1. git add .\n2. make"}`,
			allowSession("exactly this command, in /srv/app, by bash: git add . && make"),
			allowLocal("prefix", "commands like this", "allow commands that begin with the words: git add"), abort,
		}},
		{"shell, opaque", shell("make > a"), []string{allowOnce, allowSession("exactly this command, in /srv/app, by bash: make > a"), abort}},
		{"shell, stages", shell("make 'a b' ''; true; make c=d"), []string{
			allowOnce,
			`{"choiceId":"allow_all_once","label":"Allow all 2 parts once","decision":"approved","scope":"once",` +
				`"rulePreview":"1. make \"a b\" \"\"\n3. make c=d"}`,
			allowSession("exactly this command, in /srv/app, by bash: make 'a b' ''; true; make c=d"),
			abort,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			id := w.open(session, c.subject)
			want := "[" + strings.Join(c.want, ",") + "]"
			if diff := cmp.Diff(want, string(w.full(session, id).Menu)); diff != "" {
				t.Errorf("menu (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want, encoded(t, w.full(session, id).Params(w.session(session).Lineage).AvailableChoices)); diff != "" {
				t.Errorf("as asked (-want +got):\n%s", diff)
			}
		})
	}
}
