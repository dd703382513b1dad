package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"sync"
	"time"
)

// linkLife is how long a link can be opened.
const linkLife = 10 * time.Minute

// A link token is an expiry (8 bytes), a nonce (16) and a MAC over both (32). The key
// makes links, so whoever holds it can come in: it is in memory, and in one file that
// is the user's alone.
const (
	nonceAt  = 8
	macAt    = nonceAt + 16
	tokenLen = macAt + sha256.Size
)

// Key makes links that open the inbox, each once.
type Key []byte

// NewKey is a fresh key.
func NewKey() Key {
	key := make(Key, sha256.Size)
	rand.Read(key) // never fails
	return key
}

// Link is the path of a fresh link.
func (k Key) Link(now time.Time) string {
	token := binary.BigEndian.AppendUint64(nil, uint64(now.Add(linkLife).UnixMilli()))
	nonce := make([]byte, macAt-nonceAt)
	rand.Read(nonce) // never fails
	token = append(token, nonce...)
	return "/enter/" + base64.RawURLEncoding.EncodeToString(k.sign(token))
}

func (k Key) sign(token []byte) []byte {
	mac := hmac.New(sha256.New, k)
	mac.Write(token)
	return mac.Sum(token)
}

var (
	errLinkUsed    = errors.New("this link has been used")
	errLinkOld     = errors.New("this link is too old")
	errLinkForeign = errors.New("this is not a link of this daemon")
)

// links remembers which links were opened, for as long as they could be again.
type links struct {
	key Key

	mu   sync.Mutex
	used map[string]time.Time // nonce → expiry
}

func newLinks(key Key) *links { return &links{key: key, used: make(map[string]time.Time)} }

// open takes a link, once.
func (l *links) open(text string, now time.Time) error {
	token, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(token) != tokenLen || !hmac.Equal(l.key.sign(token[:macAt:macAt]), token) {
		return errLinkForeign
	}
	expiry := time.UnixMilli(int64(binary.BigEndian.Uint64(token))) //nolint:gosec // signed by us
	if !now.Before(expiry) {
		return errLinkOld
	}
	nonce := string(token[nonceAt:macAt])
	l.mu.Lock()
	defer l.mu.Unlock()
	for n, until := range l.used {
		if !now.Before(until) {
			delete(l.used, n)
		}
	}
	if _, ok := l.used[nonce]; ok {
		return errLinkUsed
	}
	l.used[nonce] = expiry
	return nil
}
