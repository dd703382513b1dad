package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/wire"
)

// version is set by the linker (-X main.version=…).
var version string

// buildVersion is the version of this build: the linker's, that of the module
// where it was installed by its path, or dev.
func buildVersion() string {
	module := ""
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		module = info.Main.Version
	}
	return cmp.Or(version, module, "dev")
}

// versionInfo is what version --json prints.
type versionInfo struct {
	Version     string `json:"version"`
	Protocol    int    `json:"protocol"`
	Fingerprint string `json:"fingerprint"`
	Go          string `json:"go"`
	OS          string `json:"os"`
	Arch        string `json:"arch"`
}

func newVersionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := versionInfo{
				Version: buildVersion(), Protocol: wire.ProtocolVersion, Fingerprint: wire.Fingerprint,
				Go: runtime.Version(), OS: platformOS(), Arch: runtime.GOARCH,
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), v)
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "approvald %s\nprotocol  %d\nschema    %s\nbuilt by  %s for %s/%s\n",
				v.Version, v.Protocol, v.Fingerprint, v.Go, v.OS, v.Arch)
			return err
		},
	}
	jsonFlag(cmd, &asJSON, "print one JSON object")
	return cmd
}

// platformOS is the system's name as the handshake spells it (msp-facts §1.4).
func platformOS() string {
	if runtime.GOOS == "darwin" {
		return "macos"
	}
	return runtime.GOOS
}
