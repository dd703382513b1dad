package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// inboxProgram draws the inbox. It lies beside approvald and is not a part of it, since
// each part of a program is paid for at every start of it.
const inboxProgram = "approvald-inbox"

func newInboxCommand(dirs *directories) *cobra.Command {
	var plain bool
	cmd := &cobra.Command{
		Use:   "inbox",
		Short: "Decide what waits, in a terminal",
		Long: `Show what waits in all sessions, oldest first, each with all that there is to know of it and the
menu of its choices; decide with one key. Also what was decided lately, what was allowed for
longer, and the modes of the sessions. A decision is final: there is no undo.

A card takes a choice from 400 ms after it has come up, and nothing that arrives moves the
selection, so no key decides what it was not meant for. While the inbox is open on a terminal
it stands for a person who can be asked.

--plain asks and answers in lines, for screen readers, for terminals that can do no more, and
without a terminal. Colours are left out where NO_COLOR is set.`,
		Example: `  approvald inbox
  ssh -t host approvald inbox
  approvald inbox --plain`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if plain {
				return dirs.plainInbox(cmd)
			}
			if !isTerminal(os.Stdin) || !isTerminal(os.Stdout) {
				return exitf(exitUsage, "the inbox needs a terminal: `approvald inbox --plain` does without")
			}
			return dirs.becomeInbox(cmd)
		},
	}
	cmd.Flags().BoolVar(&plain, "plain", false, "ask and answer in lines, without moving the cursor")
	return cmd
}

// becomeInbox has the program that draws take the place of this one, once it is known
// that a daemon answers.
func (d *directories) becomeInbox(cmd *cobra.Command) error {
	c, err := d.connect(cmd.Context(), "host", client.Options{Role: wire.RoleReviewer})
	if err != nil {
		return err
	}
	_ = c.Close() // it only looked
	program, err := findInbox()
	if err != nil {
		return err
	}
	socket, err := d.socket("host")
	if err != nil {
		return err
	}
	argv := []string{inboxProgram, "--socket", socket, "--client-version", buildVersion()}
	if err := syscall.Exec(program, argv, os.Environ()); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	return nil
}

// findInbox is the program beside this one, or on the PATH.
func findInbox() (string, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err == nil {
		beside := filepath.Join(filepath.Dir(self), inboxProgram)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return beside, nil
		}
	}
	program, err := exec.LookPath(inboxProgram)
	if err != nil {
		return "", errors.New("the program approvald-inbox, which draws the inbox, is neither beside approvald nor on the PATH: " +
			"install it there, or use `approvald inbox --plain`")
	}
	return program, nil
}
