package daemon

// Get reads a record of the log, as it was written, for who tells what is in it.
func (d *Daemon) Get(seq uint64) ([]byte, error) { return d.store.Get(seq) }

// Scan calls fn for each record from sequence from on, ascending, as far as the log
// goes now. It waits for nobody and nobody waits for it. It must not be called when
// the daemon is closed.
func (d *Daemon) Scan(from uint64, fn func(seq uint64, value []byte) error) error {
	return d.store.Scan(from, fn)
}
