package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
)

// sentinel is the key of every test: it may be found in the header made for it, and nowhere else.
const sentinel = "sk-SENTINEL-4f1d9c-do-not-leak"

// exchanges is where the recorded-shape exchanges lie: a folder a provider, a file a behaviour.
const exchanges = "../../testdata/model"

// seen is a request that a server got.
type seen struct {
	path   string
	uri    string // with its query, as it was sent
	header http.Header
	body   []byte
}

// player is a local server that speaks a provider's wire format: it plays the recorded exchanges in order, each as its
// play says, and lists models from models.http.
//
// A play is NAME or NAME:HOW: bytes (one byte a write), half (the first half, then a clean end), abort (half, then the
// connection closes within a chunk), reset (half, then TCP reset), hang (half, then silence), mute (not even a header), endless (the second event
// over and over).
type player struct {
	t        *testing.T
	provider string
	url      string
	hide     string        // a list or description that is not there
	gone     chan struct{} // gets a value when a client leaves a hanging play

	mu    sync.Mutex
	plays []string
	seen  []seen
}

func newPlayer(t *testing.T, provider string, plays ...string) *player {
	t.Helper()
	p := &player{t: t, provider: provider, plays: plays, gone: make(chan struct{}, 8)}
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	p.url = srv.URL
	return p
}

func (p *player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	p.mu.Lock()
	p.seen = append(p.seen, seen{r.URL.Path, r.RequestURI, r.Header, body})
	play := ""
	switch {
	case strings.HasSuffix(r.URL.Path, "/show"):
		play = "show"
	case strings.HasSuffix(r.URL.Path, "/props"):
		play = "props"
	case strings.HasSuffix(r.URL.Path, "/api/v0/models"):
		play = "v0models"
	case strings.HasSuffix(r.URL.Path, "/api/v1/models") && p.provider == "lmstudio":
		play = "v1models"
	case strings.HasPrefix(r.URL.Path, "/v1beta/models/"):
		play = "describe"
	case r.Method == http.MethodGet:
		play = "models"
	case len(p.plays) > 0:
		play, p.plays = p.plays[0], p.plays[1:]
	}
	p.mu.Unlock()
	name, how, _ := strings.Cut(play, ":")
	if name != "" && name == p.hide {
		http.NotFound(w, r)
		return
	}
	if name == "" {
		http.Error(w, "nothing left to play", http.StatusTeapot)
		return
	}
	p.play(w, r, load(p.t, p.provider, name), how)
}

// load reads a recorded exchange and its body.
func load(t *testing.T, provider, name string) *http.Response {
	data, err := os.ReadFile(filepath.Join(exchanges, provider, name+".http"))
	if err != nil {
		t.Error(err)
		return &http.Response{StatusCode: http.StatusTeapot, Body: http.NoBody}
	}
	data = bytes.ReplaceAll(data, []byte("{{KEY}}"), []byte(sentinel))
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(data)), nil)
	if err != nil {
		t.Error(err)
		return &http.Response{StatusCode: http.StatusTeapot, Body: http.NoBody}
	}
	if resp.Header.Get("Content-Type") == frames {
		resp.Body = io.NopCloser(bytes.NewReader(encodeFrames(t, resp.Body)))
	}
	return resp
}

func (p *player) play(w http.ResponseWriter, r *http.Request, resp *http.Response, how string) {
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Error(err)
	}
	if how == "mute" {
		<-r.Context().Done()
		return
	}
	for k, v := range resp.Header {
		w.Header()[k] = v
	}
	w.WriteHeader(resp.StatusCode)
	flush := w.(http.Flusher).Flush
	send := func(b []byte) bool { _, err := w.Write(b); flush(); return err == nil }
	ends := frameEnds(resp, data)
	half := data[:len(data)*2/3]
	switch how {
	case "":
		send(data)
	case "bytes":
		for i := range data {
			send(data[i : i+1])
		}
	case "half":
		send(data[:ends(len(half))])
	case "abort":
		send(half)
		panic(http.ErrAbortHandler)
	case "reset":
		send(half)
		time.Sleep(20 * time.Millisecond) // let the half arrive before the reset overtakes it
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			p.t.Error(err)
			return
		}
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	case "hang":
		send(half)
		<-r.Context().Done()
		p.gone <- struct{}{}
	case "endless":
		end := ends(len(data) / 2)
		send(data[:end])
		for part := bytes.Repeat(data[ends(end-1):end], 500); send(part); {
		}
		p.gone <- struct{}{}
	default:
		p.t.Errorf("unknown play %q", how)
	}
}

