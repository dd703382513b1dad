package main

import "regexp"

// comparison is one row of the table: a figure of approvald's over the same figure of a yardstick.
type comparison struct {
	id        string // of the target in perf §9; "" where there is none
	name      string
	pkg       string // below the module's root; it has both benchmarks
	ours      string // full names of benchmarks, without "Benchmark"
	yardstick string
	unit      string
	target    target
}

// target is what the ratio should be. The zero target is none.
type target struct {
	atLeast, atMost float64
}

func atLeast(ratio float64) target { return target{atLeast: ratio} }

func atMost(ratio float64) target { return target{atMost: ratio} }

// met reports whether a ratio is as it should be.
func (t target) met(ratio float64) bool {
	return ratio >= t.atLeast && (t.atMost == 0 || ratio <= t.atMost)
}

const (
	perSecond = "ops/s"
	p50       = "p50-ns"
	p99to50   = "p99/p50"
	records   = "records/s"
	written   = "written-B/record"
	perOp     = "ns/op"
)

// comparisons are the rows of the table. Within a package benchmarks run in the order of their
// source, which puts a yardstick beside what it is held against.
var comparisons = []comparison{
	{"T1", "open and decide, 64 agents ÷ bare group commit", "internal/sequencer",
		"Pairs/callers=64/v=approvald", "Pairs/callers=64/v=groupCommit", perSecond, atLeast(0.85)},
	{"T2", "open and decide, 16 agents ÷ bare group commit", "internal/sequencer",
		"Pairs/callers=16/v=approvald", "Pairs/callers=16/v=groupCommit", perSecond, atLeast(1.15)},
	{"", "open and decide, 1 agent ÷ bare group commit", "internal/sequencer",
		"Pairs/callers=1/v=approvald", "Pairs/callers=1/v=groupCommit", perSecond, target{}},
	{"T3", "decide, 1 agent ÷ a bbolt Update", "internal/sequencer",
		"Pairs/callers=1/v=approvald", "Pairs/callers=1/v=update", p50, atMost(1.15)},
	{"T4", "open and decide, 64 agents ÷ a bbolt Update each", "internal/sequencer",
		"Pairs/callers=64/v=approvald", "Pairs/callers=64/v=update", perSecond, atLeast(12)},
	{"T5", "decide, 64 agents: p99 of p50 ÷ that of bare group commit", "internal/sequencer",
		"Pairs/callers=64/v=approvald", "Pairs/callers=64/v=groupCommit", p99to50, atMost(1.5)},
	{"", "decide, 1 agent ÷ append and fdatasync", "internal/sequencer",
		"Pairs/callers=1/v=approvald", "Pairs/callers=1/v=fdatasync", p50, target{}},
	{"", "open and decide, 16 agents ÷ append and fdatasync each", "internal/sequencer",
		"Pairs/callers=16/v=approvald", "Pairs/callers=16/v=fdatasync", perSecond, target{}},
	{"", "open and decide, 64 agents ÷ append and fdatasync each", "internal/sequencer",
		"Pairs/callers=64/v=approvald", "Pairs/callers=64/v=fdatasync", perSecond, target{}},

	{"T8", "echo, 1 connection × 64 ÷ lean loop", "internal/daemon",
		"Echo/conns=1/inflight=64/v=approvald", "Echo/conns=1/inflight=64/v=lean", perSecond, atLeast(0.7)},
	{"T8", "echo, 1 connection × 64 ÷ sourcegraph/jsonrpc2", "internal/daemon",
		"Echo/conns=1/inflight=64/v=approvald", "Echo/conns=1/inflight=64/v=jsonrpc2", perSecond, atLeast(2.5)},
	{"T8b", "echo, 1 connection × 1 ÷ lean loop", "internal/daemon",
		"Echo/conns=1/inflight=1/v=approvald", "Echo/conns=1/inflight=1/v=lean", p50, atMost(1.3)},
	{"T6", "decide, 64 in flight, with 1,000 subscribers ÷ with none", "internal/daemon",
		"Fanout/onlookers=1000", "Fanout/onlookers=0", perSecond, atLeast(0.75)},
	{"T7", "decide, 64 in flight, with 100 subscribers of which one is stuck ÷ none is", "internal/daemon",
		"Fanout/onlookers=100/stuck=1", "Fanout/onlookers=100/stuck=0", perSecond, atLeast(0.9)},
	{"T9", "decide over a socket, 16 connections × 4 ÷ bare group commit, 64 callers", "internal/daemon",
		"Decide/conns=16/inflight=4/v=approvald", "Decide/conns=16/inflight=4/v=groupCommit", perSecond, atLeast(0.5)},
	{"T10", "decide over a socket, 1 × 1 ÷ a bare commit", "internal/daemon",
		"Decide/conns=1/inflight=1/v=approvald", "Decide/conns=1/inflight=1/v=groupCommit", p50, atMost(1.5)},

	{"", "append 1 value ÷ a bbolt Update", "internal/log",
		"Append/values=1", "YardstickUpdate", records, target{}},
	{"", "append 1 value ÷ append and fdatasync", "internal/log",
		"Append/values=1", "YardstickFdatasync/values=1", records, target{}},
	{"", "append 16 values ÷ append and fdatasync", "internal/log",
		"Append/values=16", "YardstickFdatasync/values=16", records, target{}},
	{"", "append 64 values ÷ append and fdatasync", "internal/log",
		"Append/values=64", "YardstickFdatasync/values=64", records, target{}},
	{"T11", "bytes written, 64 values ÷ their size", "internal/log",
		"Append/values=64", "YardstickFdatasync/values=64", written, atMost(3)},
	{"T19", "50 records of a session ÷ a cursor over session keys", "internal/log",
		"Walk", "YardstickCursor", perOp, atMost(2.5)},

	{"", "decide, 64 in flight, while 100,000 others wait ÷ while none does", "internal/daemon",
		"Parked/parked=100000", "Parked/parked=0", perSecond, atLeast(0.5)},
	{"", "10,000 pending approvals, in pages ÷ writing and parsing the same bytes", "internal/daemon",
		"Pages/v=approvald", "Pages/v=bytes", perOp, atMost(3)},
	{"", "a page of 50 sessions, of 100,000 of which none is loaded ÷ of 200", "internal/daemon",
		"ListSessions/sessions=100000", "ListSessions/sessions=200", perOp, atMost(2)},
	{"T12", "start on a log of 200,000 records, to the first answer ÷ read(2) of its file", "internal/daemon",
		"Start/cache=warm/v=approvald", "Start/cache=warm/v=read", perOp, atMost(4)},
	{"T14", "start on such a log that is not in the page cache ÷ reading it so", "internal/daemon",
		"Start/cache=cold/v=approvald", "Start/cache=cold/v=read", perOp, atMost(3)},
	{"T13", "verify a log of 100,000 records ÷ read(2) of its file", "internal/audit",
		"Verify", "YardstickReadFile", perOp, atMost(6)},
	{"T13", "verify a log of 1,000,000 records ÷ read(2) of its file", "internal/audit",
		"VerifyMillion", "YardstickReadFileMillion", perOp, atMost(6)},

	{"", "a command from text to verdict ÷ its bare parse", "internal/policy",
		"Typical/v=verdict", "Typical/v=parse", perOp, atMost(3)},
	{"T18", "a verdict on a command: 10,000 rules ÷ 100", "internal/policy",
		"Rules/shell/rules=10000", "Rules/shell/rules=100", perOp, atMost(1.5)},
	{"T18", "a verdict on a file: 10,000 rules ÷ 100", "internal/policy",
		"Rules/file/rules=10000", "Rules/file/rules=100", perOp, atMost(1.5)},
	{"T18", "a verdict on a host: 10,000 rules ÷ 100", "internal/policy",
		"Rules/network/rules=10000", "Rules/network/rules=100", perOp, atMost(1.5)},

	{"", "a key and the screen after it in the terminal inbox, 10,000 waiting ÷ 40", "internal/inbox",
		"Key/waiting=10000", "Key/waiting=40", perOp, atMost(1.5)},
	{"", "the same beside 1 MiB of arguments ÷ beside two bytes", "internal/inbox",
		"Key/arguments=1MiB", "Key/arguments=small", perOp, atMost(2)},

	{"", "start of serve --stdio to its first answer ÷ hello world", "tests/bench",
		"Start/v=approvald", "Start/v=hello", p50, atMost(5)},
	{"T16", "a hook from its start to its end, one call asked about ÷ hello world", "tests/bench",
		"Hook/v=approvald", "Hook/v=hello", p50, atMost(2)},
}

func selected(rows []comparison, pattern *regexp.Regexp) []comparison {
	var out []comparison
	for _, c := range rows {
		if pattern.MatchString(c.id) || pattern.MatchString(c.name) {
			out = append(out, c)
		}
	}
	return out
}
