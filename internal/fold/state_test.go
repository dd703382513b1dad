package fold_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

func TestAReplayedStateIsTheLiveOne(t *testing.T) {
	replayed := new(fold.State)
	for i, r := range log {
		replayed.Apply(reread(t, r))
		if diff := cmp.Diff(dump(t, told(i+1)), dump(t, replayed)); diff != "" {
			t.Fatalf("after record %d (-live +replayed):\n%s", r.Seq, diff)
		}
	}
}

// At each place of the story: what an overlay was told, and one over it, does
// not reach the view, and both look as the view will.
func TestAnOverlayIsTheViewToBe(t *testing.T) {
	var states []string // after each number of records
	for n := range len(log) + 1 {
		states = append(states, dump(t, told(n)))
	}
	for first := range log {
		for second := first; second < len(log); second++ {
			view := told(first)
			ahead := view.Over()
			for _, r := range log[first:second] {
				ahead.Apply(r)
			}
			middle := dump(t, ahead)
			draft := ahead.Over()
			for _, r := range log[second:] {
				draft.Apply(r)
			}
			where := fmt.Sprintf("view of %d records, overlay to %d", first, second)
			if diff := cmp.Diff(states[first], dump(t, view)); diff != "" {
				t.Fatalf("%s: the view changed:\n%s", where, diff)
			}
			if diff := cmp.Diff(middle, dump(t, ahead)); diff != "" {
				t.Fatalf("%s: the overlay changed:\n%s", where, diff)
			}
			if diff := cmp.Diff(states[second], middle); diff != "" {
				t.Fatalf("%s (-view +overlay):\n%s", where, diff)
			}
			if diff := cmp.Diff(states[len(log)], dump(t, draft)); diff != "" {
				t.Fatalf("%s (-view +overlay of the overlay):\n%s", where, diff)
			}
		}
	}
}

// What a reviewer is asked is what was published last, byte for byte: the
// params of approval/request and of approval/requested are the same.
func TestParamsAreThoseOfTheLatestRequestedEvent(t *testing.T) {
	for name, written := range map[string]func(testing.TB, record.Record) record.Record{
		"live": func(_ testing.TB, r record.Record) record.Record { return r }, "replayed": reread,
	} {
		t.Run(name, func(t *testing.T) {
			s := new(fold.State)
			latest := map[approval.ID]string{}
			for _, r := range log {
				s.Apply(written(t, r))
				for _, e := range events(r) {
					if e.Method == wire.MethodApprovalRequested {
						latest[r.Approval] = text(t, e.Params)
					}
				}
				if !slices.Contains(commits, r.Seq) {
					continue // nobody sees the state between the records of one commit
				}
				at, _ := s.Session(r.Session)
				for _, a := range at.PendingApprovals() {
					if diff := cmp.Diff(latest[a.ID], text(t, full(t, a).Params(at.Lineage))); diff != "" {
						t.Errorf("after record %d, approval %s (-event +params):\n%s", r.Seq, a.ID, diff)
					}
				}
			}
		})
	}
}

// Memory may let go of what was asked at any time: it is read again, and nobody can
// tell.
func TestWhatMemoryLetGoOfIsReadAgain(t *testing.T) {
	held, let := new(fold.State), new(fold.State)
	for _, r := range log {
		held.Apply(r)
		let.Apply(r)
		at, _ := let.Session(r.Session)
		for _, a := range at.PendingApprovals() {
			let.LetGo(r.Session, a.ID)
		}
		if diff := cmp.Diff(dump(t, held), dump(t, let)); diff != "" {
			t.Fatalf("after record %d (-held +let go of):\n%s", r.Seq, diff)
		}
	}
}

