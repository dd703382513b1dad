package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/approvald/approvald/internal/hostname"
)

// Network is where a connection goes, in the one spelling that rules and grants compare.
type Network struct {
	// Host is a lower-case ASCII name without trailing dot, or an address as netip prints it, IPv6
	// without brackets.
	Host string

	Port int // 1 to 65535

	// Protocol is the scheme in lower case, "tcp" where none was given.
	Protocol string
}

// protocolPattern is the syntax of a URL scheme in lower case (RFC 3986 §3.1), of sane length.
var protocolPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9+.-]{0,31}$`) })

// Destination normalises what an agent says it will connect to: either rawURL, or host with an
// optional port and protocol. Beside a URL, port (0: not given) and protocol ("": not given) may only
// repeat or complete it. Its own result, given as host, port and protocol, comes back unchanged.
//
// User information is refused, since names in front of an @ are there to be misread, and so is every
// host that is no name, or looks like an address and is none (policy.md "Network"): the error is then
// a *MisleadingError. Errors do not quote the URL, which may carry a secret.
func Destination(rawURL, host string, port int, protocol string) (Network, error) {
	if port < 0 || port > 65535 {
		return Network{}, fmt.Errorf("port %d does not exist; give one from 1 to 65535", port)
	}
	protocol = strings.ToLower(protocol)
	switch {
	case rawURL != "" && host != "":
		return Network{}, errors.New("both a url and a host are given; give one of them")
	case rawURL != "":
		u, err := parseURL(rawURL)
		if err != nil {
			return Network{}, misleading(err, rawURL)
		}
		if protocol != "" && protocol != u.protocol || port != 0 && u.port != 0 && port != u.port {
			return Network{}, errors.New("port or protocol contradicts the url; give them in the url alone")
		}
		host, protocol = u.host, u.protocol
		if u.port != 0 {
			port = u.port
		}
	case host == "":
		return Network{}, errors.New("neither a url nor a host is given; give one of them")
	}
	name, err := hostname.Normal(host)
	if err != nil {
		return Network{}, &MisleadingError{Host: shown(host), Port: cmp.Or(port, hostname.DefaultPort(protocol)), Protocol: cmp.Or(protocol, "tcp"), Why: err.Error()}
	}
	if port == 0 {
		if port = hostname.DefaultPort(protocol); port == 0 {
			return Network{}, fmt.Errorf("protocol %q has no default port here; give the port", protocol)
		}
	}
	if protocol == "" {
		protocol = "tcp"
	}
	if !protocolPattern().MatchString(protocol) {
		return Network{}, fmt.Errorf("protocol %.40q is no scheme; give one such as https or ssh", protocol)
	}
	return Network{Host: name, Port: port, Protocol: protocol}, nil
}

// urlParts is a destination as a URL spells it; port is 0 where it has none.
type urlParts struct {
	protocol, host string
	port           int
}

func parseURL(raw string) (urlParts, error) {
	u, err := url.Parse(raw)
	if err != nil {
		// The parser's error would quote the url.
		return urlParts{}, unclear("the url cannot be parsed; give it as scheme://host:port/path, percent-encoded")
	}
	parts := urlParts{protocol: u.Scheme, host: strings.TrimSuffix(u.Host, ":"+u.Port())}
	switch {
	case u.User != nil:
		return urlParts{}, unclear("the url has user information before an @; leave it out")
	case u.Scheme == "" || u.Host == "":
		return urlParts{}, errors.New("the url has no scheme or no host; give it as scheme://host/")
	case strings.Contains(parts.host, ":") && !strings.HasPrefix(parts.host, "["):
		return urlParts{}, unclear("the url has a colon in its host; put an IPv6 address in brackets")
	}
	if digits := u.Port(); digits != "" {
		if parts.port, err = strconv.Atoi(digits); err != nil || parts.port < 1 || parts.port > 65535 {
			return urlParts{}, fmt.Errorf("the port %.20q of the url does not exist; give one from 1 to 65535", digits)
		}
	}
	return parts, nil
}
