package rulefile

// WatchWith is Watch with the timer given: after(d) begins to wait for d.
var WatchWith = watch

// StoreName is the name of a workspace's store.
var StoreName = storeName

// SameRule reports whether two rules say the same.
var SameRule = same
