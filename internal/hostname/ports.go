package hostname

// DefaultPort is the port that a scheme, in lower case, means where none is
// written; 0 for a scheme that is not known here, which has none.
func DefaultPort(scheme string) int { return defaultPorts[scheme] }

var defaultPorts = map[string]int{
	"http": 80, "https": 443, "ws": 80, "wss": 443,
	"ftp": 21, "ftps": 990, "tftp": 69, "ssh": 22, "sftp": 22, "rsync": 873, "telnet": 23,
	"git": 9418, "git+ssh": 22, "ssh+git": 22, "git+http": 80, "git+https": 443, "svn": 3690, "svn+ssh": 22,
	"socks": 1080, "socks4": 1080, "socks4a": 1080, "socks5": 1080, "socks5h": 1080,
	"smtp": 25, "smtps": 465, "imap": 143, "imaps": 993, "pop3": 110, "pop3s": 995,
	"ldap": 389, "ldaps": 636, "gopher": 70, "dict": 2628, "rtsp": 554, "irc": 6667, "ircs": 6697,
	"postgres": 5432, "postgresql": 5432, "mysql": 3306, "mariadb": 3306, "sqlserver": 1433,
	"redis": 6379, "rediss": 6379, "mongodb": 27017, "clickhouse": 9000,
	"amqp": 5672, "amqps": 5671, "nats": 4222, "mqtt": 1883, "mqtts": 8883,
}
