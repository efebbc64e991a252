package app

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// testAssets are a page and a sample of the size of a test.
func testAssets() Assets {
	return Assets{
		Page: fstest.MapFS{"index.html": {Data: []byte("<!doctype html><head><title>Redgreen</title></head>")}, "a.js": {Data: []byte("1")}},
		Sample: fstest.MapFS{
			"testdata/repos/invoice/total.py":     {Data: []byte("def total():\n    return 1\n")},
			"testdata/repos/invoice.task.json":    {Data: []byte(`{"name":"invoice","task":"the total is wrong"}`)},
			"testdata/repos/invoice.script.jsonl": {Data: []byte("{\"text\":\"hello\"}\n")},
		},
	}
}

func testEnv(home string) func(string) string {
	return func(name string) string {
		if name == "REDGREEN_HOME" {
			return home
		}
		return ""
	}
}

func testCore(t *testing.T) *core {
	t.Helper()
	c, err := newCore(testAssets(), testEnv(t.TempDir()), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// startServe runs the window on a free port and gives its one-time address.
func startServe(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	urls, done := make(chan string, 1), make(chan error, 1)
	c := testCore(t)
	go func() { done <- serve(ctx, c, "127.0.0.1:0", startup{}, func(u string) { urls <- u }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	select {
	case u := <-urls:
		return u
	case err := <-done:
		done <- err
		t.Fatal(err)
		return ""
	}
}

func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, Timeout: 2 * time.Minute}
}

func do(t *testing.T, c *http.Client, method, url, body string, header map[string]string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		if k == "Host" {
			req.Host = v
		} else {
			req.Header.Set(k, v)
		}
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// TestServeLetsOneBrowserIn: the address opens the window once, and nothing works without it.
func TestServeLetsOneBrowserIn(t *testing.T) {
	t.Parallel()
	address := startServe(t)
	base, _, _ := strings.Cut(address, "?")
	stranger, mine, late := browser(t), browser(t), browser(t)

	for _, path := range []string{"", "shim.js", "a.js", "api/events", "?token=WRONG"} {
		if status, _ := do(t, stranger, "GET", base+path, "", nil); status != http.StatusUnauthorized {
			t.Errorf("a stranger got %d for /%s", status, path)
		}
	}
	if status, _ := do(t, stranger, "POST", base+"api/call/Boot", "[]", nil); status != http.StatusUnauthorized {
		t.Errorf("a stranger could call: %d", status)
	}
	status, page := do(t, mine, "GET", address, "", nil)
	if status != http.StatusOK || !strings.Contains(page, `<head><script src="shim.js"></script>`) {
		t.Fatalf("the address gave %d: %s", status, page)
	}
	if status, _ := do(t, mine, "GET", address, "", nil); status != http.StatusOK {
		t.Errorf("reloading the old address in the same browser gave %d", status)
	}
	if status, _ := do(t, late, "GET", address, "", nil); status != http.StatusUnauthorized {
		t.Errorf("the address worked a second time: %d", status)
	}
	if status, _ := do(t, mine, "GET", base+"a.js", "", nil); status != http.StatusOK {
		t.Errorf("a file of the page gave %d", status)
	}
	elsewhere, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere.Path = "/"
	if got := mine.Jar.Cookies(elsewhere); len(got) != 0 {
		t.Errorf("the cookie is given to other paths of the host: %v", got)
	}
	status, body := do(t, mine, "POST", base+"api/call/Boot", "[]", nil)
	var boot Boot
	if err := json.Unmarshal([]byte(body), &boot); status != http.StatusOK || err != nil || boot.Version != Version {
		t.Errorf("Boot gave %d, %v: %s", status, err, body)
	}

	hostile := []struct {
		name   string
		header map[string]string
	}{
		{"another name for loopback (DNS rebinding)", map[string]string{"Host": "evil.example"}},
		{"another site's script", map[string]string{"Origin": "http://evil.example"}},
		{"a null origin", map[string]string{"Origin": "null"}},
		{"a cross-site fetch", map[string]string{"Sec-Fetch-Site": "cross-site"}},
		{"another port of the same host", map[string]string{"Sec-Fetch-Site": "same-site"}},
	}
	for _, h := range hostile {
		if status, _ := do(t, mine, "POST", base+"api/call/Boot", "[]", h.header); status != http.StatusForbidden {
			t.Errorf("%s: got %d, want 403", h.name, status)
		}
	}
}

func TestServeCalls(t *testing.T) {
	t.Parallel()
	address := startServe(t)
	base, _, _ := strings.Cut(address, "?")
	mine := browser(t)
	do(t, mine, "GET", address, "", nil)
	cases := []struct {
		name, method, call, args string
		status                   int
		code                     Code
	}{
		{"unknown call", "POST", "Nothing", `[]`, 422, NotFound},
		{"too few arguments", "POST", "OpenFolder", `[]`, 422, Invalid},
		{"wrong type", "POST", "OpenFolder", `[1]`, 422, Invalid},
		{"no array", "POST", "OpenFolder", `{}`, 400, Invalid},
		{"broken JSON", "POST", "OpenFolder", `["`, 400, Invalid},
		{"absent folder", "POST", "OpenFolder", `["/no/such/folder"]`, 422, NotFound},
		{"no dialog in a browser", "POST", "PickFolder", `[]`, 422, Unavailable},
		{"unknown session", "POST", "Session", `["nope"]`, 422, NotFound},
		{"empty task", "POST", "StartTask", `[{"folder":"/","text":"  "}]`, 422, Invalid},
		{"a long record", "POST", "ImportSession", `["` + strings.Repeat("a", 9<<20) + `"]`, 422, Invalid},
		{"too long", "POST", "ImportSession", `["` + strings.Repeat("a", callMost) + `"]`, 413, Limit},
		{"reading by GET", "GET", "Boot", ``, 405, ""},
	}
	for _, c := range cases {
		status, body := do(t, mine, c.method, base+"api/call/"+c.call, c.args, nil)
		var e Error
		if c.code != "" {
			if err := json.Unmarshal([]byte(body), &e); err != nil {
				t.Errorf("%s: %v: %s", c.name, err, body)
			}
		}
		if status != c.status || e.Code != c.code {
			t.Errorf("%s: got %d %q (%.1000s), want %d %q", c.name, status, e.Code, body, c.status, c.code)
		}
	}
}

func TestServeStreamsEvents(t *testing.T) {
	t.Parallel()
	c := testCore(t)
	srv := newServer(c.assets.Page, "127.0.0.1:1")
	h, err := newHost(c, "browser", srv.send, nil, startup{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	rec := &pipeWriter{header: http.Header{}, w: w}
	req, err := http.NewRequestWithContext(ctx, "GET", "/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { srv.events(rec, req); close(ended); w.Close() }()
	lines := bufio.NewScanner(r)
	if !lines.Scan() || lines.Text() != ": open" {
		t.Fatalf("the stream began with %q", lines.Text())
	}
	lines.Scan()
	srv.send("phase", map[string]string{"text": "Running the tests"})
	if lines.Scan(); lines.Text() != `data: {"name":"phase","payload":{"text":"Running the tests"}}` {
		t.Errorf("got %q", lines.Text())
	}
	go io.Copy(io.Discard, r)
	cancel()
	<-ended
}

// pipeWriter is a ResponseWriter that can be read while it is written.
type pipeWriter struct {
	header http.Header
	w      *io.PipeWriter
}

func (p *pipeWriter) Header() http.Header         { return p.header }
func (p *pipeWriter) WriteHeader(int)             {}
func (p *pipeWriter) Write(b []byte) (int, error) { return p.w.Write(b) }
func (p *pipeWriter) Flush()                      {}

func TestServeRefusesOtherAddresses(t *testing.T) {
	t.Parallel()
	err := serve(t.Context(), testCore(t), "0.0.0.0:0", startup{}, func(string) { t.Error("it served") })
	if err == nil || explain(err).Code != Denied {
		t.Errorf("got %v, want denied", err)
	}
}
