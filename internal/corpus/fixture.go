package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/rulefile"
	"github.com/approvald/approvald/wire"
)

// installed are the programs that the fixture has on its PATH besides those that rules name.
var installed = []string{
	"awk", "bash", "cat", "chmod", "cp", "curl", "cut", "date", "dd", "env", "find", "flock", "git", "go", "grep", "head", "install",
	"ls", "make", "man", "mkdir", "mv", "nice", "node", "nohup", "npm", "perl", "pkill", "printf", "python3", "rg", "rm", "sed", "sh",
	"sort", "stdbuf", "su", "sudo", "tail", "tar", "tee", "timeout", "touch", "uniq", "wc", "wget", "xargs", "zsh",
}

// files is the tree of a scenario.
type files map[string]any

// place is an entry of the tree that is no regular file.
func place(what string, value any) map[string]any { return map[string]any{what: value} }

// program is an executable file.
func program() map[string]any { return map[string]any{"text": "#!/bin/sh\n", "mode": "0755"} }

// header is the first line of the scenario that a case is.
func header(c *Case) ([]byte, error) {
	policy, err := policyText(c.Input.Rules)
	if err != nil {
		return nil, err
	}
	tree, err := fixture(c)
	if err != nil {
		return nil, err
	}
	mode := cmp.Or(c.Input.Mode, approval.PromptUnmatched)
	serve := object{
		{"mode", mode}, {"ceiling", approval.AllowAll}, {"policy", policy},
		{"ephemeral", len(c.Input.Steps) == 0},
	}
	return object{
		{"dir", "header"}, {"title", c.ID + ": " + c.Title}, {"clock", wire.FormatTime(epoch.Add(24 * time.Hour))}, {"seed", 1},
		{"files", tree}, {"serve", serve},
	}.encode()
}

// refusedPolicy reports whether a daemon did not start because of its policy.
func refusedPolicy(err error) bool {
	_, found := errors.AsType[*rulefile.Fault](err)
	return found
}

// fixture is the file system of a case: a workspace, a home, programs, and what the case says.
func fixture(c *Case) (files, error) {
	fs := c.Input.FS
	tree := files{
		c.workspace(): place("dir", true), "/home/user": place("dir", true), "/tmp": map[string]any{"dir": true, "mode": "1777"},
		"/bin": place("link", "usr/bin"), "/etc/passwd": "root:x:0:0::/root:/bin/sh\n", "/dev/null": place("device", true),
	}
	if s := c.Input.Subject; s != nil && strings.HasPrefix(s.Cwd, "/") {
		tree[path.Clean(s.Cwd)] = place("dir", true)
	}
	if fs.Folds || fs.Folding {
		tree[c.workspace()] = map[string]any{"dir": true, "folds": true}
	}
	for _, name := range append(slices.Clone(installed), named(c.Input.Rules)...) {
		tree["/usr/bin/"+name] = program()
	}
	for _, name := range fs.Exists {
		if dir, found := strings.CutSuffix(name, "/"); found {
			tree[dir] = place("dir", true)
		} else {
			tree[name] = "text\n"
		}
	}
	for _, twins := range []map[string]string{fs.HardLinks, fs.Twins} {
		for name, to := range twins {
			if _, there := tree[to]; !there {
				tree[to] = "text\n"
			}
			tree[name] = place("hardLink", to)
		}
	}
	for name, to := range fs.Links {
		tree[name] = place("link", to)
	}
	for _, name := range fs.Programs {
		tree[name] = program()
	}
	for _, name := range fs.Special {
		tree[name] = place("fifo", true)
	}
	if err := before(c, tree); err != nil {
		return nil, err
	}
	return tree, processes(c, tree)
}

// named are the programs that shell rules name by a bare name.
func named(rules []Rule) []string {
	var out []string
	for _, rule := range rules {
		var r struct {
			Argv     []string `json:"argv_prefix"` //nolint:tagliatelle // SCHEMA.md's spelling
			Programs []string `json:"programs"`
		}
		if json.Unmarshal(rule, &r) != nil {
			continue // the loader says what is wrong
		}
		if len(r.Argv) > 0 {
			r.Programs = append(r.Programs, r.Argv[0])
		}
		for _, name := range r.Programs {
			if name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00") {
				out = append(out, name)
			}
		}
	}
	return out
}

// before writes the files that requests say they will replace: sha(TEXT) is the digest of TEXT.
func before(c *Case, tree files) error {
	for _, s := range c.Input.Steps {
		q, ok := s.action.(*request)
		if !ok || q.Before == nil {
			continue
		}
		text, err := symbol(*q.Before)
		if err != nil {
			return err
		}
		subject := q.Subject
		if subject == nil {
			subject = c.Input.Subject
		}
		if subject == nil {
			return errors.New("before_sha256: the request has no subject")
		}
		tree[path.Join(subject.Cwd, subject.Path)] = text
		if path.IsAbs(subject.Path) {
			tree[path.Clean(subject.Path)] = text
		}
	}
	return nil
}

// symbol is the TEXT of sha(TEXT).
func symbol(digest string) (string, error) {
	text, found := strings.CutPrefix(digest, "sha(")
	text, closed := strings.CutSuffix(text, ")")
	if !found || !closed {
		return "", fmt.Errorf("a digest is %q; give sha(TEXT)", digest)
	}
	return text, nil
}

// withHost is a URL with another host.
func withHost(address, host string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	if port := u.Port(); port != "" {
		host += ":" + port
	}
	u.Host = host
	return u.String(), nil
}
