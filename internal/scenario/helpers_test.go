package scenario_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/scenario"
)

// The lines that the tests build scenarios of.
const (
	plainHeader = `{"dir":"header","title":"A test.","clock":"2026-01-02T03:04:05.000Z","seed":1,"files":{"/srv/app":{"dir":true}}}`

	session = "0198f0aa-1111-7000-8000-0000000000aa"
	start   = `{"jsonrpc":"2.0","id":"start","method":"session/start","params":{"commandId":"018f6a2a-3333-7abc-8def-00000000c001","sessionId":"` + session + `","workspaceRoot":"/srv/app"}}`
	open    = `{"jsonrpc":"2.0","id":"open","method":"approval/open","params":{"commandId":"018f6a2a-3333-7abc-8def-00000000c002","sessionId":"` + session + `","toolCallId":"call_1","toolName":"write","rawArgs":"{}","reason":"A test.","subject":{"kind":"fileAccess","path":"main.go","access":"write"},"timeoutMs":60000}}`
	list    = `{"jsonrpc":"2.0","id":"list","method":"session/list"}`
)

// client is a client line; the first on a connection other than main has a role.
func client(conn, role, raw string) string {
	line := `{"dir":"client"`
	if conn != "main" {
		line += `,"conn":` + strconv.Quote(conn)
	}
	if role != "" {
		line += `,"role":` + strconv.Quote(role)
	}
	return line + `,"raw":` + quote(raw) + "}"
}

func server(conn, raw string) string {
	return `{"dir":"server","conn":` + strconv.Quote(conn) + `,"raw":` + quote(raw) + "}"
}

// quote is a JSON string of a text that has nothing else to escape.
func quote(raw string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(raw) + `"`
}

// hello is the handshake of a connection.
func hello(conn, role string) []string {
	return []string{
		client(conn, role, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"clientInfo":{"name":"test","version":"1"}}}`),
		client(conn, "", `{"jsonrpc":"2.0","method":"initialized"}`),
	}
}

func join(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

func parse(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("test.ndjson", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// record completes a scenario with what the daemon says.
func record(t *testing.T, text string) string {
	t.Helper()
	out, err := parse(t, text).Record(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// recorded is a scenario of two connections on which an approval is opened.
func recorded(t *testing.T) []string {
	t.Helper()
	lines := append([]string{plainHeader}, hello("main", "")...)
	lines = append(lines, hello("other", "reviewer")...)
	lines = append(lines, client("main", "", start), client("main", "", open), client("other", "", list))
	return strings.Split(strings.TrimSuffix(record(t, join(lines...)), "\n"), "\n")
}

// find is the index of the n-th line, from 0, that holds all of the texts.
func find(t *testing.T, lines []string, n int, texts ...string) int {
	t.Helper()
lines:
	for i, line := range lines {
		for _, text := range texts {
			if !strings.Contains(line, text) {
				continue lines
			}
		}
		if n--; n < 0 {
			return i
		}
	}
	t.Fatalf("no line holds %q", texts)
	return -1
}
