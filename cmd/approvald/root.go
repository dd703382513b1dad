package main

import "github.com/spf13/cobra"

// newRootCommand is approvald with all of its commands.
func newRootCommand() *cobra.Command {
	var dirs directories
	root := &cobra.Command{
		Use:   "approvald",
		Short: "Approvals for agents: ask, decide, remember",
		Long: `approvald lets an agent ask before it acts. A daemon (serve) keeps a durable log of what
was asked and decided; agents open approvals on one socket, people decide them on another.`,
		Version:       buildVersion(),
		SilenceErrors: true, // run tells them, once
		SilenceUsage:  true,
	}
	root.PersistentFlags().StringVar(&dirs.stateFlag, "state-dir", "",
		"where the log is (default $XDG_STATE_HOME/approvald)")
	root.PersistentFlags().StringVar(&dirs.runtimeFlag, "runtime-dir", "",
		"where the sockets are (default $XDG_RUNTIME_DIR/approvald)")

	// The commands, in the order in which they are met.
	root.AddCommand(
		newServeCommand(&dirs),
		newExecCommand(&dirs),
		newListCommand(&dirs),
		newShowCommand(&dirs),
		newDecideCommand(&dirs),
		newInboxCommand(&dirs),
		newHookCommand(&dirs),
		newWatchCommand(&dirs),
		newGrantsCommand(&dirs),
		newWebCommand(&dirs),
		newPolicyCommand(&dirs),
		newAuditCommand(&dirs),
		newVerifyCommand(&dirs),
		newBackupCommand(&dirs),
		newSalvageCommand(&dirs),
		newReplayCommand(),
		newSchemaCommand(),
		newVersionCommand(),
	)
	return root
}