func TestARecordThatIsNotWhatItShouldBeIsAnError(t *testing.T) {
	s := told(10) // the second stage of lostApproval waits
	s.LetGo(session, lostApproval)
	at, _ := s.Session(session)
	a, _ := at.Approval(lostApproval)
	errGone := errors.New("gone")
	for name, c := range map[string]struct {
		read fold.Reader
		want string
	}{
		"unreadable":    {func(uint64) (record.Record, error) { return record.Record{}, errGone }, "gone"},
		"another":       {func(uint64) (record.Record, error) { return log[0], nil }, "record 9 is a sessionStarted and not a approvalOpened"},
		"another stage": {func(uint64) (record.Record, error) { return log[8], nil }, "is a approvalOpened and not a stageSettled"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := a.Full(c.read); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestPendingApprovalsStandInOpeningOrder(t *testing.T) {
	s := told(1)
	var want []approval.ID
	for n := range 20 {
		id := approval.ID{0: byte(200 - n), 15: byte(n + 1)}
		r := about(id, opened, &record.ApprovalOpened{Subject: []byte(`{"kind":"x"}`), Command: accepted()})
		r.Seq = uint64(2 + n)
		s.Apply(r)
		want = append(want, id)
	}
	at, _ := s.Session(session)
	var got []approval.ID
	for _, a := range at.PendingApprovals() {
		got = append(got, a.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestATerminalStateNeverChanges(t *testing.T) {
	for name, body := range map[string]record.Body{
		"a second terminal record": settled(4, approval.ByReviewerOnce),
		"a stage afterwards":       &record.StageSettled{Opened: 4, Stages: stages("allowOnce")},
	} {
		t.Run(name, func(t *testing.T) {
			s := told(5)
			at, _ := s.Session(session)
			before, _ := at.Approval(fileApproval)
			want, pending := text(t, before.Resolution()), at.Pending
			late := about(fileApproval, approval.CommandID{}, body)
			late.Seq = 6
			s.Apply(late)
			at, _ = s.Session(session)
			after, _ := at.Approval(fileApproval)
			if got := text(t, after.Resolution()); got != want || at.Pending != pending {
				t.Errorf("%s became %s, %d pending became %d", want, got, pending, at.Pending)
			}
		})
	}
}

func TestARecordOfASessionThatNeverStartedMovesOnlyTheHead(t *testing.T) {
	s := told(3)
	want := dump(t, s)
	stray := about(approval.ID{15: 9}, opened, &record.ModeSet{Mode: "allowAll", Command: accepted()})
	stray.Seq, stray.Session = 4, approval.ID{15: 7}
	s.Apply(stray)
	if diff := cmp.Diff(want, strings.Replace(dump(t, s), "head 4", "head 3", 1)); diff != "" {
		t.Errorf("state:\n%s", diff)
	}
}

func TestASubjectThatCannotBeReadIsOfAnUnknownKind(t *testing.T) {
	s := told(1)
	odd := about(oddApproval, opened, &record.ApprovalOpened{Subject: []byte(`{"kind":"shell","stages":7}`), Command: accepted()})
	odd.Seq = 2
	s.Apply(odd)
	at, _ := s.Session(session)
	a, _ := at.Approval(oddApproval)
	if _, ok := full(t, a).Subject().(approval.Unknown); !ok {
		t.Errorf("it is a %T", full(t, a).Subject())
	}
}

func TestRefusalsAreCountedUntilACommandIsAccepted(t *testing.T) {
	s := told(1)
	for i, c := range []struct {
		intake *record.Intake
		want   int
	}{{refused(), 1}, {refused(), 2}, {accepted(), 0}, {refused(), 1}} {
		r := about(approval.ID{}, command(byte(10+i)), &record.CommandSettled{Command: c.intake})
		r.Seq = uint64(2 + i)
		s.Apply(r)
		if at, _ := s.Session(session); at.Refusals() != c.want {
			t.Errorf("step %d: %d refusals, want %d", i, at.Refusals(), c.want)
		}
	}
}

func TestRefusedStartsAreCountedAndKnownToTheDaemon(t *testing.T) {
	s := new(fold.State)
	for n := range 3 {
		r := about(approval.ID{}, command(byte(10+n)), &record.CommandSettled{Command: refused()})
		r.Seq, r.Session = uint64(1+n), approval.ID{}
		s.Apply(r)
	}
	if got := s.StartRefusals(); got != 3 {
		t.Errorf("%d refused starts", got)
	}
	if entry, ok := s.Start(command(11)); !ok || entry.Seq != 2 {
		t.Errorf("Start = %v, %v", entry, ok)
	}
	started := story[0]
	started.Seq = 4
	s.Apply(started)
	if got := s.StartRefusals(); got != 0 {
		t.Errorf("%d refused starts after one that was accepted", got)
	}
	if entry, ok := s.Start(opened); !ok || entry.Seq != 4 {
		t.Errorf("Start = %v, %v", entry, ok)
	}
}

func TestRecordsOfASessionAreFoundFromEitherEnd(t *testing.T) {
	s := told(len(story))
	at, _ := s.Session(session)
	last := uint64(len(story))
	for _, c := range []struct {
		name      string
		got, want []uint64
	}{
		{"all", slices.Collect(at.Records(0)), sequence(1, last)},
		{"from one on", slices.Collect(at.Records(17)), sequence(17, last)},
		{"beyond the end", slices.Collect(at.Records(last + 1)), nil},
		{"all, backwards", slices.Collect(at.RecordsBefore(last + 1)), backwards(sequence(1, last))},
		{"before one", slices.Collect(at.RecordsBefore(3)), []uint64{2, 1}},
		{"before the first", slices.Collect(at.RecordsBefore(1)), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.got); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnActionIsWhatTheApprovalWasOpenedWith(t *testing.T) {
	at, _ := told(2).Session(session)
	a, _ := at.Approval(shellApproval)
	subject, err := approval.DecodeSubject(shell(shellApproval, "unresolved", "knownSafe", "unresolved"))
	if err != nil {
		t.Fatal(err)
	}
	want := approval.Action{
		ToolCallID: "call_1", ToolName: "bash", RawArgs: `{"command": "make && true; make <x>"}`, ArgsDigest: "sha256:aa",
		Reason: "it must run", Justification: "so says the model", Operation: []byte(`{"kind":"shell-unrestricted"}`),
		TurnID: "turn", TaskID: "task", ItemID: "item", RunID: "run", Requested: true, Subject: subject,
	}
	if diff := cmp.Diff(want, full(t, a).Action()); diff != "" {
		t.Errorf("action (-want +got):\n%s", diff)
	}
}

func TestTheSessionObjectFollowsTheLog(t *testing.T) {
	const opening = `{"sessionId":"0198f0aa-1111-7000-8000-0000000000aa","status":"idle","turnCount":0,"path":"/state/log","createdAt":"2026-01-02T03:04:05.678Z",`
	const static = `"workspaceRoot":"/srv/app","providerId":null,"modelId":null,"forkedFrom":null,"activeTurnId":null,`
	const end = `"name":"a && b","kind":"root","createdByClient":{"name":"inbox","version":"1.0"}}`
	for _, c := range []struct {
		name    string
		records int
		profile fold.Profile
		want    string
	}{
		{"at the start", 1, fold.Profile{LogPath: "/state/log"}, opening + `"updatedAt":"2026-01-02T03:04:05.678Z",` + static +
			`"approvalMode":{"mode":"promptUnmatched","source":"startup","lastCommandId":null},` + end},
		{"with an approval pending", 2, fold.Profile{LogPath: "/state/log"}, opening + `"updatedAt":"2026-01-02T03:04:06.678Z",` + static +
			`"approvalMode":{"mode":"promptUnmatched","source":"startup","lastCommandId":null},"attention":["approvalPending"],` + end},
		{"with another mode", 8, fold.Profile{LogPath: "/state/log"}, opening + `"updatedAt":"2026-01-02T03:04:12.678Z",` + static +
			`"approvalMode":{"mode":"allowAll","source":"approvalReconfigure","lastCommandId":"018f6a2a-3333-7abc-8def-000000000002"},` + end},
		{"after a restart", 8, fold.Profile{LogPath: "/state/log", ReplayedTo: 8}, opening + `"updatedAt":"2026-01-02T03:04:12.678Z",` + static +
			`"approvalMode":{"mode":"allowAll","source":"replay","lastCommandId":"018f6a2a-3333-7abc-8def-000000000002"},` + end},
		{"closed", len(story), fold.Profile{LogPath: "/state/log"}, strings.Replace(opening, "idle", "notLoaded", 1) + `"updatedAt":"2026-01-02T03:04:24.678Z",` + static +
			`"approvalMode":{"mode":"allowAll","source":"approvalReconfigure","lastCommandId":"018f6a2a-3333-7abc-8def-000000000002"},` + end},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, _ := told(c.records).Session(session)
			if diff := cmp.Diff(c.want, text(t, at.Object(c.profile))); diff != "" {
				t.Errorf("object (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAGrantKnowsWhereItCameFrom(t *testing.T) {
	at, _ := told(len(story)).Session(session)
	got, ok := at.Grant(approval.Reach{Kind: "tool", Tool: "t"})
	want := approval.Grant{
		ID: approval.ID{15: 0xf1}, Scope: approval.ScopeSession, Session: session, Kind: "tool", Reach: approval.Reach{Kind: "tool", Tool: "t"},
		RulePreview: "exactly this && that", Approval: nextApproval, CreatedBy: decided, CreatedAt: story[14].At, Seq: 15,
	}
	if !ok || got != want {
		t.Errorf("Grant = %+v, %v; want %+v", got, ok, want)
	}
	if g, ok := at.Grant(approval.Reach{Kind: "tool", Tool: "v"}); ok {
		t.Errorf("something else is granted: %+v", g)
	}
}

func TestTimesAreUTCWhateverTheRecordSays(t *testing.T) {
	r := story[0]
	r.At = r.At.In(time.FixedZone("", 7200))
	s := new(fold.State)
	s.Apply(r)
	at, _ := s.Session(session)
	if got := at.Object(fold.Profile{}).CreatedAt; got != "2026-01-02T03:04:05.678Z" {
		t.Errorf("createdAt %s", got)
	}
}

func sequence(from, to uint64) (out []uint64) {
	for ; from <= to; from++ {
		out = append(out, from)
	}
	return out
}

func backwards(s []uint64) []uint64 {
	slices.Reverse(s)
	return s
}
