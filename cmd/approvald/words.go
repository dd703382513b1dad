package main

import (
	"slices"

	"github.com/approvald/approvald/internal/card"
)

// shellWords is an argv as one would type it in bash.
func shellWords(argv []string) string { return card.ShellWords(argv) }

// shortest is the least length from which the ids can be told apart by their
// beginnings, and at least 8. (An id begins with the time that it was minted.)
func shortest(ids []string) int {
	const least = 8
	n := least
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for i := 1; i < len(ids); i++ {
		n = max(n, common(ids[i-1], ids[i])+1)
	}
	return n
}

// beginning is as much of an id as a table shows.
func beginning(id string, n int) string { return id[:min(n, len(id))] }

// common is the length of the common beginning of a and b.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
