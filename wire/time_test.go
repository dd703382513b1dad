package wire

import (
	"testing"
	"time"
)

func TestTimesHaveExactlyThreeFractionalDigitsInUTC(t *testing.T) {
	east := time.FixedZone("east", 2*60*60)
	cases := []struct {
		at   time.Time
		want Time
	}{
		{time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC), "2026-01-02T03:04:05.678Z"},
		{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), "2026-01-02T03:04:05.000Z"},
		{time.Date(2026, 1, 2, 3, 4, 5, 999_999_999, time.UTC), "2026-01-02T03:04:05.999Z"},
		{time.Date(2026, 1, 2, 3, 4, 5, 120_000_000, east), "2026-01-02T01:04:05.120Z"},
	}
	for _, c := range cases {
		if got := FormatTime(c.at); got != c.want {
			t.Errorf("%v: got %s, want %s", c.at, got, c.want)
		}
	}
}

func TestTimesParseBackToTheMillisecond(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)
	got, err := FormatTime(at).Parse()
	if err != nil || !got.Equal(at) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := Time("yesterday").Parse(); err == nil {
		t.Error("yesterday is not a time")
	}
}
