// Package plain is the inbox in lines: what happens is told in a line, what a person wants
// is typed and entered. It moves no cursor, sets no style and redraws nothing, so that a
// screen reader reads it in order, and a script can drive it.
package plain
