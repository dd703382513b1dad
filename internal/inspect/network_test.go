package inspect

import (
	"net"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDestination(t *testing.T) {
	tests := []struct {
		name     string
		url      string
		host     string
		port     int
		protocol string
		want     Network
	}{
		{"scheme gives the port", "https://example.org/a", "", 0, "", Network{"example.org", 443, "https"}},
		{"port of the url", "http://example.org:8080/", "", 0, "", Network{"example.org", 8080, "http"}},
		{"empty port of the url", "http://example.org:/", "", 0, "", Network{"example.org", 80, "http"}},
		{"leading zeros of a port", "http://example.org:0080/", "", 0, "", Network{"example.org", 80, "http"}},
		{"scheme in upper case", "HTTPS://example.org", "", 0, "", Network{"example.org", 443, "https"}},
		{"web socket", "wss://example.org", "", 0, "", Network{"example.org", 443, "wss"}},
		{"ssh", "ssh://example.org/repo", "", 0, "", Network{"example.org", 22, "ssh"}},
		{"repeated port and protocol", "https://example.org", "", 443, "HTTPS", Network{"example.org", 443, "https"}},
		{"port beside a url without one", "foo://example.org", "", 99, "", Network{"example.org", 99, "foo"}},
		{"host alone has its own protocol", "", "example.org", 5000, "", Network{"example.org", 5000, "tcp"}},
		{"host with protocol", "", "example.org", 0, "SSH", Network{"example.org", 22, "ssh"}},
		{"host, port and protocol", "", "example.org", 8443, "https", Network{"example.org", 8443, "https"}},

		{"upper case", "https://API.Example.ORG/v1", "", 0, "", Network{"api.example.org", 443, "https"}},
		{"trailing dot", "https://example.org./", "", 0, "", Network{"example.org", 443, "https"}},
		{"allowed name as first labels", "https://docs.example.org.attacker.test/", "", 0, "", Network{"docs.example.org.attacker.test", 443, "https"}},
		{"another url in the query", "https://attacker.test?https://example.org/", "", 0, "", Network{"attacker.test", 443, "https"}},
		{"another host in the fragment", "https://attacker.test#@example.org/", "", 0, "", Network{"attacker.test", 443, "https"}},
		{"an @ in the path is no user", "https://example.org/@user", "", 0, "", Network{"example.org", 443, "https"}},
		{"look-alike letter", "https://ex\u0430mple.org/", "", 0, "", Network{"xn--exmple-4nf.org", 443, "https"}},
		{"percent-encoded look-alike", "https://ex%D0%B0mple.org/", "", 0, "", Network{"xn--exmple-4nf.org", 443, "https"}},
		{"sharp s is its own letter", "https://fa\u00df.example/", "", 0, "", Network{"xn--fa-hia.example", 443, "https"}},
		{"ideographic full stop", "https://example\u3002org/", "", 0, "", Network{"example.org", 443, "https"}},
		{"full-width letters", "https://ｅｘａｍｐｌｅ.org/", "", 0, "", Network{"example.org", 443, "https"}},
		{"soft hyphen vanishes", "https://exam\u00adple.org/", "", 0, "", Network{"example.org", 443, "https"}},
		{"underscore", "", "my_service", 80, "http", Network{"my_service", 80, "http"}},
		{"hyphens in third and fourth place", "https://r3---sn-x.example/", "", 0, "", Network{"r3---sn-x.example", 443, "https"}},
		{"digits first in a name", "", "3fa5b2c1", 80, "http", Network{"3fa5b2c1", 80, "http"}},
		{"address inside a name", "https://127.0.0.1.nip.example/", "", 0, "", Network{"127.0.0.1.nip.example", 443, "https"}},

		{"dotted decimal", "http://127.0.0.1/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"trailing dot behind an address", "http://127.0.0.1./", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"one decimal number", "http://2130706433/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"one hexadecimal number", "http://0x7F000001/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"one octal number", "http://017700000001/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"mixed bases", "http://0x7f.0.0.01/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"octal parts", "http://0177.0.0.010/", "", 0, "", Network{"127.0.0.8", 80, "http"}},
		{"two parts", "http://127.1/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"three parts", "http://10.1.515/", "", 0, "", Network{"10.1.2.3", 80, "http"}},
		{"zero", "http://0/", "", 0, "", Network{"0.0.0.0", 80, "http"}},
		{"full-width digits", "http://１２７.０.０.１/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"IPv6", "http://[2001:DB8:0:0::1]:81/", "", 0, "", Network{"2001:db8::1", 81, "http"}},
		{"IPv6 without port", "https://[::1]/", "", 0, "", Network{"::1", 443, "https"}},
		{"IPv6 host in brackets", "", "[::1]", 80, "http", Network{"::1", 80, "http"}},
		{"IPv6 host without brackets", "", "0:0:0:0:0:0:0:1", 80, "http", Network{"::1", 80, "http"}},
		{"IPv4-mapped", "http://[::ffff:169.254.169.254]/", "", 0, "", Network{"169.254.169.254", 80, "http"}},
		{"IPv4-mapped in hexadecimal", "http://[::ffff:a9fe:a9fe]/", "", 0, "", Network{"169.254.169.254", 80, "http"}},
		{"NAT64", "http://[64:ff9b::a9fe:a9fe]/", "", 0, "", Network{"169.254.169.254", 80, "http"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Destination(tt.url, tt.host, tt.port, tt.protocol)
			if err != nil || got != tt.want {
				t.Errorf("Destination(%q, %q, %d, %q) = %+v, %v, want %+v", tt.url, tt.host, tt.port, tt.protocol, got, err, tt.want)
			}
		})
	}
}

func TestDestinationRefuses(t *testing.T) {
	tests := []struct {
		name     string
		url      string
		host     string
		port     int
		protocol string
		want     string // part of the error
	}{
		{"nothing", "", "", 0, "https", "neither"},
		{"url and host", "https://a.example", "a.example", 0, "", "both"},
		{"another port beside the url", "https://a.example:444", "", 443, "", "contradicts"},
		{"another protocol beside the url", "https://a.example", "", 0, "http", "contradicts"},
		{"user information", "https://raw.example.org@attacker.test/p", "", 0, "", "user information"},
		{"empty user information", "https://@attacker.test/", "", 0, "", "user information"},
		{"user information in a host", "", "a@b.example", 80, "http", "character '@'"},
		{"no host", "https:///evil.example", "", 0, "", "no host"},
		{"opaque url", "https:evil.example", "", 0, "", "no host"},
		{"backslashes for slashes", `https:\\evil.example`, "", 0, "", "no host"},
		{"backslash in the host", `https://good.example\.evil.example/`, "", 0, "", "cannot be parsed"},
		{"no scheme", "//evil.example/", "", 0, "", "no scheme"},
		{"relative url", "evil.example/a", "", 0, "", "no scheme"},
		{"port zero", "http://a.example:0/", "", 0, "", "port"},
		{"port too large in a url", "http://a.example:65536/", "", 0, "", "port"},
		{"port not a number", "http://a.example:8a/", "", 0, "", "cannot be parsed"},
		{"negative port", "", "a.example", -1, "http", "port -1"},
		{"port too large", "", "a.example", 65536, "http", "port 65536"},
		{"scheme without default port", "foo://a.example/", "", 0, "", "no default port"},
		{"host without port and protocol", "", "a.example", 0, "", "no default port"},
		{"protocol that is no scheme", "", "a.example", 80, "ht tp", "is no scheme"},
		{"host with a port", "", "a.example:80", 80, "http", "not an IPv6 address"},
		{"host that is a url", "", "https://a.example", 443, "https", "not an IPv6 address"},
		{"host pattern", "", "*.example.org", 443, "https", "character '*'"},

		{"NUL in a url", "socks5://attacker.test\x00.example.org:443", "", 0, "", "cannot be parsed"},
		{"NUL in a host", "", "attacker.test\x00.example.org", 443, "https", `character '\x00'`},
		{"newline in a host", "", "a.example\n", 443, "https", `character '\n'`},
		{"tab in a url", "https://exa\tmple.org", "", 0, "", "cannot be parsed"},
		{"C1 control in a host", "", "a\u0085.example", 443, "https", "not a valid name"},
		{"space in a host", "", "a b.example", 443, "https", "character ' '"},
		{"invalid UTF-8", "", "a\xff.example", 443, "https", "not valid UTF-8"},
		{"percent-encoded invalid UTF-8", "https://a%FF.example", "", 0, "", "not valid UTF-8"},
		{"slash that a mapping would make", "https://a.example\uff0fb/", "", 0, "", "character '/'"},
		{"percent sign", "", "a%2eb.example", 443, "https", "character '%'"},
		{"joiner where none may be", "", "a\u200db.example", 443, "https", "not a valid name"},
		{"invalid punycode", "", "xn--a.example", 443, "https", "not a valid name"},
		{"mixed directions", "", "a\u05d0.example", 443, "https", "not a valid name"},
		{"mixed directions after mapping", "", "a\u2137.example", 443, "https", "not a valid name"},

		{"only a dot", "", ".", 80, "http", "label of 0 bytes"},
		{"two trailing dots", "", "a.example..", 80, "http", "label of 0 bytes"},
		{"empty label", "", "a..example", 80, "http", "label of 0 bytes"},
		{"label too long", "", strings.Repeat("a", 64) + ".example", 80, "http", "label of 64 bytes"},
		{"name too long", "", strings.Repeat("a.", 126) + "ab", 80, "http", "at most 253"},
		{"text too long", "", strings.Repeat("é", 1000), 80, "http", "at most 253"},

		{"five numbers", "http://1.2.3.4.5/", "", 0, "", "looks like an address"},
		{"number too large", "http://256.1.1.1/", "", 0, "", "looks like an address"},
		{"last number too large", "http://1.2.3.256/", "", 0, "", "looks like an address"},
		{"one number too large", "http://4294967296/", "", 0, "", "looks like an address"},
		{"octal with an eight", "http://127.0.0.08/", "", 0, "", "looks like an address"},
		{"hexadecimal without digits", "http://127.0.0.0x/", "", 0, "", "looks like an address"},
		{"hexadecimal with another letter", "http://0x7g/", "", 0, "", "looks like an address"},
		{"name that ends in a number", "http://a.1/", "", 0, "", "looks like an address"},
		{"empty part", "http://127..1/", "", 0, "", "looks like an address"},
		{"IPv6 without brackets in a url", "http://::1/", "", 0, "", "url"},
		{"bracket that is not closed", "", "[::1", 80, "http", "not closed"},
		{"IPv4 in brackets", "", "[127.0.0.1]", 80, "http", "not an IPv6 address"},
		{"zone", "http://[fe80::1%25eth0]/", "", 0, "", "zone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Destination(tt.url, tt.host, tt.port, tt.protocol)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("Destination(%.80q, %.80q, %d, %q) = %+v, %v, want an error with %q", tt.url, tt.host, tt.port, tt.protocol, got, err, tt.want)
			}
			if (got != Network{}) {
				t.Errorf("a refused destination came back as %+v, want nothing", got)
			}
		})
	}
}

func TestDestinationDoesNotQuoteSecrets(t *testing.T) {
	for _, raw := range []string{"https://u:hunter2@a.example/", "https://u:hunter2/x@a.example", "https://u:hunter2 @a.example/"} {
		if _, err := Destination(raw, "", 0, ""); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("Destination(%q) = %v, want an error without the password", raw, err)
		}
	}
}

// Names of letters that mappings, joiners and directions are about come back unchanged too.
func TestDestinationIsIdempotentOnUnicodeNames(t *testing.T) {
	letters := []rune("abxn--0127.。ａ１．éßİıςΣ\u200d\u200cאبक्\u00ad\u0307ﷺ㍿½⑩①Ⅷ㏂ℵℷ")
	name := rapid.StringOfN(rapid.OneOf(rapid.SampledFrom(letters), rapid.SampledFrom(letters), rapid.Rune()), 1, 9, -1)
	rapid.Check(t, func(t *rapid.T) {
		prefix := rapid.SampledFrom([]string{"", "", "xn--"}).Draw(t, "prefix")
		got, err := Destination("", prefix+name.Draw(t, "name"), 1, "tcp")
		if err != nil {
			return
		}
		if again, err := Destination("", got.Host, 1, "tcp"); err != nil || again != got {
			t.Fatalf("%+v came back as %+v, %v", got, again, err)
		}
	})
}

// No text makes it panic, and what it returns is the one spelling: it comes back unchanged, given as
// parts or as a URL.
func FuzzDestination(f *testing.F) {
	f.Add("https://example.org/a?b#c", "", 0, "")
	f.Add("http://[::ffff:169.254.169.254]:81/", "", 0, "")
	f.Add("", "xn--exmple-4nf.org.", 443, "https")
	f.Add("", "0x7f.1", 80, "http")
	f.Add("", "ｅｘａｍｐｌｅ。org", 80, "HTTP")
	f.Add("", "ℵa", 1, "tcp")
	f.Add("foo://u@h:1", "h", -1, "\x00")
	f.Fuzz(func(t *testing.T, rawURL, host string, port int, protocol string) {
		got, err := Destination(rawURL, host, port, protocol)
		if err != nil {
			if (got != Network{}) {
				t.Fatalf("refused, and yet %+v", got)
			}
			return
		}
		if again, err := Destination("", got.Host, got.Port, got.Protocol); err != nil || again != got {
			t.Fatalf("%+v came back as %+v, %v", got, again, err)
		}
		u := url.URL{Scheme: got.Protocol, Host: net.JoinHostPort(got.Host, strconv.Itoa(got.Port))}
		if again, err := Destination(u.String(), "", 0, ""); err != nil || again != got {
			t.Fatalf("%s came back as %+v, %v, want %+v", &u, again, err, got)
		}
	})
}
