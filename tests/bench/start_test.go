package main

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/approvald/approvald/tests/bench/yardstick"
)

// BenchmarkStart starts a program and reads the first line that it writes: of the daemon the
// answer to initialize, in a state directory that has been used before.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	approvald := build(b, dir, "../../cmd/approvald")
	hello := build(b, dir, "./testdata/hello")
	b.Run("v=approvald", func(b *testing.B) {
		serve := []string{"serve", "--stdio", "--state-dir", filepath.Join(dir, "state"), "--runtime-dir", filepath.Join(dir, "run")}
		if _, err := firstLine(approvald, serve...); err != nil {
			b.Fatal(err)
		}
		benchmarkStart(b, approvald, serve...)
	})
	b.Run("v=hello", func(b *testing.B) { benchmarkStart(b, hello) })
}

func build(b *testing.B, dir, pkg string) (binary string) {
	b.Helper()
	binary = filepath.Join(dir, filepath.Base(pkg))
	cmd := exec.Command("go", "build", "-o", binary, pkg)
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0") // as make build has it
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	return binary
}

func benchmarkStart(b *testing.B, binary string, args ...string) {
	took := make([]time.Duration, b.N)
	m := yardstick.Start(b)
	for i := range took {
		var err error
		if took[i], err = firstLine(binary, args...); err != nil {
			b.Fatal(err)
		}
	}
	m.Stop()
	m.Report(took)
}

// firstLine returns how long the program took until its first line was read, and when it has ended.
func firstLine(binary string, args ...string) (time.Duration, error) {
	cmd := exec.Command(binary, args...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	// hello reads nothing and may be gone by now.
	_, _ = io.WriteString(stdin, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"bench","version":"1"}}}`+"\n")
	_, err = bufio.NewReader(stdout).ReadSlice('\n')
	took := time.Since(start)
	_ = stdin.Close()
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return 0, err
	}
	return took, cmd.Wait()
}
