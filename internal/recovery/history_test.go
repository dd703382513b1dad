package recovery_test

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// history is a log that a writer has made, and the ids that are in it.
type history struct {
	t        testing.TB
	log      *log.Memory
	ids      uint64
	sessions []approval.ID
	opened   []approval.ID
}

// write carries commands out over a log, as a daemon does between its start
// and its end.
func (h *history) write(run func(do func(decide.Command) []record.Record)) {
	h.t.Helper()
	outlined, err := recovery.Outline(h.log)
	if err != nil {
		h.t.Fatal(err)
	}
	s := sequencer.New(sequencer.Config{
		Log: h.log, Clock: sequencer.SystemClock{}, State: outlined.State, Chain: outlined.Chain,
		Read:  func(last uint64) (*fold.Details, error) { return recovery.Details(h.log, last) },
		NewID: h.id, Attended: func(approval.ID) bool { return true }, Owned: func(approval.ID) bool { return true }, Publish: func([]record.Record) {},
		Limits: decide.Limits{Mode: approval.PromptUnmatched, Ceiling: approval.PromptUnmatched, MaxPending: 100, MaxRefusals: 100},
	})
	ended := make(chan error, 1)
	go func() { ended <- s.Run(context.Background()) }()
	run(func(c decide.Command) []record.Record {
		h.t.Helper()
		done := make(chan sequencer.Reply, 1)
		if err := s.Submit(c, func(r sequencer.Reply) { done <- r }); err != nil {
			h.t.Fatal(err)
		}
		reply := <-done
		if reply.Refusal != nil {
			h.t.Fatal(reply.Refusal)
		}
		return reply.Records
	})
	s.Drain()
	if err := <-ended; err != nil {
		h.t.Fatal(err)
	}
}

func (h *history) id() approval.ID { h.ids++; return numbered(h.ids) }

// numbered is an identity of version 7.
func numbered(n uint64) (id approval.ID) {
	binary.BigEndian.PutUint64(id[8:], n)
	id[6], id[8] = 0x70, 0x80
	return id
}

func (h *history) intent() decide.Intent {
	return decide.Intent{Command: approval.CommandIDFromBits(h.id(), false), By: record.Party{Client: "tester"}}
}

// standard is a history with a session that waits for two approvals, one that
// waits for nothing, one that waits for one, and one that is closed.
func standard(t testing.TB) *history {
	t.Helper()
	h := &history{t: t, log: new(log.Memory)}
	h.write(func(do func(decide.Command) []record.Record) {
		for range 4 {
			h.sessions = append(h.sessions, do(decide.StartSession{Intent: h.intent(), Unattended: approval.Park})[0].Session)
		}
		for _, session := range []int{2, 0, 3, 0, 1} {
			c := decide.Open{Intent: h.intent(), Session: h.sessions[session], Timeout: time.Hour, Action: approval.Action{
				ToolCallID: "call", ToolName: "run", RawArgs: `{"n":1}`, ArgsDigest: "sha256:00", Reason: "because",
				Subject: approval.Tool{ToolName: "run", Arguments: []byte(`{"n":1}`)},
			}}
			h.opened = append(h.opened, do(c)[0].Approval)
		}
		do(decide.Decide{Intent: h.intent(), Session: h.sessions[1], Approval: h.opened[4], Choice: wire.ChoiceAllowOnce})
		do(decide.CloseSession{Intent: h.intent(), Session: h.sessions[3]})
	})
	return h
}

// values are the bytes of the log.
func (h *history) values() (values [][]byte) {
	h.t.Helper()
	if err := h.log.Scan(1, func(_ uint64, v []byte) error {
		values = append(values, v)
		return nil
	}); err != nil {
		h.t.Fatal(err)
	}
	return values
}

// logOf is a log with these values.
func logOf(t rapid.TB, values [][]byte) *log.Memory {
	t.Helper()
	l := new(log.Memory)
	if _, err := l.Append(values); err != nil {
		t.Fatal(err)
	}
	return l
}
