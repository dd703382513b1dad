// Package policy answers one question: may this action go ahead, must a
// person be asked, or is it denied? It is a pure function of the action as
// inspected and of what is in force, with no I/O and no clock; its answer
// goes into the log, and replay never asks it again (policy.md, invariant 7).
//
// This version knows session grants, the modes and the builtins that need no
// decision. It fails closed: what it does not understand is asked or denied.
package policy
