// Package gate asks the daemon about one event of an agent: it dials the agent's socket, speaks a
// few frames, and has one deadline. It links no more than that takes, because it runs in front
// of every call of a tool; for the same reason it is no user of package client, whose start
// alone costs a third of a hook's time (docs/DECISIONS.md).
package gate
