package inspect

import (
	"path"
	"strings"
)

// Contains reports whether file is root or lies below it, by components: /srv/app contains
// /srv/app/x and not /srv/app2. Both must be real paths, as File and Dir return them; it is false for
// a path that is not absolute and clean, because such a text does not say where it leads.
func Contains(root, file string) bool {
	if !path.IsAbs(root) || !path.IsAbs(file) || path.Clean(root) != root || path.Clean(file) != file {
		return false
	}
	if root == "/" {
		return true
	}
	rest, below := strings.CutPrefix(file, root)
	return below && (rest == "" || rest[0] == '/')
}
