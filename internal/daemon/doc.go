// Package daemon puts the parts together: lock, log, recovery, the one writer,
// the edge. serve, exec's own daemon and the scenario player all use it, so
// what a scenario proves is what runs.
package daemon
