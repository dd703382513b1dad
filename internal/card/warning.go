package card

import (
	"encoding/json"
	"fmt"

	"github.com/approvald/approvald/wire"
)

// ProtectedText says what a protected write is (policy.md "Verdict").
const ProtectedText = "it writes a file that is protected: it is asked about in every mode, once, and only where a reviewer is there to answer"

// warnings are what must not be missed about a request.
func warnings(r *wire.ApprovalRequest, pending bool) []Warning {
	var all []Warning
	warn := func(text, detail string) { all = append(all, Warning{text, Of(detail)}) }
	if r.ProtectedWrite {
		warn("Protected: "+ProtectedText+".", "")
	}
	var operation struct{ Kind string }
	if len(r.Operation) > 0 && json.Unmarshal(r.Operation, &operation) == nil && operation.Kind == wire.OperationShellUnrestricted {
		warn("It runs outside of any sandbox, with the whole file system, network and environment of this machine.", "")
	}
	subject, err := wire.DecodeSubject(r.Subject)
	if err != nil {
		subject = nil
	}
	shown := string(r.Subject)
	switch s := subject.(type) {
	case *wire.ShellSubject:
		shown = s.Command + s.Cwd
		for _, stage := range s.Stages {
			if !stage.ArgvComplete && pending && stage.Resolution.Kind == wire.StageUnresolved {
				warn(fmt.Sprintf("Part %d could not be understood: read it as text, it may do anything.", stage.Position), stage.Resolution.Diagnostic)
			}
		}
	case *wire.FileSubject:
		shown = s.Path + s.RequestedPath + s.Diff
		if s.DiffOmitted {
			warn("What is to be written is too long to be shown here.", s.DiffDigest)
		}
	case *wire.NetworkSubject:
		shown = s.Host
	case *wire.ProcessSubject:
		shown = s.Target + fmt.Sprint(s.Argv)
	case *wire.ToolSubject:
		shown = s.ServerName + s.ToolName + string(s.Arguments)
	default:
		warn("approvald does not know this kind of action: no rule is held against it.", "")
	}
	if escapedIn(shown + r.RawArgs + r.ToolName) {
		warn("It has characters that are not seen: they are written out, as <U+202E> or \\u202e.", "")
	}
	return all
}
