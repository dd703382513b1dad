package approval

import (
	"errors"
	"fmt"
	"strings"

	"github.com/oklog/ulid/v2"
)

// CommandID is the idempotency key that a client mints for a state-changing
// call (protocol §3). It keeps the form it was written in, because ids are
// compared as the exact string: a UUID and a ULID of the same bits are two
// commands. It is comparable; the zero value means "no command".
type CommandID struct {
	bits [16]byte
	ulid bool
}

// ErrCommandID is wrapped by every error of ParseCommandID.
var ErrCommandID = errors.New("commandId must be a lower-case UUID of version 7, 5 or 8, or an upper-case ULID")

// ParseCommandID reads a command id in one of the admitted forms
// (protocol §3): a lower-case UUID of version 7, or 5 or 8 where it is
// derived, or an upper-case ULID.
func ParseCommandID(s string) (CommandID, error) {
	if len(s) == ulid.EncodedSize {
		u, err := ulid.ParseStrict(s)
		if err != nil || s != strings.ToUpper(s) {
			return CommandID{}, fmt.Errorf("%w, not %q", ErrCommandID, clip(s))
		}
		return CommandID{bits: u, ulid: true}, nil
	}
	id, err := ParseID(s)
	if err != nil {
		return CommandID{}, fmt.Errorf("%w, not %q", ErrCommandID, clip(s))
	}
	switch version := id[6] >> 4; version {
	case 5, 7, 8:
	default:
		return CommandID{}, fmt.Errorf("%w, not version %d (%q)", ErrCommandID, version, clip(s))
	}
	if id[8]&0xc0 != 0x80 {
		return CommandID{}, fmt.Errorf("%w: the variant of %q is not that of RFC 9562", ErrCommandID, clip(s))
	}
	return CommandID{bits: id}, nil
}

// CommandIDFromBits is the command id that was stored as its bits and form.
// Zero bits that are no ULID give the zero CommandID; the ULID of zeros is a
// command like any other.
func CommandIDFromBits(bits [16]byte, isULID bool) CommandID {
	return CommandID{bits: bits, ulid: isULID}
}

// Bits are the 16 bytes of the id, and whether it was written as a ULID.
func (c CommandID) Bits() (bits [16]byte, isULID bool) { return c.bits, c.ulid }

// IsZero reports whether there is no command.
func (c CommandID) IsZero() bool { return c == CommandID{} }

// String is the id exactly as the client wrote it; "" for the zero value.
func (c CommandID) String() string {
	switch {
	case c.IsZero():
		return ""
	case c.ulid:
		return ulid.ULID(c.bits).String()
	default:
		return ID(c.bits).String()
	}
}

// MarshalText implements encoding.TextMarshaler.
func (c CommandID) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler; empty text is the zero
// value.
func (c *CommandID) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*c = CommandID{}
		return nil
	}
	parsed, err := ParseCommandID(string(b))
	if err != nil {
		return err
	}
	*c = parsed
	return nil
}
