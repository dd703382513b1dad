package log

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// run is a leaf page with values of successive sequences.
type run struct{ first, last, page uint64 }

// Rescue calls fn as Scan does, from a sequence on, for values that it finds in
// whatever is left of the file, whether or not anything refers to them. It is
// for after a Scan that ended because pages are lost: a file that was cut short
// has lost the root of its tree, which is always near its end, and little else.
//
// What is found may be older than the state in force, which does no harm where
// values are only ever added; or of a commit that failed and was never
// acknowledged. That a value is what was written after the one before it is for
// fn to tell.
func (r *Reader) Rescue(from uint64, fn func(seq uint64, value []byte) error) error {
	p := newPages(r.file, r.header)
	runs := p.runs(min(r.header.pages, r.has/r.header.pageSize))
	for next := from; ; {
		best, ok := longest(runs, next)
		if !ok {
			return nil
		}
		raw, err := p.read(best.page, 0)
		if err != nil {
			return r.damaged(next, r.explain(err))
		}
		for ; next <= best.last; next++ {
			e, _ := leafElement(raw, int(next-best.first)) //nolint:gosec // within a page
			if err := fn(next, e.value); err != nil {
				return err
			}
		}
	}
}

// runs finds the leaf pages of values, by their first sequence.
func (p *pages) runs(limit int64) (found []run) {
	for id := uint64(2); id < uint64(limit); id++ { //nolint:gosec // positive
		raw, err := p.read(id, 0)
		if err != nil {
			continue
		}
		if first, last, ok := sequences(raw); ok {
			found = append(found, run{first, last, id})
			id += uint64(len(raw))/uint64(p.header.pageSize) - 1 //nolint:gosec // positive
		}
	}
	slices.SortFunc(found, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	return found
}

// sequences are the first and the last of a page that has values and nothing
// else.
func sequences(raw []byte) (first, last uint64, ok bool) {
	if flagsOf(raw) != pageLeaf || countOf(raw) == 0 {
		return 0, 0, false
	}
	for i := range countOf(raw) {
		e, sound := leafElement(raw, i)
		if !sound || e.bucket || len(e.key) != 8 {
			return 0, 0, false
		}
		seq := binary.BigEndian.Uint64(e.key)
		if i == 0 {
			first = seq
		} else if seq != last+1 {
			return 0, 0, false
		}
		last = seq
	}
	return first, last, true
}

// longest is the run with a sequence in it that goes on for longest.
func longest(runs []run, seq uint64) (best run, ok bool) {
	behind, _ := slices.BinarySearchFunc(runs, seq+1, func(r run, seq uint64) int { return cmp.Compare(r.first, seq) })
	// A page has fewer than 2^16 values, so that no run which begins earlier
	// reaches as far.
	for _, r := range slices.Backward(runs[:behind]) {
		if seq-r.first > 1<<16 {
			break
		}
		if r.last >= seq && (!ok || r.last > best.last) {
			best, ok = r, true
		}
	}
	return best, ok
}
