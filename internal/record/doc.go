// Package record is what is on disk: a fixed binary header, so that a start
// reads a log without decoding a body, and a JSON body, so that a person can
// read a log with the tools they have (design §4 to §6, §10).
//
// Records are structs of their own, never wire or domain structs: the wire
// may gain a member without the disk changing, and a record written today
// must decode in ten years. What was published (subject, menu, policy answer,
// ack, refusal) is kept as the JSON that was published, so that what a
// reviewer saw and what a replay answers are the same bytes by construction.
//
// The rules of change: an optional member may be added at any time; anything
// else raises the version of that kind by one and adds one pure upcaster. An
// unknown kind or a version from the future stops the reader.
package record
