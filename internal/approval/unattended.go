package approval

// Unattended says what becomes of an approval for which no interactive
// reviewer is there (protocol §7).
type Unattended string

// The two answers to an empty room.
const (
	Park   Unattended = "park"   // wait for ever; the default
	Refuse Unattended = "refuse" // settle unavailable, at opening or when the last reviewer leaves
)

// Known reports whether u is one of the two.
func (u Unattended) Known() bool { return u == Park || u == Refuse }
