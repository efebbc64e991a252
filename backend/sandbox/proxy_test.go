package sandbox

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMain lets this binary be the helper that the sandbox starts in a run's namespaces.
func TestMain(m *testing.M) {
	if code, helped := Helper(os.Args, os.Stderr); helped {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

func TestPublicAddresses(t *testing.T) {
	for a, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "127.0.0.1": false, "::1": false, "10.1.2.3": false, "172.20.0.1": false, "192.168.1.1": false,
		"169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false, "0.1.2.3": false, "224.0.0.1": false, "255.255.255.255": false,
		"fe80::1": false, "fd00::1": false, "64:ff9b::7f00:1": false, "2002:7f00:1::": false, "::ffff:127.0.0.1": false, "198.18.0.1": false,
	} {
		if got := public(netip.MustParseAddr(a).Unmap()); got != want {
			t.Errorf("public(%s) = %v, want %v", a, got, want)
		}
	}
}

func TestProxyPermits(t *testing.T) {
	p := &Proxy{Allow: []string{"registry.example.org", "127.0.0.1", "2130706433"}, Fixed: map[string]string{"registry.example.org:8443": "127.0.0.1:1"}}
	for _, tt := range []struct {
		host, port string
		connect    bool
		want       bool
	}{
		{"registry.example.org", "443", true, true}, {"registry.example.org", "80", false, true}, {"registry.example.org", "80", true, false},
		{"registry.example.org", "22", true, false}, {"registry.example.org", "443", false, false}, {"registry.example.org", "8443", true, true},
		{"other.example.org", "443", true, false}, {"evil-registry.example.org", "443", true, false}, {"registry.example.org.evil.net", "443", true, false},
		{"127.0.0.1", "443", true, false}, {"2130706433", "443", true, false}, {"0x7f.1", "443", true, false}, {"::1", "443", true, false}, {"", "443", true, false},
	} {
		if got := p.permits(tt.host, tt.port, tt.connect) == nil; got != tt.want {
			t.Errorf("permits(%s:%s, tunnel %v) = %v, want %v", tt.host, tt.port, tt.connect, got, tt.want)
		}
	}
}

// served runs a proxy on the host's loopback, as the run's programs would see it on theirs.
func served(t *testing.T, p *Proxy) *http.Transport {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.serve(l))
	at := &url.URL{Scheme: "http", Host: l.Addr().String()}
	tr := &http.Transport{Proxy: http.ProxyURL(at), TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // the certificate is the stand-in's
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

func TestProxyFilters(t *testing.T) {
	t.Parallel()
	body := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "host ", r.Host) }
	secure, plain := httptest.NewTLSServer(http.HandlerFunc(body)), httptest.NewServer(http.HandlerFunc(body))
	defer secure.Close()
	defer plain.Close()
	var refusals Refusals
	tr := served(t, &Proxy{Allow: []string{"good.test", "localhost"}, Refused: refusals.Add, Fixed: map[string]string{
		"good.test:443": secure.Listener.Addr().String(), "good.test:80": plain.Listener.Addr().String()}})
	get := func(u string) (int, string) {
		resp, err := tr.RoundTrip(must(http.NewRequestWithContext(t.Context(), http.MethodGet, u, nil)))
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	if code, text := get("https://good.test/x"); code != 200 || text != "host good.test" {
		t.Errorf("an allowed host over TLS: %d %s", code, text)
	}
	if code, text := get("http://good.test/x"); code != 200 || text != "host good.test" {
		t.Errorf("an allowed host in plain: %d %s", code, text)
	}
	for u, why := range map[string]string{
		"https://bad.test/": "not on the list", "http://bad.test/": "not on the list", "https://good.test:22/": "port other than 443",
		"http://127.0.0.1/": "address instead of a name", "https://localhost/": "this machine or a private network",
	} {
		if code, text := get(u); code == 200 || code == 0 && !strings.Contains(text, "Forbidden") {
			t.Errorf("%s: %d %s", u, code, text)
		}
		found := false
		for _, c := range refusals.All() {
			found = found || strings.Contains(c.Reason, why)
		}
		if !found {
			t.Errorf("%s: no refusal says %q: %+v", u, why, refusals.All())
		}
	}
	// A tunnel to an allowed host in which another is asked for.
	front := tr.Clone()
	front.TLSClientConfig.ServerName = "evil.test"
	if resp, err := front.RoundTrip(must(http.NewRequestWithContext(t.Context(), http.MethodGet, "https://good.test/", nil))); err == nil {
		resp.Body.Close()
		t.Error("a handshake that names another host was let through")
	}
	all := refusals.All()
	if last := all[len(all)-1]; last.Host != "good.test" || !strings.Contains(last.Reason, `"evil.test"`) {
		t.Errorf("the last refusal is %+v", last)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestProxyTakesNothingButTLS refuses a tunnel that is used for something else.
func TestProxyTakesNothingButTLS(t *testing.T) {
	t.Parallel()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var refusals Refusals
	p := &Proxy{Allow: []string{"good.test"}, Refused: refusals.Add, Fixed: map[string]string{"good.test:443": server.Addr().String()}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer p.serve(l)()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "CONNECT good.test:443 HTTP/1.1\r\nHost: good.test:443\r\n\r\nSSH-2.0-x and some more text\r\n")
	b, _ := io.ReadAll(c)
	if got := string(b); got != "HTTP/1.1 200 OK\r\n\r\n" || len(refusals.All()) != 1 || refusals.All()[0].Reason != "no TLS handshake" {
		t.Errorf("answers %q, refused %+v", got, refusals.All())
	}
}

// proxyScript tries, inside a run, one address in four ways.
const proxyScript = `import os, socket, sys, urllib.request
print(urllib.request.urlopen("http://good.test/x", timeout=10).read().decode())
try:
    urllib.request.urlopen("http://bad.test/x", timeout=10)
except urllib.error.HTTPError as e:
    print("refused", e.code)
for a in (("127.0.0.1", int(sys.argv[1])), ("1.1.1.1", 53), ("good.test", 80)):
    try:
        socket.create_connection(a, 2)
        print("reached", a)
    except OSError:
        print("held")
`

// TestProxyInRun gives a run a proxy on each runtime that can have one: the named host is reached, and nothing else is,
// not even the host's loopback on which the stand-in for the named host listens.
func TestProxyInRun(t *testing.T) {
	for _, name := range []string{"crun", "runc", "bwrap"} {
		t.Run(name, func(t *testing.T) {
			b := openFor(t, name)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "served ", r.Host) }))
			defer server.Close()
			var refusals Refusals
			_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
			spec := Spec{Args: []string{"/usr/bin/python3", "-c", proxyScript, port},
				Proxy: &Proxy{Allow: []string{"good.test"}, Refused: refusals.Add, Fixed: map[string]string{"good.test:80": server.Listener.Addr().String()}}}
			res := b.run(t, spec)
			if want := "served good.test\nrefused 403\nheld\nheld\nheld\n"; string(res.Stdout) != want {
				t.Errorf("exit %d, %q, want %q\n%s", res.ExitCode, res.Stdout, want, res.Stderr)
			}
			if all := refusals.All(); len(all) != 1 || all[0].Host != "bad.test" || all[0].Port != "80" {
				t.Errorf("refused %+v", all)
			}
			// The next run has no proxy again.
			res = b.run(t, Spec{Args: sh(`echo "${http_proxy:-none}"; python3 -c 'import socket; socket.create_connection(("127.0.0.1", 3128), 2)' 2>/dev/null && echo reached`)})
			if string(res.Stdout) != "none\n" {
				t.Errorf("a run without a proxy says %q", res.Stdout)
			}
		})
	}
}

