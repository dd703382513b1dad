package wire

// Fingerprint identifies the shape of this build's wire: "sha256:" and 64
// lower-case hex digits over every method with its params and result, member
// by member, and every error (msp-facts §1.4). Two builds with the same
// fingerprint exchange the same frames. It is written down because every start
// of a daemon sends it; a test holds it against the tables.
const Fingerprint = "sha256:b3cf3ade344a49bbf8850dd7b584e0bd89f7d6f1813f63ca3a2a064f2223a299"
