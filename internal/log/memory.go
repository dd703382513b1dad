package log

import (
	"bytes"
	"sync"
)

// Memory is a log that keeps nothing on disk and ends with the process, for a
// daemon started with --ephemeral (protocol §8). Its methods are those of Log
// with the same contracts; an Append fails only after Close. The zero value is
// an empty log.
type Memory struct {
	mu     sync.RWMutex
	closed bool
	values [][]byte // values[i] has sequence i+1 and never changes
}

// Append is Log.Append. Nothing is durable, and no error leaves the outcome
// unknown.
func (m *Memory) Append(values [][]byte) (first uint64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return 0, ErrClosed
	}
	first = uint64(len(m.values)) + 1
	for _, v := range values {
		m.values = append(m.values, bytes.Clone(v))
	}
	return first, nil
}

// Head is Log.Head.
func (m *Memory) Head() uint64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return uint64(len(m.values))
}

// Get is Log.Get.
func (m *Memory) Get(seq uint64) ([]byte, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	switch head := uint64(len(m.values)); {
	case seq == 0 || seq > head:
		return nil, notFound(seq, head)
	case m.closed:
		return nil, ErrClosed
	}
	return bytes.Clone(m.values[seq-1]), nil
}

// Scan is Log.Scan.
func (m *Memory) Scan(from uint64, fn func(seq uint64, value []byte) error) error {
	head := m.Head()
	for seq := max(from, 1); seq <= head; seq++ {
		value, err := m.Get(seq)
		if err != nil {
			return err
		}
		if err := fn(seq, value); err != nil {
			return err
		}
	}
	return nil
}

// Each is Log.Each.
func (m *Memory) Each(fn func(seq uint64, value []byte) error) error { return m.Scan(1, fn) }

// Walk is Log.Walk.
func (m *Memory) Walk(from uint64, prev func(value []byte) uint64, fn func(seq uint64, value []byte) error) error {
	for seq := from; seq != 0; {
		value, err := m.Get(seq)
		if err != nil {
			return err
		}
		before := prev(value)
		if err := fn(seq, value); err != nil {
			return err
		}
		if err := checkLink("", seq, before); err != nil {
			return err
		}
		seq = before
	}
	return nil
}

// Path returns "": there is no file.
func (m *Memory) Path() string { return "" }

// Close is Log.Close.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}
