package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// arrivals keeps what reached the one host that is allowed.
type arrivals struct {
	mu  sync.Mutex
	all []string
}

func (a *arrivals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a.mu.Lock()
	a.all = append(a.all, fmt.Sprintf("%s %s host=%s body=%q secret=%q", r.Method, r.URL, r.Host, body, r.Header.Get("Proxy-Authorization")+r.Header.Get("Upgrade")))
	a.mu.Unlock()
	if r.URL.Path == "/moved" {
		http.Redirect(w, r, "http://evil.test/", http.StatusFound)
	}
}

func (a *arrivals) take() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := a.all
	a.all = nil
	return all
}

// TestProxyAgainstHostileRequests says byte by byte what an installer's code may send, and what may come of it.
func TestProxyAgainstHostileRequests(t *testing.T) {
	t.Parallel()
	var came arrivals
	server := httptest.NewServer(&came)
	defer server.Close()
	p := &Proxy{Allow: []string{"good.test", "xn--gd-fka.test"}, Fixed: map[string]string{"good.test:80": server.Listener.Addr().String(), "good.test:443": server.Listener.Addr().String()},
		lookup: func(context.Context, string) ([]netip.Addr, error) {
			return nil, fmt.Errorf("no name is looked up here")
		}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer p.serve(l)()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	const end = "\r\nConnection: close\r\n\r\n"
	tests := []struct {
		name, request string
		status        string
		reached       []string // what the host saw
	}{
		{"plain", "GET http://good.test/a HTTP/1.1\r\nHost: good.test" + end, "200", []string{`GET /a host=good.test body="" secret=""`}},
		{"another host in the header", "GET http://good.test/a HTTP/1.1\r\nHost: evil.test" + end, "200", []string{`GET /a host=good.test body="" secret=""`}},
		{"a denied host with an allowed header", "GET http://evil.test/a HTTP/1.1\r\nHost: good.test" + end, "403", nil},
		{"origin form", "GET /a HTTP/1.1\r\nHost: good.test" + end, "403", nil},
		{"two host headers", "GET /a HTTP/1.1\r\nHost: good.test\r\nHost: evil.test" + end, "400", nil},
		{"https without a tunnel", "GET https://good.test/a HTTP/1.1\r\nHost: good.test" + end, "403", nil},
		{"another scheme", "GET ftp://good.test/a HTTP/1.1\r\nHost: good.test" + end, "403", nil},
		{"no host", "GET http:///a HTTP/1.1\r\nHost: good.test" + end, "403", nil},
		{"upper case", "GET HTTP://GOOD.Test/a HTTP/1.1\r\nHost: GOOD.test" + end, "200", []string{`GET /a host=good.test body="" secret=""`}},
		{"a dot at the end", "GET http://good.test./a HTTP/1.1\r\nHost: good.test." + end, "200", []string{`GET /a host=good.test body="" secret=""`}},
		{"two dots at the end", "GET http://good.test../a HTTP/1.1\r\nHost: x" + end, "403", nil},
		{"the allowed host as a user", "GET http://good.test@evil.test/a HTTP/1.1\r\nHost: good.test" + end, "403", nil},
		{"the allowed host as user and password", "GET http://good.test:80@evil.test/a HTTP/1.1\r\nHost: good.test" + end, "403", nil},
		{"a backslash", "GET http://evil.test\\@good.test/a HTTP/1.1\r\nHost: good.test" + end, "400", nil},
		{"a fragment", "GET http://evil.test#@good.test/a HTTP/1.1\r\nHost: good.test" + end, "400", nil},
		{"an escaped host", "GET http://good%2etest/a HTTP/1.1\r\nHost: x" + end, "400", nil},
		{"letters that look alike", "GET http://g\u043e\u043ed.test/a HTTP/1.1\r\nHost: x" + end, "403", nil},
		{"wide letters", "GET http://\uff47ood.test/a HTTP/1.1\r\nHost: x" + end, "403", nil},
		{"a NUL in the host", "GET http://good.test\x00.evil.test/a HTTP/1.1\r\nHost: x" + end, "400", nil},
		{"a host below", "GET http://evil.good.test/a HTTP/1.1\r\nHost: x" + end, "403", nil},
		{"a host beside", "GET http://evilgood.test/a HTTP/1.1\r\nHost: x" + end, "403", nil},
		{"another port", "GET http://good.test:" + port + "/a HTTP/1.1\r\nHost: x" + end, "403", nil},
		{"port 0", "GET http://good.test:0/a HTTP/1.1\r\nHost: x" + end, "403", nil},
		{"a port with a zero before", "GET http://good.test:080/a HTTP/1.1\r\nHost: x" + end, "403", nil},
		{"an address", "GET http://127.0.0.1:" + port + "/a HTTP/1.1\r\nHost: good.test" + end, "403", nil},
		{"the metadata service", "GET http://169.254.169.254/latest HTTP/1.1\r\nHost: good.test" + end, "403", nil},
		{"an address of IPv6", "GET http://[::1]/a HTTP/1.1\r\nHost: x" + end, "403", nil},
		{"an address with a zone", "GET http://[fe80::1%25good.test]/a HTTP/1.1\r\nHost: x" + end, "403", nil},
		{"an address as a number", "GET http://2130706433/a HTTP/1.1\r\nHost: x" + end, "403", nil},
		{"an address in hex", "GET http://0x7f000001/a HTTP/1.1\r\nHost: x" + end, "403", nil},
		{"the sandbox's own name", "GET http://localhost/a HTTP/1.1\r\nHost: x" + end, "403", nil},
		{"a redirect is the client's to follow", "GET http://good.test/moved HTTP/1.1\r\nHost: x" + end, "302", []string{`GET /moved host=good.test body="" secret=""`}},
		{"the proxy's own credentials", "GET http://good.test/a HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic c2VjcmV0" + end, "200", []string{`GET /a host=good.test body="" secret=""`}},
		{"an upgrade", "GET http://good.test/a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", "200", []string{`GET /a host=good.test body="" secret=""`}},
		{"chunks and a length", "POST http://good.test/a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\nGET http://evil.test/ HTTP/1.1\r\n\r\n", "", nil},
		{"two lengths", "POST http://good.test/a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 40" + end + "abcd", "400", nil},
		{"chunks spelt oddly", "POST http://good.test/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked" + end + "3\r\nabc\r\n0\r\n\r\n", "501", nil},
		{"a space before the colon", "GET http://good.test/a HTTP/1.1\r\nHost : evil.test" + end, "400", nil},
		{"a folded header", "GET http://good.test/a HTTP/1.1\r\nHost: x\r\n y: z" + end, "400", nil},
		{"a header without an end", "GET http://good.test/a HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("a", 1<<20), "431", nil},
		{"an address without an end", "GET http://good.test/" + strings.Repeat("a", 1<<20), "431", nil},
		{"HTTP/2 by prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "403", nil},
		{"no HTTP", "\x16\x03\x01\x02\x00\x01", "", nil},
		{"a tunnel to an address", "CONNECT 127.0.0.1:443 HTTP/1.1\r\nHost: good.test:443\r\n\r\n", "403", nil},
		{"a tunnel to an address of IPv6", "CONNECT [::ffff:127.0.0.1]:443 HTTP/1.1\r\nHost: good.test:443\r\n\r\n", "403", nil},
		{"a tunnel to another port", "CONNECT good.test:22 HTTP/1.1\r\nHost: good.test:443\r\n\r\n", "403", nil},
		{"a tunnel without a port", "CONNECT good.test HTTP/1.1\r\nHost: good.test:443\r\n\r\n", "403", nil},
		{"a tunnel to a denied host with an allowed header", "CONNECT evil.test:443 HTTP/1.1\r\nHost: good.test:443\r\n\r\n", "403", nil},
		{"a tunnel with a user", "CONNECT good.test:443@evil.test:443 HTTP/1.1\r\nHost: good.test:443\r\n\r\n", "403", nil},
		{"a tunnel by URL", "CONNECT http://evil.test:443/ HTTP/1.1\r\nHost: good.test:443\r\n\r\n", "403", nil},
		{"plain HTTP in a tunnel", "CONNECT good.test:443 HTTP/1.1\r\nHost: good.test\r\n\r\nGET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", "200", nil},
		{"a tunnel in a tunnel", "CONNECT good.test:443 HTTP/1.1\r\nHost: good.test\r\n\r\nCONNECT evil.test:443 HTTP/1.1\r\n\r\n", "200", nil},
	}
	for _, tt := range tests {
		answer := exchange(t, l.Addr().String(), tt.request)
		status := ""
		if f := strings.Fields(string(answer)); len(f) > 1 {
			status = f[1]
		}
		reached := came.take()
		if tt.name == "chunks and a length" { // both readings are safe: refused, or the chunks alone
			if len(reached) > 1 || len(reached) == 1 && reached[0] != `POST /a host=good.test body="abc" secret=""` {
				t.Errorf("%s: the host saw %q", tt.name, reached)
			}
			continue
		}
		if tt.status != "" && status != tt.status || !slices.Equal(reached, tt.reached) {
			t.Errorf("%s: status %q, the host saw %q; want %s and %q", tt.name, status, reached, tt.status, tt.reached)
		}
	}
}

// exchange sends bytes and reads until the other side ends or falls silent.
func exchange(t *testing.T, address, request string) []byte {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go func() { _, _ = io.WriteString(c, request) }()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	var b bytes.Buffer
	buf := make([]byte, 4096)
	for {
		n, err := c.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			return b.Bytes()
		}
		if n > 0 {
			_ = c.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
		}
	}
}

// TestProxyResolvesOnce holds that a name is looked up once, that the address which was judged is the one that is dialled,
// and that none inside is.
func TestProxyResolvesOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		answers []string
		want    string
	}{
		{[]string{"93.184.215.14"}, "93.184.215.14:443"}, {[]string{"10.0.0.1", "93.184.215.14"}, "93.184.215.14:443"}, {[]string{"::ffff:93.184.215.14"}, "93.184.215.14:443"},
		{[]string{"127.0.0.1"}, ""}, {[]string{"::1"}, ""}, {[]string{"169.254.169.254"}, ""}, {[]string{"fd00:ec2::254"}, ""}, {[]string{"192.168.0.1", "10.1.1.1"}, ""},
		{[]string{"::ffff:127.0.0.1"}, ""}, {[]string{"::127.0.0.1"}, ""}, {[]string{"64:ff9b::a9fe:a9fe"}, ""}, {[]string{"0.0.0.0"}, ""}, {[]string{"fe80::1%eth0"}, ""}, {nil, ""},
	} {
		asked := 0
		p := &Proxy{Allow: []string{"good.test"}, lookup: func(context.Context, string) ([]netip.Addr, error) {
			if asked++; asked > 1 { // a name that answers otherwise the second time
				return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
			}
			var all []netip.Addr
			for _, a := range tt.answers {
				all = append(all, netip.MustParseAddr(a))
			}
			return all, nil
		}}
		got, err := p.resolve(t.Context(), "good.test", "443")
		if got != tt.want || (err == nil) != (tt.want != "") || asked != 1 {
			t.Errorf("%q gives %q, %v, asked %d times; want %q", tt.answers, got, err, asked, tt.want)
		}
	}
}

// TestProxyBoundsConnections: those that only hold a connection open cost no more than proxyOpen files.
func TestProxyBoundsConnections(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer (&Proxy{}).serve(l)()
	var held []net.Conn
	defer func() {
		for _, c := range held {
			c.Close()
		}
	}()
	for range proxyOpen + 20 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	last := held[len(held)-1]
	_ = last.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := last.Read(make([]byte, 1)); err == nil || strings.Contains(err.Error(), "timeout") {
		t.Errorf("a connection beyond the bound is kept: %v", err)
	}
	for _, c := range held[:50] {
		c.Close()
	}
	until(t, "the places of closed connections are free", func() bool { // the server sees it a little later
		return strings.Contains(string(exchange(t, l.Addr().String(), "GET http://evil.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")), "403")
	})
}
