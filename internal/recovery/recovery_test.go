package recovery_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
)

// ways are the two of reading a log: by its headers, as a daemon does, and whole.
var ways = map[string]func(recovery.Log) (*fold.State, record.Chain, error){
	"Outline": func(l recovery.Log) (*fold.State, record.Chain, error) {
		o, err := recovery.Outline(l)
		return o.State, o.Chain, err
	},
	"Replay": func(l recovery.Log) (*fold.State, record.Chain, error) {
		r, err := recovery.Replay(l)
		return r.State, r.Chain, err
	},
}

func TestReadingAnEmptyLog(t *testing.T) {
	for name, open := range ways {
		state, chain, err := open(new(log.Memory))
		if err != nil {
			t.Fatal(err)
		}
		if state.Head() != 0 || chain != (record.Chain{}) {
			t.Errorf("%s of an empty log gives head %d, chain %x", name, state.Head(), chain)
		}
	}
}

func TestReadingKnowsWhereTheLogEnds(t *testing.T) {
	h := standard(t)
	values := h.values()
	for name, open := range ways {
		state, chain, err := open(h.log)
		if err != nil {
			t.Fatal(err)
		}
		if want := uint64(len(values)); state.Head() != want {
			t.Errorf("%s: head is %d, want %d", name, state.Head(), want)
		}
		if want := record.ChainOf(values[len(values)-1]); chain != want {
			t.Errorf("%s: the next record must carry %x, want %x", name, chain, want)
		}
	}
}

// A log that was altered in any way but at its very end is found to be; and it is
// not served where records are missing, too many, or out of place: a part of it
// served as if it were the whole would lose decisions.
func TestReadingRefusesAnAlteredLog(t *testing.T) {
	values := standard(t).values()
	other := standard(t)
	other.write(func(do func(decide.Command) []record.Record) {
		do(decide.SetMode{Intent: other.intent(), Session: other.sessions[0], Mode: approval.DenyUnmatched})
	})
	foreign := other.values()[len(other.values())-1]
	n := len(values)
	cases := map[string]struct {
		alter func([][]byte) [][]byte
		names string // what the error says; "" for no error
	}{
		"whole":                           {func(v [][]byte) [][]byte { return v }, ""},
		"its end cut off":                 {func(v [][]byte) [][]byte { return v[:n-1] }, ""},
		"its beginning cut off":           {func(v [][]byte) [][]byte { return v[1:] }, "record 1 (sessionStarted) does not follow"},
		"one taken out":                   {func(v [][]byte) [][]byte { return slices.Delete(v, 3, 4) }, "record 4 (approvalOpened) does not follow"},
		"one twice":                       {func(v [][]byte) [][]byte { return slices.Insert(v, 4, v[4]) }, "record 6 (approvalOpened) does not follow"},
		"one of another log put in":       {func(v [][]byte) [][]byte { return slices.Insert(v, 2, foreign) }, "record 3 (modeSet) does not follow"},
		"two exchanged":                   {func(v [][]byte) [][]byte { v[4], v[5] = v[5], v[4]; return v }, "record 5 (approvalOpened) does not follow"},
		"one rewritten with its sum":      {func(v [][]byte) [][]byte { v[6] = rewritten(v[6]); return v }, "record 8 (approvalOpened) does not follow"},
		"one cut short":                   {func(v [][]byte) [][]byte { v[5] = v[5][:record.HeaderSize-1]; return v }, "record 6: " + record.ErrShort.Error()},
		"one without its end":             {func(v [][]byte) [][]byte { v[5] = v[5][:len(v[5])-1]; return v }, record.ErrCRC.Error()},
		"one of nothing":                  {func(v [][]byte) [][]byte { v[5] = nil; return v }, record.ErrShort.Error()},
		"the last one of another's end":   {func(v [][]byte) [][]byte { v[n-1] = foreign; return v }, "does not follow"},
		"another log's record after it":   {func(v [][]byte) [][]byte { return append(v, values[0]) }, "does not follow"},
		"a whole other log after its end": {func(v [][]byte) [][]byte { return append(v, v...) }, "does not follow"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			altered := make([][]byte, n)
			for i, v := range values {
				altered[i] = slices.Clone(v)
			}
			l := logOf(t, c.alter(altered))
			switch _, err := recovery.Replay(l); {
			case c.names == "" && err != nil:
				t.Errorf("it was refused: %v", err)
			case c.names != "" && (err == nil || !strings.Contains(err.Error(), c.names)):
				t.Errorf("the error is %v, want one with %q", err, c.names)
			}
			// A start hashes nothing, and misses a record that was rewritten in its place.
			_, err := recovery.Outline(l)
			if want := c.names != "" && name != "one rewritten with its sum"; (err != nil) != want {
				t.Errorf("a start says: %v", err)
			}
		})
	}
}

