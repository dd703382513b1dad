package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
)

// digest is one number, in hex, for a list of texts.
func digest(texts ...string) string {
	sum := sumOf(texts)
	return hex.EncodeToString(sum[:])
}

// derived is a UUID of version 8 for a list of texts (protocol §3).
func derived(texts ...string) string {
	sum := sumOf(texts)
	sum[6] = 0x80 | sum[6]&0x0f
	sum[8] = 0x80 | sum[8]&0x3f
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// sumOf tells every list of texts from every other: each has its length in front.
func sumOf(texts []string) [sha256.Size]byte {
	h := []byte("approvald hook 1\n")
	for _, text := range texts {
		h = append(strconv.AppendInt(h, int64(len(text)), 10), ':')
		h = append(h, text...)
	}
	return sha256.Sum256(h)
}
