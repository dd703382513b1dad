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
		want      inspect.Misleading // Why: a part of it; zero: an error of another kind
	}{
		{"https://raw.example.org@attacker.test/p", "", inspect.Misleading{Host: "attacker.test", Port: 443, Protocol: "https", Why: "user information"}},
		{"https://user:secret@attacker.test:8443/", "", inspect.Misleading{Host: "attacker.test:8443", Port: 443, Protocol: "https", Why: "user information"}},
		{`https://example.org\@attacker.test/`, "", inspect.Misleading{Host: "example.org", Port: 443, Protocol: "https", Why: "cannot be parsed"}},
		{"https://example%2eorg/", "", inspect.Misleading{Host: "example%2eorg", Port: 443, Protocol: "https", Why: "cannot be parsed"}},
		{"http://1.2.3.4.5/", "", inspect.Misleading{Host: "1.2.3.4.5", Port: 80, Protocol: "http", Why: "looks like an address"}},
		{"ldap://gpj\u202e.example/", "", inspect.Misleading{Host: "gpj\u202e.example", Port: 389, Protocol: "ldap", Why: "not a valid name"}},
		{"", "a b", inspect.Misleading{Host: "a b", Protocol: "tcp", Why: "character ' '"}},
		{"https://a\x01b\r\n@c/", "", inspect.Misleading{Host: "c", Port: 443, Protocol: "https", Why: "cannot be parsed"}},
		{"", "", inspect.Misleading{}},
		{"example.org", "", inspect.Misleading{}},
		{"https://example.org:0/", "", inspect.Misleading{}},
		{"https://example.org\x00.attacker.test/", "", inspect.Misleading{}},
	} {
		_, err := inspect.Destination(c.url, c.host, 0, "")
		got := new(inspect.Misleading)
		if found := errors.As(err, &got); err == nil || found != (c.want != inspect.Misleading{}) {
			t.Errorf("%q %q: %v", c.url, c.host, err)
			continue
		}
		if got.Host != c.want.Host || got.Port != c.want.Port || got.Protocol != c.want.Protocol || !strings.Contains(got.Why, c.want.Why) {
			t.Errorf("%q %q: %+v, want %+v", c.url, c.host, *got, c.want)
		}
	}
}
