// Package rulefile reads policy files into what policy.Compile takes, watches
// them, and writes the store that a workspace's persistent grants live in
// (policy.md "Files").
//
// Reading is strict: text that can be read two ways, or not in full, is no
// policy. Every fault of a file is reported at once, each with its line and a
// sentence that says what to write instead; a file with one fault yields no
// rules at all.
//
// What is read is the form of the file. What a pattern or a rule means is the
// matter of package policy, which may refuse a rule that reads well; its
// refusals are reported here in the same way, with file and line.
package rulefile
