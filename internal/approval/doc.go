// Package approval holds the words that the rest of approvald is written in:
// identities, the action an agent asks for, its subject, the choices a
// reviewer has, what became of it, grants and modes.
//
// Everything here is a value. Nothing performs I/O, reads a clock or draws a
// random number, and every function is a function of its arguments alone
// (design: row 0, pure).
package approval
