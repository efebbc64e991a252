package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Proxy lets one run reach a few named hosts and nothing else. The run keeps its own network, which has no way out; in it
// listens a socket of ours, made there from outside, behind which this filter answers. It lets through HTTPS to port 443
// whose handshake names the same host as the request, and plain HTTP to port 80; addresses instead of names, other ports,
// and names that resolve to this machine or a private network are refused. Each name is resolved once, here, and that
// address is dialled. What is said inside a tunnel is the client's and the host's alone: a host on the list that passes
// requests on to others, or keeps what it is sent, is trusted with that.
type Proxy struct {
	Allow   []string      // host names, matched whole, in lower case
	Refused func(Refusal) // called for each refusal, from any goroutine; nil none
	// Fixed names the address that is dialled for a HOST:PORT, without any check of address or port. For tests.
	Fixed map[string]string

	lookup func(ctx context.Context, host string) ([]netip.Addr, error) // nil the machine's resolver
}

// Refusal is one connection that was not let through.
type Refusal struct {
	Host   string `json:"host"`
	Port   string `json:"port"`
	Reason string `json:"reason"`
}

// proxyPort is where the proxy listens on the sandbox's own loopback. The network is the run's alone, so that the port is
// free.
const proxyPort = "3128"

// proxyEnv is how programs are told. The names in both cases: curl reads one only, others the other.
func proxyEnv() map[string]string {
	at := "http://127.0.0.1:" + proxyPort
	return map[string]string{
		"HTTP_PROXY": at, "http_proxy": at, "HTTPS_PROXY": at, "https_proxy": at,
		"NO_PROXY": "localhost,127.0.0.1", "no_proxy": "localhost,127.0.0.1",
	}
}

// Bounds of the proxy's patience.
const (
	proxyDial      = 15 * time.Second
	proxyHandshake = 10 * time.Second
	proxyConns     = 64  // answered at once; installers use up to about fifty
	proxyOpen      = 256 // connections, each of which costs a file of ours; more are closed at once
	proxyIdle      = 30 * time.Second
	proxyHeader    = 64 << 10 // bytes
)

// serve answers on l until stop is called, which also ends every connection and waits for it.
func (p *Proxy) serve(l net.Listener) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	h := &proxyHandler{proxy: p, slots: make(chan struct{}, proxyConns)}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: proxyHandshake, IdleTimeout: proxyIdle, MaxHeaderBytes: proxyHeader, ConnState: h.count,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(l) // ends by stop
	}()
	return func() {
		cancel()
		_ = srv.Close() // its connections end with the run anyhow
		<-done
		h.open.Wait()
	}
}

type proxyHandler struct {
	proxy *Proxy
	slots chan struct{}
	open  sync.WaitGroup
	conns atomic.Int64 // open connections of clients
}

// count bounds the connections. One that became a tunnel is counted until the tunnel ends.
func (h *proxyHandler) count(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if h.conns.Add(1) > proxyOpen {
			c.Close()
		}
	case http.StateClosed:
		h.conns.Add(-1)
	}
}

func (h *proxyHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.open.Add(1)
	defer h.open.Done()
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-r.Context().Done():
		return
	}
	host, port, err := target(r)
	if err == nil {
		err = h.proxy.permits(host, port, r.Method == http.MethodConnect)
	}
	var address string
	if err == nil {
		address, err = h.proxy.resolve(r.Context(), host, port)
	}
	if err != nil {
		h.refuse(host, port, err)
		http.Error(w, "refused by Redgreen: "+err.Error(), http.StatusForbidden)
		return
	}
	if r.Method == http.MethodConnect {
		h.tunnel(w, r, host, port, address)
		return
	}
	forward(w, r, host, address)
}

func (h *proxyHandler) refuse(host, port string, err error) {
	if h.proxy.Refused != nil {
		h.proxy.Refused(Refusal{Host: host, Port: port, Reason: err.Error()})
	}
}

// target is the host and port that a request asks for.
func target(r *http.Request) (host, port string, err error) {
	if r.Method == http.MethodConnect {
		host, port, err = net.SplitHostPort(r.Host)
	} else {
		if r.URL.Scheme != "http" || r.URL.Host == "" {
			return r.Host, "", errors.New("only http:// and CONNECT are answered")
		}
		host, port = r.URL.Hostname(), r.URL.Port()
		if port == "" {
			port = "80"
		}
	}
	return strings.ToLower(strings.TrimSuffix(host, ".")), port, err
}

// permits judges by name and port.
func (p *Proxy) permits(host, port string, connect bool) error {
	if _, err := netip.ParseAddr(host); err == nil || !strings.ContainsAny(host, "abcdefghijklmnopqrstuvwxyz") {
		return errors.New("an address instead of a name")
	}
	if !slices.Contains(p.Allow, host) {
		return errors.New("the host is not on the list")
	}
	if _, ok := p.Fixed[net.JoinHostPort(host, port)]; ok {
		return nil
	}
	if connect && port != "443" {
		return errors.New("a tunnel to a port other than 443")
	}
	if !connect && port != "80" {
		return errors.New("plain HTTP to a port other than 80")
	}
	return nil
}

