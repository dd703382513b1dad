package audit

import (
	"errors"
	"fmt"
	"os"

	"github.com/approvald/approvald/internal/log"
)

// Backup copies the log at path to a new file (mode 0600) and verifies the
// copy, while a daemon may be writing the log (log.Snapshot says why that is
// sound). A file that exists is fs.ErrExist and left alone. If the copy does
// not hold it is removed, and the error is that of Verify.
func Backup(path, to string, copying, verifying Progress) (Report, error) {
	if err := log.Snapshot(path, to, copying); err != nil {
		return Report{}, err
	}
	r, err := log.OpenReader(to)
	if err != nil {
		return Report{}, errors.Join(fmt.Errorf("verify the copy: %w", err), os.Remove(to))
	}
	report, err := Verify(r, Options{Progress: verifying})
	if err := errors.Join(err, r.Close()); err != nil {
		return report, errors.Join(fmt.Errorf("verify the copy: %w", err), os.Remove(to))
	}
	return report, nil
}
