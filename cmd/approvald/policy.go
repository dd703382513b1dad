package main

import "github.com/spf13/cobra"

// newPolicyCommand is policy with its commands.
func newPolicyCommand(dirs *directories) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Check, explain, test and import policy files",
		Long: `The policy says what is settled without asking: which commands, files, hosts, processes and
tools are allowed, which are asked about, and which are denied. It is in
$XDG_CONFIG_HOME/approvald/policy.toml (yours), /etc/approvald/policy.toml (the administrator's)
and what reviewers allowed for good, workspace by workspace.`,
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(
		newPolicyCheckCommand(dirs),
		newPolicyExplainCommand(dirs),
		newPolicyTestCommand(),
		newPolicyImportCommand(),
	)
	return cmd
}
