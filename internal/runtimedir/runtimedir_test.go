package runtimedir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A socket is trusted only where nobody else can have put it.
func TestASocketIsWhereNobodyElseCanPutOne(t *testing.T) {
	for name, c := range map[string]struct {
		change func(dir string) error
		says   string
	}{
		"nothing yet":                 {func(dir string) error { return os.Remove(filepath.Join(dir, "agent")) }, ""},
		"ours":                        {func(string) error { return nil }, ""},
		"a directory of others":       {func(dir string) error { return os.Chmod(dir, 0o777) }, "others may write to"},
		"a socket's, of others":       {func(dir string) error { return os.Chmod(filepath.Join(dir, "agent"), 0o777) }, "others may write to"},
		"a socket's, of a group":      {func(dir string) error { return os.Chmod(filepath.Join(dir, "agent"), 0o770) }, "others may write to"},
		"a socket's, which is a link": {func(dir string) error { return relink(filepath.Join(dir, "agent")) }, "is not a directory"},
		"a link":                      {relink, "is not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			if err := os.MkdirAll(filepath.Join(dir, "agent"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			socket, err := FindSocket(dir, "agent")
			switch {
			case c.says == "" && (err != nil || socket != filepath.Join(dir, "agent", "agent.sock")):
				t.Errorf("%q, %v", socket, err)
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
				t.Errorf("%v, not %q", err, c.says)
			}
		})
	}
}

// relink moves a directory away and has a link in its place.
func relink(dir string) error {
	if err := os.Rename(dir, dir+".moved"); err != nil {
		return err
	}
	return os.Symlink(dir+".moved", dir)
}
