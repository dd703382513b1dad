package approval

import (
	"crypto/sha1" //nolint:gosec // UUIDv5 is defined over SHA-1 (RFC 9562 §5.5); nothing is authenticated by it.
	"encoding/hex"
	"errors"
	"fmt"
)

// ID is a UUID in its 16 bytes: the identity of a session, an approval or a
// grant. On the wire it is the lower-case 8-4-4-4-12 form. The zero ID names
// nothing.
type ID [16]byte

// ErrID is wrapped by every error of ParseID.
var ErrID = errors.New("not a lower-case UUID")

// ParseID reads the lower-case 8-4-4-4-12 form of a UUID of any version. Any
// other spelling of the same bytes is refused, so that an identity has one
// spelling and can be compared as text by people and logs. So is the nil UUID:
// it is the zero ID, and a client that names it would get what it did not name.
func ParseID(s string) (ID, error) {
	id, err := parse(s)
	if err == nil && id.IsZero() {
		return ID{}, fmt.Errorf("%w: the nil UUID names nothing", ErrID)
	}
	return id, err
}

func parse(s string) (ID, error) {
	var id ID
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return ID{}, fmt.Errorf("%w: %q", ErrID, clip(s))
	}
	var digits [32]byte
	n := 0
	for i := range len(s) {
		c := s[i]
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			continue
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'f':
			digits[n] = c
			n++
		default:
			return ID{}, fmt.Errorf("%w: %q", ErrID, clip(s))
		}
	}
	if _, err := hex.Decode(id[:], digits[:]); err != nil {
		return ID{}, fmt.Errorf("%w: %q", ErrID, clip(s))
	}
	return id, nil
}

// String is the lower-case 8-4-4-4-12 form.
func (id ID) String() string {
	b, _ := id.AppendText(make([]byte, 0, 36)) // never fails
	return string(b)
}

// AppendText implements encoding.TextAppender; the error is always nil.
func (id ID) AppendText(b []byte) ([]byte, error) {
	for i, from := range [5]int{0, 4, 6, 8, 10} {
		to := [5]int{4, 6, 8, 10, 16}[i]
		if i > 0 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, id[from:to])
	}
	return b, nil
}

// MarshalText implements encoding.TextMarshaler.
func (id ID) MarshalText() ([]byte, error) { return id.AppendText(make([]byte, 0, 36)) }

// UnmarshalText implements encoding.TextUnmarshaler with the rules of ParseID,
// except that it reads the zero ID too, as MarshalText writes it.
func (id *ID) UnmarshalText(b []byte) error {
	parsed, err := parse(string(b))
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}

// IsZero reports whether id names nothing.
func (id ID) IsZero() bool { return id == ID{} }

// successors is the name space of successor identities (protocol §8).
var successors = ID{0x6f, 0x1d, 0x2f, 0x0e, 0x6b, 0x1c, 0x5f, 0x0a, 0x9a, 0x53, 0x0b, 0x6a, 0x6c, 0x0e, 0x7a, 0x11}

// Successor is the identity that recovery gives the approval which takes the
// place of old: UUIDv5 over "session:old:sequence of old's opening record"
// (protocol §8). The same log recovered twice gives the same identity; a
// second crash, which recovers another opening record, gives another.
func Successor(session, old ID, opened uint64) ID {
	h := sha1.New() //nolint:gosec // see the import
	h.Write(successors[:])
	fmt.Fprintf(h, "%s:%s:%d", session, old, opened)
	var id ID
	copy(id[:], h.Sum(nil))
	id[6] = id[6]&0x0f | 0x50
	id[8] = id[8]&0x3f | 0x80
	return id
}

// clip shortens untrusted text for an error message.
func clip(s string) string {
	const most = 64
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
