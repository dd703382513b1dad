// Package shell splits a command text into stages, the parts that policy and a reviewer can decide
// one by one (policy.md "Shell", protocol §6).
//
// A text goes through four readers. unreadable refuses bytes that hide something; the guard reads
// quotes, nesting and heredocs itself, refuses what the parser cannot be trusted with or shells read
// in different ways, and counts what it sees; the parser (mvdan.cc/sh) must have seen the same; the
// walker then goes through every statement form and emits a stage for each simple command that would
// run, wherever it stands, outer commands before those in their substitutions.
//
// It fails closed, in two steps. A text that is refused, or does not parse, is one opaque stage. A
// part that cannot be weighed is an opaque stage among others, with its words kept for deny and ask
// rules; where it may change what later words mean (an alias, PATH), everything behind it is opaque
// too, and in a loop or a function everything around it. A wrong "complete" would be a hole, a wrong
// "opaque" is only a question more.
//
// What is known of programs is data: launchers, interpreters, options that hold a command (carriers,
// gitCarriers, opaquePrograms, otherLaunchers), variables, the files that operands name (fileUses,
// subcommandUses), and the words
// that a rule may be suggested for (subcommands, plainPrograms).
//
// Dialects: bash in full; sh as far as bash, dash and others agree; of zsh only lists and pipelines
// of commands with plain words, quoted variables, simple patterns of files and redirections to known
// files, since its options change the meaning of nearly everything else.
//
// What the text cannot show is outside the contract: aliases, functions and variables that the
// environment brings, start-up files, the PATH of the shell that will run it, and what a script or a
// configuration file does.
//
// The package is pure.
package shell
