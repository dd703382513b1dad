package log

import "encoding/binary"

// noFreelist is what a header page names where free pages were not written.
const noFreelist = ^uint64(0)

// checkFree holds the list of free pages against those that the walks have met:
// none is both in use and free.
func (p *pages) checkFree() error {
	id := binary.NativeEndian.Uint64(p.header.raw[offsetFreelist:])
	if id == noFreelist {
		return nil
	}
	raw, err := p.take(id, 0)
	if err != nil {
		return err
	}
	free, ok := freePages(raw)
	if !ok {
		return faultf(id, "is not the list of free pages that it should be")
	}
	for ; len(free) > 0; free = free[8:] {
		page := binary.NativeEndian.Uint64(free)
		if page < 2 || page >= uint64(p.header.pages) { //nolint:gosec // positive
			return faultf(page, "is listed as free and not in the file")
		}
		if !p.used.set(page) {
			return faultf(page, "is listed as free and in use")
		}
	}
	return nil
}

// checkLost holds, after checkFree, that each page is in use or free. One that is
// neither is lost, and does no harm.
func (p *pages) checkLost() error {
	if binary.NativeEndian.Uint64(p.header.raw[offsetFreelist:]) == noFreelist {
		return nil
	}
	for page := uint64(2); page < uint64(p.header.pages); page++ { //nolint:gosec // positive
		if !p.used.has(page) {
			return faultf(page, "is neither in use nor free")
		}
	}
	return nil
}

// freePages are the numbers in the list, eight bytes each. A count that does
// not fit into the page's head is the first of them.
func freePages(raw []byte) (ids []byte, ok bool) {
	const many = 0xFFFF
	count, ids := uint64(countOf(raw)), raw[pageHead:] //nolint:gosec // positive
	if count == many {
		count, ids = binary.NativeEndian.Uint64(ids), ids[8:]
	}
	if flagsOf(raw) != pageFree || count > uint64(len(ids))/8 {
		return nil, false
	}
	return ids[:8*count], true
}
