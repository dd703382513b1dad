package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/canon"
	"github.com/approvald/approvald/tests/bench/yardstick"
	"github.com/approvald/approvald/wire"
)

// BenchmarkHook starts a program and waits for its end: of the hook one call of a tool, asked
// about and allowed, by a peer that has its answers ready, so that what is measured is the
// program and not a disk.
func BenchmarkHook(b *testing.B) {
	dir := b.TempDir()
	hook := build(b, dir, "../../cmd/approvald-hook")
	hello := build(b, dir, "./testdata/hello")
	runtime, err := os.MkdirTemp("/tmp", "approvald-bench") //nolint:usetesting // the path of a socket is short, that of TempDir not
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(runtime) })
	ready(b, filepath.Join(runtime, "agent"))
	event := `{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"make"}}`
	b.Run("v=approvald", func(b *testing.B) {
		out, err := whole(event, hook, "--runtime-dir", runtime)
		if err != nil || !bytes.Contains(out, []byte(`"permissionDecision":"allow"`)) {
			b.Fatalf("%v: %s", err, out)
		}
		benchmarkWhole(b, event, hook, "--runtime-dir", runtime)
	})
	b.Run("v=hello", func(b *testing.B) { benchmarkWhole(b, event, hello) })
}

func benchmarkWhole(b *testing.B, stdin, binary string, args ...string) {
	took := make([]time.Duration, b.N)
	m := yardstick.Start(b)
	for i := range took {
		start := time.Now()
		if _, err := whole(stdin, binary, args...); err != nil {
			b.Fatal(err)
		}
		took[i] = time.Since(start)
	}
	m.Stop()
	m.Report(took)
}

func whole(stdin, binary string, args ...string) ([]byte, error) {
	cmd := exec.Command(binary, args...)
	cmd.Stdin = strings.NewReader(stdin)
	return cmd.Output()
}

// ready serves a socket as a daemon would that has nothing to think about.
func ready(b *testing.B, dir string) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(dir, "agent.sock"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go answers(conn)
		}
	}()
}

// answers ends with the connection.
func answers(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	digest := "" // of the arguments that were prepared
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var frame struct {
			ID     json.RawMessage            `json:"id"`
			Method string                     `json:"method"`
			Params wire.ApprovalPrepareParams `json:"params"`
		}
		if json.Unmarshal(line, &frame) != nil || frame.ID == nil {
			continue // initialized
		}
		var result any = wire.InitializeResult{}
		switch frame.Method {
		case wire.MethodSessionResume:
			result = wire.SessionResumeResult{Session: wire.Session{Status: wire.SessionIdle}}
		case wire.MethodApprovalPrepare:
			asked := frame.Params.Requests[0]
			if digest, err = canon.Digest([]byte(asked.RawArgs)); err != nil {
				return
			}
			result = wire.ApprovalPrepareResult{Approvals: wire.List[wire.PreparedApproval]{{
				ApprovalID: "a", ToolCallID: asked.ToolCallID, ArgsDigest: digest, Resolution: &wire.Resolution{PolicyResult: wire.PolicyAllow},
			}}}
		case wire.MethodApprovalConsume:
			result = wire.ApprovalConsumeResult{PolicyResult: wire.PolicyAllow, Consumed: true, Permit: &wire.Permit{ArgsDigest: digest}}
		}
		out, err := wire.Marshal(wire.Response{JSONRPC: wire.Version, ID: frame.ID, Result: result})
		if err != nil {
			return
		}
		if _, err := conn.Write(append(out, '\n')); err != nil {
			return
		}
	}
}
