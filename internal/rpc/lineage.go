package rpc

import "sync"

// lineage knows which processes hold a connection on the agent's socket, so
// that neither they nor their children are taken for a reviewer (protocol §2).
// It keeps honest programs honest: a detached process leaves the parent chain.
type lineage struct {
	mu     sync.Mutex
	agents map[int]int // connections by pid
}

// enter counts a connection of an agent's process in; the function it returns
// counts it out.
func (l *lineage) enter(pid int) (leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.agents == nil {
		l.agents = make(map[int]int)
	}
	l.agents[pid]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.agents[pid]--; l.agents[pid] == 0 {
			delete(l.agents, pid)
		}
	}
}

// above is the agent that a process is, or descends from.
func (l *lineage) above(pid int) (agent int, ok bool) {
	const deepest = 256 // no real chain is; a pid that is reused could close one
	for range deepest {
		if pid <= 1 {
			return 0, false
		}
		l.mu.Lock()
		_, ok := l.agents[pid]
		l.mu.Unlock()
		if ok {
			return pid, true
		}
		if pid, ok = parentOf(pid); !ok {
			return 0, false
		}
	}
	return 0, false
}
