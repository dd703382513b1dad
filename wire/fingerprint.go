package wire

// Fingerprint identifies the shape of this build's wire: "sha256:" and 64
// lower-case hex digits over every method with its params and result, member
// by member, and every error (msp-facts §1.4). Two builds with the same
// fingerprint exchange the same frames. It is written down because every start
// of a daemon sends it; a test holds it against the tables.
const Fingerprint = "sha256:8b03080a83463eb414ccae76c245db4f9f2d3bc9b84559044a4d4996aec6d5ad"