// TestProxyListensByHelper takes the way of those who are not root: this binary is started in the run's namespaces.
func TestProxyListensByHelper(t *testing.T) {
	b := openFor(t, "bwrap")
	if _, err := locate("nsenter", ""); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	sleep := sleepOf(os.Getpid())
	spec := Spec{Args: strings.Fields(sleep), Workspace: b.folder(t, nil), Limits: Limits{Wall: 5 * time.Minute}}
	go func() { defer close(done); _, _ = b.sb.Run(ctx, spec) }()
	defer func() { cancel(); <-done }()
	var pid int
	until(t, "the run is seen", func() bool {
		pid = childOf(sleep)
		return pid != 0
	})
	same, err := inOurNamespace(pid, "user")
	if err != nil {
		t.Fatal(err)
	}
	l, err := listenByHelper(t.Context(), pid, same)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
		c.Close()
		t.Error("the socket listens in the host's network")
	}
	if !strings.HasSuffix(l.Addr().String(), ":"+proxyPort) {
		t.Errorf("listens on %s", l.Addr())
	}
}

// childOf finds a process by its whole command line; 0 none.
func childOf(line string) int {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		b, err := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if err == nil && strings.TrimSuffix(strings.ReplaceAll(string(b), "\x00", " "), " ") == line {
			var pid int
			fmt.Sscan(e.Name(), &pid)
			return pid
		}
	}
	return 0
}
