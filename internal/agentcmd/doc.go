// Package agentcmd starts the program of serve --agent-cmd: what the flag says, the
// process with its standard input and output as one stream, its standard error in the
// daemon's log, and its end (protocol §4 "Turns").
package agentcmd
