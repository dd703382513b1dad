package log

import "io"

// aheadBytes is how much of a file is read at once where pages are wanted one
// after another, which they are in a log that only grows: a read for each page
// takes as long as all that is done with it.
const aheadBytes = 32 << 10

// ahead holds two pieces of a file, so that pages which lie on both sides of a
// border, and are wanted in turns, are read once.
type ahead struct {
	file  io.ReaderAt
	held  [2]piece
	used  int   // which was used last
	asked int64 // the number of the piece that was missed last
}

// piece is aheadBytes of a file, by their number, or fewer at its end.
type piece struct {
	number int64
	bytes  []byte
}

// at returns bytes of the file, until the next call; nil where reading ahead
// does not help: they are far from what was wanted before, on a border, longer
// than a piece, or cannot be read.
func (a *ahead) at(offset, size int64) []byte {
	if a == nil {
		return nil
	}
	number := offset / aheadBytes
	begin := offset - number*aheadBytes
	for i := range a.held {
		if p := &a.held[i]; p.number == number && int64(len(p.bytes)) >= begin+size {
			a.used = i
			return p.bytes[begin : begin+size : begin+size]
		}
	}
	near := number-1 <= a.asked && a.asked <= number+1
	a.asked = number
	if !near || begin+size > aheadBytes {
		return nil
	}
	a.used = 1 - a.used
	p := &a.held[a.used]
	if p.bytes == nil {
		p.bytes = make([]byte, aheadBytes)
	}
	n, _ := a.file.ReadAt(p.bytes[:aheadBytes], number*aheadBytes) // who reads the page alone is told why
	p.number, p.bytes = number, p.bytes[:n]
	if int64(n) < begin+size {
		return nil
	}
	return p.bytes[begin : begin+size : begin+size]
}
