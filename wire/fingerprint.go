package wire

// Fingerprint identifies the shape of this build's wire: "sha256:" and 64
// lower-case hex digits over every method with its params and result, member
// by member, and every error (msp-facts §1.4). Two builds with the same
// fingerprint exchange the same frames. It is written down because every start
// of a daemon sends it; a test holds it against the tables.
const Fingerprint = "sha256:516c1c799035f62d2c3b51b64bfedaff6a02b0ef59f1e71a938709c0ea77c98b"
