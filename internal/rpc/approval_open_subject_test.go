package rpc

import (
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/inspect"
	"github.com/approvald/approvald/wire"
)

// Hostile text takes time to parse: it is that of the connection which sent it
// and not of the writer, which all connections share.
func TestACommandIsSplitBeforeTheWriterSeesIt(t *testing.T) {
	got, e := inspectShell(inspect.Host(), &wire.OpenShell{Kind: wire.SubjectShell, Command: "make a && make b", Cwd: "/"}, "")
	if e != nil {
		t.Fatal(e)
	}
	if command, _ := got.subject.(approval.Shell); len(command.Stages) != 2 {
		t.Errorf("the stages are %+v, want one for each command", command.Stages)
	}
}
