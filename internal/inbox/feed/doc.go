// Package feed connects an inbox to the daemon: it brings what happens as messages of
// package inbox, and carries out what the inbox wants done.
package feed