// frames is the form of Bedrock's streams.
const frames = "application/vnd.amazon.eventstream"

// encodeFrames makes AWS's binary frames of lines EVENT JSON; an EVENT with ! before it is an exception.
func encodeFrames(t *testing.T, lines io.Reader) []byte {
	var out bytes.Buffer
	enc := eventstream.NewEncoder()
	for scan := bufio.NewScanner(lines); scan.Scan(); {
		name, payload, _ := strings.Cut(scan.Text(), " ")
		var m eventstream.Message
		set := func(k, v string) { m.Headers.Set(k, eventstream.StringValue(v)) }
		if exception, ok := strings.CutPrefix(name, "!"); ok {
			set(":exception-type", exception)
			set(":message-type", "exception")
		} else {
			set(":event-type", name)
			set(":message-type", "event")
		}
		set(":content-type", "application/json")
		m.Payload = []byte(payload)
		if err := enc.Encode(&out, m); err != nil {
			t.Error(err)
		}
	}
	return out.Bytes()
}

// frameEnds gives the function that finds the last end of a line, event or frame at or before a place.
func frameEnds(resp *http.Response, data []byte) func(at int) int {
	kind := resp.Header.Get("Content-Type")
	return func(at int) int {
		switch {
		case kind == frames:
			end := 0
			for end+4 <= len(data) {
				next := end + int(binary.BigEndian.Uint32(data[end:]))
				if next > at {
					break
				}
				end = next
			}
			return end
		case strings.Contains(kind, "event-stream"):
			return bytes.LastIndex(data[:at], []byte("\n\n")) + 2
		}
		return bytes.LastIndexByte(data[:at], '\n') + 1
	}
}

// requests gives the requests to chat, without those that list and describe models.
func (p *player) requests() []seen {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []seen
	for _, s := range p.seen {
		if strings.HasSuffix(s.path, "/chat") || strings.HasSuffix(s.path, "/completions") || strings.HasSuffix(s.path, "/messages") || strings.HasSuffix(s.path, "/converse-stream") || strings.HasSuffix(s.path, responsesPath) {
			out = append(out, s)
		}
	}
	return out
}

// waits are the waits between attempts, which take no time in tests.
type waits struct {
	mu  sync.Mutex
	got []time.Duration
}

func (w *waits) sleep(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.got = append(w.got, d)
	return ctx.Err()
}

// options are those of a test against the server at url.
func options(provider, url string, w *waits) Options {
	if provider == "responses" {
		provider, url = "openai", url+"/v1"+responsesPath
	}
	return Options{
		Key: func(name string) string {
			if name == KeyName(provider) || provider == "" && (name == "OPENAI_API_KEY" || name == "ANTHROPIC_API_KEY") {
				return sentinel
			}
			return ""
		},
		Env:     func(string) string { return "" },
		BaseURL: map[string]string{provider: url},
		HTTP:    &http.Client{Transport: &http.Transport{}},
		Sleep:   w.sleep,
		Rand:    func() float64 { return 0.5 },
		Now:     func() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC) },
	}
}

// noLeak fails when the key is anywhere in what came out of a call, or anywhere but its header in what went in.
func noLeak(t *testing.T, p *player, reply Reply, err error, deltas []Delta) {
	t.Helper()
	var out strings.Builder
	data, jerr := json.Marshal(reply)
	if jerr != nil {
		t.Error(jerr)
	}
	fmt.Fprintf(&out, "%s %s %+v %+v", data, reply.Body, err, deltas)
	for _, d := range deltas {
		if d.Retry != nil {
			fmt.Fprintf(&out, "%v %+v", d.Retry.Err, d.Retry.Err)
		}
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		fmt.Fprintf(&out, "%v %+v %#v", e, e, e)
	}
	if strings.Contains(out.String(), "SENTINEL") {
		t.Errorf("the key leaked: %s", out.String())
	}
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.seen {
		for k, v := range s.header {
			if strings.Contains(fmt.Sprint(v), "SENTINEL") && !slices.Contains([]string{"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key"}, k) {
				t.Errorf("the key was sent in the header %s", k)
			}
		}
		if strings.Contains(s.path+string(s.body), "SENTINEL") {
			t.Error("the key was sent in a path or a body")
		}
	}
}
