package sequencer_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// readLog is a log whose sessions cannot be read while it is shut, and which
// counts how often one is.
type readLog struct {
	*heldLog
	mu     sync.Mutex
	shut   chan struct{} // nil: open
	broken uint64        // the last record of the session that cannot be read; 0: all can
	walks  int
}

func (l *readLog) Walk(from uint64, prev func([]byte) uint64, fn func(uint64, []byte) error) error {
	l.mu.Lock()
	l.walks++
	shut, broken := l.shut, l.broken
	l.mu.Unlock()
	if shut != nil {
		<-shut
	}
	if broken == from {
		return errSector
	}
	return l.heldLog.Walk(from, prev, fn)
}

func (l *readLog) close() (open func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	shut := make(chan struct{})
	l.shut = shut
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.shut = nil
		close(shut)
	})
}

func (l *readLog) read() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.walks
}

// restart is a writer over the log of one that has ended, as a daemon starts it.
func restart(t testing.TB, l *readLog, options ...func(*sequencer.Config)) *rig {
	t.Helper()
	outlined, err := recovery.Outline(l.heldLog) // the start itself is not held up
	if err != nil {
		t.Fatal(err)
	}
	return start(t, l.heldLog, append([]func(*sequencer.Config){func(c *sequencer.Config) {
		c.Log, c.State, c.Chain = l, outlined.State, outlined.Chain
		c.Read = func(last uint64) (*fold.Details, error) { return recovery.Details(l, last) }
	}}, options...)...)
}

// end stops a writer in order.
func (r *rig) end() {
	r.t.Helper()
	r.Drain()
	if err := <-r.ended; err != nil {
		r.t.Fatal(err)
	}
}

// kinds are the records that the log has behind from.
func kinds(t testing.TB, l *heldLog, from uint64) (kinds []string) {
	t.Helper()
	err := l.Scan(from+1, func(seq uint64, value []byte) error {
		h, err := record.CheckHeader(seq, value)
		kinds = append(kinds, h.Kind.String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

func TestASessionIsRecoveredBeforeAnybodyHearsOfIt(t *testing.T) {
	l := &readLog{heldLog: newLog()}
	r := start(t, l.heldLog)
	session, other := r.session(), r.session()
	old := r.open(session)
	r.end()
	before := l.Head()

	again := restart(t, l)
	again.accepted(decide.SetMode{Intent: again.intent(), Session: other, Mode: approval.DenyUnmatched})
	if diff := cmp.Diff([]string{"modeSet"}, kinds(t, l.heldLog, before)); diff != "" {
		t.Fatalf("records of a command for another session (-want +got):\n%s", diff)
	}
	if reply := again.do(again.choose(session, old, wire.ChoiceAllowOnce)); code(reply) != wire.CodeApprovalAlreadyResolved {
		t.Errorf("the decision on what was pending before the restart: %+v", reply)
	}
	want := []string{"modeSet", "recovered", "approvalSettled", "approvalOpened"}
	if diff := cmp.Diff(want, kinds(t, l.heldLog, before)); diff != "" {
		t.Errorf("records of the recovery (-want +got):\n%s", diff)
	}
	again.pending(session, approval.Successor(session, old, 3)) // or it says that it is not known
}

func TestWhatWaitsForASessionKeepsItsOrderAndNobodyElseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &readLog{heldLog: newLog()}
		r := start(t, l.heldLog)
		session, other := r.session(), r.session()
		r.end()
		open := l.close()

		again := restart(t, l)
		first := again.submit(decide.SetMode{Intent: again.intent(), Session: session, Mode: approval.AllowAll})
		second := again.submit(decide.SetMode{Intent: again.intent(), Session: session, Mode: approval.OnRequest})
		seen := make(chan approval.Mode, 1)
		go func() {
			_, err := again.ViewSession(session, func(_ *fold.State, in *fold.Session) { seen <- in.Mode.Mode })
			if err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		again.accepted(decide.Load{}) // others go on
		if again.Idle() {
			t.Error("it says that nothing is on its way")
		}
		select {
		case <-first:
			t.Error("a command was decided on a session that was not read")
		default:
		}
		again.Drain() // takes nothing more, and leaves nothing behind
		synctest.Wait()
		open()
		<-first
		<-second
		if mode := <-seen; mode != approval.OnRequest && mode != approval.AllowAll && mode != approval.PromptUnmatched {
			t.Errorf("a reader saw the mode %q", mode)
		}
		if err := <-again.ended; err != nil {
			t.Error(err)
		}
		again.View(func(s *fold.State) {
			if in, _ := s.Session(session); in.Mode.Mode != approval.OnRequest {
				t.Errorf("the mode is %s: the two commands were decided in another order", in.Mode.Mode)
			}
			if in, _ := s.Session(other); in.Loaded() {
				t.Error("a session that nobody asked for is loaded")
			}
		})
	})
}

// What is sent behind the start of a child session, and is about that, waits with
// it where the tree of its parent has to be read first.
func TestWhatIsAboutASessionThatIsToBeStartedWaitsWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &readLog{heldLog: newLog()}
		r := start(t, l.heldLog)
		root := r.session()
		r.end()
		open := l.close()

		again := restart(t, l)
		child, grandchild := numbered(1<<50), numbered(1<<50+1)
		answers := []answer{
			again.submit(decide.StartSession{Intent: again.intent(), Session: child, Parent: root}),
			again.submit(decide.StartSession{Intent: again.intent(), Session: grandchild, Parent: child}),
			again.submit(decide.SetMode{Intent: again.intent(), Session: grandchild, Mode: approval.DenyUnmatched}),
			again.submit(again.opening(child, 0)),
		}
		synctest.Wait()
		open()
		for i, a := range answers {
			if reply := <-a; reply.Refusal != nil {
				t.Errorf("command %d was refused: %v", i, reply.Refusal)
			}
		}
		if reply := again.do(again.opening(numbered(1<<50+2), 0)); code(reply) != wire.CodeSessionNotFound {
			t.Errorf("a command for a session that nobody starts: %+v", reply)
		}
	})
}

