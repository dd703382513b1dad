// Package claudesettings reads the permission rules of Claude Code settings as
// rules of approvald (ecosystem.md §1a "Permission rules", "Import as policy").
//
// The two say different things: Claude Code's rules match the text that a tool
// is called with, approvald's match what would be done. Where a rule cannot be
// said, or can be said only with another reach, the entry says why. Nothing is
// left out silently, and nothing is in force that reaches further without
// saying so: deny and ask rules are imported where they cover at least what
// they covered; allow rules are proposals whatever they cover, since people's
// allow lists grow by a key press and are rarely read again.
package claudesettings
