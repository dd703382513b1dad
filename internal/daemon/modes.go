package daemon

import "github.com/approvald/approvald/internal/approval"

// Modes are the mode of sessions that ask for none and the widest one that
// anyone may choose, as they were sealed at the start (policy.md "Ceilings").
func (d *Daemon) Modes() (mode, ceiling approval.Mode) { return d.cfg.Mode, d.cfg.Ceiling }
