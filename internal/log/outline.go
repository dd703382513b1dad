package log

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// checkFile holds the file against what bbolt takes for granted, and must not be
// let loose on otherwise: it follows a page that is not what it should be into
// an endless loop that eats all memory, falls over what the file has lost, and
// writes to pages that are listed as free although they are in use. Leaves are
// not looked into: what is wrong with one is an error of the read that meets it.
//
// What is read here is the disk's by then: an earlier process may have been killed
// between a write and its sync, or its sync may have failed, and who asks again
// is answered from what is read.
func checkFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("opening the log: %w", err)
	}
	defer file.Close()
	if err := file.Sync(); err != nil {
		return fmt.Errorf("syncing what an earlier process wrote to the log: %w", err)
	}
	forgetHeader(file)
	header, _, err := readHeaderPages(file)
	if errors.Is(err, errNoHeaderPage) {
		return nil // bbolt says what such a file is
	}
	if err != nil {
		return fmt.Errorf("opening the log %s: %w", path, err)
	}
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("opening the log: %w", err)
	}
	if info.Size() < header.size() {
		return &DamagedError{Path: path, What: shortFile(info.Size(), header.size())}
	}
	p := newPages(file, header)
	p.heads = make(pageHeads, header.pages)
	if err := warm(file, header.pageSize, p.heads); err != nil {
		return err
	}
	err = p.outlineBuckets()
	if err == nil {
		err = p.checkFree()
	}
	if fault, ok := errors.AsType[*pageError](err); ok {
		return &DamagedError{Path: path, What: fault.Error()}
	}
	return err
}

// pageHeads are the second halves of the heads of pages, by the number of the
// page; zero where the head was not seen, or is not that of the page.
type pageHeads []uint64

// see takes up the heads in a piece of the file.
func (h pageHeads) see(piece []byte, at, pageSize int64) {
	for next := (at + pageSize - 1) / pageSize; next < int64(len(h)); next++ {
		begin := next*pageSize - at
		if begin+pageHead > int64(len(piece)) {
			return
		}
		if head := piece[begin:]; binary.NativeEndian.Uint64(head) == uint64(next) { //nolint:gosec // positive
			h[next] = binary.NativeEndian.Uint64(head[8:])
		}
	}
}

// head puts the head of a page into raw, if it was seen.
func (h pageHeads) head(raw []byte, id uint64) (seen bool) {
	if id >= uint64(len(h)) || h[id] == 0 {
		return false
	}
	binary.NativeEndian.PutUint64(raw, id)
	binary.NativeEndian.PutUint64(raw[8:], h[id])
	return true
}

// outlineBuckets is outline for the tree of buckets and for each of them.
func (p *pages) outlineBuckets() error {
	var roots []uint64
	err := p.walk(binary.NativeEndian.Uint64(p.header.raw[offsetRoot:]), 0, bounds{}, func(e element) error {
		if !e.bucket || len(e.value) < bucketHead {
			return nil // another program's, and load says so
		}
		if root := binary.NativeEndian.Uint64(e.value); root != 0 {
			roots = append(roots, root)
		} else if raw := bytes.Clone(e.value[bucketHead:]); len(raw) < pageHead || flagsOf(raw) != pageLeaf {
			return faultf(0, "holds a bucket that is none")
		}
		return nil
	})
	for i := 0; err == nil && i < len(roots); i++ {
		err = p.outline(roots[i], 1)
	}
	return err
}

// outline takes the pages of the tree below a page, each of which must be a
// branch or a leaf, in the file, and in use once.
func (p *pages) outline(id uint64, depth int) error {
	raw, err := p.takeHead(id, depth)
	if err != nil || flagsOf(raw) == pageLeaf {
		return err
	}
	if raw, err = p.read(id, depth); err != nil {
		return err
	}
	count := countOf(raw)
	if flagsOf(raw) != pageBranch || count == 0 {
		return faultf(id, "is neither a branch nor a leaf")
	}
	for i := range count {
		_, child, ok := branchElement(raw, i)
		if !ok {
			return faultf(id, "has no sound element %d of %d", i, count)
		}
		if err := p.outline(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}
