package wire

import (
	"fmt"
	"time"
)

// timeLayout is RFC 3339 in UTC with exactly three fractional digits.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Time is an instant as text: RFC 3339, UTC, milliseconds, as in
// "2026-01-02T03:04:05.678Z" (protocol §1). It is kept as it was received, so it
// compares with == and survives a round trip unchanged.
type Time string

// FormatTime writes t as a Time; what is below a millisecond is cut off.
func FormatTime(t time.Time) Time {
	return Time(t.UTC().Format(timeLayout))
}

// Parse reads t, accepting any RFC 3339 text.
func (t Time) Parse() (time.Time, error) {
	at, err := time.Parse(time.RFC3339Nano, string(t))
	if err != nil {
		return time.Time{}, fmt.Errorf("wire: %q is not an RFC 3339 time: %w", string(t), err)
	}
	return at.UTC(), nil
}
