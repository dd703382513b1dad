package inspect

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/approvald/approvald/internal/approval"
)

func makeFIFO(t *testing.T, name string) {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsNoFileIsSpecialOnTheRealFileSystem(t *testing.T) {
	dir := t.TempDir()
	makeFIFO(t, filepath.Join(dir, "fifo"))
	listener, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for name, want := range map[string]approval.TargetType{
		filepath.Join(dir, "fifo"): approval.TargetSpecial,
		filepath.Join(dir, "s"):    approval.TargetSpecial,
		"/dev/null":                approval.TargetSpecial,
		dir:                        approval.TargetDirectory,
		filepath.Join(dir, "none"): approval.TargetAbsent,
	} {
		if got := Host().Target(Spelled{Text: name}, ""); got.Type != want {
			t.Errorf("%s is %+v, want %s", name, got, want)
		}
	}
}

func TestHardLinksAreCountedOnTheRealFileSystem(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want := 1; want <= 3; want++ {
		if got := Host().Target(Spelled{Text: file}, ""); got.Links != want {
			t.Errorf("%d links, want %d", got.Links, want)
		}
		if err := os.Link(file, file+string(rune('0'+want))); err != nil {
			t.Fatal(err)
		}
	}
}
