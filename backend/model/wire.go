package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Bounds of one exchange.
const (
	// Options.MaxBytes: a reply of 128,000 tokens, the most that any provider gives, is about 40 MB of events of 300 bytes.
	maxBytes = 128 << 20
	// The text of such a reply is about half a megabyte; more than this is no reply but a fault or an attack on memory.
	maxAnswer = 8 << 20
	// Local models are silent while they load and read a long prompt, so the first byte may take so many times Idle.
	firstByte = 5
)

var (
	errIdle  = errors.New("the server fell silent")
	errLarge = errors.New("the answer is larger than any model's reply")
	errCut   = errors.New("the stream ended before the reply was complete")
)

// remote is what the HTTP providers share: where the server is, its key, and what is needed of the outside.
type remote struct {
	provider string
	base     *url.URL
	keyName  string // the environment name of the key, "" none
	key      string
	secrets  []string                                   // what beside the key must not be shown
	sign     func(req *http.Request, body []byte) error // signs a request to the base URL's host; nil none
	accept   string                                     // the form of a stream, "" events
	down     string                                     // what a refused connection means, with %s for the address
	auth     func(h http.Header, key string)            // sets the headers of a request to the base URL's host
	o        Options
}

// newRemote reads the base URL (the person's own, or fallback) and the key.
func newRemote(o Options, provider, fallback, keyName string) (remote, error) {
	base, err := url.Parse(o.baseURL(provider, fallback))
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return remote{}, &Error{Invalid, provider, fmt.Sprintf(
			"the base URL of %s is no http or https URL: correct it in the settings", provider), nil}
	}
	r := remote{provider: provider, base: base, keyName: keyName, secrets: inURL(base), o: o}
	r.down = "nothing answers at %s: check the base URL, and that the server is running"
	if keyName != "" {
		r.key = trimKey(o.Key(keyName))
	}
	if r.key != "" && base.Scheme == "http" && !o.here(base.String()) {
		return remote{}, &Error{Denied, provider, fmt.Sprintf(
			"the key in %s is not sent to %s, because http is not encrypted: use an https base URL, or unset the key if the server needs none", keyName, base.Host), nil}
	}
	return r, nil
}

// inURL are the name, the password and the parameters of a URL: people put keys there too.
func inURL(u *url.URL) (secrets []string) {
	if u.User != nil {
		password, _ := u.User.Password()
		secrets = append(secrets, u.User.Username(), password)
	}
	for _, values := range u.Query() {
		secrets = append(secrets, values...)
	}
	return slices.DeleteFunc(secrets, func(s string) bool { return len(s) < leastSecret })
}

// leastSecret is how long what stands in a URL must be to be taken out of other text: a shorter one, such as v1, is part of
// words that are no secret.
const leastSecret = 8

// needKey refuses to ask the maker's own service, whose host this is, without a key; other servers may need none.
func (r *remote) needKey(host string) error {
	if r.key == "" && r.base.Host == host {
		return &Error{Denied, r.provider, r.keyHelp(), nil}
	}
	return nil
}

// wire carries one exchange over HTTP and remembers how it went, since Ollama's client tells neither a cut stream nor
// the headers of an error. It bounds silence and size, and gives the key to the base URL's own host only.
type wire struct {
	r      *remote
	status int
	header http.Header
	err    error // why reading the answer failed, nil at its end
}

// client is an http.Client over the wire. It follows no redirect: the prompt and the key are meant for one host.
func (w *wire) client() *http.Client {
	return &http.Client{Transport: w, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// direct goes past the proxy of the environment.
var direct = func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = nil
	return t
}()

// transport is what carries a request. What is for this machine is given to no proxy: it would leave the machine, with the
// key, unencrypted.
func (r *remote) transport() http.RoundTripper {
	switch {
	case r.o.HTTP.Transport != nil:
		return r.o.HTTP.Transport
	case r.o.here(r.base.String()):
		return direct
	}
	return http.DefaultTransport
}

// RoundTrip does one exchange.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	req = req.Clone(ctx)
	if w.r.auth != nil && req.URL.Host == w.r.base.Host && req.URL.Scheme == w.r.base.Scheme {
		w.r.auth(req.Header, w.r.key)
	}
	transport := w.r.transport()
	b := &body{w: w, ctx: ctx, cancel: cancel, left: w.r.o.MaxBytes}
	b.timer = time.AfterFunc(firstByte*w.r.o.Idle, func() { cancel(errIdle) })
	resp, err := transport.RoundTrip(req)
	if err != nil {
		b.stop()
		w.err = b.cause(err)
		return nil, w.err
	}
	w.status, w.header = resp.StatusCode, resp.Header
	b.ReadCloser, resp.Body = resp.Body, b
	if resp.StatusCode == http.StatusOK && strings.Contains(resp.Header.Get("Content-Type"), "html") {
		b.Close()
		w.err = &Error{Internal, w.r.provider, fmt.Sprintf("%s sends web pages, not an answer: correct the base URL, which often ends with /v1", w.r.url()), nil}
		return nil, w.err
	}
	return resp, nil
}

// body is an answer's body with its bounds.
type body struct {
	io.ReadCloser
	w      *wire
	ctx    context.Context // of this exchange alone; it ends with Close
	cancel context.CancelCauseFunc
	timer  *time.Timer
	left   int64
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		err = errLarge
	}
	if n > 0 {
		b.timer.Reset(b.w.r.o.Idle)
	}
	if err != nil && err != io.EOF {
		err = b.cause(err)
		b.w.err = err
	}
	return n, err
}

func (b *body) Close() error {
	b.stop()
	return b.ReadCloser.Close()
}

func (b *body) stop() {
	b.timer.Stop()
	b.cancel(nil)
}

// cause names the silence where that is what cancelled the exchange.
func (b *body) cause(err error) error {
	if errors.Is(context.Cause(b.ctx), errIdle) {
		return errIdle
	}
	return err
}
