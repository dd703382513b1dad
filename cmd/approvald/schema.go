package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/schema"
)

// newSchemaCommand prints the machine-readable contract.
func newSchemaCommand() *cobra.Command {
	var openrpc bool
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the protocol as JSON Schema, or as OpenRPC",
		Long: `schema prints one JSON Schema (2020-12) of everything that approvald and its clients send
each other, of the records in its log, of what audit --json prints and of every error.
The SHA-256 of what it prints is the fingerprint that initialize and version tell:

	approvald schema | sha256sum

With --openrpc it prints the methods that the daemon serves as an OpenRPC document.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			document := schema.Document
			if openrpc {
				document = schema.OpenRPC
			}
			_, err := io.WriteString(cmd.OutOrStdout(), document)
			return err
		},
	}
	cmd.Flags().BoolVar(&openrpc, "openrpc", false, "print an OpenRPC document instead")
	return cmd
}
