package rpc

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

func sha(text string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))) }

// desk is a workspace with a file, a link to it and a directory.
func desk(t *testing.T) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("main.go", filepath.Join(dir, "link.go")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// An operation must be what its subject is about, and name the target as it is
// (policy.md "File", protocol §7).
func TestOperationsAreHeldAgainstTheSubject(t *testing.T) {
	const (
		write  = `{"kind":"fileAccess","path":%q,"access":"write"}`
		read   = `{"kind":"fileAccess","path":%q,"access":"read"}`
		run    = `{"kind":"shell","command":"make test"}`
		absent = `null`
	)
	before, after := fmt.Sprintf("%q", sha("package main")), fmt.Sprintf("%q", sha("package app"))
	replace := func(file, root, before, after string) string {
		return fmt.Sprintf(`{"kind":"file-write","path":%q,"workspaceRoot":%q,"beforeDigest":%s,"afterDigest":%s}`, file, root, before, after)
	}
	host := func(command, cwd string) string {
		return fmt.Sprintf(`{"kind":"shell-unrestricted","command":%q,"cwd":%q,"filesystem":"host","network":"host","environment":"host"}`, command, cwd)
	}
	cases := map[string]struct {
		subject   string
		operation func(dir string) string
		names     string // that the refusal names; "" where it is accepted
	}{
		"none":                       {run, func(string) string { return `null` }, ""},
		"a kind of the agent's own":  {run, func(string) string { return `{"kind":"teleport","path":1}` }, ""},
		"no kind":                    {run, func(string) string { return `{}` }, "kind"},
		"a replacement":              {fmt.Sprintf(write, "main.go"), func(d string) string { return replace(d+"/main.go", d, before, after) }, ""},
		"a replacement by a link":    {fmt.Sprintf(write, "link.go"), func(d string) string { return replace(d+"/main.go", d, before, after) }, ""},
		"a new file":                 {fmt.Sprintf(write, "new.go"), func(d string) string { return replace(d+"/new.go", d, absent, after) }, ""},
		"the path as it was written": {fmt.Sprintf(write, "main.go"), func(d string) string { return replace("main.go", d, before, after) }, "operation.path"},
		"the path of the link":       {fmt.Sprintf(write, "link.go"), func(d string) string { return replace(d+"/link.go", d, before, after) }, "operation.path"},
		"another workspace":          {fmt.Sprintf(write, "main.go"), func(d string) string { return replace(d+"/main.go", d+"/dir", before, after) }, "operation.workspaceRoot"},
		"no workspace":               {fmt.Sprintf(write, "main.go"), func(d string) string { return replace(d+"/main.go", "", before, after) }, "operation.workspaceRoot"},
		"a read":                     {fmt.Sprintf(read, "main.go"), func(d string) string { return replace(d+"/main.go", d, before, after) }, "file-write"},
		"a command that writes":      {run, func(d string) string { return replace(d+"/main.go", d, before, after) }, "file-write"},
		"no beforeDigest": {fmt.Sprintf(write, "main.go"), func(d string) string {
			return fmt.Sprintf(`{"kind":"file-write","path":%q,"workspaceRoot":%q,"afterDigest":%s}`, d+"/main.go", d, after)
		}, "operation.beforeDigest"},
		"no afterDigest": {fmt.Sprintf(write, "main.go"), func(d string) string {
			return fmt.Sprintf(`{"kind":"file-write","path":%q,"workspaceRoot":%q,"beforeDigest":%s}`, d+"/main.go", d, before)
		}, "operation.afterDigest"},
		"a beforeDigest of no form": {fmt.Sprintf(write, "main.go"), func(d string) string { return replace(d+"/main.go", d, `"sha256:ABC"`, after) }, "operation.beforeDigest"},
		"an afterDigest of no form": {fmt.Sprintf(write, "main.go"), func(d string) string { return replace(d+"/main.go", d, before, `"md5:00"`) }, "operation.afterDigest"},
		"a path that is no text": {fmt.Sprintf(write, "main.go"), func(d string) string {
			return strings.Replace(replace(d, d, before, after), fmt.Sprintf("%q", d), "7", 1)
		}, "operation"},
		"a file that was changed": {fmt.Sprintf(write, "main.go"), func(d string) string { return replace(d+"/main.go", d, after, after) }, "targetChanged"},
		"a file that is there":    {fmt.Sprintf(write, "main.go"), func(d string) string { return replace(d+"/main.go", d, absent, after) }, "targetChanged"},
		"a file that is gone":     {fmt.Sprintf(write, "new.go"), func(d string) string { return replace(d+"/new.go", d, before, after) }, "targetChanged"},
		"a directory":             {fmt.Sprintf(write, "dir"), func(d string) string { return replace(d+"/dir", d, before, after) }, "no regular file"},
		"an unrestricted command": {run, func(d string) string { return host("make test", d) }, ""},
		"another command":         {run, func(d string) string { return host("make  test", d) }, "operation.command"},
		"another command, of a kind that is spelt twice": {run, func(d string) string {
			return strings.Replace(host("make  test", d), `}`, `,"Kind":"teleport"}`, 1)
		}, "operation.command"},
		"another file, of a kind that is spelt twice": {fmt.Sprintf(write, "main.go"), func(d string) string {
			return strings.Replace(replace("/etc/passwd", d, before, after), `}`, `,"KIND":"teleport"}`, 1)
		}, "operation.path"},
		"another directory":          {run, func(d string) string { return host("make test", d+"/dir") }, "operation.cwd"},
		"the directory, not cleaned": {run, func(d string) string { return host("make test", d+"/") }, "operation.cwd"},
		"of another subject":         {fmt.Sprintf(write, "main.go"), func(d string) string { return host("make test", d) }, "shell-unrestricted"},
		"with a sandboxed network": {run, func(d string) string {
			return strings.Replace(host("make test", d), `"network":"host"`, `"network":"none"`, 1)
		}, "operation.network"},
		"with no word of the files": {run, func(d string) string { return strings.Replace(host("make test", d), `"filesystem":"host",`, ``, 1) }, "operation.filesystem"},
		"with an environment of none": {run, func(d string) string {
			return strings.Replace(host("make test", d), `"environment":"host"`, `"environment":""`, 1)
		}, "operation.environment"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := desk(t)
				agent := newHost(t).as(wire.RoleBoth)
				session := agent.start(fmt.Sprintf(`"workspaceRoot":%q`, dir))
				params := opening(session, c.subject, `"operation":`+c.operation(dir), `"justification":"It needs to."`)
				f := agent.call(wire.MethodApprovalOpen, params)
				switch {
				case c.names == "":
					if f.Error != nil {
						t.Errorf("it was refused: %s", f.raw)
					}
				case c.names == "targetChanged":
					if f.Error == nil || f.Error.Code != wire.CodeApprovalMismatch || f.Error.Data.Reason != wire.ReasonTargetChanged {
						t.Fatalf("it was answered %s", f.raw)
					}
					if err := os.RemoveAll(dir); err != nil { // whatever is there now, the refusal stays
						t.Fatal(err)
					}
					again := agent.call(wire.MethodApprovalOpen, params)
					if diff := cmp.Diff(f.Error, again.Error); diff != "" {
						t.Errorf("repeated it is refused otherwise:\n%s", diff)
					}
				case f.Error == nil || f.Error.Code != wire.CodeInvalidParams || !strings.Contains(f.Error.Message, c.names):
					t.Errorf("it was answered %s, want one that names %s", f.raw, c.names)
				}
			})
		})
	}
}

