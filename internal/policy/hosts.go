package policy

import (
	"iter"
	"net/netip"
	"strings"

	"github.com/approvald/approvald/internal/hostname"
)

// The classes of destination (policy.md "Network").
const (
	classMetadata = "metadata"
	classLoopback = "loopback"
	classPrivate  = "private"
)

// hosts are the network rules.
type hosts struct {
	exact map[string][]*entry
	below map[string][]*entry // *.name by name; * by ""
	class map[string][]*entry
}

// badHost says why a host pattern is none; "" if it is one.
func badHost(pattern string) string {
	if pattern == "*" {
		return ""
	}
	name := strings.TrimPrefix(pattern, "*.")
	normal, err := hostname.Normal(name)
	if err != nil {
		return err.Error()
	}
	if _, err := netip.ParseAddr(normal); err == nil && name != pattern {
		return "host " + quote(pattern) + " asks for names below an address; there are none"
	}
	return ""
}

func (h *hosts) add(e *entry) {
	switch name, wild := strings.CutPrefix(e.Host, "*."); {
	case e.Class != "":
		put(&h.class, e.Class, e)
	case e.Host == "*":
		put(&h.below, "", e)
	case wild:
		name, _ = hostname.Normal(name) // checked
		put(&h.below, name, e)
	default:
		name, _ = hostname.Normal(name) // checked
		put(&h.exact, name, e)
	}
}

// covering are the rules about host, whatever their ports.
func (h *hosts) covering(host string, effect func(Effect) bool) iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		lists := [][]*entry{h.exact[host], h.below[""]}
		if _, err := netip.ParseAddr(host); err != nil {
			for rest := host; ; {
				_, after, more := strings.Cut(rest, ".")
				if !more {
					break
				}
				lists = append(lists, h.below[after])
				rest = after
			}
		}
		lists = append(lists, h.class[classOf(host)])
		for _, list := range lists {
			for _, e := range list {
				if effect(e.Effect) && !yield(e) {
					return
				}
			}
		}
	}
}

// some reports the strongest network rule that binds; nil for none.
func (h *hosts) some() *entry {
	var found *entry
	for _, m := range []map[string][]*entry{h.exact, h.below, h.class} {
		for _, list := range m {
			for _, e := range list {
				if e.Effect != Allow && (found == nil || e.Effect > found.Effect || e.Effect == found.Effect && e.seq < found.seq) {
					found = e
				}
			}
		}
	}
	return found
}

// classOf is the class of a normalised host, by its address or by a name that
// is known to lead there; "" for none. Normal has read the IPv4 address that an
// IPv6 one carries. A name that merely resolves to an address of a class is not
// of it: policy asks no resolver.
func classOf(host string) string {
	address, err := netip.ParseAddr(host)
	if err != nil {
		for _, named := range classNames {
			if host == named.name || strings.HasSuffix(host, "."+named.name) {
				return named.class
			}
		}
		return ""
	}
	for _, block := range classBlocks {
		if block.prefix.Contains(address) {
			return block.class
		}
	}
	return ""
}

// classNames are names by their class, each with all names below it; the first
// that fits counts.
var classNames = []struct{ name, class string }{
	{"localhost", classLoopback},             // RFC 6761 §6.3
	{"localhost.localdomain", classLoopback}, // hosts files of Red Hat and its kin
	{"localhost4", classLoopback},            // the same
	{"localhost6", classLoopback},
	{"ip6-localhost", classLoopback}, // hosts files of Debian and its kin
	{"ip6-loopback", classLoopback},
	{"metadata.google.internal", classMetadata},   // Google Cloud
	{"metadata.goog", classMetadata},              // Google Cloud, the other name
	{"metadata", classMetadata},                   // Google Cloud by the search list of its machines
	{"instance-data.ec2.internal", classMetadata}, // Amazon EC2
	{"instance-data", classMetadata},              // Amazon EC2 by the search list of its machines
	{"metadata.azure.internal", classMetadata},    // Azure
	{"metadata.platformequinix.com", classMetadata},
	{"metadata.packet.net", classMetadata},
	{"api.metadata.cloud.ibm.com", classMetadata}, // IBM Cloud
	{"metadata.tencentyun.com", classMetadata},    // Tencent Cloud
	{"metadata.udhcp", classMetadata},             // OpenNebula and others
	{"kubernetes.default", classPrivate},          // the API server from inside a cluster
	{"local", classPrivate},                       // RFC 6762
	{"internal", classPrivate},                    // reserved for private use by ICANN, 2024
	{"home.arpa", classPrivate},                   // RFC 8375
	{"lan", classPrivate},                         // home routers
}

// classBlocks are addresses by their class; the first that fits counts, so
// that leave to reach private addresses is none to reach metadata.
var classBlocks = []struct {
	prefix netip.Prefix
	class  string
}{
	{netip.MustParsePrefix("169.254.169.254/32"), classMetadata}, // Amazon, Google, Azure, Oracle, DigitalOcean …
	{netip.MustParsePrefix("169.254.169.253/32"), classMetadata}, // Amazon's resolver
	{netip.MustParsePrefix("169.254.169.123/32"), classMetadata}, // Amazon's clock
	{netip.MustParsePrefix("169.254.170.2/32"), classMetadata},   // Amazon ECS credentials
	{netip.MustParsePrefix("169.254.170.23/32"), classMetadata},  // Amazon EKS credentials
	{netip.MustParsePrefix("169.254.0.23/32"), classMetadata},    // Tencent Cloud
	{netip.MustParsePrefix("169.254.42.42/32"), classMetadata},   // Scaleway
	{netip.MustParsePrefix("100.100.100.200/32"), classMetadata}, // Alibaba Cloud
	{netip.MustParsePrefix("168.63.129.16/32"), classMetadata},   // Azure's wire server
	{netip.MustParsePrefix("192.0.0.192/32"), classMetadata},     // Oracle Cloud, older
	{netip.MustParsePrefix("fd00:ec2::/32"), classMetadata},      // Amazon over IPv6
	{netip.MustParsePrefix("fd20:ce::254/128"), classMetadata},   // Google Cloud over IPv6
	{netip.MustParsePrefix("fd00:42::42/128"), classMetadata},    // Scaleway over IPv6
	{netip.MustParsePrefix("fe80::a9fe:a9fe/128"), classMetadata},
	{netip.MustParsePrefix("127.0.0.0/8"), classLoopback},
	{netip.MustParsePrefix("0.0.0.0/8"), classLoopback}, // "this host" (RFC 1122 §3.2.1.3): connecting reaches it
	{netip.MustParsePrefix("::1/128"), classLoopback},
	{netip.MustParsePrefix("::/128"), classLoopback},
	{netip.MustParsePrefix("10.0.0.0/8"), classPrivate},     // RFC 1918
	{netip.MustParsePrefix("172.16.0.0/12"), classPrivate},  // RFC 1918
	{netip.MustParsePrefix("192.168.0.0/16"), classPrivate}, // RFC 1918
	{netip.MustParsePrefix("169.254.0.0/16"), classPrivate}, // link-local, RFC 3927
	{netip.MustParsePrefix("100.64.0.0/10"), classPrivate},  // carriers, RFC 6598
	{netip.MustParsePrefix("fc00::/7"), classPrivate},       // RFC 4193
	{netip.MustParsePrefix("fec0::/10"), classPrivate},      // site-local, RFC 3879
	{netip.MustParsePrefix("fe80::/10"), classPrivate},      // link-local, RFC 4291
}
