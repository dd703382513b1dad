// Command approvald-hook stands between the hooks of an agent and the daemon: it reads one event
// on standard input, has it approved, and says on standard output what became of that.
// docs/HOOKS.md says how an agent is told to run it.
//
// It runs in front of every call of a tool, so it is a program of its own that links little:
// `approvald hook` becomes it.
package main

import (
	"os"

	"github.com/approvald/approvald/internal/hook/gate"
)

// version is set by the linker (-X main.version=…).
var version = "dev"

func main() { os.Exit(gate.Main(os.Args[1:], version)) }
