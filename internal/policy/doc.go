// Package policy answers one question: may this action go ahead, must a
// person be asked, or is it denied? It is a pure function of the action as
// inspected and of what is in force, with no I/O and no clock; its answer
// goes into the log, and replay never asks it (policy.md, invariant 7).
//
// A Policy is compiled once from the rules of all files (Compile) and asked
// with what is in force for a session (Evaluate). On the way to a verdict an
// action becomes questions: one for the words of each stage of a command, one
// for each file that the shell writes for it, one for any other subject. What
// is found about a question is a finding (what matches, what covers it, that
// nothing does); what a mode or preset makes of it is a ruling; the strictest
// ruling is the verdict.
//
//	evaluate*.go  the questions and findings of each kind of subject
//	ruling.go     what modes, presets and ancestors make of a finding
//	cover.go      when an allow rule covers a stage
//	near.go       when a deny or ask rule is missed so closely that it may be meant
//	words.go      shell rules by word; globs.go, hosts.go: the others
//	protected.go, readers.go, steady.go, hosts.go, own.go: tables, with the reasons for their rows
//
// It fails closed: what is not known is covered by no allow rule, and where it
// might be what a rule asks about or denies, it is a question in every mode
// that asks.
package policy
