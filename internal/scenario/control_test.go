package scenario_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// steps records a scenario of one connection and returns what follows the line that is the last
// to hold text, up to the next line that is no server line.
func behind(t *testing.T, text string, lines ...string) []string {
	t.Helper()
	all := strings.Split(strings.TrimSuffix(record(t, join(lines...)), "\n"), "\n")
	from := -1
	for i, line := range all {
		if strings.Contains(line, text) && !strings.HasPrefix(line, `{"dir":"server"`) {
			from = i
		}
	}
	if from < 0 {
		t.Fatalf("no step holds %q", text)
	}
	rest := all[from+1:]
	if end := slices.IndexFunc(rest, func(l string) bool { return !strings.HasPrefix(l, `{"dir":"server"`) }); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

func begun(lines ...string) []string {
	return slices.Concat([]string{plainHeader}, hello("main", ""), []string{client("main", "", start), client("main", "", open)}, lines)
}

// expect checks that there is one line for each want, which holds it.
func expect(t *testing.T, lines []string, wants ...string) {
	t.Helper()
	if len(lines) != len(wants) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(wants), strings.Join(lines, "\n"))
	}
	for i, want := range wants {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %s, want %q in it", i+1, lines[i], want)
		}
	}
}

const pending = `{"jsonrpc":"2.0","id":"pending","method":"approval/listPending","params":{}}`

func TestAdvanceStopsAtWhatFallsDue(t *testing.T) {
	lines := behind(t, `"advance"`, begun(`{"dir":"control","op":"advance","ms":3600000}`)...)
	expect(t, lines, `\"decidedAt\":\"2026-01-02T03:05:05.000Z\"`, "session/statusChanged")
}

func TestTheClockStandsStillUntilItIsMoved(t *testing.T) {
	lines := behind(t, `\"list\"`, begun(`{"dir":"control","op":"advance","ms":1}`,
		client("main", "", strings.NewReplacer("aa\"", "ab\"", "c001", "c009").Replace(start)), client("main", "", list))...)
	expect(t, lines, `\"createdAt\":\"2026-01-02T03:04:05.001Z\"`)
}

func TestARestartTellsThePeersAndACrashTellsNobody(t *testing.T) {
	expect(t, behind(t, `"restart"`, begun(`{"dir":"control","op":"restart"}`)...), "hostShutdown")
	expect(t, behind(t, `"crash"`, begun(`{"dir":"control","op":"crash"}`)...))
}

func TestTheDaemonIsDownForTheTimeGiven(t *testing.T) {
	for _, op := range []string{"restart", "crash"} {
		lines := begun(`{"dir":"control","op":"`+op+`","ms":59999}`, hello("main", "")[0], hello("main", "")[1], client("main", "", pending))
		expect(t, behind(t, `pending`, lines...), `\"createdAt\":\"2026-01-02T03:05:04.999Z\"`)
		lines[slices.Index(lines, `{"dir":"control","op":"`+op+`","ms":59999}`)] = `{"dir":"control","op":"` + op + `","ms":60000}`
		expect(t, behind(t, `pending`, lines...), `\"approvals\":[]`) // it timed out meanwhile
	}
}

func TestAConnectionIsOpenedAgainAtTheSameDoor(t *testing.T) {
	lines := append([]string{plainHeader}, hello("a", "agent")...)
	for _, op := range []string{`"disconnect","conn":"a"`, `"crash"`, `"restart"`} {
		again := append(slices.Clone(lines), `{"dir":"control","op":`+op+`}`)
		again = append(again, hello("a", "")...)
		expect(t, behind(t, "initialize\\\"", again...), `\"role\":\"agent\"`)
	}
}

func TestFilesChangeTheTree(t *testing.T) {
	again := strings.NewReplacer("c002", "c003", `"id":"open"`, `"id":"again"`).Replace(open)
	lines := behind(t, "again", begun(
		`{"dir":"control","op":"files","files":{"/srv/app/main.go":{"link":"sub/other.go"},"/srv/app/sub/other.go":"package sub"}}`,
		client("main", "", again))...)
	if !strings.Contains(lines[1], `\"path\":\"/srv/app/sub/other.go\",\"requestedPath\":\"main.go\",\"access\":\"write\",\"exists\":true`) {
		t.Error(lines[1])
	}
	lines = behind(t, "again", begun(
		`{"dir":"control","op":"files","files":{"/srv":null}}`, client("main", "", again))...)
	expect(t, lines, `the directory \\\"/srv/app\\\" does not exist`)
}

func TestIdsAreTheListedOnesThenTheSeedsOwn(t *testing.T) {
	listed := strings.Replace(plainHeader, `"seed":1`, `"seed":1,"ids":["0198f0ac-7777-7000-8000-0000000000e1"]`, 1)
	reseeded := strings.Replace(plainHeader, `"seed":1`, `"seed":2`, 1)
	minted := func(header string) (ids []string) {
		lines := slices.Concat([]string{header}, hello("main", ""), []string{client("main", "", start)})
		for _, n := range []string{"c002", "c003"} {
			frame := strings.NewReplacer("c002", n, `"id":"open"`, `"id":"`+n+`"`).Replace(open)
			ack := behind(t, n, append(lines, client("main", "", frame))...)[0]
			_, after, _ := strings.Cut(ack, `\"approvalId\":\"`)
			ids = append(ids, after[:36])
			lines = append(lines, client("main", "", frame))
		}
		return ids
	}
	one, two, other := minted(listed), minted(plainHeader), minted(reseeded)
	switch {
	case one[0] != "0198f0ac-7777-7000-8000-0000000000e1" || one[1] != two[0]:
		t.Errorf("with a list %v, without %v", one, two)
	case two[0] >= two[1] || two[0][14] != '7':
		t.Errorf("%v are no ascending ids of version 7", two)
	case two[0] == other[0]:
		t.Errorf("two seeds give one id, %s", two[0])
	}
}

func TestBytesThatAreNoText(t *testing.T) {
	lines := slices.Concat([]string{plainHeader}, hello("main", ""))
	expect(t, behind(t, "base64", append(lines, `{"dir":"client","base64":"/w=="}`)...), "is not UTF-8")
	expect(t, behind(t, "pad", append(lines, `{"dir":"client","raw":"","pad":10485761}`)...), "longer than")
	expect(t, behind(t, "pad", append(lines, `{"dir":"client","raw":"","pad":10485760}`)...), "ends before")
}

func TestNothingIsLeftOnDisk(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	good := recorded(t)
	bad := join(append(good, server("main", "{}"))...)
	if err := parse(t, bad).Play(t.Context()); err == nil {
		t.Error("a line that is not said was not missed")
	}
	above := strings.Replace(plainHeader, `"seed":1`, `"seed":1,"serve":{"mode":"allowAll","ceiling":"denyUnmatched"}`, 1)
	if err := parse(t, join(above)).Play(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "test.ndjson:1: the daemon does not start") {
		t.Errorf("Play = %v", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

func TestPlayEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := parse(t, join(recorded(t)...)).Play(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Play = %v", err)
	}
}

func TestTheNextDaemonFindsThePolicyGiven(t *testing.T) {
	const allow = `[[rule]]\neffect = \"allow\"\nkind = \"file\"\naccess = \"write\"\npath_glob = \"**\"\n`
	for _, op := range []string{"restart", "crash"} {
		lines := begun(`{"dir":"control","op":"`+op+`","text":"`+allow+`"}`, hello("main", "")[0], hello("main", "")[1], client("main", "", pending))
		expect(t, behind(t, `pending`, lines...), `\"approvals\":[]`)
	}
}