// opening are the params of an approval/open of a subject.
func opening(session, subject string, members ...string) string {
	return strings.Replace(openParams(session, members...), `{"kind":"tool"}`, subject, 1)
}

// found is what was learned with the subject of a pending approval.
func (h *host) found(session, id string) (found approval.Found) {
	h.t.Helper()
	at, err := approval.ParseID(id)
	if err != nil {
		h.t.Fatal(err)
	}
	in, err := approval.ParseID(session)
	if err != nil {
		h.t.Fatal(err)
	}
	var raw json.RawMessage
	h.seq.View(func(state *fold.State) {
		of, _ := state.Session(in)
		a, _ := of.Approval(at)
		full, err := a.Full(h.seq.Record)
		if err != nil {
			h.t.Error(err)
			return
		}
		raw = full.Request.Found
	})
	if raw != nil {
		if err := json.Unmarshal(raw, &found); err != nil {
			h.t.Fatal(err)
		}
	}
	return found
}

// What inspection learns is recorded with the action, so that policy can be
// asked again without looking again.
func TestWhatIsFoundIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := desk(t)
		h := newHost(t)
		agent := h.as(wire.RoleBoth)
		session := agent.start(fmt.Sprintf(`"workspaceRoot":%q`, dir))
		open := func(subject string, members ...string) approval.Found {
			t.Helper()
			var result wire.ApprovalOpenResult
			agent.must(wire.MethodApprovalOpen, opening(session, subject, members...), &result)
			if result.State != wire.StatePending {
				t.Fatalf("%s is %s", subject, result.State)
			}
			return h.found(session, result.ApprovalID)
		}

		file := open(`{"kind":"fileAccess","path":"link.go","access":"write"}`).File
		if file == nil || file.Access != approval.Write || file.Text != "link.go" ||
			file.Written != dir+"/link.go" || file.Path != dir+"/main.go" || file.Type != approval.TargetRegular || file.Links != 1 {
			t.Errorf("of a file: %+v", file)
		}

		operation := fmt.Sprintf(`"operation":{"kind":"file-write","path":%q,"workspaceRoot":%q,"beforeDigest":%q,"afterDigest":%q}`,
			dir+"/main.go", dir, sha("package main"), sha(""))
		image := open(`{"kind":"fileAccess","path":"main.go","access":"write"}`, operation).Image
		if image == nil || image.Digest != sha("package main") || image.File.Size != int64(len("package main")) {
			t.Errorf("of a file that is replaced: %+v", image)
		}

		if err := os.WriteFile(filepath.Join(dir, "make"), nil, 0o700); err != nil {
			t.Fatal(err)
		}
		parts := open(fmt.Sprintf(`{"kind":"shell","command":"make && make test","path":%q}`, dir)).Parts
		if len(parts) != 2 {
			t.Fatalf("%d parts of a command with two", len(parts))
		}
		for _, part := range parts { // looked up on the agent's PATH, as one of the workspace's
			if part.Program.Path != dir+"/make" || !strings.Contains(part.Program.Untrusted, "workspace") {
				t.Errorf("of a program: %+v", part.Program)
			}
		}
	})
}

