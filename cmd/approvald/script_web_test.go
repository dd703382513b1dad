package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// fetch FILE gets the address in a file, as a browser on this machine would, and prints
// the status and the page.
func fetchPage(ts *testscript.TestScript, _ bool, args []string) {
	address := strings.TrimSpace(ts.ReadFile(args[0]))
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, http.NoBody)
	ts.Check(err)
	transport := &http.Transport{DialContext: onThisMachine}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Do(request)
	ts.Check(err)
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	ts.Check(err)
	_, err = fmt.Fprintf(ts.Stdout(), "%s\n%s", answer.Status, page)
	ts.Check(err)
}

// onThisMachine knows the names of this machine that a resolver may not.
func onThisMachine(ctx context.Context, network, address string) (net.Conn, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
}
