package log_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

// childRole is the environment variable that makes this test binary play the
// other process: a writer or the holder of a lock. Its argument is a path.
const childRole = "APPROVALD_LOG_TEST_CHILD"

var childRoles = map[string]func(path string) error{
	"append": appendForEver,
	"hold":   holdForEver,
}

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		if err := childRoles[role](os.Args[1]); err != nil {
			_, _ = io.WriteString(os.Stderr, err.Error()+"\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m) // no goroutine is left when all tests have ended what they started
}

// child is a process of this test binary.
type child struct {
	cmd *exec.Cmd
	// said is its standard output. It ends when the child is gone.
	said *bufio.Scanner
}

func startChild(t *testing.T, role, path string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], path)
	cmd.Env = append(os.Environ(), childRole+"="+role)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil { // open for as long as the test runs
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: cmd, said: bufio.NewScanner(out)}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return c
}

// line waits for the child to say something.
func (c *child) line(t *testing.T) string {
	t.Helper()
	if !c.said.Scan() {
		t.Fatalf("the child ended early: %v", c.said.Err())
	}
	return c.said.Text()
}

// kill sends SIGKILL, returns what else the child had said, and waits until it
// is gone.
func (c *child) kill(t *testing.T) (rest []string) {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for c.said.Scan() {
		rest = append(rest, c.said.Text())
	}
	if err := c.cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Fatalf("the child ended by itself: %v", err)
	}
	return rest
}
