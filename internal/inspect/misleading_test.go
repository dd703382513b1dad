package inspect_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/inspect"
)

// What can be shown of a destination with two readings leads nowhere, and holds
// no user information.
func TestDestinationTellsWhatMisleads(t *testing.T) {
	for _, c := range []struct {
		url, host string
		want      inspect.MisleadingError // Why: a part of it; zero: an error of another kind
	}{
		{"https://raw.example.org@attacker.test/p", "", inspect.MisleadingError{Host: "attacker.test", Port: 443, Protocol: "https", Why: "user information"}},
		{"https://user:secret@attacker.test:8443/", "", inspect.MisleadingError{Host: "attacker.test:8443", Port: 443, Protocol: "https", Why: "user information"}},
		{`https://example.org\@attacker.test/`, "", inspect.MisleadingError{Host: "example.org", Port: 443, Protocol: "https", Why: "cannot be parsed"}},
		{"https://example%2eorg/", "", inspect.MisleadingError{Host: "example%2eorg", Port: 443, Protocol: "https", Why: "cannot be parsed"}},
		{"http://1.2.3.4.5/", "", inspect.MisleadingError{Host: "1.2.3.4.5", Port: 80, Protocol: "http", Why: "looks like an address"}},
		{"ldap://gpj\u202e.example/", "", inspect.MisleadingError{Host: "gpj\u202e.example", Port: 389, Protocol: "ldap", Why: "not a valid name"}},
		{"", "a b", inspect.MisleadingError{Host: "a b", Protocol: "tcp", Why: "character ' '"}},
		{"https://a\x01b\r\n@c/", "", inspect.MisleadingError{Host: "c", Port: 443, Protocol: "https", Why: "cannot be parsed"}},
		{"", "", inspect.MisleadingError{}},
		{"example.org", "", inspect.MisleadingError{}},
		{"https://example.org:0/", "", inspect.MisleadingError{}},
		{"https://example.org\x00.attacker.test/", "", inspect.MisleadingError{}},
	} {
		_, err := inspect.Destination(c.url, c.host, 0, "")
		got := new(inspect.MisleadingError)
		if found := errors.As(err, &got); err == nil || found != (c.want != inspect.MisleadingError{}) {
			t.Errorf("%q %q: %v", c.url, c.host, err)
			continue
		}
		if got.Host != c.want.Host || got.Port != c.want.Port || got.Protocol != c.want.Protocol || !strings.Contains(got.Why, c.want.Why) {
			t.Errorf("%q %q: %+v, want %+v", c.url, c.host, *got, c.want)
		}
	}
}
