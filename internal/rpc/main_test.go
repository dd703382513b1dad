package rpc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// childRole is the environment variable that makes this test binary play
// another process. Its arguments are those of the role.
const childRole = "APPROVALD_RPC_TEST_CHILD"

var childRoles = map[string]func(args []string) error{
	"ask":     askAsChild,
	"nobody":  askAsNobody,
	"agent":   agentAsChild,
	"through": throughAsChild,
	"follow":  followAsChild,
}

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		if err := childRoles[role](os.Args[1:]); err != nil {
			_, _ = io.WriteString(os.Stderr, role+": "+err.Error()+"\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m) // no goroutine is left when all tests have ended what they started
}

// childCommand is a process of this test binary in a role.
func childCommand(role string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), childRole+"="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

// child is a running one that is spoken with a line at a time.
type child struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.Writer
	said *bufio.Scanner
}

func startChild(t *testing.T, role string, args ...string) *child {
	t.Helper()
	c := &child{t: t, cmd: childCommand(role, args...)}
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.said = bufio.NewScanner(out)
	c.said.Buffer(nil, 1<<20)
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	})
	return c
}

// line waits for the child to say something.
func (c *child) line() string {
	c.t.Helper()
	if !c.said.Scan() {
		c.t.Fatalf("the child ended early: %v", c.said.Err())
	}
	return c.said.Text()
}

// tell gives the child a line.
func (c *child) tell(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

const (
	helloLine       = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"clientInfo":{"name":"child","version":"1"}}}`
	initializedLine = `{"jsonrpc":"2.0","method":"initialized"}`
	listLine        = `{"jsonrpc":"2.0","id":"list","method":"session/list"}`
)

// ask connects to a socket, asks for the sessions, and gives what it was
// answered: the kind of each error, "served" for a result, "turned away" where
// the connection ended without a word.
func ask(path string) string {
	conn, err := net.Dial("unix", path)
	if err != nil {
		if errors.Is(err, os.ErrPermission) {
			return "no permission"
		}
		return "cannot connect: " + err.Error()
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, strings.Join([]string{helloLine, initializedLine, listLine}, "\n")+"\n"); err != nil {
		return "turned away" // closed before it could speak
	}
	var answers []string
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, 1<<20)
	for len(answers) < 2 && lines.Scan() {
		switch text := lines.Text(); {
		case strings.Contains(text, `"kind":"roleForbidden"`):
			answers = append(answers, "roleForbidden")
		case strings.Contains(text, `"result"`):
			answers = append(answers, "served")
		default:
			answers = append(answers, text)
		}
	}
	if len(answers) == 0 {
		return "turned away"
	}
	return strings.Join(answers, " ")
}

func askAsChild(args []string) error {
	fmt.Println(ask(args[0]))
	return nil
}

// throughAsChild has a child of its own ask.
func throughAsChild(args []string) error {
	cmd := childCommand("ask", args...)
	cmd.Stdout = os.Stdout
	return cmd.Run()
}

// agentAsChild holds a connection to the first socket, and then asks the
// others: "self" by itself, "child" and "grandchild" by its descendants.
func agentAsChild(args []string) error {
	conn, err := net.Dial("unix", args[0])
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, helloLine+"\n"); err != nil {
		return err
	}
	if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
		return err
	}
	fmt.Println("ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		who, path, _ := strings.Cut(lines.Text(), " ")
		if who == "self" {
			fmt.Println(ask(path))
			continue
		}
		cmd := childCommand(map[string]string{"child": "ask", "grandchild": "through"}[who], path)
		cmd.Stdout = os.Stdout
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	return nil
}