// resolve gives the one address to dial.
func (p *Proxy) resolve(ctx context.Context, host, port string) (string, error) {
	if a, ok := p.Fixed[net.JoinHostPort(host, port)]; ok {
		return a, nil
	}
	ctx, cancel := context.WithTimeout(ctx, proxyDial)
	defer cancel()
	lookup := p.lookup
	if lookup == nil {
		lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	all, err := lookup(ctx, host)
	if err != nil {
		return "", fmt.Errorf("the name does not resolve: %w", err)
	}
	for _, a := range all {
		if a = a.Unmap(); public(a) {
			return net.JoinHostPort(a.String(), port), nil
		}
	}
	return "", errors.New("the name resolves to this machine or a private network")
}

// notPublic are ranges of the special-purpose registries (RFC 6890) that Go's own predicates leave out: this network,
// shared address space, protocol assignments, documentation, benchmarking, reserved, and the prefixes that carry an IPv4
// address.
func notPublic() []netip.Prefix {
	var all []netip.Prefix
	for _, s := range []string{"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "::/96", "100::/64", "2001:db8::/32", "3fff::/20", "5f00::/16", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "fec0::/10"} {
		all = append(all, netip.MustParsePrefix(s))
	}
	return all
}

func public(a netip.Addr) bool {
	return a.IsGlobalUnicast() && !a.IsPrivate() && !slices.ContainsFunc(notPublic(), func(p netip.Prefix) bool { return p.Contains(a) })
}

// tunnel joins the client with the host once the client has begun a handshake that names it: content delivery networks
// would serve another of their customers to one who asks them for it.
func (h *proxyHandler) tunnel(w http.ResponseWriter, r *http.Request, host, port, address string) {
	var d net.Dialer
	ctx, cancel := context.WithTimeout(r.Context(), proxyDial)
	server, err := d.DialContext(ctx, "tcp", address)
	cancel()
	if err != nil {
		http.Error(w, "the host does not answer: "+err.Error(), http.StatusBadGateway)
		return
	}
	defer server.Close()
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer h.conns.Add(-1)
	defer client.Close()
	defer context.AfterFunc(r.Context(), func() { client.Close(); server.Close() })()
	if _, err := io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	_ = client.SetDeadline(time.Now().Add(proxyHandshake))
	hello, name, err := readHello(io.MultiReader(io.LimitReader(buffered, int64(buffered.Reader.Buffered())), client))
	if err == nil && !strings.EqualFold(name, host) {
		err = fmt.Errorf("the handshake names %q", name)
	}
	if err != nil {
		h.refuse(host, port, err)
		return
	}
	_ = client.SetDeadline(time.Time{})
	if _, err := server.Write(hello); err != nil {
		return
	}
	join(client, server)
}

// join copies both ways until both have ended.
func join(a, b net.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		copyHalf(a, b)
	}()
	copyHalf(b, a)
	<-done
}

// copyHalf copies to the end and says so to the reader, who may still answer.
func copyHalf(to, from net.Conn) {
	_, err := io.Copy(to, from)
	if c, ok := to.(*net.TCPConn); ok && err == nil {
		_ = c.CloseWrite()
		return
	}
	to.Close()
	from.Close()
}

// forward answers a plain request from the address alone. The host that the request names in its line counts, not
// another in its header.
func forward(w http.ResponseWriter, r *http.Request, host, address string) {
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			d := net.Dialer{Timeout: proxyDial}
			return d.DialContext(ctx, "tcp", address)
		},
		DisableKeepAlives: true, DisableCompression: true,
	}
	rp := &httputil.ReverseProxy{Transport: transport, FlushInterval: -1, Rewrite: func(p *httputil.ProxyRequest) {
		p.Out.Host = host
		if port := p.In.URL.Port(); port != "" && port != "80" {
			p.Out.Host = net.JoinHostPort(host, port)
		}
		p.Out.Header.Del("Upgrade")
	}, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, "the host does not answer: "+err.Error(), http.StatusBadGateway)
	}}
	rp.ServeHTTP(w, r)
}

// Count is a refusal and how often it came.
type Count struct {
	Refusal
	Times int `json:"times"`
}

// refusalsMost bounds what one run may fill a log with.
const refusalsMost = 200

// Refusals collects what a Proxy refused, each kind once. The zero value is ready; safe for concurrent use.
type Refusals struct {
	mu  sync.Mutex
	all []Count
}

// Add is a Proxy's Refused.
func (r *Refusals) Add(x Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.IndexFunc(r.all, func(c Count) bool { return c.Refusal == x }); i >= 0 {
		r.all[i].Times++
		return
	}
	if len(x.Host) > 255 {
		x.Host = strings.ToValidUTF8(x.Host[:255], "")
	}
	if _, err := strconv.Atoi(x.Port); err != nil {
		x.Port = ""
	}
	if len(r.all) < refusalsMost {
		r.all = append(r.all, Count{Refusal: x, Times: 1})
	}
}

// All lists them in the order of their first time, never nil.
func (r *Refusals) All() []Count {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Count{}, r.all...)
}
