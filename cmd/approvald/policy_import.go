package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/approvald/approvald/internal/claudesettings"
)

// standardInput is the file name that stands for it.
const standardInput = "-"

// maxSettings bounds a settings file, as a policy file is bounded.
const maxSettings = 1 << 20

func newPolicyImportCommand() *cobra.Command {
	var out string
	var force bool
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "Make a policy file of Claude Code settings",
		Long: `Read the permission rules of Claude Code settings files (- for standard input) and print a policy
file. Deny and ask rules are in force in it. Allow rules are proposals, commented out, since
such lists grow by a key press: read each before you take it. What a policy file cannot say is
there as a comment that says why.`,
		Example: `  approvald policy import ~/.claude/settings.json .claude/settings.json
  approvald policy import .claude/settings.json -o imported.toml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			var sources []importSource
			for _, file := range files {
				source, err := readSettings(cmd.InOrStdin(), file)
				if err != nil {
					return err
				}
				sources = append(sources, source)
			}
			made, err := imported(sources)
			if err != nil {
				return err
			}
			if err := deliver(cmd.OutOrStdout(), made.text, out, force); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "approvald: %s\n", made)
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the policy into this file, which must not be there (default: print it)")
	cmd.Flags().BoolVar(&force, "force", false, "replace the file of -o where it is there")
	return cmd
}

// importSource is one settings file as it was read.
type importSource struct {
	place    claudesettings.Place
	settings claudesettings.Settings
}

func readSettings(stdin io.Reader, file string) (importSource, error) {
	s := importSource{place: claudesettings.Place{Name: "standard input"}}
	input := stdin
	if file != standardInput {
		abs, err := filepath.Abs(file)
		if err != nil {
			return s, err
		}
		s.place = claudesettings.Place{Name: abs, Base: settingsBase(abs, os.Getenv("HOME"))}
		f, err := os.Open(abs)
		if err != nil {
			return s, err
		}
		defer f.Close()
		input = f
	}
	text, err := io.ReadAll(io.LimitReader(input, maxSettings+1))
	switch {
	case err != nil:
		return s, fmt.Errorf("read %s: %w", s.place.Name, err)
	case len(text) > maxSettings:
		return s, fmt.Errorf("%s has more than %d bytes; give it in pieces", s.place.Name, maxSettings)
	}
	s.settings, err = claudesettings.Read(s.place, text)
	return s, err
}

// settingsBase is the directory that a settings file at an absolute path is
// about: the project, or for the user's own the directory that they lie in. ""
// for a file that lies elsewhere.
func settingsBase(file, home string) string {
	dir := filepath.Dir(file)
	switch project := filepath.Dir(dir); {
	case filepath.Base(dir) != ".claude":
		return ""
	case project == home:
		return dir
	default:
		return project
	}
}

// deliver prints a text, or writes it into a file that it does not destroy.
func deliver(w io.Writer, text []byte, file string, force bool) error {
	switch {
	case file == "":
		_, err := w.Write(text)
		return err
	case force:
		return renameio.WriteFile(file, text, 0o600)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: give another -o, or --force to replace it", file)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
