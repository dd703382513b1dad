package rpc

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/approvald/approvald/wire"
)

// What of the params of session/start goes together (protocol §4).
func TestParamsOfSessionStart(t *testing.T) {
	parent := numbered(1 << 40).String()
	cases := map[string]struct {
		members string
		names   string // that the refusal names; "" where it is accepted
	}{
		"a mode":                         {`"approvalMode":"denyUnmatched"`, ""},
		"no mode":                        {`"approvalMode":null`, ""},
		"a mode that there is not":       {`"approvalMode":"always"`, "approvalMode"},
		"a preset":                       {`"preset":"read-only"`, ""},
		"a preset and no mode":           {`"preset":"read-only","approvalMode":null`, ""},
		"a preset that there is not":     {`"preset":"read-write"`, "preset"},
		"a preset and a mode":            {`"preset":"read-only","approvalMode":"promptUnmatched"`, "approvalMode and preset"},
		"a parent":                       {fmt.Sprintf(`"parentSessionId":%q`, parent), ""},
		"a parent that is no id":         {`"parentSessionId":"parent"`, "parentSessionId"},
		"a parent, inheriting":           {fmt.Sprintf(`"parentSessionId":%q,"inherit":"grants"`, parent), ""},
		"a parent, inheriting nothing":   {fmt.Sprintf(`"parentSessionId":%q,"inherit":"none"`, parent), ""},
		"a parent, inheriting otherwise": {fmt.Sprintf(`"parentSessionId":%q,"inherit":"all"`, parent), "inherit"},
		"inheriting without a parent":    {`"inherit":"grants"`, "inherit"},
		"inheriting otherwise, orphaned": {`"inherit":"all"`, "inherit"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := newHost(t).as(wire.RoleBoth)
				host.start(fmt.Sprintf(`"sessionId":%q`, parent))
				f := host.call(wire.MethodSessionStart, startParams(c.members))
				switch {
				case c.names == "" && f.Error != nil:
					t.Errorf("it was refused: %s", f.raw)
				case c.names != "" && (f.Error == nil || f.Error.Code != wire.CodeInvalidParams || !strings.Contains(f.Error.Message, c.names)):
					t.Errorf("it was answered %s", f.raw)
				}
			})
		})
	}
}

// The session object says what it was started with and below what.
func TestAChildSaysWhoseItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := newHost(t).as(wire.RoleBoth)
		dir := t.TempDir()
		parent := host.start(fmt.Sprintf(`"workspaceRoot":%q`, dir), `"preset":"workspace-write"`)
		var started wire.SessionStartResult
		host.must(wire.MethodSessionStart, startParams(fmt.Sprintf(`"parentSessionId":%q`, parent)), &started)
		s := started.Session
		if s.ParentSessionID != parent || s.Kind != wire.SessionSubagent {
			t.Errorf("parent %q, kind %q", s.ParentSessionID, s.Kind)
		}
		if s.WorkspaceRoot == nil || !strings.HasSuffix(*s.WorkspaceRoot, dir) {
			t.Errorf("its workspace is %v, want its parent's", s.WorkspaceRoot)
		}
		var read wire.SessionReadResult
		host.must(wire.MethodSessionRead, inSession(parent), &read)
		if read.Session.Preset != wire.PresetWorkspaceWrite || read.Session.Kind != wire.SessionRoot {
			t.Errorf("the parent has preset %q and is a %s", read.Session.Preset, read.Session.Kind)
		}
	})
}
