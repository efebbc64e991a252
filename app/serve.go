package app

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"time"
)

// shim defines in a browser what the window gives the page: window.go.app.App and window.runtime.
//
//go:embed shim.js
var shim string

// server is the window in a browser: loopback only, behind a one-time token.
type server struct {
	app    *App
	page   fs.FS
	host   string // HOST:PORT that requests must name
	root   string // /SECRET/ under which everything lies
	token  string // one-time, in the URL
	cookie string // the session that the token opens

	mu      sync.Mutex
	used    bool
	streams map[chan []byte]bool
}

// cookieName carries the port, since cookies of one host are shared by all its ports. Its path is the secret root, so that
// a browser gives it to another program of this machine only when it is led to the same path there; what remains is a
// program that listens on loopback and knows that path, which stands in the address bar and, by no-referrer, nowhere else.
func (s *server) cookieName() string {
	_, port, _ := net.SplitHostPort(s.host)
	return "redgreen-" + port
}

func newServer(page fs.FS, host string) *server {
	return &server{page: page, host: host, root: "/" + strings.ToLower(rand.Text()) + "/", token: rand.Text(), cookie: rand.Text(), streams: map[chan []byte]bool{}}
}

// url opens the window; it works once.
func (s *server) url() string { return "http://" + s.host + s.root + "?token=" + s.token }

// send gives an event to every open page. A page that does not read for long loses its stream and asks again by number.
func (s *server) send(name string, payload any) {
	data, err := json.Marshal(map[string]any{"name": name, "payload": payload})
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.streams {
		select {
		case c <- data:
		default:
			delete(s.streams, c)
			close(c)
		}
	}
}

// ServeHTTP lets only this window in: the Host must be ours (a name that was bound to loopback by an attacker's DNS is
// not), requests of other sites are refused, and everything needs the cookie that the token gave.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if !s.sameHost(r.Host) {
		http.Error(w, "this address is not the one that `redgreen serve` printed", http.StatusForbidden)
		return
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		http.Error(w, "requests of other sites are refused", http.StatusForbidden)
		return
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		http.Error(w, "requests of other origins are refused", http.StatusForbidden)
		return
	}
	path, ours := strings.CutPrefix(r.URL.Path, s.root)
	if token := r.URL.Query().Get("token"); token != "" && ours && path == "" && r.Method == http.MethodGet {
		s.enter(w, r, token)
		return
	}
	if !ours || !s.known(r) {
		http.Error(w, "this window needs the address that `redgreen serve` printed; it works once, so start `redgreen serve` again for a second browser", http.StatusUnauthorized)
		return
	}
	switch {
	case strings.HasPrefix(path, "api/call/"):
		s.call(w, r, strings.TrimPrefix(path, "api/call/"))
	case path == "api/events":
		s.events(w, r)
	case path == "shim.js":
		h.Set("Content-Type", "text/javascript; charset=utf-8")
		io.WriteString(w, shim)
	case path == "" || path == "index.html":
		s.index(w)
	default:
		http.StripPrefix(s.root, http.FileServerFS(s.page)).ServeHTTP(w, r)
	}
}

func (s *server) sameHost(host string) bool {
	_, port, _ := net.SplitHostPort(s.host)
	return host == s.host || host == "localhost:"+port || host == "127.0.0.1:"+port
}

// enter trades the token for the cookie, once; a page that holds the cookie already may load its old address again.
func (s *server) enter(w http.ResponseWriter, r *http.Request, token string) {
	s.mu.Lock()
	ok := !s.used && subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) == 1
	s.used = s.used || ok
	s.mu.Unlock()
	if !ok && !s.known(r) {
		http.Error(w, "this address was used already or is wrong; start `redgreen serve` again for a fresh one", http.StatusUnauthorized)
		return
	}
	if ok {
		http.SetCookie(w, &http.Cookie{Name: s.cookieName(), Value: s.cookie, Path: s.root, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	}
	http.Redirect(w, r, s.root, http.StatusSeeOther)
}

func (s *server) known(r *http.Request) bool {
	c, err := r.Cookie(s.cookieName())
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(s.cookie)) == 1
}

