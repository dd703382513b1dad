package rpc

import (
	"encoding/json"
	"errors"
	"regexp"
	"sync"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/canon"
	"github.com/approvald/approvald/internal/inspect"
	"github.com/approvald/approvald/wire"
)

// checkOperation holds an operation against the inspected subject (policy.md
// "File"): a reviewer is shown both, and they must be the same thing. unfit is
// -32602; stale says that the target is not what the operation says that it was.
// A kind that is not known here is carried as it is.
func (r *request) checkOperation(raw json.RawMessage, of *inspected, root string) (unfit, stale *wire.Error) {
	raw = absentIfNull(raw)
	if len(raw) == 0 {
		return nil, nil
	}
	switch kind, _ := wire.KindOf(raw); kind { // it was read before
	case wire.OperationFileWrite:
		var op fileWrite
		if err := canon.Unmarshal(raw, &op); err != nil {
			return invalid("operation: %v", err), nil
		}
		if e := op.check(of, root); e != nil {
			return e, nil
		}
		return op.compare(r.conn.srv.cfg.Inspector, of)
	case wire.OperationShellUnrestricted:
		var op wire.ShellUnrestrictedOperation
		if err := canon.Unmarshal(raw, &op); err != nil {
			return invalid("operation: %v", err), nil
		}
		return checkUnrestricted(op, of), nil
	}
	return nil, nil
}

// fileWrite tells a beforeDigest of null, where the file must not exist, from one
// that is not there.
type fileWrite struct {
	wire.FileWriteOperation
	BeforeDigest json.RawMessage `json:"beforeDigest"`

	before string // "" where the file must not exist
}

var digestForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^sha256:[0-9a-f]{64}$`) })

// check reads the operation and holds it against what was found.
func (op *fileWrite) check(of *inspected, root string) *wire.Error {
	file, ok := of.subject.(approval.File)
	switch {
	case !ok || file.Access != string(approval.Write):
		return invalid("operation: file-write is for a fileAccess subject whose access is write")
	case op.Path != file.Path:
		return invalid("operation.path must be %q, which subject.path leads to", file.Path)
	case op.WorkspaceRoot != root:
		return invalid("operation.workspaceRoot must be that of the session, %q", root)
	case !digestForm().MatchString(op.AfterDigest):
		return invalid("operation.afterDigest must be sha256: and 64 lower-case hex digits")
	case op.BeforeDigest == nil:
		return invalid("operation.beforeDigest must be given; null says that the file must not exist")
	}
	if absentIfNull(op.BeforeDigest) == nil {
		return nil
	}
	if err := json.Unmarshal(op.BeforeDigest, &op.before); err != nil || !digestForm().MatchString(op.before) {
		return invalid("operation.beforeDigest must be null, or sha256: and 64 lower-case hex digits")
	}
	return nil
}

// compare holds the operation against the file as it is, and keeps what that is.
// Of a device and its like there is no image: policy denies it.
func (op *fileWrite) compare(look *inspect.Inspector, of *inspected) (unfit, stale *wire.Error) {
	target := of.found.File
	if target.OfProcess || target.Type == approval.TargetSpecial {
		return nil, nil
	}
	image, err := look.Image(target.Path)
	switch {
	case errors.Is(err, inspect.ErrMoved):
		return nil, targetChanged("The path leads elsewhere by now; read the file again.")
	case err != nil:
		return invalid("operation: the file cannot be compared with beforeDigest: %v", err), nil
	}
	of.found.Image = &image
	switch {
	case image.Digest == op.before:
		return nil, nil
	case image.Absent():
		return nil, targetChanged("The file does not exist, and beforeDigest says that it does.")
	case op.before == "":
		return nil, targetChanged("The file exists, and beforeDigest says that it does not.")
	}
	return nil, targetChanged("The file is not the one of beforeDigest; read it again.")
}

func targetChanged(why string) *wire.Error {
	return wire.NewError(wire.CodeApprovalMismatch, why, func(d *wire.ErrorData) { d.Reason = wire.ReasonTargetChanged })
}

// onHost is what an unrestricted command has of everything (policy.md "File").
const onHost = "host"

func checkUnrestricted(op wire.ShellUnrestrictedOperation, of *inspected) *wire.Error {
	command, ok := of.subject.(approval.Shell)
	switch {
	case !ok:
		return invalid("operation: shell-unrestricted is for a shell subject")
	case op.Command != command.Command:
		return invalid("operation.command must be subject.command, byte for byte")
	case op.Cwd != command.Cwd:
		return invalid("operation.cwd must be %q, which subject.cwd leads to", command.Cwd)
	}
	for _, has := range []struct{ member, value string }{
		{"filesystem", op.Filesystem}, {"network", op.Network}, {"environment", op.Environment},
	} {
		if has.value != onHost {
			return invalid("operation.%s must be %q: an unrestricted command has all of the host's", has.member, onHost)
		}
	}
	return nil
}
