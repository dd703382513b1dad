package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/inspect"
	"github.com/approvald/approvald/internal/rulefile"
)

func newPolicyCheckCommand(dirs *directories) *cobra.Command {
	var asJSON, managed bool
	var user string
	cmd := &cobra.Command{
		Use:   "check [FILE…]",
		Short: "Check policy files, and whether the daemon has them in force",
		Long: `Read the managed policy, yours and the store of every workspace as the daemon reads them, and say
what is in each. Everything that is wrong is printed with its file and line. A policy is in force
whole or not at all, so one fault is enough to refuse it: exit code 2.

With files, the text of each is checked by itself, wherever it lies.`,
		Example: `  approvald policy check
  approvald policy check policy.toml`,
		RunE: func(cmd *cobra.Command, files []string) error {
			var r checkReport
			var err error
			if len(files) > 0 {
				r, err = checkTexts(files, managed)
			} else {
				r, err = checkInPlace(cmd.Context(), dirs, user)
			}
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), r)
			} else {
				err = r.print(cmd.OutOrStdout())
			}
			return errors.Join(err, r.refusal())
		},
	}
	cmd.Flags().BoolVar(&managed, "managed", false, "take the FILEs for managed policies, which may say more (ceiling)")
	cmd.Flags().StringVar(&user, "policy", "", "check this file in the place of yours, as serve --policy uses it")
	jsonFlag(cmd, &asJSON, "print one JSON object")
	return cmd
}

// checkTexts checks files for what they say, not for where they lie.
func checkTexts(files []string, managed bool) (checkReport, error) {
	layer := rulefile.User
	if managed {
		layer = rulefile.Managed
	}
	var r checkReport
	for _, name := range files {
		text, err := readBounded(name)
		if err != nil {
			return r, err
		}
		source := rulefile.Source{Layer: layer, Name: name, Text: text}
		loaded, err := rulefile.LoadText([]rulefile.Source{source}, readingOptions())
		row := layerRow{Layer: layer, File: name, Found: true, Faults: faultsOf(err)}
		if err == nil {
			row.Rules, row.Tools = loaded.Layers[0].Rules, loaded.Layers[0].Tools
		}
		r.Layers = append(r.Layers, row)
	}
	return r, nil
}

// readBounded reads a file as far as a policy file may go, and a little more,
// which is too much.
func readBounded(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return text, nil
}

// readingOptions are those by which the daemon reads policy files.
func readingOptions() rulefile.Options {
	look := inspect.Host()
	return rulefile.Options{Home: os.Getenv("HOME"), Pattern: look.Pattern}
}

// checkInPlace checks the files that a daemon would read, and asks the one that
// is running what it thinks of them.
func checkInPlace(ctx context.Context, dirs *directories, user string) (checkReport, error) {
	files, err := dirs.policyFiles(user)
	if err != nil {
		return checkReport{}, err
	}
	summaries, loaded, err := rulefile.Check(files, readingOptions())
	var r checkReport
	for _, s := range summaries {
		r.Layers = append(r.Layers, layerRow{
			Layer: s.Layer, File: s.File, Workspace: s.Workspace, Found: s.Found,
			Rules: s.Rules, Tools: s.Tools, Settings: s.Settings, Faults: faultsOf(s.Err),
		})
	}
	if err == nil {
		r.Mode, r.Ceiling = string(loaded.Mode), string(loaded.Ceiling)
		r.Other = refusedAtStart(dirs, files)
	} else if r.good() { // of no file by itself
		r.Other = err.Error()
	}
	r.Daemon = askDaemon(ctx, dirs)
	return r, nil
}

// refusedAtStart is why a daemon would not start with files that read well, ""
// for no reason: a mode above the ceiling is one.
func refusedAtStart(dirs *directories, files rulefile.Files) string {
	config, err := dirs.trialConfig(files)
	if err != nil {
		return err.Error()
	}
	d, err := daemon.Open(config)
	if err != nil {
		return err.Error()
	}
	_ = d.Close() // it had nothing to lose
	return ""
}
