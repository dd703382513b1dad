package corpus

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/approvald/approvald/internal/approval"
)

// Case is one case. It is immutable once read.
type Case struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"` // shell_bypass, shell_false_positive, file, network or lifecycle
	Topic   string `json:"topic"`
	Source  string `json:"source"`  // where the failure was reported
	Product string `json:"product"` // what failed there
	Title   string `json:"title"`
	Input   Input  `json:"input"`
	Want    Want   `json:"want"`
	Why     string `json:"why"`
	// Evidence says what bash and the parser do with a shell case. It is for readers.
	Evidence jsontext.Value `json:"evidence"`

	// Fault says why the case cannot be read, and so cannot pass; nil for one that can.
	Fault error `json:"-"`
}

// Input is what happens.
type Input struct {
	Subject   *Subject      `json:"subject"` // of the requests that name none; without steps, of the only one
	Workspace string        `json:"workspace"`
	Platform  string        `json:"platform"`
	Mode      approval.Mode `json:"mode"`
	Rules     []Rule        `json:"rules"`
	FS        FS            `json:"fs"`
	Context   Context       `json:"context"`
	Steps     []Step        `json:"steps"`
}

// Rule is a rule in the corpus's own words: a JSON object, kept as written.
type Rule = jsontext.Value

// FS is what the file system holds besides the fixture's own directories. SCHEMA.md names hard links
// and case folding in words only; either spelling of them is read.
type FS struct {
	Links     map[string]string `json:"links"` // symbolic, by the path of the link
	HardLinks map[string]string `json:"hardlinks"`
	Twins     map[string]string `json:"hard_links"`       //nolint:tagliatelle // SCHEMA.md's spelling
	Exists    []string          `json:"exists"`           // files; with a / at the end directories
	Programs  []string          `json:"programs"`         // executable files
	Special   []string          `json:"special"`          // devices, pipes and sockets
	Folds     bool              `json:"case_insensitive"` //nolint:tagliatelle // SCHEMA.md's spelling
	Folding   bool              `json:"case_folding"`     //nolint:tagliatelle // SCHEMA.md's spelling
}

// Context is what surrounds a case. approvald has a use for none of it: it resolves no names, and a
// server's reputation weighs nothing (policy.md "Network", "Tool").
type Context struct {
	DNS            [][2]string `json:"dns"`
	TrustedServers []string    `json:"trusted_servers"` //nolint:tagliatelle // SCHEMA.md's spelling
}

// Want is what a careful engineer demands.
type Want struct {
	Outcome string      `json:"outcome"`
	AlsoOK  []string    `json:"also_ok"` //nolint:tagliatelle // SCHEMA.md's spelling
	Or      string      `json:"or"`      // another way to meet it, in words
	Never   []string    `json:"never"`
	Stages  []WantStage `json:"stages"`
	Expect  []Expect    `json:"expect"`
	// Final are the states of approvals, by label, when all steps are done.
	Final     map[string]string `json:"final"`
	Display   string            `json:"display"`
	Contested string            `json:"contested"` // why reasonable people differ; "" for most
	Adapted   string            `json:"adapted"`   // how the case differs from its report
}

// WantStage is a part of a command that is decided on its own.
type WantStage struct {
	Text    string `json:"text"`
	Outcome string `json:"outcome"` // allow, prompt or deny
}

// Expect is what one step must bring: a phrase, or a list of labels.
type Expect struct {
	Step   int            `json:"step"` // from 0
	Result jsontext.Value `json:"result"`
}
