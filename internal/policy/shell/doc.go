// Package shell splits a command text into stages, the parts that policy and a reviewer can decide
// one by one (policy.md "Shell", protocol §6).
//
// It accepts lists (`;`, `&&`, `||`, newline) and pipelines (`|`) of bare simple commands whose words
// are static, and fails closed: whatever else the text contains, the whole text becomes one opaque
// stage, which no rule, prefix or suggestion ever matches. A wrong "complete" would be a hole, a
// wrong "opaque" is only a question more, so wherever two shells, or two versions of one, might read
// a text differently, it is opaque.
//
// What a stage is not: a statement about effects. Interpreters (`sh -c …`), launchers (`env`,
// `sudo`, `xargs`) and options whose value is a command are not looked into. Their words are shown
// as they are, and the person who reads them decides. A rule that matches argv must know those
// programs itself before it may allow one.
//
// What the text cannot show is outside the contract as well: aliases, functions exported through
// the environment, start-up files and the PATH of the shell that will run it.
//
// The package is pure.
package shell
