package canon

import (
	"encoding/json"
	"strings"
	"testing"
)

// benchParams is the params of a decide, as perf.md measures them (345 bytes a request).
var benchParams = []byte(`{"commandId":"018f6a2a-3333-7abc-8def-00000000d001","sessionId":"0198f0aa-1111-7000-8000-0000000000aa",` +
	`"approvalId":"0198f0ac-7777-7000-8000-0000000000e1","requirementId":{"approvalId":"0198f0ac-7777-7000-8000-0000000000e1","sourceIndex":0},` +
	`"choiceId":"allow_session","feedback":"run the tests first, then ask again"}`)

// BenchmarkDecideParams compares the work done once a command with a plain encoding/json decode
// of the same bytes.
func BenchmarkDecideParams(b *testing.B) {
	b.Run("v=payload", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Payload("approval/decide", benchParams); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("v=canonical", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Canonical(benchParams); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("v=digest", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Digest(benchParams); err != nil {
				b.Fatal(err)
			}
		}
	})
	type params struct {
		CommandID     string `json:"commandId"`
		SessionID     string `json:"sessionId"`
		ApprovalID    string `json:"approvalId"`
		RequirementID struct {
			ApprovalID  string `json:"approvalId"`
			SourceIndex int    `json:"sourceIndex"`
		} `json:"requirementId"`
		ChoiceID string  `json:"choiceId"`
		Feedback *string `json:"feedback"`
	}
	b.Run("v=unmarshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var p params
			if err := Unmarshal(benchParams, &p); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("v=encoding-json-unmarshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var p params
			if err := json.Unmarshal(benchParams, &p); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkDigestLargeArgs is a rawArgs of 1 MiB with file content in it, the largest allowed.
func BenchmarkDigestLargeArgs(b *testing.B) {
	content, err := json.Marshal(strings.Repeat("if (a[i] < b[j]) { f(\"x\"); }\n", 1<<15))
	if err != nil {
		b.Fatal(err)
	}
	args := []byte(`{"path":"/tmp/a.c","content":` + string(content) + `}`)
	b.SetBytes(int64(len(args)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Digest(args); err != nil {
			b.Fatal(err)
		}
	}
}