// rewritten is a record with another body and a checksum that fits it.
func rewritten(value []byte) []byte {
	r, err := record.Decode(1, value)
	if err != nil {
		panic(err)
	}
	body, ok := r.Body.(*record.ApprovalOpened)
	if !ok {
		panic(fmt.Sprintf("the history has no approvalOpened here but %s", r.Kind))
	}
	other := *body
	other.Reason = "another reason"
	out, err := record.Encode(r.Header, &other, r.Chain)
	if err != nil {
		panic(err)
	}
	return out
}

// Any one bit that is not as it was written is found, and the record named.
func TestReadingFindsAnyBit(t *testing.T) {
	values := standard(t).values()
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(values)-1).Draw(t, "record")
		bit := rapid.IntRange(0, 8*len(values[i])-1).Draw(t, "bit")
		altered := slices.Clone(values)
		altered[i] = slices.Clone(values[i])
		altered[i][bit/8] ^= 1 << (bit % 8)
		for way, open := range ways {
			_, _, err := open(logOf(t, altered))
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("record %d", i+1)) {
				t.Fatalf("%s, bit %d of record %d: %v", way, bit, i+1, err)
			}
		}
	})
}

// An error of the log itself is passed on.
func TestReadingPassesOnWhatTheLogSays(t *testing.T) {
	h := standard(t)
	if err := h.log.Close(); err != nil {
		t.Fatal(err)
	}
	for way, open := range ways {
		if _, _, err := open(h.log); !errors.Is(err, log.ErrClosed) {
			t.Errorf("%s: the error is %v", way, err)
		}
	}
}

// A restart supersedes what was pending, by ids that follow from the log alone: two daemons that recover copies of one log agree, and a
// second crash gives others.
func TestRecoveryFollowsFromTheLog(t *testing.T) {
	h := standard(t)
	copied := logOf(t, h.values())
	first := successors(t, h)
	second := successors(t, &history{t: t, log: copied, ids: 1 << 32})
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("successors (-one daemon +another):\n%s", diff)
	}
	want := map[approval.ID]approval.ID{}
	for i, seq := range map[int]uint64{0: 5, 1: 6, 3: 8} { // behind four sessions
		session := h.sessions[map[int]int{0: 2, 1: 0, 3: 0}[i]]
		want[h.opened[i]] = approval.Successor(session, h.opened[i], seq)
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("successors (-want +got):\n%s", diff)
	}
	third := successors(t, h)
	for old, id := range third {
		if !slices.Contains(values(first), old) || slices.Contains(values(first), id) {
			t.Errorf("the second restart superseded %s by %s", old, id)
		}
	}
	if len(third) != len(first) {
		t.Errorf("the second restart superseded %d, the first %d", len(third), len(first))
	}
}

func values(m map[approval.ID]approval.ID) (ids []approval.ID) {
	for _, id := range m {
		ids = append(ids, id)
	}
	return ids
}

// successors restarts over a log and gives what it superseded by what.
func successors(t *testing.T, h *history) map[approval.ID]approval.ID {
	t.Helper()
	found := map[approval.ID]approval.ID{}
	before := uint64(len(h.values()))
	outlined, err := recovery.Outline(h.log)
	if err != nil {
		t.Fatal(err)
	}
	h.write(func(do func(decide.Command) []record.Record) {
		for session := range outlined.State.Sessions() {
			do(decide.Load{Session: session.ID})
		}
	})
	err = h.log.Scan(before+1, func(seq uint64, value []byte) error {
		r, err := record.Decode(seq, value)
		if body, ok := r.Body.(*record.ApprovalSettled); ok {
			found[r.Approval] = *body.Successor
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// resealed is a record with other bytes and the checksum that they have.
func resealed(value []byte, change func([]byte)) []byte {
	value = slices.Clone(value)
	change(value)
	table := crc32.MakeTable(crc32.Castagnoli)
	binary.BigEndian.PutUint32(value[4:], crc32.Update(crc32.Update(0, table, value[:4]), table, value[8:]))
	return value
}
