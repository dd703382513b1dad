package log

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// The pages of a bbolt file, read with read(2) and believed in nothing: bbolt's
// own reader follows a damaged page into a fault, an endless loop or as much
// memory as four bytes can ask for, and its checker as well. Every page begins
// with these 16 bytes, numbers in the machine's order:
//
//	0 id        u64   its own number
//	8 flags     u16   what it is
//	10 count    u16   of its elements
//	12 overflow u32   how many pages after it belong to it
//
// Elements of 16 bytes follow, each of which says where its key is, counted
// from its own beginning:
//
//	branch  0 position u32, 4 length of the key u32, 8 page u64
//	leaf    0 flags u32, 4 position u32, 8 length of the key u32, 12 of the value u32
//
// The value of a leaf's element follows its key. If its flags say so it is a
// bucket: 16 bytes, of which the first eight are the page of its root, or zero,
// and then the root is what follows.
const (
	pageHead    = 16
	elementSize = 16
	pageBranch  = 0x01
	pageLeaf    = 0x02
	pageFree    = 0x10
	elemBucket  = 0x01
	bucketHead  = 16
	// maxDepth is beyond what a file of any size has: 4 KiB hold a hundred keys.
	maxDepth = 32
)

// element is a key of a leaf and what belongs to it. Both are of the page's
// memory, which the next page uses again.
type element struct {
	bucket     bool
	key, value []byte
}

// pages reads the state of a file that a header page names.
type pages struct {
	file   io.ReaderAt
	header headerPage
	used   bitmap
	ahead  *ahead           // nil: pages are read one by one
	heads  pageHeads        // of pages that need not be read for them
	bufs   [maxDepth][]byte // the page of each depth; a leaf may be in ahead instead
}

func newPages(file io.ReaderAt, h headerPage) *pages {
	return &pages{file: file, header: h, used: newBitmap(h.pages), ahead: &ahead{file: file, asked: -2}}
}

// bounds are those of the keys of a page, by what is above it: at least low,
// and less than high. nil is none.
type bounds struct{ low, high []byte }

// walk calls fn for each element of the tree below a page, in the order of keys.
// The error is fn's, as it is, or a *pageError.
func (p *pages) walk(id uint64, depth int, b bounds, fn func(element) error) error {
	raw, err := p.take(id, depth)
	if err != nil {
		return err
	}
	if flagsOf(raw) == pageLeaf {
		return walkLeaf(id, raw, b, fn)
	}
	count := countOf(raw)
	if flagsOf(raw) != pageBranch || count == 0 {
		return faultf(id, "is neither a branch nor a leaf")
	}
	for i := range count {
		key, child, ok := branchElement(raw, i)
		if !ok || !b.hold(key) {
			return faultf(id, "has no sound element %d of %d", i, count)
		}
		inner := bounds{low: key, high: b.high}
		if i+1 < count {
			if inner.high, _, ok = branchElement(raw, i+1); !ok || bytes.Compare(key, inner.high) >= 0 {
				return faultf(id, "has no sound element %d of %d", i+1, count)
			}
		}
		if err := p.walk(child, depth+1, inner, fn); err != nil {
			return err
		}
	}
	return nil
}

// walkLeaf is walk for the elements of one page, or of a bucket that is inside
// of an element.
func walkLeaf(id uint64, raw []byte, b bounds, fn func(element) error) error {
	if len(raw) < pageHead || flagsOf(raw) != pageLeaf {
		return faultf(id, "holds a bucket that is none")
	}
	count := countOf(raw)
	var before []byte
	for i := range count {
		e, ok := leafElement(raw, i)
		if !ok || !b.hold(e.key) || i > 0 && bytes.Compare(before, e.key) >= 0 {
			return faultf(id, "has no sound element %d of %d", i, count)
		}
		if err := fn(e); err != nil {
			return err
		}
		before = e.key
	}
	return nil
}

// hold reports whether a key is within the bounds.
func (b bounds) hold(key []byte) bool {
	return bytes.Compare(key, b.low) >= 0 && (b.high == nil || bytes.Compare(key, b.high) < 0)
}

// bucket is walk for the elements of the bucket that an element is.
func (p *pages) bucket(e element, fn func(element) error) error {
	if !e.bucket || len(e.value) < bucketHead {
		return faultf(0, "is named as a bucket and is none")
	}
	root := binary.NativeEndian.Uint64(e.value)
	if root == 0 {
		return walkLeaf(0, e.value[bucketHead:], bounds{}, fn)
	}
	return p.walk(root, 1, bounds{}, fn)
}

// take reads a page that nothing else has taken.
func (p *pages) take(id uint64, depth int) ([]byte, error) {
	raw, err := p.read(id, depth)
	if err != nil {
		return nil, err
	}
	return raw, p.use(id, uint64(len(raw))/uint64(p.header.pageSize)) //nolint:gosec // positive
}

// takeHead is take for the first bytes of a page.
func (p *pages) takeHead(id uint64, depth int) ([]byte, error) {
	raw, overflow, err := p.readHead(id, depth, pageHead)
	if err != nil {
		return nil, err
	}
	return raw, p.use(id, overflow+1)
}

