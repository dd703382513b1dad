package hostname

import (
	"fmt"
	"net/netip"
)

// normalIPv6 prints an IPv6 address in its one form (RFC 5952), or as the IPv4 address that it
// stands for. Zones are refused: they name an interface of the machine, not a destination.
func normalIPv6(text string) (string, error) {
	address, err := netip.ParseAddr(text)
	if err != nil || address.Is4() {
		return "", fmt.Errorf("host %.80q is not an IPv6 address", text)
	}
	if address.Zone() != "" {
		return "", fmt.Errorf("host %.80q has a zone; leave it out", text)
	}
	return embedded(address).String(), nil
}

// embedding says where the addresses behind a prefix hold an IPv4 address.
type embedding struct {
	prefix netip.Prefix
	at     [4]int // the bytes, the first first
	// certain says that such an address is nothing but the IPv4 address. Otherwise the way there
	// leads through a gateway, or the place depends on the network, and only an IPv4 address that no
	// honest gateway has, such as 127.0.0.1, is taken for the destination.
	certain  bool
	inverted bool // every bit of the bytes is
}

// embeddings are the ways to write an IPv4 address as an IPv6 one, beside the mapped addresses
// (RFC 4291 §2.5.5.2), which netip reads.
var embeddings = []embedding{
	{prefix: netip.MustParsePrefix("::ffff:0:0:0/96"), at: [4]int{12, 13, 14, 15}, certain: true}, // IPv4-translated, RFC 2765 §2.1
	{prefix: netip.MustParsePrefix("::/96"), at: [4]int{12, 13, 14, 15}, certain: true},           // IPv4-compatible, RFC 4291 §2.5.5.1
	{prefix: netip.MustParsePrefix("64:ff9b::/96"), at: [4]int{12, 13, 14, 15}, certain: true},    // NAT64, RFC 6052 §2.1
	{prefix: netip.MustParsePrefix("64:ff9b:1::/48"), at: [4]int{12, 13, 14, 15}},                 // NAT64 of a network's own, RFC 8215, as /96
	{prefix: netip.MustParsePrefix("64:ff9b:1::/48"), at: [4]int{6, 7, 9, 10}},                    // the same, as /48 (RFC 6052 §2.2)
	{prefix: netip.MustParsePrefix("64:ff9b:1::/48"), at: [4]int{7, 9, 10, 11}},                   // as /56
	{prefix: netip.MustParsePrefix("64:ff9b:1::/48"), at: [4]int{9, 10, 11, 12}},                  // as /64
	{prefix: netip.MustParsePrefix("2002::/16"), at: [4]int{2, 3, 4, 5}},                          // 6to4, RFC 3056 §2
	{prefix: netip.MustParsePrefix("2001::/32"), at: [4]int{12, 13, 14, 15}, inverted: true},      // Teredo, RFC 4380 §4
}

// embedded is the IPv4 address that an IPv6 address stands for, else the address itself. The
// unspecified address and the loopback are themselves, though they lie among the IPv4-compatible; the
// mapped loopback is none of them, though netip takes it for one.
func embedded(address netip.Addr) netip.Addr {
	if address.Is4In6() {
		return address.Unmap()
	}
	if address.IsUnspecified() || address.IsLoopback() {
		return address
	}
	bytes := address.As16()
	for _, e := range embeddings {
		if !e.prefix.Contains(address) {
			continue
		}
		var four [4]byte
		for n, at := range e.at {
			four[n] = bytes[at]
			if e.inverted {
				four[n] = ^four[n]
			}
		}
		if found := netip.AddrFrom4(four); e.certain || special(found) {
			return found
		}
	}
	return address
}

// specials are the IPv4 networks that are nobody's on the Internet (RFC 6890), and so are never
// behind a gateway of it: a host that writes one into an IPv6 address means its own surroundings.
// 0.0.0.0/8 is not among them: zeros are what is read in the wrong place.
var specials = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("127.0.0.0/8"),
	netip.MustParsePrefix("169.254.0.0/16"),
	netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("198.18.0.0/15"),
}

func special(address netip.Addr) bool {
	for _, network := range specials {
		if network.Contains(address) {
			return true
		}
	}
	return false
}
