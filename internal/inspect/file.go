package inspect

// File is what a path turned out to be.
type File struct {
	// Path is real: absolute and clean, every component's links resolved, the last one's too. For
	// what does not exist yet it is the real path of the nearest existing parent and the remaining
	// names.
	Path string

	// Requested is the path as it was given.
	Requested string

	// Exists says that something is at Path. Regular and Dir say what; a device, FIFO or socket is
	// neither.
	Exists, Regular, Dir bool

	// OfProcess says that the way to Path led through a process's own entry of /proc (a number, self,
	// thread-self), where the answer depends on who asks: /proc/self is this process here and the
	// agent there. Path must then not be taken for what the agent will reach (policy.md: everything
	// below /proc/<pid> is a hard denial).
	OfProcess bool
}

// File resolves requested, taken from the absolute directory cwd where it is relative; cwd may be
// empty where it is not. It fails for a path that could not be opened or created by any name: through
// a file as if it were a directory, through links in circles, into what cannot be looked at.
func (i *Inspector) File(requested, cwd string) (File, error) {
	at, err := i.locate(requested, cwd)
	if err != nil {
		return File{}, err
	}
	f := File{Path: at.path, Requested: requested, OfProcess: at.processes}
	if at.info != nil {
		f.Exists, f.Regular, f.Dir = true, at.info.Mode().IsRegular(), at.info.IsDir()
	}
	return f, nil
}
