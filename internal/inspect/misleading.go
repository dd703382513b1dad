package inspect

import (
	"cmp"
	"errors"
	"strings"
	"unicode"

	"github.com/approvald/approvald/internal/hostname"
)

// MisleadingError is the error of Destination for what two readers may take for two destinations: text that
// is no URL, a name in front of an @, a host that is no name, a number that is no address. Whoever
// opens such a connection is answered by policy, which denies it and leaves a record, rather than told
// that a member is wrong. The members say what can be shown of it; they go nowhere.
type MisleadingError struct {
	Host     string // as it stands in the text, behind any user information; at most 253 bytes
	Port     int    // 0: not known
	Protocol string // in lower case; "tcp" where not known
	Why      string // a sentence
}

// Error implements error.
func (m *MisleadingError) Error() string { return m.Why }

// unclear is the error of a URL that has two readings.
type unclear string

func (u unclear) Error() string { return string(u) }

// misleading makes what can be shown of a URL with two readings; any other error stays as it is.
func misleading(err error, rawURL string) error {
	var why unclear
	scheme, rest, found := strings.Cut(rawURL, "://")
	if !errors.As(err, &why) || !found || strings.ContainsRune(rawURL, 0) {
		return err
	}
	authority := rest
	if end := strings.IndexAny(rest, `/?#\`); end >= 0 {
		authority = rest[:end]
	}
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	scheme = strings.ToLower(scheme)
	if !protocolPattern().MatchString(scheme) {
		scheme = "tcp"
	}
	return &MisleadingError{Host: shown(authority), Port: hostname.DefaultPort(scheme), Protocol: scheme, Why: string(why)}
}

// shown is a host text that can be written into a record: valid, without controls, of bounded length.
func shown(host string) string {
	host = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(host, string(unicode.ReplacementChar)))
	if len(host) > 253 {
		host = strings.ToValidUTF8(host[:253], "")
	}
	return cmp.Or(host, "(none)")
}
