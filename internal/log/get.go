package log

import (
	"bytes"
	"encoding/binary"
	"io"
	"sort"
)

// Get returns the value with a sequence; it is the caller's until the next Get.
// It may be called while a Scan is under way. A value that is not there, or
// cannot be read, is a DamagedError with the sequence.
func (r *Reader) Get(seq uint64) ([]byte, error) {
	if r.lost != nil {
		return nil, r.lostPages(seq, r.lost)
	}
	if r.finder == nil {
		r.finder = newFinder(r.file, r.header)
	}
	value, found, err := r.finder.find(r.log, seq)
	switch {
	case err != nil:
		return nil, r.lostPages(seq, err)
	case !found:
		return nil, r.damaged(seq, "there is no such value")
	}
	return value, nil
}

// finder goes down the tree to one value at a time. What it looks up is often
// near to what it looked up before, so that it keeps the way down.
type finder struct {
	pages *pages
	way   [maxDepth]struct {
		id  uint64
		raw []byte
	}
}

func newFinder(file io.ReaderAt, h headerPage) *finder {
	p := newPages(file, h)
	p.ahead = nil // it jumps
	return &finder{pages: p}
}

// find looks a sequence up.
func (f *finder) find(bucket element, seq uint64) (value []byte, found bool, err error) {
	want := binary.BigEndian.AppendUint64(nil, seq)
	leaf, err := f.leaf(bucket, func(raw []byte, count int) int {
		behind := sort.Search(count, func(i int) bool {
			key, _, ok := branchElement(raw, i)
			return ok && bytes.Compare(key, want) > 0
		})
		return max(0, behind-1)
	})
	if err != nil {
		return nil, false, err
	}
	at := sort.Search(countOf(leaf), func(i int) bool {
		e, ok := leafElement(leaf, i)
		return ok && bytes.Compare(e.key, want) >= 0
	})
	e, ok := leafElement(leaf, at)
	return e.value, at < countOf(leaf) && ok && !e.bucket && isKey(e.key, seq), nil
}

// last looks the last element up; found is false where there is none.
func (f *finder) last(bucket element) (e element, found bool, err error) {
	leaf, err := f.leaf(bucket, func(_ []byte, count int) int { return count - 1 })
	if err != nil || countOf(leaf) == 0 {
		return element{}, false, err
	}
	e, ok := leafElement(leaf, countOf(leaf)-1)
	if !ok || e.bucket || len(e.key) != 8 {
		return element{}, false, faultf(0, "has a key that is not a sequence")
	}
	return e, true, nil
}

// leaf goes down a bucket, by the children that are picked, to a leaf.
func (f *finder) leaf(bucket element, pick func(raw []byte, count int) int) ([]byte, error) {
	if !bucket.bucket || len(bucket.value) < bucketHead {
		return nil, faultf(0, "is named as a bucket and is none")
	}
	raw, id := bucket.value[bucketHead:], binary.NativeEndian.Uint64(bucket.value)
	for depth := 1; id != 0; depth++ {
		var err error
		if raw, err = f.page(id, depth); err != nil {
			return nil, err
		}
		if flagsOf(raw) == pageLeaf {
			return raw, nil
		}
		count := countOf(raw)
		if flagsOf(raw) != pageBranch || count == 0 {
			return nil, faultf(id, "is neither a branch nor a leaf")
		}
		child := pick(raw, count)
		_, next, ok := branchElement(raw, child)
		if !ok || next == 0 {
			return nil, faultf(id, "has no sound element %d of %d", child, count)
		}
		id = next
	}
	if len(raw) < pageHead || flagsOf(raw) != pageLeaf {
		return nil, faultf(0, "holds a bucket that is none")
	}
	return raw, nil
}

// page is a page of the way down, which is read where it is another than before.
func (f *finder) page(id uint64, depth int) ([]byte, error) {
	if depth >= maxDepth {
		return nil, faultf(id, "is %d levels deep", depth)
	}
	at := &f.way[depth]
	if at.id == id {
		return at.raw, nil
	}
	at.id = 0 // its memory is overwritten
	raw, err := f.pages.read(id, depth)
	if err != nil {
		return nil, err
	}
	at.id, at.raw = id, raw
	return raw, nil
}
