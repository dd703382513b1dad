// Package wire is approvald's contract as plain Go: the params and results of
// every method, the view events, the error table and the method table of
// protocol §2 to §9. It holds no behaviour beyond JSON, needs nothing but the
// standard library, and is used as it is by the daemon and by the client.
//
// Three rules hold for every struct:
//
//   - The order of fields is the order of members on the wire. Recorded
//     scenarios are compared byte for byte (protocol §10), so reordering fields
//     changes the contract.
//   - An optional member without a value is left out. A member that protocol
//     types as "|null" is a pointer without omit option, or a [json.RawMessage],
//     and appears as null. A member that is a list is a [List] and never null.
//   - Enumerations are open: a value this package does not name is kept as it
//     is, and must not be read as permission (seed 003, "Subjects"). Where a set
//     is closed, the comment on its type says so in these words: "The set is
//     closed." The schema and the documents are made of these comments.
//
// Encode with [Marshal], never with [json.Marshal]: the latter turns the && of a
// shell command into escapes.
//
// Values of this package are not synchronised; a reader may share one that
// nobody writes any more.
package wire
