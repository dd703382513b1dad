// Package hostname brings host names and addresses to one spelling, so that a
// rule and a destination are compared as equal text (policy.md "Network").
// Everything here is a function of its arguments.
package hostname

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// hosts maps names as browsers do (UTS 46, non-transitional). Hyphens anywhere, as in
// r3---sn-x.example, and the lengths and characters of labels are checked by checkName instead.
var hosts = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(),
	idna.CheckJoiners(true), idna.CheckHyphens(false), idna.StrictDomainName(false), idna.VerifyDNSLength(false))

// maxHost bounds the work on a host text: no name of 253 bytes has a longer spelling that is honest.
const maxHost = 1024

// Normal brings a host, IPv6 with or without brackets, to its one spelling: a name in lower case and
// ASCII without a trailing dot, an address as netip.Addr prints it. What looks like an address and is
// none is an error, and so is what no name can be. Normal of its own answer is that answer.
func Normal(text string) (string, error) {
	if len(text) > maxHost {
		return "", fmt.Errorf("host %.80q… has %d bytes; a name has at most 253", text, len(text))
	}
	if !utf8.ValidString(text) {
		return "", fmt.Errorf("host %.80q is not valid UTF-8; give the name in ASCII", text)
	}
	if inner, found := strings.CutPrefix(text, "["); found {
		inner, found = strings.CutSuffix(inner, "]")
		if !found {
			return "", fmt.Errorf("host %.80q has a bracket that is not closed", text)
		}
		return normalIPv6(inner)
	}
	if strings.Contains(text, ":") {
		return normalIPv6(text)
	}
	name, err := hosts.ToASCII(text)
	if err == nil {
		// Again, because the profile checks some letters before it maps them: the symbol ℷ becomes a
		// Hebrew letter that may not stand beside a Latin one.
		name, err = hosts.ToASCII(name)
	}
	if err != nil {
		return "", fmt.Errorf("host %.80q is not a valid name: %w", text, err)
	}
	// The mapping comes first: it turns full-width digits and dots into those of an address.
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if endsInNumber(name) {
		address, ok := parseIPv4(name)
		if !ok {
			return "", fmt.Errorf("host %.80q looks like an address and is none; write it as four decimal numbers", text)
		}
		return address.String(), nil
	}
	return name, checkName(name)
}

// checkName admits what DNS and resolvers take for a name: labels of 1 to 63 letters, digits,
// hyphens and underscores, 253 bytes in all (RFC 1035 §2.3.4; underscores as in service names).
func checkName(name string) error {
	if len(name) > 253 {
		return fmt.Errorf("host %.80q… has %d bytes; a name has at most 253", name, len(name))
	}
	for label := range strings.SplitSeq(name, ".") {
		if len(label) == 0 || len(label) > 63 {
			return fmt.Errorf("host %.80q has a label of %d bytes; a label has 1 to 63", name, len(label))
		}
		for _, r := range label {
			if !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_') {
				return fmt.Errorf("host %.80q has the character %q, which no name has", name, r)
			}
		}
	}
	return nil
}

// endsInNumber reports whether a name is taken for an IPv4 address by some reader: its last label is
// a number, or begins like a hexadecimal one (WHATWG URL, "ends in a number"), or is a number to a
// reader that knows a minus sign or the prefixes 0b and 0o.
func endsInNumber(name string) bool {
	last := strings.TrimLeft(name[strings.LastIndexByte(name, '.')+1:], "-")
	if rest, found := strings.CutPrefix(last, "0b"); found {
		return strings.Trim(rest, "01") == ""
	}
	if rest, found := strings.CutPrefix(last, "0o"); found {
		return strings.Trim(rest, "01234567") == ""
	}
	return strings.HasPrefix(last, "0x") || last != "" && strings.Trim(last, "0123456789") == ""
}

// parseIPv4 reads the spellings of inet_aton(3): one to four numbers, each decimal, octal (0…) or
// hexadecimal (0x…), the last of which fills the remaining bytes.
func parseIPv4(text string) (netip.Addr, bool) {
	parts := strings.Split(text, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var address uint64
	for n, part := range parts {
		digits, base := part, 10
		if rest, hex := strings.CutPrefix(part, "0x"); hex {
			digits, base = rest, 16
		} else if len(part) > 1 && part[0] == '0' {
			digits, base = part[1:], 8
		}
		value, err := strconv.ParseUint(digits, base, 32)
		bits := 8
		if n == len(parts)-1 {
			bits = 8 * (4 - n)
		}
		if err != nil || value>>bits != 0 {
			return netip.Addr{}, false
		}
		address = address<<bits | value
	}
	return netip.AddrFrom4([4]byte{byte(address >> 24), byte(address >> 16), byte(address >> 8), byte(address)}), true
}
