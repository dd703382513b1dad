package approval

// Found is what inspection learned of the outside before policy was asked. It
// is kept in the opening record beside the subject, so that policy can be asked
// again about a pending approval without looking again, and replay without
// looking at all (invariant 7).
type Found struct {
	File  *Target `json:"file,omitempty"`  // what a File subject would touch
	Parts []Part  `json:"parts,omitempty"` // of a Shell subject, one a stage in order
	// Path is the agent's PATH, by which the programs of a Shell subject were
	// found; "" for the daemon's.
	Path string `json:"path,omitempty"`
	// Protected says that it was found to be a protected write, though what it
	// would write is not known any more: a restart split the command in another
	// way.
	Protected bool `json:"protected,omitempty"`
	// Refused is why nothing may allow the subject, whatever is in force: it can
	// be read in two ways. "" for none.
	Refused string `json:"refused,omitempty"`
	// Image is what was at the target of an operation of kind file-write: the
	// permit is for its replacement and nothing else (policy.md "File").
	Image *Image `json:"image,omitempty"`
}

// Part is what is known of a stage beyond its published form.
type Part struct {
	// Words are the words of a stage whose Argv is one opaque text, as far as
	// they are known, for deny and ask rules; none where Argv is complete.
	Words []string `json:"words,omitempty"`
	// Dynamic are the indices of the words that only the running shell knows;
	// their place in Argv or Words holds source text.
	Dynamic []int `json:"dynamic,omitempty"`
	// Launchers are the programs that start this one (env, nice, xargs …), each
	// with its words, outermost first. Deny and ask rules bind them too.
	Launchers [][]string `json:"launchers,omitempty"`
	// Code holds the simple commands of program text that the stage carries
	// (sh -c '…', a shell's heredoc), as far as they could be read. Deny and ask
	// rules bind them; an allow rule never looks at them.
	Code [][]string `json:"code,omitempty"`
	// CodeAt is the index of the word that makes the words after it program
	// text (node -e): an allow rule must reach past it. 0: there is none.
	CodeAt int `json:"codeAt,omitempty"`
	// Elsewhere says that the stage may run in another directory than the
	// command's: a cd comes before it.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Program is what the command word leads to.
	Program Program `json:"program,omitzero"`
	// Targets are the files that the stage is known to read or write, by a
	// redirection or as an operand.
	Targets []Target `json:"targets,omitempty"`
}

// Program is where a bare command word was found on the agent's PATH.
type Program struct {
	Path string `json:"path,omitempty"` // real; "" for a builtin, and where nothing was found
	// Untrusted says why a rule about the bare name does not mean this file: it
	// lies inside the workspace, or others can write it. "" for none.
	Untrusted string `json:"untrusted,omitempty"`
}

// Access is what is done to a file.
type Access string

// The accesses. Neither implies the other (policy.md "File").
const (
	Read  Access = "read"
	Write Access = "write"
)

// Target is one path that an action reads or writes.
type Target struct {
	Access Access `json:"access"`
	// Redirected says that the shell itself opens it: a write then needs a file
	// verdict of its own. A mere operand is bound by deny and ask rules only.
	Redirected bool `json:"redirected,omitempty"`
	// Text is the path as the action spells it; source text where only the
	// running shell knows it.
	Text string `json:"text"`
	// Written is Text made absolute and clean, links as they are; Path is the
	// real path, of a new file by its nearest existing parent. Both are empty
	// where Unresolved says why they are not known: no allow rule then matches,
	// and a deny or ask rule that might makes it a question.
	Written    string     `json:"written,omitempty"`
	Path       string     `json:"path,omitempty"`
	Unresolved string     `json:"unresolved,omitempty"`
	Type       TargetType `json:"type,omitempty"` // "" where not resolved
	Links      int        `json:"links,omitempty"`
	// Folds says that names there are the same in upper and lower case.
	Folds bool `json:"folds,omitempty"`
	// OfProcess says that the way leads through /proc/<pid> or its like.
	OfProcess bool `json:"ofProcess,omitempty"`
}

// TargetType is what is at a path.
type TargetType string

// The types of target.
const (
	TargetAbsent    TargetType = "absent"
	TargetRegular   TargetType = "regular"
	TargetDirectory TargetType = "directory"
	TargetSpecial   TargetType = "special" // device, FIFO, socket, anything else
)
