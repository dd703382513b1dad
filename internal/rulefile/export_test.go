package rulefile

import "io/fs"

// WatchWith is Watch with the timer given: after(d) begins to wait for d.
var WatchWith = watch

// Judge is whether a file is trusted that must belong to one of owners.
func Judge(owners []int, owner, group int, mode fs.FileMode) string {
	return trust{owners: owners, who: "its owner"}.judge(owner, group, mode, "/etc/policy.toml")
}

// StoreName is the name of a workspace's store.
var StoreName = storeName

// SameRule reports whether two rules say the same.
var SameRule = same