// use takes n pages.
func (p *pages) use(id, n uint64) error {
	for i := range n {
		if !p.used.set(id + i) {
			return faultf(id+i, "is in use twice")
		}
	}
	return nil
}

// read reads a page and what overflows from it.
func (p *pages) read(id uint64, depth int) ([]byte, error) {
	size := uint64(p.header.pageSize) //nolint:gosec // positive
	raw, overflow, err := p.readHead(id, depth, size)
	if err != nil || overflow == 0 {
		return raw, err
	}
	return p.fill(depth, id, (overflow+1)*size)
}

// readHead reads the first bytes of a page, and how many pages overflow from it.
func (p *pages) readHead(id uint64, depth int, size uint64) (raw []byte, overflow uint64, err error) {
	if id < 2 || id >= uint64(p.header.pages) { //nolint:gosec // positive
		return nil, 0, faultf(id, "is not in the file")
	}
	if depth >= maxDepth {
		return nil, 0, faultf(id, "is %d levels deep", depth)
	}
	raw = p.buffer(depth, size)
	if size != pageHead || !p.heads.head(raw, id) {
		if raw, err = p.fill(depth, id, size); err != nil {
			return nil, 0, err
		}
	}
	if binary.NativeEndian.Uint64(raw) != id {
		return nil, 0, faultf(id, "says that it is another")
	}
	overflow = uint64(binary.NativeEndian.Uint32(raw[12:]))
	if overflow >= uint64(p.header.pages)-id { //nolint:gosec // positive
		return nil, 0, faultf(id, "is longer than the file")
	}
	return raw, overflow, nil
}

// buffer is memory of a depth.
func (p *pages) buffer(depth int, size uint64) []byte {
	if uint64(cap(p.bufs[depth])) < size {
		p.bufs[depth] = make([]byte, size)
	}
	return p.bufs[depth][:size]
}

// fill reads a page from its beginning on, into the memory of a depth if others
// are read while it is needed.
func (p *pages) fill(depth int, id, size uint64) ([]byte, error) {
	held := p.ahead.at(int64(id)*p.header.pageSize, int64(size)) //nolint:gosec // within the file
	if held != nil && flagsOf(held) == pageLeaf {
		return held, nil
	}
	raw := p.buffer(depth, size)
	if held != nil {
		copy(raw, held)
		return raw, nil
	}
	if _, err := p.file.ReadAt(raw, int64(id)*p.header.pageSize); err != nil { //nolint:gosec // within the file
		return nil, faultf(id, "cannot be read (%v)", err)
	}
	return raw, nil
}

func flagsOf(raw []byte) uint16 { return binary.NativeEndian.Uint16(raw[8:]) }

func countOf(raw []byte) int { return int(binary.NativeEndian.Uint16(raw[10:])) }

func branchElement(raw []byte, i int) (key []byte, page uint64, ok bool) {
	at := pageHead + i*elementSize
	if at+elementSize > len(raw) {
		return nil, 0, false
	}
	order := binary.NativeEndian
	key, ok = part(raw, at, order.Uint32(raw[at:]), order.Uint32(raw[at+4:]))
	return key, order.Uint64(raw[at+8:]), ok
}

func leafElement(raw []byte, i int) (element, bool) {
	at := pageHead + i*elementSize
	if at+elementSize > len(raw) {
		return element{}, false
	}
	order := binary.NativeEndian
	position, length := order.Uint32(raw[at+4:]), order.Uint32(raw[at+8:])
	key, keyOK := part(raw, at, position, length)
	value, valueOK := part(raw, at+int(length), position, order.Uint32(raw[at+12:]))
	return element{order.Uint32(raw[at:])&elemBucket != 0, key, value}, keyOK && valueOK
}

// part is the length bytes at position behind at, if the page has them.
func part(raw []byte, at int, position, length uint32) ([]byte, bool) {
	begin := int64(at) + int64(position)
	end := begin + int64(length)
	if end > int64(len(raw)) {
		return nil, false
	}
	return raw[begin:end:end], true
}

// pageError says what is wrong with a page.
type pageError struct {
	page uint64 // 0: a part of another
	what string
}

func (e *pageError) Error() string {
	if e.page == 0 {
		return "a part of a page " + e.what
	}
	return fmt.Sprintf("page %d of the file %s", e.page, e.what)
}

func faultf(page uint64, format string, args ...any) error {
	return &pageError{page, fmt.Sprintf(format, args...)}
}

// bitmap is a set of pages.
type bitmap []uint64

func newBitmap(n int64) bitmap { return make(bitmap, (n+63)/64) }

// set adds a page and reports whether it is new to the set.
func (b bitmap) set(id uint64) bool {
	if b.has(id) {
		return false
	}
	b[id/64] |= 1 << (id % 64)
	return true
}

func (b bitmap) has(id uint64) bool { return b[id/64]&(1<<(id%64)) != 0 }
