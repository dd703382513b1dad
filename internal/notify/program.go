package notify

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"time"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// programTime is how long a program may take to tell one notice.
const programTime = 10 * time.Second

// maxComplaint bounds what is kept of what a program says on stderr.
const maxComplaint = 1 << 10

// Program runs a program for each notice, one at a time, with the notice as one line
// of JSON on its standard input. What it prints on its standard output goes nowhere.
type Program struct {
	argv []string
	time time.Duration
}

// NewProgram returns the medium that runs argv, which is not given to a shell. Its
// first word is a path or is found on the PATH.
func NewProgram(argv []string) *Program { return &Program{argv: argv, time: programTime} }

// Name implements Medium.
func (p *Program) Name() string { return p.argv[0] }

// Tell implements Medium.
func (p *Program) Tell(ctx context.Context, n Notice) error {
	line, err := wire.Marshal(n)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, p.time)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.argv[0], p.argv[1:]...)
	ownGroup(cmd)
	cmd.WaitDelay = time.Second // for children of it that hold the pipes
	cmd.Stdin = bytes.NewReader(append(line, '\n'))
	complaint := &head{most: maxComplaint}
	cmd.Stderr = complaint
	err = cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() == context.DeadlineExceeded:
		err = fmt.Errorf("it took longer than %s and was killed", p.time)
	}
	if len(complaint.kept) > 0 {
		return fmt.Errorf("%w: %s", err, card.Visible(string(complaint.kept)))
	}
	return err
}

// head keeps the beginning of what is written to it.
type head struct {
	most int
	kept []byte
}

func (h *head) Write(p []byte) (int, error) {
	h.kept = append(h.kept, p[:min(len(p), h.most-len(h.kept))]...)
	return len(p), nil
}
