package record

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"
	"time"

	"github.com/approvald/approvald/internal/approval"
)

// HeaderSize is the length of the header in bytes, the same for every kind.
//
//	 0 version  u8     of the body of this kind
//	 1 kind     u8
//	 2 flags    u16    bit 0: the command id was written as a ULID
//	 4 crc      u32    CRC-32C of every other byte of the record
//	 8 at       i64    Unix milliseconds
//	16 session  [16]
//	32 approval [16]   or prompt, or open turn; zero where the record is about none
//	48 command  [16]   zero where no command caused it
//	64 prev     u64    sequence of the session's previous record; 0: its first
//	72 chain    [16]   SHA-256 of the record before this one in the log, cut
//
// Integers are big-endian.
const HeaderSize = 88

const (
	offsetCRC   = 4
	offsetChain = 72
	flagULID    = 1 << 0
)

// Chain is the link that a record carries to its predecessor in the log: the
// first 16 bytes of the SHA-256 of the predecessor's bytes, its own link
// included. The first record of a log carries zeros. A log whose links hold
// has lost, gained or changed nothing in its middle.
type Chain [16]byte

// ChainOf is the link that the record after value must carry.
func ChainOf(value []byte) Chain {
	sum := sha256.Sum256(value)
	return Chain(sum[:16])
}

// Header is what is known of a record without decoding its body.
type Header struct {
	Version  uint8 // set by Encode
	Kind     Kind  // set by Encode
	Session  approval.ID
	Approval approval.ID        // or prompt, or open turn; zero: about none
	Command  approval.CommandID // zero: no command caused it
	At       time.Time          // UTC, whole milliseconds
	Prev     uint64             // the session's previous record; 0: none
	Chain    Chain              // set by Encode
}

// Errors of a record's bytes. Each is wrapped with what was found.
var (
	ErrShort   = errors.New("record is shorter than its header")
	ErrCRC     = errors.New("record does not match its checksum")
	ErrKind    = errors.New("record is of a kind that this version does not know")
	ErrVersion = errors.New("record was written by a newer version")
)

// castagnoli is made when it is first wanted: that takes a tenth of a millisecond.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

func checksum(value []byte) uint32 {
	table := castagnoli()
	sum := crc32.Update(0, table, value[:offsetCRC])
	return crc32.Update(sum, table, value[offsetCRC+4:])
}

func crcOf(value []byte) uint32 { return binary.BigEndian.Uint32(value[offsetCRC:]) }

// put writes the header into the first HeaderSize bytes of value, whose body
// must be there already.
func (h Header) put(value []byte) {
	var flags uint16
	command, isULID := h.Command.Bits()
	if isULID {
		flags |= flagULID
	}
	value[0] = h.Version
	value[1] = byte(h.Kind)
	binary.BigEndian.PutUint16(value[2:], flags)
	binary.BigEndian.PutUint64(value[8:], uint64(h.At.UnixMilli()))
	copy(value[16:], h.Session[:])
	copy(value[32:], h.Approval[:])
	copy(value[48:], command[:])
	binary.BigEndian.PutUint64(value[64:], h.Prev)
	copy(value[offsetChain:], h.Chain[:])
	binary.BigEndian.PutUint32(value[offsetCRC:], checksum(value))
}

// DecodeHeader reads the header of a record and nothing else: neither the
// checksum nor the kind is checked.
func DecodeHeader(value []byte) (Header, error) {
	if len(value) < HeaderSize {
		return Header{}, fmt.Errorf("%w: %d bytes of %d", ErrShort, len(value), HeaderSize)
	}
	flags := binary.BigEndian.Uint16(value[2:])
	return Header{
		Version:  value[0],
		Kind:     Kind(value[1]),
		At:       time.UnixMilli(int64(binary.BigEndian.Uint64(value[8:]))).UTC(), //nolint:gosec // two's complement, as in put
		Session:  approval.ID(value[16:32]),
		Approval: approval.ID(value[32:48]),
		Command:  approval.CommandIDFromBits([16]byte(value[48:64]), flags&flagULID != 0),
		Prev:     binary.BigEndian.Uint64(value[64:]),
		Chain:    Chain(value[offsetChain : offsetChain+16]),
	}, nil
}

// Prev is the sequence of the previous record of the same session; 0 where
// there is none or value is no record. It is the step that log.Walk takes.
func Prev(value []byte) uint64 {
	h, err := DecodeHeader(value)
	if err != nil {
		return 0
	}
	return h.Prev
}
