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
		{"digits that would be binary first in a name", "", "0b5fa1c2", 80, "http", Network{"0b5fa1c2", 80, "http"}},
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
		{"NAT64, the end in decimal", "http://[64:ff9b::127.0.0.1]/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"NAT64 of anyone", "http://[64:ff9b::cb00:7105]/", "", 0, "", Network{"203.0.113.5", 80, "http"}},
		{"beside NAT64", "http://[64:ff9b:0:0:1::7f00:1]/", "", 0, "", Network{"64:ff9b::1:0:7f00:1", 80, "http"}},
		{"NAT64 of a network's own", "http://[64:ff9b:1::a9fe:a9fe]/", "", 0, "", Network{"169.254.169.254", 80, "http"}},
		{"NAT64 of a network's own, as /48", "http://[64:ff9b:1:7f00:0:100::]/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"NAT64 of a network's own, as /56", "http://[64:ff9b:1:7f:0:1::]/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"NAT64 of a network's own, as /64", "http://[64:ff9b:1:0:7f:0:100:0]/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"NAT64 of a network's own, of anyone", "http://[64:ff9b:1::cb00:7105]/", "", 0, "", Network{"64:ff9b:1::cb00:7105", 80, "http"}},
		{"IPv4-translated", "http://[::ffff:0:7f00:1]/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"IPv4-compatible", "http://[::127.0.0.1]/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"IPv4-compatible in hexadecimal", "http://[::a9fe:a9fe]/", "", 0, "", Network{"169.254.169.254", 80, "http"}},
		{"the unspecified address is no IPv4 address", "http://[::]/", "", 0, "", Network{"::", 80, "http"}},
		{"IPv4-mapped zero", "http://[::ffff:0.0.0.0]/", "", 0, "", Network{"0.0.0.0", 80, "http"}},
		{"6to4 to this machine", "http://[2002:7f00:1::]/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"6to4 to a metadata service", "http://[2002:a9fe:a9fe::1]/", "", 0, "", Network{"169.254.169.254", 80, "http"}},
		{"6to4 to a private network", "http://[2002:c0a8:101::1]/", "", 0, "", Network{"192.168.1.1", 80, "http"}},
		{"6to4 to shared space", "http://[2002:6464:64c8::1]/", "", 0, "", Network{"100.100.100.200", 80, "http"}},
		{"6to4 to anyone", "http://[2002:cb00:7105::1]/", "", 0, "", Network{"2002:cb00:7105::1", 80, "http"}},
		{"Teredo to this machine", "http://[2001:0:cb00:7105::80ff:fffe]/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"Teredo to anyone", "http://[2001:0:cb00:7105::34ff:8efa]/", "", 0, "", Network{"2001:0:cb00:7105::34ff:8efa", 80, "http"}},
		{"a metadata service by IPv6", "http://[FD00:EC2:0::254]/", "", 0, "", Network{"fd00:ec2::254", 80, "http"}},

		{"full stop of other scripts, and at the end", "http://127\uff0e0\uff610\u30021\u3002/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"circled digits", "http://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"hexadecimal in upper case, octal with zeros", "http://0X7F.0000.00.0001/", "", 0, "", Network{"127.0.0.1", 80, "http"}},
		{"one decimal number as a host", "", "2852039166", 80, "http", Network{"169.254.169.254", 80, "http"}},
		{"look-alike of a whole word", "https://\u0430\u0440\u0440\u04cf\u0435.example/", "", 0, "", Network{"xn--80ak6aa92e.example", 443, "https"}},
		{"punycode in upper case", "https://XN--EXMPLE-4NF.org/", "", 0, "", Network{"xn--exmple-4nf.org", 443, "https"}},
		{"a dot that is full-width", "https://docs\uff0eexample.org/", "", 0, "", Network{"docs.example.org", 443, "https"}},
		{"long s", "https://\u017fecure.example/", "", 0, "", Network{"secure.example", 443, "https"}},
		{"Kelvin sign", "https://\u212aube.example/", "", 0, "", Network{"kube.example", 443, "https"}},
		{"an @ in the query", "https://host.example?@other.example", "", 0, "", Network{"host.example", 443, "https"}},
		{"an @ in the fragment", "https://host.example#@other.example", "", 0, "", Network{"host.example", 443, "https"}},
		{"an @ in the path behind a semicolon", "https://host.example/;@other.example", "", 0, "", Network{"host.example", 443, "https"}},
		{"the first port", "https://example.org:1/", "", 0, "", Network{"example.org", 1, "https"}},
		{"the last port", "https://example.org:65535/", "", 0, "", Network{"example.org", 65535, "https"}},
		{"a proxy", "socks5://example.org", "", 0, "", Network{"example.org", 1080, "socks5"}},
		{"a proxy that resolves", "socks5h://example.org:9050", "", 0, "", Network{"example.org", 9050, "socks5h"}},
		{"a repository", "git+ssh://example.org/x.git", "", 0, "", Network{"example.org", 22, "git+ssh"}},
		{"a database", "mariadb://example.org/x", "", 0, "", Network{"example.org", 3306, "mariadb"}},
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
		{"zone in a host", "", "fe80::1%eth0", 80, "http", "zone"},
		{"IPv6 with too many parts", "http://[1:2:3:4:5:6:7:8:9]/", "", 0, "", "cannot be parsed"},
		{"IPv6 with an octal end", "", "::ffff:0177.0.0.1", 80, "http", "not an IPv6 address"},
		{"a name in brackets", "", "[example.org]", 80, "http", "not an IPv6 address"},
		{"behind the brackets", "http://[::1].example.org/", "", 0, "", "url"},
		{"brackets behind a name", "http://example.org[::1]/", "", 0, "", "url"},
		{"two dots behind an address", "http://127.0.0.1../", "", 0, "", "label of 0 bytes"},
		{"a sign", "http://+127.0.0.1/", "", 0, "", "looks like an address"},
		{"a minus", "http://-2130706433/", "", 0, "", "looks like an address"},
		{"an underscore between digits", "http://0x7f_00_00_01/", "", 0, "", "looks like an address"},
		{"octal with a prefix of its own", "http://0o177.0.0.1/", "", 0, "", "looks like an address"},
		{"octal with a prefix, one number", "http://0o17700000001/", "", 0, "", "looks like an address"},
		{"binary", "http://0b1111111.0.0.1/", "", 0, "", "looks like an address"},
		{"binary, one number", "http://0b01111111000000000000000000000001/", "", 0, "", "looks like an address"},
		{"a hexadecimal number too large", "http://0x1ffffffff/", "", 0, "", "looks like an address"},
		{"a number of 300 digits", "http://" + strings.Repeat("9", 300) + "/", "", 0, "", "looks like an address"},
		{"superscript digits of no number", "http://127.0.0.1\u00b9\u00b2\u00b3/", "", 0, "", "looks like an address"},
		{"digits of another script", "http://\u0661\u0662\u0667.0.0.1/", "", 0, "", "not a valid name"},

		{"a percent-encoded letter", "https://%65xample.org/", "", 0, "", "cannot be parsed"},
		{"a percent-encoded dot", "https://example%2eorg/", "", 0, "", "cannot be parsed"},
		{"a percent-encoded slash", "https://example.org%2f.attacker.test/", "", 0, "", "cannot be parsed"},
		{"a percent-encoded @", "https://example.org%40attacker.test/", "", 0, "", "cannot be parsed"},
		{"a percent-encoded NUL", "https://example.org%00.attacker.test/", "", 0, "", "cannot be parsed"},
		{"a percent-encoded full stop of another script is one", "https://example%E3%80%82%E3%80%82org/", "", 0, "", "label of 0 bytes"},
		{"a backslash before an @", `https://example.org\@attacker.test/`, "", 0, "", "cannot be parsed"},
		{"a backslash in a host", `https://example.org\.attacker.test/`, "", 0, "", "cannot be parsed"},
		{"backslashes for slashes", `https:\\example.org/`, "", 0, "", "no scheme or no host"},
		{"a backslash as a host", "", `example.org\attacker.test`, 443, "https", `character '\\'`},
		{"one slash", "https:/example.org/", "", 0, "", "no scheme or no host"},
		{"no slash", "https:example.org/", "", 0, "", "no scheme or no host"},
		{"three slashes", "https:///example.org/", "", 0, "", "no scheme or no host"},
		{"empty user information", "https://@attacker.test/", "", 0, "", "user information"},
		{"a user and no password", "https://raw.example.org@attacker.test/p", "", 0, "", "user information"},
		{"two of them", "https://a@b@attacker.test/", "", 0, "", ""},
		{"user information in a host", "", "raw.example.org@attacker.test", 443, "https", `character '@'`},
		{"a space before", " https://example.org/", "", 0, "", "cannot be parsed"},
		{"carriage return", "https://example.org\r\n/", "", 0, "", "cannot be parsed"},
		{"DEL", "", "a\x7f.example", 443, "https", `character '\x7f'`},
		{"right-to-left override", "", "gpj\u202e.example", 443, "https", "not a valid name"},
		{"zero-width space alone", "", "\u200b", 443, "https", "label of 0 bytes"},

		{"port 0 in a url", "https://example.org:0/", "", 0, "", "does not exist"},
		{"port 0 in two digits", "https://example.org:00/", "", 0, "", "does not exist"},
		{"port out of range in a url", "https://example.org:65536/", "", 0, "", "does not exist"},
		{"port of 30 digits", "https://example.org:" + strings.Repeat("1", 30) + "/", "", 0, "", "does not exist"},
		{"port with a sign in a url", "https://example.org:+443/", "", 0, "", "cannot be parsed"},
		{"negative port in a url", "https://example.org:-443/", "", 0, "", "cannot be parsed"},
		{"port by name", "https://example.org:https/", "", 0, "", "cannot be parsed"},
		{"port in digits of another script", "https://example.org:\uff14\uff14\uff13/", "", 0, "", "cannot be parsed"},
		{"two ports", "https://example.org:80:443/", "", 0, "", ""},
		{"port of another service beside a url", "https://example.org:8443/", "", 443, "", "contradicts"},
		{"a scheme with service records has no port", "mongodb+srv://example.org/", "", 0, "", "no default port"},
		{"a file", "file://example.org/etc/passwd", "", 0, "", "no default port"},
		{"a file of this machine", "file:///etc/passwd", "", 0, "", "no scheme or no host"},
		{"data", "data:text/plain,x", "", 0, "", "no scheme or no host"},
		{"scripts", "javascript:alert(1)", "", 0, "", "no scheme or no host"},
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