// index is the page with the shim before its own scripts.
func (s *server) index(w http.ResponseWriter) {
	data, err := fs.ReadFile(s.page, "index.html")
	if err != nil {
		http.Error(w, "this build holds no page; build it with `make build`", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	io.WriteString(w, strings.Replace(string(data), "<head>", `<head><script src="shim.js"></script>`, 1))
}

// callMost is the largest argument list of a call, in bytes: a record of another tool that is imported may be that long.
const callMost = 64 << 20

// call runs one method of App by name with a JSON array of arguments.
func (s *server) call(w http.ResponseWriter, r *http.Request, name string) {
	if r.Method != http.MethodPost {
		http.Error(w, "calls are POST requests", http.StatusMethodNotAllowed)
		return
	}
	var args []json.RawMessage
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, callMost)).Decode(&args)
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		reply(w, http.StatusRequestEntityTooLarge, fail(Limit, fmt.Sprintf("what was sent is larger than the %d MB that the window takes at once; send less, or import a file with: redgreen sessions import FILE", callMost>>20)))
		return
	}
	if err != nil {
		reply(w, http.StatusBadRequest, fail(Invalid, "reading the arguments: "+err.Error()))
		return
	}
	out, err := invoke(s.app, name, args)
	if err != nil {
		reply(w, http.StatusUnprocessableEntity, explain(err))
		return
	}
	reply(w, http.StatusOK, out)
}

func reply(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"code":"internal","message":"the answer could not be written"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(data)
}

// invoke calls an exported method of App: each takes plain values and gives (value, error) or error.
func invoke(app *App, name string, raw []json.RawMessage) (any, error) {
	m := reflect.ValueOf(app).MethodByName(name)
	if !m.IsValid() {
		return nil, fail(NotFound, fmt.Sprintf("there is no call %q", name))
	}
	t := m.Type()
	if len(raw) != t.NumIn() {
		return nil, fail(Invalid, fmt.Sprintf("%s takes %d arguments, not %d", name, t.NumIn(), len(raw)))
	}
	args := make([]reflect.Value, len(raw))
	for i, data := range raw {
		v := reflect.New(t.In(i))
		if err := json.Unmarshal(data, v.Interface()); err != nil {
			return nil, fail(Invalid, fmt.Sprintf("argument %d of %s: %v", i+1, name, err))
		}
		args[i] = v.Elem()
	}
	out := m.Call(args)
	if err, _ := out[len(out)-1].Interface().(error); err != nil {
		return nil, err
	}
	if len(out) == 1 {
		return nil, nil
	}
	return out[0].Interface(), nil
}

// events streams server-sent events until the page goes away.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "this connection cannot stream", http.StatusInternalServerError)
		return
	}
	c := make(chan []byte, 4096)
	s.mu.Lock()
	s.streams[c] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.streams, c)
		s.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	io.WriteString(w, ": open\n\n")
	flusher.Flush()
	beat := time.NewTicker(15 * time.Second) // keeps the stream from being taken for dead
	defer beat.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-beat.C:
			io.WriteString(w, ": beat\n\n")
		case data, ok := <-c:
			if !ok {
				return
			}
			fmt.Fprintf(w, "data: %s\n\n", data)
		}
		flusher.Flush()
	}
}

// notListening says why a port is not to be had, and what to do.
func notListening(addr string, err error) string {
	_, port, _ := net.SplitHostPort(addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Sprintf("port %s is in use by another program; choose another with --port, or leave it out to take any free one", port)
	case errors.Is(err, syscall.EACCES):
		return fmt.Sprintf("port %s is kept for the system's own services; choose one from 1024 up with --port", port)
	}
	return fmt.Sprintf("listening on %s: %v; choose another port with --port", addr, err)
}

// serve runs the window in a browser until ctx ends. ready is told the address.
func serve(ctx context.Context, c *core, addr string, s startup, ready func(url string)) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fail(Unavailable, notListening(addr, err))
	}
	if ip := l.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() {
		l.Close()
		return fail(Denied, "the window is served on loopback addresses only, since whoever reaches it can write into your folders")
	}
	srv := newServer(c.assets.Page, l.Addr().String())
	h, err := newHost(c, "browser", srv.send, nil, s)
	if err != nil {
		l.Close()
		return err
	}
	defer h.Close()
	srv.app = &App{h: h}
	hs := &http.Server{Handler: srv, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	served := make(chan error, 1)
	go func() { served <- hs.Serve(l) }()
	ready(srv.url())
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	if err := hs.Shutdown(stop); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
