package tolerance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// binary is approvald as it is built for everyone.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "approvald-tolerance")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "approvald")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "github.com/approvald/approvald/cmd/approvald")
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v: %s", err, out))
	}
	// No goroutine is left when all tests have ended what they started. It ends the process.
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := os.RemoveAll(dir); err != nil {
			panic(err)
		}
		os.Exit(code)
	}))
}
