package wire

// Fingerprint identifies the shape of this build's wire: "sha256:" and 64
// lower-case hex digits over every method with its params and result, member
// by member, and every error (msp-facts §1.4). Two builds with the same
// fingerprint exchange the same frames. It is written down because every start
// of a daemon sends it; a test holds it against the tables.
const Fingerprint = "sha256:a142ea3f8fede68de6ba00f959afc949d5574f51b480216bcd6ca16cf6d93f36"
