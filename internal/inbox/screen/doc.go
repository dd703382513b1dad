// Package screen draws the inbox on a terminal, with Bubble Tea. Nothing of it decides
// anything: keys go to package inbox, and what that wants seen is put on the terminal.
//
// Only cmd/approvald-inbox links it, so that no other command starts with the tables of
// a terminal library.
package screen