// What may never be touched is no fault of the params: policy denies it, and the
// denial is in the log.
func TestFilesThatAreNeverTouchedAreForPolicy(t *testing.T) {
	for name, path := range map[string]string{
		"another process's": "/proc/1/environ", "one's own": "/proc/self/environ", "a device": "/dev/null",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				agent := newHost(t).as(wire.RoleBoth)
				session := agent.start(fmt.Sprintf(`"workspaceRoot":%q`, t.TempDir()), `"approvalMode":"allowAll"`)
				for _, access := range []wire.Access{wire.AccessRead, wire.AccessWrite} {
					var result wire.ApprovalOpenResult
					subject := fmt.Sprintf(`{"kind":"fileAccess","path":%q,"access":%q}`, path, access)
					agent.must(wire.MethodApprovalOpen, opening(session, subject), &result)
					if result.Resolution == nil || result.Resolution.PolicyResult != wire.PolicyDeny || result.Resolution.Source != wire.SourceBuiltin {
						t.Errorf("%s: %+v", access, result)
					}
					var read wire.ApprovalReadResult
					agent.must(wire.MethodApprovalRead, inSession(session, fmt.Sprintf(`"approvalId":%q`, result.ApprovalID)), &read)
					if !strings.Contains(string(read.Request.Subject), fmt.Sprintf(`"path":%q`, path)) {
						t.Errorf("%s: it is shown as %s", access, read.Request.Subject)
					}
				}
			})
		})
	}
}

// A NUL in what a kernel or a resolver would cut there is refused at the door.
func TestNULIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent := newHost(t).as(wire.RoleBoth)
		session := agent.start(fmt.Sprintf(`"workspaceRoot":%q`, t.TempDir()))
		for _, subject := range []string{
			`{"kind":"shell","command":"bash run\u0000.sh"}`,
			`{"kind":"shell","command":"make","cwd":"sub\u0000dir"}`,
			`{"kind":"shell","command":"make","path":"/bin\u0000"}`,
			`{"kind":"fileAccess","path":"src/\u0000../etc/passwd","access":"read"}`,
			`{"kind":"fileAccess","path":"a","access":"read","cwd":"\u0000"}`,
			`{"kind":"network","url":"socks5://attacker.test\u0000.example.org:443"}`,
			`{"kind":"network","host":"attacker.test\u0000.example.org","port":443}`,
			`{"kind":"network","host":"example.org","port":443,"protocol":"tcp\u0000"}`,
			`{"kind":"process","action":"spawn\u0000","target":"x"}`,
			`{"kind":"process","action":"spawn","target":"x\u0000"}`,
			`{"kind":"process","action":"spawn","argv":["make","all\u0000"]}`,
			`{"kind":"tool","serverName":"git\u0000hub"}`,
			`{"kind":"tool","toolName":"sea\u0000rch"}`,
		} {
			f := agent.call(wire.MethodApprovalOpen, opening(session, subject))
			if f.Error == nil || f.Error.Code != wire.CodeInvalidParams {
				t.Errorf("%s was answered %s", subject, f.raw)
			}
		}
	})
}
