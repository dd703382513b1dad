// Command approvald-inbox draws the terminal inbox. `approvald inbox` looks for the daemon
// and becomes this program, which lies beside it: a program of its own, so that no other
// command of approvald starts with what drawing on a terminal needs.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/internal/inbox/screen"
)

func main() {
	if err := screen.Main(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "approvald: %s\n", strings.Join(card.VisibleLines(err.Error()), "\n    | "))
		os.Exit(1)
	}
}
