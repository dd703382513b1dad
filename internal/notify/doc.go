// Package notify tells people who look at no inbox that something waits for them:
// by a notification on the desktop, or by a program of the user's.
//
// It is a client like any other: it is given the events that reviewers are given,
// and tells only of what policy left for a person to decide. No medium can hold
// up another one, or the daemon, and none can decide anything.
package notify
