package wire

// PolicyChanged tells reviewers of the daemon's rule files. It is not part of
// the view. Where the last reload failed it is also sent right after the
// handshake.
type PolicyChanged struct {
	Status PolicyStatus `json:"status"`
	Error  string       `json:"error,omitzero"` // of a failed one: file, line and reason
}

// PolicyStatus says what became of a reload.
type PolicyStatus string

const (
	PolicyLoaded PolicyStatus = "loaded" // the files are in force as they are
	PolicyFailed PolicyStatus = "failed" // they are not good; the policy before them stays in force
)
