package log

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// A bbolt file begins with two header pages ("meta pages"), each of which names
// a whole state of the file. A commit writes its other pages first, to places
// that neither the state in force nor its own reader needs, and then the header
// page that is older; the newer of those that hold is in force. This is version
// 2 of the layout, the only one there is; numbers are in the machine's order:
//
//	0  number    u64   of the page, 0 or 1
//	16 magic     u32   behind the 16 bytes with which every page begins
//	20 version   u32
//	24 pageSize  u32
//	32 root      u64   the page of the root of the tree of buckets
//	48 freelist  u64   the page of the list of free pages
//	56 pages     u64   how many pages the state has, these two included
//	64 txid      u64   the commit that made it
//	72 checksum  u64   FNV-1a over what is before it, from the magic on
const (
	headerMagic    = 0xED0CDAED
	headerVersion  = 2
	headerLength   = 80
	offsetMagic    = 16
	offsetRoot     = 32
	offsetFreelist = 48
	offsetPages    = 56
	offsetTxid     = 64
	offsetSum      = 72
)

// headerPage is one of the two, as far as it is read here.
type headerPage struct {
	raw      []byte // its first headerLength bytes
	pageSize int64
	pages    int64
	txid     uint64
}

// size is how many bytes the state has that the page names.
func (h headerPage) size() int64 { return h.pages * h.pageSize }

var errNoHeaderPage = errors.New("neither of its two header pages holds")

// readHeaderPages returns the header page in force, and how many of the two
// hold. A page that is being written does not hold. One that cannot be read is
// an error, since the other may be the older one.
func readHeaderPages(file io.ReaderAt) (newest headerPage, holding int, err error) {
	const least, most = 1 << 10, 64 << 10 // the page sizes that bbolt looks for
	first, ok, err := readHeaderPage(file, 0)
	if err != nil {
		return headerPage{}, 0, err
	}
	if ok {
		newest, holding = first, 1
	}
	for at := int64(least); at <= most; at *= 2 {
		if ok && at != first.pageSize {
			continue
		}
		second, held, err := readHeaderPage(file, at)
		if err != nil {
			return headerPage{}, 0, err
		}
		if held && second.pageSize == at {
			return newerOf(newest, holding, second)
		}
	}
	if holding == 0 {
		return headerPage{}, 0, errNoHeaderPage
	}
	return newest, holding, nil
}

// newerOf is readHeaderPages where the second holds. Two that are not of
// successive commits are not both where they were written.
func newerOf(first headerPage, holding int, second headerPage) (headerPage, int, error) {
	newest := second
	if holding > 0 && first.txid > second.txid {
		newest = first
	}
	if holding > 0 && (first.txid == second.txid+1 || second.txid == first.txid+1) {
		return newest, 2, nil
	}
	return newest, 1, nil
}

func readHeaderPage(file io.ReaderAt, at int64) (h headerPage, holds bool, err error) {
	raw := make([]byte, headerLength)
	switch _, err := file.ReadAt(raw, at); {
	case errors.Is(err, io.EOF):
		return headerPage{}, false, nil
	case err != nil:
		return headerPage{}, false, fmt.Errorf("reading a header page: %w", err)
	}
	order := binary.NativeEndian
	h = headerPage{
		raw:      raw,
		pageSize: int64(order.Uint32(raw[24:])),
		pages:    int64(order.Uint64(raw[offsetPages:])), //nolint:gosec // checked below
		txid:     order.Uint64(raw[offsetTxid:]),
	}
	holds = order.Uint32(raw[offsetMagic:]) == headerMagic && order.Uint32(raw[20:]) == headerVersion &&
		order.Uint64(raw[offsetSum:]) == headerSum(raw) &&
		h.pageSize > 0 && h.pages >= 2 && h.pages < 1<<47/h.pageSize
	return h, holds, nil
}

func headerSum(raw []byte) uint64 {
	sum := fnv.New64a()
	_, _ = sum.Write(raw[offsetMagic:offsetSum]) // a hash never fails
	return sum.Sum64()
}

// numbered is the header page as page number 0 or 1 of a file of its own, made
// by the commit txid.
func (h headerPage) numbered(number, txid uint64) []byte {
	page := make([]byte, h.pageSize)
	copy(page, h.raw)
	binary.NativeEndian.PutUint64(page, number)
	binary.NativeEndian.PutUint64(page[offsetTxid:], txid)
	binary.NativeEndian.PutUint64(page[offsetSum:], headerSum(page))
	return page
}

// shortFile is how a file is described that has lost its end.
func shortFile(has, wants int64) string {
	return fmt.Sprintf("the file has %d bytes of %d, as after a copy that was cut short", has, wants)
}
