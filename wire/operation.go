package wire

// The kinds of operation that approvald checks; an object of any other kind is
// carried as it is (protocol §7).
const (
	OperationFileWrite         = "file-write"
	OperationShellUnrestricted = "shell-unrestricted"
)

// FileWriteOperation is one exact replacement of the file that a fileAccess
// subject writes (policy.md "File"). Digests are "sha256:" and 64 lower-case hex
// digits over the content.
type FileWriteOperation struct {
	Kind          string  `json:"kind"`
	Path          string  `json:"path"`                   // real and absolute: the subject's, as published
	WorkspaceRoot string  `json:"workspaceRoot,omitzero"` // the session's
	BeforeDigest  *string `json:"beforeDigest"`           // null: the file must not exist
	AfterDigest   string  `json:"afterDigest"`
}

// ShellUnrestrictedOperation runs the command of a shell subject outside any
// sandbox. It needs a justification.
type ShellUnrestrictedOperation struct {
	Kind        string `json:"kind"`
	Command     string `json:"command"`    // the subject's
	Cwd         string `json:"cwd"`        // real and absolute: the subject's, as published
	Filesystem  string `json:"filesystem"` // "host", as the two below
	Network     string `json:"network"`
	Environment string `json:"environment"`
}
