// Package crash kills the daemon at random moments, under openers, deciders,
// cancellers and consumers at once, and while it recovers, and holds what is left
// against what was said (protocol §3, §7 and §8):
//
//   - acked ⊆ log ⊆ acked and what was under way: what was acknowledged is in the
//     log, whole, and answered with the same bytes at any later time; what is in
//     the log and was not acknowledged was waited for when the daemon was killed;
//   - the sequence has no holes, the chain holds, and every approval has one
//     opening record, at most one terminal one, and is consumed at most once;
//   - what was pending is superseded by a successor whose id follows from the
//     log, and the pending set, the outcomes, the modes and the grants that the
//     restarted daemon tells of are those of a naive twin, which reads the file
//     with code of its own;
//   - what the twin says can be taken after a restart can, once, and nothing else;
//   - a rule that a decision wrote is in the log before it is in a store, and what
//     the log says is stored is;
//   - another daemon that recovers a copy of the state directory makes the same
//     records, but for times;
//   - an orderly end leaves nothing lying about that a kill has left.
//
// A round is one kill under load, the restart and the checks; before some
// restarts the daemon is killed while it recovers, several times in a row. Kills
// come when so many commands were sent or answered, and, of three, one at the
// next commit, before it is answered.
//
// `make crash ROUNDS=1000` plays so many, each run with another seed;
// APPROVALD_CRASH_SEED=N makes the choices of the load those of the run that
// named it. How the daemon's goroutines and the kill interleave is not repeated.
package crash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	samples     = 8    // approvals that are read and taken after a restart
	quickRounds = 8    // of `make test`
	perLog      = 10   // rounds over one log; the next ones begin another
	longest     = 120  // commands or answers before the daemon is killed, at most
	most        = 4000 // turns of other goroutines before it is, at most
)

