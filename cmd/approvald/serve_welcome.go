package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/approvald/approvald/internal/daemon"
)

// welcome tells whoever started the daemon where it is and what to type next.
func (s *serving) welcome(w io.Writer, d *daemon.Daemon, config daemon.Config, sockets []string) {
	mode, ceiling := d.Modes()
	fmt.Fprintf(w, "approvald %s, mode %s", config.Identity.Version, mode)
	if ceiling != mode {
		fmt.Fprintf(w, ", ceiling %s", ceiling)
	}
	fmt.Fprintln(w)
	if s.ephemeral {
		fmt.Fprintln(w, "  log       none (--ephemeral): what is pending ends with this process")
	} else {
		fmt.Fprintf(w, "  log       %s\n", visible(config.StateDir))
	}
	fmt.Fprintf(w, "  policy    %s\n", visible(cmp.Or(config.Policy.User, config.Policy.Managed)))
	for i, name := range []string{"agents", "reviewers", "hosts"} {
		if i < len(sockets) {
			fmt.Fprintf(w, "  %-9s %s\n", name, visible(sockets[i]))
		}
	}
	if s.stdio || len(sockets) == 0 {
		return
	}
	fmt.Fprintf(w, "In another terminal, have a command asked about before it runs:\n  %s\n", s.dirs.hint("exec -- ls -l"))
	fmt.Fprintf(w, "and decide it in a third:\n  %s\n  %s\n", s.dirs.hint("inbox"), s.dirs.hint("decide ID allow_once"))
}
