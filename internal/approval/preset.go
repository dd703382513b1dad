package approval

// Preset is a bundle of policy that a session may be started with
// (policy.md "Presets").
type Preset string

// The presets, from the least authority to the most. Each is also what
// permissionMode may name.
const (
	ReadOnly         Preset = "read-only"          // reads inside the workspace are allowed
	WorkspaceWrite   Preset = "workspace-write"    // and writes there that are not protected
	DangerFullAccess Preset = "danger-full-access" // all is allowed, and nobody is ever asked
)

// Presets lists the three.
var Presets = []Preset{ReadOnly, WorkspaceWrite, DangerFullAccess}

// Mode is the mode that goes with a preset; false for a name that is none.
func (p Preset) Mode() (Mode, bool) {
	switch p {
	case ReadOnly, WorkspaceWrite:
		return PromptUnmatched, true
	case DangerFullAccess:
		return AllowAll, true
	}
	return "", false
}
