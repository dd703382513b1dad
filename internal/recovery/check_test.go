package recovery_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
)

// A record that a newer version wrote is no damage where it stands in its
// place, and is where it does not.
func TestANewerRecordIsDamageWhereItDoesNotFollow(t *testing.T) {
	values := standard(t).values()
	newer := func(value []byte) []byte { return resealed(value, func(b []byte) { b[1] = 99 }) }
	for name, c := range map[string]struct {
		values [][]byte
		newer  bool
		says   string
	}{
		"in its place":  {[][]byte{values[0], newer(values[1])}, true, "record 2: record is of a kind that this version does not know: kind 99"},
		"out of place":  {[][]byte{values[0], newer(values[2])}, false, "record 2 (kind 99) does not follow the record before it"},
		"a bit flipped": {[][]byte{values[0], append(newer(values[1]), 'x')}, false, "does not match its checksum"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := recovery.Replay(logOf(t, c.values))
			refused, ok := errors.AsType[*recovery.RecordError](err)
			if !ok || refused.Seq != 2 || refused.Kind != 99 || refused.Newer() != c.newer || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Replay: %v, want a RecordError at 2, newer %v, that says %s", err, c.newer, c.says)
			}
		})
	}
}

// The links within a session are those that a page of it is read along.
func TestARecordNamesTheOneBeforeItInItsSession(t *testing.T) {
	values := standard(t).values()
	last := len(values) - 1
	values[last] = resealed(values[last], func(b []byte) { b[71]++ })
	_, err := recovery.Replay(logOf(t, values))
	refused, ok := errors.AsType[*recovery.RecordError](err)
	if !ok || refused.Seq != uint64(len(values)) || !strings.Contains(err.Error(), "as the record before it in its session") {
		t.Errorf("Replay: %v, want the last record refused", err)
	}
	if refused != nil && refused.Newer() {
		t.Error("it is taken for one of a newer version")
	}
}

func TestCheckerStaysBeforeARecordThatItRefuses(t *testing.T) {
	values := standard(t).values()
	var c recovery.Checker
	for i, v := range values[:3] {
		if _, err := c.Next(uint64(i)+1, v); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Next(4, values[4]); err == nil {
		t.Fatal("a record out of its place was taken")
	}
	if c.Chain() != record.ChainOf(values[2]) {
		t.Error("the refused record is in the chain")
	}
	if _, err := c.Next(4, values[3]); err != nil {
		t.Errorf("the record that follows: %v", err)
	}
}
