package recovery

import (
	"runtime"
	"sync/atomic"

	"github.com/approvald/approvald/internal/record"
)

// Of what checking a log costs, most is the SHA-256 of every record. It needs
// nothing but the record, so that it is computed beside the reading, and the
// records are held against it in their order when it is there. Where no other
// processor is free, the reader does it itself: it waits for nothing that nobody
// has begun. What a batch holds and how many there are is bounded: memory does
// not grow with the log.
const (
	batchBytes   = 64 << 10 // what stays in a core's cache between two stages
	batchRecords = 1024
)

// batch is successive records on their way through a pipeline.
type batch struct {
	first  uint64 // sequence of the first
	bytes  []byte // of all, one behind the other
	ends   []int  // where each ends in bytes
	links  []record.Chain
	faults []error     // what decoding each says; empty where bodies are not decoded
	ready  atomic.Bool // for who comes first to work on it
	done   chan struct{}
}

// value is the record at i.
func (b *batch) value(i int) []byte {
	begin := 0
	if i > 0 {
		begin = b.ends[i-1]
	}
	return b.bytes[begin:b.ends[i]]
}

func (b *batch) full() bool { return len(b.bytes) >= batchBytes || len(b.ends) >= batchRecords }

// work computes what is known of each record by itself, unless somebody else has
// begun to.
func (b *batch) work(bodies bool) {
	if !b.ready.CompareAndSwap(true, false) {
		return
	}
	b.links, b.faults = b.links[:0], b.faults[:0]
	for i := range b.ends {
		value := b.value(i)
		b.links = append(b.links, record.ChainOf(value))
		if bodies {
			_, err := record.Decode(b.first+uint64(i), value)
			b.faults = append(b.faults, err)
		}
	}
	b.done <- struct{}{}
}

// pipeline takes records in their order and hands them to take in the same
// order, with their links. Not safe for concurrent use: what runs beside its
// caller is work alone.
type pipeline struct {
	take    func(b *batch, i int) error
	bodies  bool
	todo    chan *batch // may have some that are done or filled anew, which ready tells
	at      *batch      // being filled
	waiting []*batch    // in order; the first is taken next
	free    []*batch
	err     error // of take: nothing more is taken
}

func newPipeline(bodies bool, take func(b *batch, i int) error) *pipeline {
	workers := max(1, runtime.GOMAXPROCS(0)-1) // the caller's processor reads and takes
	batches := 2*workers + 2
	p := &pipeline{take: take, bodies: bodies, todo: make(chan *batch, batches)}
	for range batches {
		p.free = append(p.free, &batch{done: make(chan struct{}, 1)})
	}
	for range workers {
		go func() {
			for b := range p.todo {
				b.work(bodies)
			}
		}()
	}
	return p
}

// add takes a record in; the error is that of an earlier one.
func (p *pipeline) add(seq uint64, value []byte) error {
	if p.at == nil {
		if len(p.free) == 0 {
			if err := p.takeFirst(); err != nil {
				return err
			}
		}
		p.at, p.free = p.free[len(p.free)-1], p.free[:len(p.free)-1]
		p.at.first, p.at.bytes, p.at.ends = seq, p.at.bytes[:0], p.at.ends[:0]
	}
	p.at.bytes = append(p.at.bytes, value...)
	p.at.ends = append(p.at.ends, len(p.at.bytes))
	if p.at.full() {
		p.send()
	}
	return nil
}

func (p *pipeline) send() {
	p.waiting = append(p.waiting, p.at)
	p.at.ready.Store(true)
	select {
	case p.todo <- p.at:
	default: // the workers are behind
	}
	p.at = nil
}

// takeFirst takes the records of the batch that has waited for longest.
func (p *pipeline) takeFirst() error {
	b := p.waiting[0]
	p.help(b)
	p.waiting = append(p.waiting[:0], p.waiting[1:]...)
	<-b.done
	p.free = append(p.free, b)
	for i := range b.ends {
		if p.err = p.take(b, i); p.err != nil {
			return p.err
		}
	}
	return nil
}

// help works on what nobody has begun, while a batch is not done.
func (p *pipeline) help(first *batch) {
	for _, b := range p.waiting {
		if len(first.done) > 0 {
			return
		}
		b.work(p.bodies)
	}
}

// end takes what is left and lets the workers go. The error is the first that
// take had.
func (p *pipeline) end() error {
	if p.at != nil && p.err == nil {
		p.send()
	}
	close(p.todo)
	for len(p.waiting) > 0 && p.err == nil {
		_ = p.takeFirst() // it is kept
	}
	return p.err
}
