// Package app knows the window: the bound methods, the settings, the error codes, the wiring, the subcommands.
//
// The rooms under backend/ know nothing of it. The window (Wails) and the browser (`redgreen serve`) call the same App;
// the subcommands share the same core.
package app

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"redgreen/backend/sandbox"
	"redgreen/backend/session"
)

// Assets are the files inside the program.
type Assets struct {
	Page   fs.FS  // frontend/dist
	Sample fs.FS  // testdata/repos/…
	Images fs.FS  // build/images/LANGUAGE/Containerfile
	Icon   []byte // build/linux/redgreen.svg
}

// App is what the page calls. Every exported method is callable from the page, so there is nothing else on it. Methods
// may be called from any goroutine; what takes long returns an id and goes on by events.
type App struct{ h *host }

// host is what stands behind App.
type host struct {
	core      *core
	runs      *runs
	send      Sender
	pick      func() (string, error)              // the native folder dialog
	save      func(name string) (string, error)   // the native dialog that asks where to save a file; nil in a browser
	notify    func(context.Context, Notice) error // shows a notice on the desktop; nil in a browser
	copied    func() []byte                       // the picture on the clipboard; nil in a browser, which tells the page itself
	themed    func(theme string)                  // paints what of the window is not the page; nil in a browser
	listed    func(recent []Recent)               // shows the recent folders in what of the window is not the page; nil in a browser
	mode      string                              // window, browser
	context   context.Context                     // of the indexing in the background; cancelled by Close
	cancel    context.CancelFunc
	opens     atomic.Int64 // folders that were asked for
	indexer   indexer
	preparing stoppable // by folder
	probing   stoppable // by model
	unsub     func()

	mu       sync.Mutex
	start    startup
	booted   bool     // the page has asked what to open
	lastDrop []string // what was dropped on the window last
}

// startup is what to open at once.
type startup struct {
	folder  string
	session string
}

// Opening is what the page is told to open.
type Opening struct {
	Folder  string `json:"folder"`
	Session string `json:"session"`
}

// open has the page open something, now or, where it is not there yet, first of all.
func (h *host) open(s startup) {
	if s == (startup{}) {
		return
	}
	h.mu.Lock()
	booted := h.booted
	if !booted {
		h.start = s
	}
	h.mu.Unlock()
	if booted {
		h.send("open", Opening{Folder: s.folder, Session: s.session})
	}
}

// boot gives what to open first; from then on the page is told.
func (h *host) boot() startup {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.booted = true
	return h.start
}

// newHost puts the house behind a page. send may be called from any goroutine.
func newHost(c *core, mode string, send Sender, pick func() (string, error), s startup) (*host, error) {
	store, err := c.sessions()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.kind = mode
	h := &host{core: c, send: send, pick: pick, mode: mode, start: s, context: ctx, cancel: cancel, runs: newRuns(c, send)}
	h.unsub = store.Subscribe(h.runs.batch.notice)
	h.indexer.wait.Add(1)
	go func() {
		defer h.indexer.wait.Done()
		h.housekeep(store)
	}()
	return h, nil
}

// housekeep deletes what is kept no longer, and then tells the page of what other processes write, until the host ends.
func (h *host) housekeep(store *session.Store) {
	if err := h.core.prune(h.context); err != nil && h.context.Err() == nil {
		h.core.log.Warn("deleting old sessions", slog.Any("error", err))
	}
	if err := store.Watch(h.context); err != nil {
		h.core.log.Warn("following other processes", slog.Any("error", err))
	}
}

// Close ends every run and the indexing, and waits for them.
func (h *host) Close() {
	h.cancel()
	h.indexer.wait.Wait()
	h.runs.Close()
	h.unsub()
}

// guard turns errors into coded ones and a panic into an error, so that no call ends the window.
func guard[T any](h *host, do func() (T, error)) (out T, err error) {
	defer func() {
		if p := recover(); p != nil {
			h.core.log.Error("a call panicked", slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			err = fail(Internal, fmt.Sprintf("Redgreen made a mistake (%v); nothing was written. Please report it with the log", p))
		}
	}()
	out, err = do()
	if err != nil {
		return out, explain(err)
	}
	return out, nil
}

// Boot is what the page needs to draw its first view.
type Boot struct {
	Version string   `json:"version"`
	Mode    string   `json:"mode"`
	Folder  *string  `json:"folder"`
	Session *string  `json:"session"`
	Recent  []Recent `json:"recent"`
	Sample  Sample   `json:"sample"`
	Setting Settings `json:"settings"`
	Keys    []KeyRow `json:"keys"`
}

// KeyRow says whether a provider's key is set, never what it is.
type KeyRow struct {
	Provider string `json:"provider"`
	Env      string `json:"env"`
	Set      bool   `json:"set"`
}

// list has the menu show the recent folders as they are now.
func (h *host) list() error {
	if h.listed == nil {
		return nil
	}
	recent, err := h.core.recent(h.context)
	if err == nil {
		h.listed(recent)
	}
	return err
}

// Boot gives the first view.
func (a *App) Boot() (Boot, error) {
	return guard(a.h, func() (Boot, error) {
		c := a.h.core
		sample, err := c.sample(false)
		if err != nil {
			return Boot{}, err
		}
		s := c.current()
		recent, err := c.recent(a.h.context)
		if err != nil {
			return Boot{}, err
		}
		b := Boot{Version: Version, Mode: a.h.mode, Recent: recent, Sample: sample, Setting: s, Keys: []KeyRow{}}
		for provider, env := range keyNames() {
			b.Keys = append(b.Keys, KeyRow{Provider: provider, Env: env, Set: c.keys.get(env) != ""})
		}
		slices.SortFunc(b.Keys, func(x, y KeyRow) int { return strings.Compare(x.Provider, y.Provider) })
		start := a.h.boot()
		if start.folder != "" {
			b.Folder = &start.folder
		}
		if start.session != "" {
			b.Session = &start.session
		}
		return b, nil
	})
}

// Models lists the models that can be called now.
func (a *App) Models() (ModelList, error) {
	return guard(a.h, func() (ModelList, error) { return a.h.core.models(a.h.context) })
}

// Doctor probes the sandbox.
func (a *App) Doctor() (sandbox.Report, error) {
	return guard(a.h, func() (sandbox.Report, error) {
		return a.h.core.doctor(a.h.context, "")
	})
}

// SaveSettings stores the person's choices and gives them as they are now in force.
func (a *App) SaveSettings(s Settings) (Settings, error) {
	return guard(a.h, func() (Settings, error) {
		now, err := a.h.core.change(func(old Settings) Settings {
			s.Recent, s.AllowNone, s.Models, s.TestCommands, s.Guides = old.Recent, old.AllowNone, old.Models, old.TestCommands, old.Guides // which are changed by calls of their own
			return s
		})
		if a.h.themed != nil {
			a.h.themed(now.Theme)
		}
		return now, err
	})
}

// SaveKey puts a provider's key into the OS keyring; "" removes it. It can't be read back.
func (a *App) SaveKey(provider, key string) error {
	return a.h.act(func() error { return a.h.core.keys.set(provider, strings.TrimSpace(key)) })
}

// OpenInEditor opens a file of a folder in the person's editor.
func (a *App) OpenInEditor(folder, path string, line int) error {
	return a.h.act(func() error { return a.h.core.edit(a.h.context, folder, path, line) })
}

// act is guard for calls that give nothing back.
func (h *host) act(do func() error) error {
	_, err := guard(h, func() (struct{}, error) { return struct{}{}, do() })
	return err
}
