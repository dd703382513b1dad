package main

import (
	"os"

	"golang.org/x/term"
)

// isTerminal reports whether a stream of this process is a terminal.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
