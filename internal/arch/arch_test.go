// Package arch holds the map of the code against the code: who may import whom, what the pure
// packages keep away from, and how long a file may be (design, "Packages"). It holds the documents
// against the tests: what they say holds a promise must be there.
//
// A failure says which rule was broken, where, why the rule exists and what to do. To add a
// package, add its line to the table below and to the map in ARCHITECTURE.md.
package arch

import "testing"

const (
	shell = false
	pure  = true // no I/O, clock, goroutine, lock, randomness or logging
)

// table is the map: one line a package. A package imports packages of lower rows only; limit
// says what else holds for it.
var table = []place{
	{"cmd/approvald", 7, shell, limit{}},
	{"cmd/approvald-inbox", 7, shell, limit{only: []string{"internal/card", "internal/inbox/screen"}}},
	{"cmd/approvald-hook", 7, shell, limit{only: []string{"internal/hook/gate"}}},
	{"internal/hook/gate", 6, shell, limit{only: []string{"internal/canon", "internal/hook", "internal/hook/members", "internal/runtimedir", "wire"}}}, // a client; what it links is paid for before every call of a tool
	{"internal/inbox/screen", 6, shell, limit{also: []string{"internal/inbox/feed"}}},
	{"internal/inbox/plain", 6, shell, limit{also: []string{"internal/inbox/feed"}}},
	{"internal/inbox/feed", 6, shell, limit{only: []string{"client", "wire", "internal/inbox"}}}, // a client, never the sequencer
	{"internal/corpus", 6, shell, limit{also: []string{"internal/scenario"}}},
	{"internal/scenario", 6, shell, limit{}},
	{"internal/inbox/web", 6, shell, limit{only: []string{"client", "internal/audit", "internal/card", "wire"}}}, // a client of the daemon
	{"schema/gen", 6, shell, limit{}},
	{"internal/notify", 6, shell, limit{only: []string{"client", "internal/card", "wire"}}}, // a client as any other
	{"internal/daemon", 5, shell, limit{}},
	{"internal/audit", 5, shell, limit{}},
	{"client", 5, shell, limit{only: []string{"wire"}}}, // a user of approvald, not a part of it
	{"internal/rpc", 4, shell, limit{never: []string{"internal/log"}}},
	{"internal/recovery", 4, shell, limit{}},
	{"internal/sequencer", 3, shell, limit{}},
	{"internal/log", 2, shell, limit{only: []string{}}}, // holds opaque bytes, knows no approvals
	{"internal/inspect", 2, shell, limit{}},
	{"internal/agentcmd", 2, shell, limit{only: []string{}}}, // a program and its streams, nothing of the protocol
	{"internal/rulefile", 2, shell, limit{}},
	{"internal/decide", 2, pure, limit{}},
	{"internal/claudesettings", 2, pure, limit{}},
	{"internal/hook", 2, pure, limit{only: []string{"internal/canon", "internal/hook/members", "wire"}}},
	{"internal/hook/members", 1, pure, limit{only: []string{"internal/canon"}}},
	{"internal/policy", 1, pure, limit{also: []string{"internal/policy/shell"}}},
	{"internal/policy/shell", 1, pure, limit{}},
	{"internal/fold", 1, pure, limit{also: []string{"internal/record"}}},
	{"internal/record", 1, pure, limit{}},
	{"internal/card", 1, pure, limit{only: []string{"wire"}}}, // every surface shows the same
	{"internal/inbox", 2, pure, limit{only: []string{"wire", "internal/card"}}},
	{"internal/inbox/emulator", 1, pure, limit{only: []string{}}}, // for tests
	{"docs/gen", 1, shell, limit{}},
	{"internal/comments", 0, shell, limit{}},
	{"internal/approval", 0, pure, limit{}},
	{"internal/canon", 0, pure, limit{}},
	{"internal/hostname", 0, pure, limit{}},
	{"internal/runtimedir", 0, shell, limit{only: []string{}}},
	{"schema", 0, pure, limit{only: []string{}}},
	{"wire", 0, pure, limit{}},
}

// pureLibraries are the modules that pure packages may use: each only computes.
var pureLibraries = []string{
	"github.com/bmatcuk/doublestar/v4",   // globs over components
	"github.com/go-json-experiment/json", // strict JSON
	"github.com/oklog/ulid/v2",           // spelling of ids; what mints them is in impureNames
	"golang.org/x/net/idna",              // host names in one spelling
	"golang.org/x/text/width",            // how many columns a character takes
	"mvdan.cc/sh/v3/syntax",              // the shell parser
}

// longest is the number of lines at which a file has come to hold more than one thing.
const longest = 500

func TestCodeKeepsToItsMap(t *testing.T) {
	files := sources(t, "../..")
	rules := map[string]func([]place, []*source) []string{
		"every package has a line in the table":            unlisted,
		"every line of the table has a package":            missing,
		"packages import lower rows only":                  imports,
		"pure packages compute and do nothing else":        impurities,
		"no file is longer than a reader's patience":       tooLong,
		"tests wait for a signal, or in a synctest bubble": sleeps,
	}
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			for _, fault := range rule(table, files) {
				t.Error(fault)
			}
		})
	}
	t.Run("ARCHITECTURE.md names every package", func(t *testing.T) {
		for _, fault := range undocumented(table, document(t, "../../ARCHITECTURE.md")) {
			t.Error(fault)
		}
	})
	t.Run("documents name tests and recordings that exist", func(t *testing.T) {
		names := suite(t, "../..", files)
		for doc, text := range documents(t, "../..") {
			for _, fault := range append(unfounded(doc, text, names), unheld(doc, text)...) {
				t.Error(fault)
			}
		}
	})
}