func TestATreeThatNobodyNeedsIsUnloadedAndThatIsNoRestart(t *testing.T) {
	const window = time.Minute
	for name, c := range map[string]struct {
		waits, asks, watched, used bool
	}{
		"nobody needs it":                   {},
		"something is pending below":        {waits: true},
		"a prompt is pending below":         {asks: true},
		"somebody is subscribed to a child": {watched: true},
		"it is used":                        {used: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var child approval.ID
				r := restart(t, &readLog{heldLog: newLog()}, func(cfg *sequencer.Config) {
					cfg.IdleWindow = window
					cfg.Watched = func(id approval.ID) bool { return c.watched && id == child }
				})
				root := r.session()
				child = r.accepted(decide.StartSession{Intent: r.intent(), Parent: root}).Records[0].Session
				asked := r.opening(child, 0)
				asked.Action.Subject = approval.File{ // for whose write a restart would void the permit
					ToolName: "write_file", Path: "/srv/.git/hooks/pre-commit", RequestedPath: ".git/hooks/pre-commit", Access: "write",
				}
				id := r.accepted(asked).Records[0].Approval
				if !c.waits {
					r.accepted(r.choose(child, id, wire.ChoiceAllowOnce))
				}
				if c.asks {
					r.ask(child, 0)
				}
				for range 8 {
					time.Sleep(window / 2)
					if c.used {
						r.accepted(decide.Load{Session: root})
					}
				}
				synctest.Wait()
				needed := c.waits || c.asks || c.watched || c.used
				r.View(func(s *fold.State) {
					for in := range s.Sessions() {
						if in.Loaded() != needed {
							t.Errorf("session %s is loaded: %v, want %v", in.ID, in.Loaded(), needed)
						}
					}
				})

				before := r.log.Head()
				if reply := r.accepted(asked); len(reply.Records) != 0 {
					t.Error("a command that was answered before was carried out again")
				}
				if r.pending(child, id) != c.waits {
					t.Error("the approval is not as it was")
				}
				if made := kinds(t, r.log, before); len(made) != 0 {
					t.Errorf("loading made records: %s", made)
				}
			})
		})
	}
}

