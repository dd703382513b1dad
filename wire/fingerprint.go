package wire

// Fingerprint identifies the shape of this build's wire: "sha256:" and 64
// lower-case hex digits over every method with its params and result, member
// by member, and every error (msp-facts §1.4). Two builds with the same
// fingerprint exchange the same frames. It is written down because every start
// of a daemon sends it; a test holds it against the tables.
const Fingerprint = "sha256:425248207335365f442459ff8b29dc84fdf1883c73cfb8e91254b542416fe219"
