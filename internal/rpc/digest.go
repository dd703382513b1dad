package rpc

import (
	"crypto/sha256"
	"encoding/hex"
)

// digestOf is the digest of a text, spelt like every digest (protocol §7).
func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}
