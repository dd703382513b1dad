package main

import (
	"strings"
	"testing"
)

// The link lets in whoever has it, so it is told to the terminal of the one who started
// the daemon, and to nothing else.
func TestTheLinkGoesToTheTerminal(t *testing.T) {
	p := newPlace(t)
	s := onTerminal(t, p.command(t, "serve", "--http", "127.0.0.1:0"))
	s.sees(`^  inbox     http://approvald\.localhost:\d+`)
	s.sees(`works once and for ten minutes`)
	s.sees(`^  http://approvald\.localhost:\d+/enter/[-_A-Za-z0-9]{70,}`)
	if n := strings.Count(s.all(), "/enter/"); n != 1 {
		t.Errorf("it is told %d times", n)
	}
}
