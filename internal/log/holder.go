package log

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// holderFile names the process that holds the state directory (protocol §1).
// It is there for people and for clients that look for the daemon; what counts
// is the lock.
const holderFile = "daemon.json"

// Holder is the content of daemon.json. The zero Holder is a process of which
// nothing is known.
type Holder struct {
	PID       int
	Version   string
	StartedAt time.Time // written in UTC, to the millisecond
}

// holderJSON is the written form of a Holder.
type holderJSON struct {
	PID       int    `json:"pid"`
	Version   string `json:"version"`
	StartedAt string `json:"startedAt"`
}

// String names the holder inside a sentence.
func (h Holder) String() string {
	if h.PID == 0 {
		return "a process that cannot be named from here"
	}
	return fmt.Sprintf("process %d (approvald %s, since %s)",
		h.PID, h.Version, h.StartedAt.UTC().Format(timeLayout))
}

// writeHolder replaces dir's daemon.json. The caller has the lock. It waits for
// no sync: a holder does not outlive its machine.
func writeHolder(dir string, h Holder) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(holderJSON{h.PID, h.Version, h.StartedAt.UTC().Format(timeLayout)}); err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, holderFile), buf.Bytes())
}

// namedHolder returns who daemon.json names, if that process is alive. A file
// that is missing, unreadable or left by a killed daemon names nobody; members
// that it has beyond ours are a later version's business.
func namedHolder(dir string) (Holder, bool) {
	data, err := os.ReadFile(filepath.Join(dir, holderFile))
	if err != nil {
		return Holder{}, false
	}
	var j holderJSON
	if err := json.Unmarshal(data, &j); err != nil || !alive(j.PID) {
		return Holder{}, false
	}
	started, err := time.Parse(time.RFC3339, j.StartedAt)
	if err != nil {
		return Holder{}, false
	}
	return Holder{PID: j.PID, Version: j.Version, StartedAt: started}, true
}

// alive reports whether pid is a process that this one can see, its own
// child that ended but was not waited for included.
func alive(pid int) bool {
	if pid <= 0 { // kill(2) gives these another meaning
		return false
	}
	err := unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}
