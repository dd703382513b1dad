package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/sequencer"
)

// certificate writes one for names, with its key, and returns both paths and the pool
// that trusts it.
func certificate(t *testing.T, names ...string) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: names, IPAddresses: []net.IP{net.IPv4(192, 0, 2, 7)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	pool.AddCert(leaf)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key, pool
}

// On an address that others can reach the inbox speaks TLS, goes by the names of its
// certificate and by no other, and its cookie is for TLS alone.
func TestAnInboxForOtherMachinesSpeaksTLS(t *testing.T) {
	cert, key, pool := certificate(t, "box.example", "*.box.example")
	clock := sequencer.SystemClock{}
	config := daemon.Config{
		StateDir: t.TempDir(), Homes: []string{}, NewID: daemon.Minter(rand.Reader, clock), Clock: clock, Ephemeral: true,
		Identity: rpc.Identity{Version: "test", Home: "/"}, Logger: slog.New(slog.DiscardHandler),
	}
	d, err := daemon.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	h := httpServing{address: "0.0.0.0:0", cert: cert, key: key}
	if err := h.check(&serving{}); err != nil {
		t.Fatal(err)
	}
	in, err := h.open(t.Context(), d, config)
	if err != nil {
		t.Fatal(err)
	}
	defer in.close()
	var said strings.Builder
	in.welcome(&said, &directories{})
	if !strings.Contains(said.String(), "https://box.example:") || !strings.Contains(said.String(), "with TLS") || strings.Contains(said.String(), "/enter/") {
		t.Errorf("it says %s", said.String())
	}
	link, _, err := in.door.link(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DialContext: onThisMachine, TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	for _, tt := range []struct {
		name, host string
		want       int
	}{
		{"by a pattern's name", "sub.box.example", 421}, {"by the name of loopback", "127.0.0.1", 421}, {"by its name", "", 200},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if tt.host != "" {
			request.Host = tt.host + ":" + request.URL.Port()
		}
		answer, err := transport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
		if answer.StatusCode != tt.want {
			t.Errorf("%s: %s, want %d", tt.name, answer.Status, tt.want)
		}
		if tt.want == 200 {
			c := answer.Cookies()[0]
			if !c.Secure || !strings.HasPrefix(c.Name, "__Host-") {
				t.Errorf("the cookie is %s", c)
			}
		}
	}
}