func TestCrashes(t *testing.T) {
	seed := number(t, "APPROVALD_CRASH_SEED", rand.Uint64N(1<<32))
	rounds := int(number(t, "APPROVALD_CRASH_ROUNDS", quickRounds))
	t.Logf("APPROVALD_CRASH_SEED=%d", seed)
	n := &counts{acked: map[string]int{}, records: map[string]int{}}
	began := time.Now()
	for first := 0; first < rounds; first += perLog {
		of := rand.New(rand.NewPCG(seed, uint64(first)))
		last := min(first+perLog, rounds)
		if !t.Run(fmt.Sprintf("rounds %d to %d", first+1, last), func(t *testing.T) { newMachine(t, n, of).play(last - first) }) {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("%s\nin %s", n, time.Since(began).Round(time.Second))
}

func number(t *testing.T, variable string, absent uint64) uint64 {
	t.Helper()
	given := os.Getenv(variable)
	if given == "" {
		return absent
	}
	n, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// machine is a daemon that is killed again and again over one log.
type machine struct {
	t     *testing.T
	n     *counts
	r     *rand.Rand // what is drawn from it does not depend on what the daemon does,
	aside *rand.Rand // from this it does
	at    place      // where it lives
	copy  place      // where another recovers a copy
	world *world
	left  *twin         // the log that the last kill left
	usual time.Duration // how long the last start took
}

func newMachine(t *testing.T, n *counts, r *rand.Rand) *machine {
	t.Helper()
	dir := t.TempDir()
	workspace := filepath.Join(dir, "work")
	if err := os.MkdirAll(filepath.Join(workspace, ".git", "hooks"), 0o700); err != nil {
		t.Fatal(err)
	}
	return &machine{
		t: t, n: n, r: r, aside: rand.New(rand.NewPCG(r.Uint64(), 0)), left: twinOf(nil), world: newWorld(t, workspace),
		at: newPlace(t, filepath.Join(dir, "state")), copy: newPlace(t, filepath.Join(dir, "copy")),
		usual: 10 * time.Millisecond,
	}
}

// play plays rounds, and then an orderly look at what is left.
func (m *machine) play(rounds int) {
	for range rounds {
		if m.r.IntN(3) == 0 {
			m.interrupt(1 + m.r.IntN(3))
		}
		m.round()
		if m.t.Failed() {
			return
		}
	}
	m.interrupt(1) // the last kill is followed by a start as well
	m.end()
	for _, e := range m.left.log {
		m.n.records[e.kind.String()]++
	}
	for _, c := range m.world.all {
		if c.answer != "" {
			m.n.acked[c.method]++
		}
	}
}

// end starts the daemon once more and ends it in order: whatever kills have left
// lying about, nothing is there but what is to be kept.
func (m *machine) end() {
	m.t.Helper()
	began := m.settled()
	d := start(m.t, m.at)
	d.listening()
	a := newAsker(m.t, m.at)
	a.holdAgainst(m.left, began)
	_ = a.conn.Close()
	d.end()
	m.look(after{now: began, complete: true})
	for _, name := range append(below(m.t, m.at.state), below(m.t, m.at.sockets)...) {
		if name != "lock" && name != "sessions.db" && !(strings.HasPrefix(name, "workspaces/") && strings.HasSuffix(name, ".toml") && !strings.Contains(name, "/.")) {
			m.t.Errorf("%s is left behind", name)
		}
	}
}

// interrupt kills the daemon so many times while it starts.
func (m *machine) interrupt(times int) {
	m.t.Helper()
	for range times {
		began := m.settled()
		d := start(m.t, m.at)
		moment := time.Duration(2 * m.r.Float64() * float64(m.usual))
		var listened bool
		if m.r.IntN(2) == 0 {
			listened = d.killIn(moment)
		} else {
			listened = d.killAtCommit(m.at)
		}
		m.n.interrupted++
		if listened {
			m.n.late++
		}
		m.look(after{now: began})
	}
}

// look reads the log that a kill left and holds it against everything known.
func (m *machine) look(now after) {
	m.t.Helper()
	log, err := readLog(m.at.log())
	if err != nil {
		m.t.Fatal(err)
	}
	now.twin = twinOf(log)
	doubt, done := m.world.settle(now.twin)
	m.n.doubt, m.n.done = m.n.doubt+doubt, m.n.done+done
	for _, fault := range append(faultsSince(m.left, now), now.faultsOfStores(m.at.stores(m.t))...) {
		m.t.Error(fault)
	}
	closed := 0
	for _, a := range m.left.pending() {
		if now.approvals[a.id].settled != nil {
			closed++
		}
	}
	m.n.recovered += closed
	if closed > 0 && closed < len(m.left.pending()) {
		m.n.halves++
	}
	m.left = now.twin
}

// settled is the present, at which no deadline is about to pass: a restart that
// begins now finds each passed, or an hour away.
func (m *machine) settled() time.Time {
	for {
		now := time.Now()
		about := false
		for _, a := range m.left.pending() {
			at := a.opened.body.ExpiresAt
			about = about || at != nil && *at >= now.UnixMilli() && *at < now.Add(time.Minute).UnixMilli()
		}
		for _, p := range m.left.prompts {
			at := p.opened.body.ExpiresAt
			about = about || p.settled == nil && at != nil && *at >= now.UnixMilli() && *at < now.Add(time.Minute).UnixMilli()
		}
		if !about {
			return now
		}
	}
}

// round restarts the daemon, compares, repeats commands, and kills it under load.
func (m *machine) round() {
	m.t.Helper()
	m.n.rounds++
	before, began := m.left, m.settled()
	copied := len(before.log) > 0
	var other *process
	if copied {
		copyState(m.t, m.at.state, m.copy.state)
		other = start(m.t, m.copy)
	}
	d := start(m.t, m.at)
	begun := time.Now()
	d.listening()
	m.usual = max(time.Since(begun), time.Millisecond)
	a := newAsker(m.t, m.at)
	a.holdAgainst(before, began)
	var twin []entry
	if copied {
		twin = m.recoverCopy(other, before, began)
	}
	m.world.goOn(before, began)
	m.sample(a, before, began)
	m.repeat(a)
	m.load(d)
	m.look(after{now: began, complete: true})
	if copied {
		m.n.compared += len(before.pending())
		for _, fault := range faultsOfCopies(len(before.log), m.left.log, twin) {
			m.t.Error(fault)
		}
	}
	_ = a.conn.Close()
}

// recoverCopy has another daemon recover the copy, and gives what it left.
func (m *machine) recoverCopy(d *process, before *twin, began time.Time) []entry {
	m.t.Helper()
	d.listening()
	a := newAsker(m.t, m.copy)
	a.holdAgainst(before, began)
	d.kill()
	_ = a.conn.Close()
	log, err := readLog(m.copy.log())
	if err != nil {
		m.t.Fatal(err)
	}
	for _, fault := range append(twinOf(log).faults, faultsSince(before, after{twinOf(log), began, true})...) {
		m.t.Error("of the copy: " + fault)
	}
	for i := range log { // rules are named by the file that they are in
		log[i].text = strings.ReplaceAll(log[i].text, m.copy.state, m.at.state)
	}
	return log
}

// repeat sends again what was sent last, answered or not: what was answered, or
// is in the log, is answered as it was, and the rest is carried out once.
func (m *machine) repeat(a asker) {
	m.t.Helper()
	for _, c := range m.world.all[max(0, len(m.world.all)-longest):] {
		if c.answer != "" && m.aside.IntN(3) > 0 {
			continue
		}
		m.n.repeated++
		if !m.world.send(a.client, c) {
			m.t.Fatal("the daemon is gone")
		}
	}
}

// sample reads a few approvals of before the restart back, and takes them: what
// nobody has taken, and nothing has made void, can be taken once.
func (m *machine) sample(a asker, before *twin, began time.Time) {
	m.t.Helper()
	seen := map[string]bool{}
	for range min(len(before.order), samples) {
		of := before.order[m.aside.IntN(len(before.order))]
		a.compareRead(of, began)
		if seen[of.id] {
			continue
		}
		seen[of.id] = true
		c := m.world.take(of)
		if !m.world.send(a.client, c) {
			m.t.Fatal("the daemon is gone")
		}
		if is, want := c.came(), before.claim(of, began); is != want {
			m.t.Errorf("approval %s was taken: %s, by the log it should be %s\n%s", of.id, is, want, c.answer)
		}
		m.n.taken++
	}
}

// load has every client send commands until the daemon is killed.
func (m *machine) load(d *process) {
	m.t.Helper()
	var connected []*client
	for _, of := range clients {
		c, err := dial(m.at, of.interactive)
		if err != nil {
			m.t.Fatal(err)
		}
		connected = append(connected, c)
	}
	turns, atCommit := m.r.IntN(most), m.r.IntN(3) == 0
	m.world.killAfter(1+m.r.IntN(longest), m.r.IntN(2) == 0, func() {
		commit := nextCommit(m.at.log())
		for n := 0; n < turns || atCommit && n < turns+patience && !commit(); n++ { // the last command is anywhere between its socket and its answer
			runtime.Gosched()
		}
		d.kill()
	})
	var wg sync.WaitGroup
	for i, of := range clients {
		choices := rand.New(rand.NewPCG(m.r.Uint64(), 0))
		wg.Go(func() { m.world.drive(connected[i], of.does, choices) })
	}
	wg.Wait()
	d.kill() // returns when it is gone
	for _, c := range connected {
		_ = c.conn.Close()
	}
}