func TestWhatIsPendingIsLoadedInTheOrderInWhichSessionsBegan(t *testing.T) {
	l := &readLog{heldLog: newLog()}
	r := start(t, l.heldLog)
	var sessions []approval.ID
	for range 5 {
		sessions = append(sessions, r.session())
	}
	for _, i := range []int{3, 0, 4} {
		r.open(sessions[i])
	}
	r.end()
	before := l.Head()

	again := restart(t, l)
	if err := again.LoadPending(); err != nil {
		t.Fatal(err)
	}
	var order []approval.ID
	err := l.Scan(before+1, func(seq uint64, value []byte) error {
		h, err := record.CheckHeader(seq, value)
		if h.Kind == record.KindRecovered {
			order = append(order, h.Session)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]approval.ID{sessions[0], sessions[3], sessions[4]}, order); diff != "" {
		t.Errorf("recovered (-want +got):\n%s", diff)
	}
	if n := l.read(); n != 3 {
		t.Errorf("%d sessions were read, want those 3 alone", n)
	}
	if err := again.LoadPending(); err != nil || l.read() != 3 {
		t.Errorf("they were read again, or: %v", err)
	}
}

// Nobody hears of a recovery whose commit failed, and who waited for it may retry.
func TestAFailedAppendOfARecovery(t *testing.T) {
	l := &readLog{heldLog: newLog()}
	r := start(t, l.heldLog)
	session := r.session()
	id := r.open(session)
	r.end()

	again := restart(t, l)
	l.hold()
	decided := again.submit(again.choose(session, id, wire.ChoiceAllowOnce))
	<-l.entered
	viewed := make(chan error, 1)
	go func() {
		_, err := again.ViewSession(session, func(*fold.State, *fold.Session) { t.Error("a reader saw what may not be durable") })
		viewed <- err
	}()
	l.resume <- lose
	if err := <-again.ended; !errors.Is(err, errDisk) {
		t.Errorf("Run returned %v", err)
	}
	if reply := <-decided; code(reply) != wire.CodeInternal || !reply.Refusal.Data.Retryable {
		t.Errorf("who waited for it: %+v", reply)
	}
	if err := <-viewed; err == nil {
		t.Error("the reader was not told")
	}
	if !again.Idle() {
		t.Error("something is still on its way")
	}
}

var errSector = errors.New("a sector cannot be read")

func TestASessionThatCannotBeReadIsRefusedAndNoOther(t *testing.T) {
	l := &readLog{heldLog: newLog()}
	r := start(t, l.heldLog)
	session, other := r.session(), r.session()
	id, sound := r.open(session), r.open(other)
	r.end()
	l.broken = 3
	before := l.Head()

	again := restart(t, l)
	reply := again.do(again.choose(session, id, wire.ChoiceAllowOnce))
	if code(reply) != wire.CodeInternal || !strings.Contains(reply.Refusal.Message, "approvald verify") {
		t.Errorf("the decision: %+v", reply)
	}
	if err := again.LoadPending(); err == nil {
		t.Error("nothing was said of what is pending and cannot be read")
	}
	if _, unknown := again.Await(session, []approval.ID{id}, false, func() { t.Error("answered") }); unknown == nil {
		t.Error("an await of what cannot be read is taken")
	}
	if again.pending(other, sound) {
		t.Error("a session that can be read was not recovered")
	}

	l.mu.Lock()
	l.broken = 0
	l.mu.Unlock()
	if reply := again.do(again.choose(session, id, wire.ChoiceAllowOnce)); code(reply) != wire.CodeApprovalAlreadyResolved {
		t.Errorf("the decision when it can be read again: %+v", reply)
	}
	once := []string{"recovered", "approvalSettled", "approvalOpened"}
	want := slices.Concat(once, once)
	if diff := cmp.Diff(want, kinds(t, l.heldLog, before)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// A restart owes something to thousands of sessions at times; each commit is two
// syncs.
func TestManySessionsAreRecoveredInFewCommits(t *testing.T) {
	l := &readLog{heldLog: newLog()}
	r := start(t, l.heldLog)
	var sessions, approvals []approval.ID
	for range 300 {
		session := r.session()
		sessions, approvals = append(sessions, session), append(approvals, r.open(session))
	}
	r.end()

	again := restart(t, l)
	before := l.appends.Load()
	if err := again.LoadPending(); err != nil {
		t.Fatal(err)
	}
	if n := l.appends.Load() - before; n != 3 {
		t.Errorf("300 sessions were recovered in %d commits", n)
	}
	for i, id := range approvals {
		if again.pending(sessions[i], id) {
			t.Fatalf("session %d was not recovered", i)
		}
	}
	if !again.Idle() {
		t.Error("something is still on its way")
	}
}
