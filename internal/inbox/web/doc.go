// Package web is the web inbox: pages on which a person sees what waits and decides it,
// served by the daemon itself.
//
// It is a client. What it knows of approvals it has from one connection in the role
// reviewer (feed.go) and, of who decided what, from the log (ledger.go). Every page is
// made here and works without script; one small module adds what arrives meanwhile.
//
// A request passes guard.go first: which host it names, where it comes from, whose it
// is. Text of others is a card.Text or is escaped by html/template, never markup.
package web
