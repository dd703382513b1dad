package sequencer_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/tests/bench/yardstick"
	"github.com/approvald/approvald/wire"
)

// BenchmarkPairs opens an approval and decides it, one after another, by so many agents at once,
// each in a session of its own. An op is such a pair; the latency is that of the decision. The
// yardsticks make the same bytes durable (perf §9, T1 to T5):
//
//	go test -run '^$' -bench Pairs -count 7 ./internal/sequencer | benchstat -col /v -
func BenchmarkPairs(b *testing.B) {
	opened, settled := pairRecords(b)
	for _, callers := range []int{1, 16, 64} {
		name := fmt.Sprintf("callers=%d/v=", callers)
		b.Run(name+"approvald", func(b *testing.B) { benchmarkPairs(b, callers) })
		b.Run(name+"groupCommit", func(b *testing.B) {
			yardstick.MeasureStore(b, callers, yardstick.OpenGroupCommit, opened, settled)
		})
		b.Run(name+"update", func(b *testing.B) {
			yardstick.MeasureStore(b, callers, yardstick.OpenUpdate, opened, settled)
		})
		b.Run(name+"fdatasync", func(b *testing.B) {
			yardstick.MeasureStore(b, callers, yardstick.OpenFdatasync, opened, settled)
		})
	}
}

func benchmarkPairs(b *testing.B, callers int) {
	l, err := log.Open(filepath.Join(b.TempDir(), "sessions.db"))
	if err != nil {
		b.Fatal(err)
	}
	w := startWriter(l)
	agents := make([]*benchAgent, callers)
	for i := range agents {
		if agents[i], err = w.startSession(); err != nil {
			b.Fatal(err)
		}
	}
	yardstick.Callers(b, callers, func(i int) (time.Duration, error) { return agents[i].pair() })
	if err := w.stop(); err != nil {
		b.Fatal(err)
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
}

// pairRecords are the bytes that a pair leaves in the log.
func pairRecords(b *testing.B) (opened, settled []byte) {
	l := new(log.Memory)
	w := startWriter(l)
	agent, err := w.startSession()
	if err != nil {
		b.Fatal(err)
	}
	if _, err := agent.pair(); err != nil {
		b.Fatal(err)
	}
	if err := w.stop(); err != nil {
		b.Fatal(err)
	}
	values := make([][]byte, 0, 3)
	err = l.Scan(1, func(_ uint64, value []byte) error {
		values = append(values, value)
		return nil
	})
	if err != nil || len(values) != 3 { // the session, the opening record, the terminal one
		b.Fatalf("a pair left %d records: %v", len(values), err)
	}
	return values[1], values[2]
}

// benchWriter is a running sequencer whose ids count up.
type benchWriter struct {
	*sequencer.Sequencer
	ended chan error
	ids   atomic.Uint64
}

func startWriter(l sequencer.Log) *benchWriter {
	w := &benchWriter{ended: make(chan error, 1)}
	w.Sequencer = sequencer.New(sequencer.Config{
		Log:      l,
		Clock:    sequencer.SystemClock{},
		State:    new(fold.State),
		NewID:    w.id,
		Attended: func(approval.ID) bool { return true },
		Owned:    func(approval.ID) bool { return true },
		Publish:  func([]record.Record) {},
		Limits: decide.Limits{
			Mode: approval.PromptUnmatched, Ceiling: approval.PromptUnmatched,
			MaxPending: decide.DefaultMaxPending, MaxRefusals: decide.DefaultMaxRefusals,
		},
	})
	go func() { w.ended <- w.Run(context.Background()) }()
	return w
}

func (w *benchWriter) stop() error {
	w.Drain()
	return <-w.ended
}

// id mints a UUID of version 7.
func (w *benchWriter) id() (id approval.ID) {
	binary.BigEndian.PutUint64(id[8:], w.ids.Add(1))
	id[6], id[8] = 0x70, 0x80
	return id
}

func (w *benchWriter) intent() decide.Intent {
	id := w.id()
	i := decide.Intent{
		Command: approval.CommandIDFromBits(id, false),
		By:      record.Party{Client: "bench", Version: "1", Role: "both", Transport: "host", PID: 4711, Executable: "/usr/bin/bench"},
	}
	copy(i.Payload[:], id[:])
	return i
}

// do submits a command and waits for its answer.
func (w *benchWriter) do(c decide.Command) (sequencer.Reply, error) {
	done := make(chan sequencer.Reply, 1)
	if err := w.Submit(c, func(r sequencer.Reply) { done <- r }); err != nil {
		return sequencer.Reply{}, err
	}
	reply := <-done
	if reply.Refusal != nil {
		return reply, reply.Refusal
	}
	return reply, nil
}

// benchAgent opens approvals in its session and decides them itself.
type benchAgent struct {
	w       *benchWriter
	session approval.ID
}

func (w *benchWriter) startSession() (*benchAgent, error) {
	reply, err := w.do(decide.StartSession{
		Intent: w.intent(), WorkspaceRoot: "/home/user/project", Unattended: approval.Park,
	})
	if err != nil {
		return nil, err
	}
	return &benchAgent{w, reply.Records[0].Session}, nil
}

// pair returns how long the decision took.
func (a *benchAgent) pair() (time.Duration, error) {
	reply, err := a.w.do(decide.Open{Intent: a.w.intent(), Session: a.session, Action: approval.Action{
		ToolCallID: "call-1", ToolName: "write_file",
		RawArgs:    `{"path":"docs/notes.md","content":"One daemon, one log.\n"}`,
		ArgsDigest: "sha256:82e06810567c6b2a41ae49fd36f0018f8aa9d96614463bf5c67fca0adfeb5840",
		Reason:     "The notes are to be kept beside the code.",
		Subject: approval.File{
			ToolName: "write_file", Path: "/home/user/project/docs/notes.md", RequestedPath: "docs/notes.md",
			Access: string(wire.AccessWrite), Diff: "@@ -0,0 +1 @@\n+One daemon, one log.\n",
		},
	}})
	if err != nil {
		return 0, err
	}
	start := time.Now()
	_, err = a.w.do(decide.Decide{
		Intent: a.w.intent(), Session: a.session, Approval: reply.Records[0].Approval, Choice: wire.ChoiceAllowOnce,
	})
	return time.Since(start), err
}
