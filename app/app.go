// Package app knows the window: the bound methods, the settings, the error codes, the wiring, the subcommands.
//
// The rooms under backend/ know nothing of it. The window (Wails) and the browser (`redgreen serve`) call the same App;
// the subcommands share the same core.
package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"redgreen/backend/agent"
	"redgreen/backend/repo"
	"redgreen/backend/sandbox"
	"redgreen/backend/search"
	"redgreen/backend/session"
	"redgreen/backend/testrun"
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
	themed    func(theme string)                  // paints what of the window is not the page; nil in a browser
	listed    func(recent []Recent)               // shows the recent folders in what of the window is not the page; nil in a browser
	mode      string                              // window, browser
	context   context.Context                     // of the indexing in the background; cancelled by Close
	cancel    context.CancelFunc
	indexer   indexer
	preparing stoppable // by folder
	probing   stoppable // by model
	unsub     func()

	mu     sync.Mutex
	start  startup
	booted bool // the page has asked what to open
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

// PickFolder asks with the system's dialog; "" when the person closed it.
func (a *App) PickFolder() (string, error) {
	return guard(a.h, func() (string, error) {
		if a.h.pick == nil {
			return "", fail(Unavailable, "a browser has no folder dialog; type or paste the path of the folder")
		}
		return a.h.pick()
	})
}

// Folder is an opened folder as the page sees it.
type Folder struct {
	Path      string            `json:"path"`
	Name      string            `json:"name"`
	Branch    string            `json:"branch"`
	Commit    string            `json:"commit"`
	Files     int               `json:"files"`
	Languages []LanguageRow     `json:"languages"`
	Commands  []testrun.Command `json:"test_commands"`
	Index     IndexState        `json:"index"`
	Recovered string            `json:"recovered"`
	Guides    Guides            `json:"guides"`
}

// LanguageRow counts files of a language.
type LanguageRow struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
}

// OpenFolder opens a folder and begins to index it.
func (a *App) OpenFolder(path string) (Folder, error) {
	return guard(a.h, func() (Folder, error) {
		f, err := a.h.core.open(expandHome(path))
		if err != nil {
			return Folder{}, err
		}
		files, err := f.repo.Files(a.h.context)
		if err != nil {
			return Folder{}, err
		}
		commands, err := testrun.Find(f.repo.Root())
		if err != nil {
			return Folder{}, err
		}
		if _, err := a.h.core.change(func(s Settings) Settings { return s.opened(f.repo.Root(), time.Now()) }); err != nil {
			return Folder{}, err
		}
		if err := a.h.list(); err != nil {
			return Folder{}, err
		}
		git := f.repo.Git()
		out := Folder{Path: f.repo.Root(), Name: f.repo.Name(), Branch: git.Branch, Commit: git.Commit, Files: len(files),
			Languages: countLanguages(files), Commands: commands, Recovered: f.repo.Recovered()}
		if out.Commands == nil {
			out.Commands = []testrun.Command{}
		}
		if out.Guides, err = a.h.core.guides(f.repo); err != nil {
			return Folder{}, err
		}
		out.Index = a.h.index(f)
		return out, nil
	})
}

// expandHome lets a person type ~ for the home folder, and quotes or file:// as a paste has them. What is there as it is
// written is taken as it is.
func expandHome(path string) string {
	if _, err := os.Lstat(path); err == nil {
		return path
	}
	path = strings.Trim(strings.TrimSpace(path), `"'`)
	if u, err := url.Parse(path); err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") && u.Path != "" && u.RawQuery+u.Fragment == "" {
		path = u.Path // of "my shop" a file manager says my%20shop
	}
	path = strings.TrimPrefix(path, "file://")
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
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

// AllowNone switches runs without any isolation on or off for one folder, and gives the settings as they are then. They are
// the last resort, where no sandbox works.
func (a *App) AllowNone(folder string, on bool) (Settings, error) {
	return guard(a.h, func() (Settings, error) { return a.h.core.allowNone(expandHome(folder), on) })
}

// Rung is the sandbox that the tests of a folder run in, "" any; quicker than Doctor, which probes all of them. Folders
// differ where the person let one run without isolation.
func (a *App) Rung(folder string) (sandbox.Rung, error) {
	return guard(a.h, func() (sandbox.Rung, error) {
		root := ""
		if folder != "" {
			f, err := a.h.core.open(expandHome(folder))
			if err != nil {
				return sandbox.Rung{}, err
			}
			root = f.repo.Root()
		}
		box, err := a.h.core.sandbox(root)
		if err != nil {
			return sandbox.Rung{}, err
		}
		rung, err := box.Rung(a.h.context)
		if err != nil {
			return rung, fail(Unavailable, err.Error())
		}
		return rung, nil
	})
}

// TaskRequest is a task as the page sends it.
type TaskRequest struct {
	Folder   string         `json:"folder"`
	Text     string         `json:"text"`
	Kind     string         `json:"kind"`  // fix, feature, new, tests, refactor, explain; "" told from the text
	Model    string         `json:"model"` // PROVIDER/NAME, "" the default
	Limits   session.Limits `json:"limits"`
	AskEdits bool           `json:"ask_edits"`
	TestCmd  []string       `json:"test_cmd"` // "" the one that is fixed for the folder, else what is found
	TestDir  string         `json:"test_dir"` // the folder that TestCmd runs in, relative to Folder
	Guides   string         `json:"guides"`   // the hash of the guides that the person was shown, see Guides
}

// StartTask begins a task and gives its session id at once.
func (a *App) StartTask(t TaskRequest) (string, error) {
	return guard(a.h, func() (string, error) {
		if strings.TrimSpace(t.Text) == "" {
			return "", fail(Invalid, "the task is empty; say what is wrong, for example: the total is off by one cent when a discount applies")
		}
		kind, err := agent.KindOf(t.Kind)
		if err != nil {
			return "", fail(Invalid, err.Error())
		}
		f, err := a.h.core.open(t.Folder)
		if err != nil {
			return "", err
		}
		m, err := a.h.core.chooseModel(a.h.context, t.Model, f.repo.Root())
		if err != nil {
			return "", err
		}
		guides, off, err := a.h.core.shownGuides(f.repo, t.Guides)
		if err != nil {
			return "", err
		}
		tests := TestCommand{Args: t.TestCmd, Dir: t.TestDir}
		if len(tests.Args) == 0 {
			tests = a.h.core.fixedCommand(f.repo.Root())
		}
		return a.h.runs.start(a.h.context, f, m, agent.Task{Text: t.Text, Kind: kind, Limits: withDefaults(t.Limits),
			Approval: "ask", AskEdits: t.AskEdits, TestCmd: tests.Args, TestDir: tests.Dir, NoGuides: off, Guides: guides})
	})
}

// Cancel stops a run, also one that waits for an answer; its record stays.
func (a *App) Cancel(id string) error {
	return a.h.act(func() error {
		if a.h.runs.working(id) {
			return a.h.runs.stop(id)
		}
		return a.h.runs.with(a.h.context, id, func(l *live) error {
			if !l.run.Waits() {
				return fail(Conflict, "this session is not at work")
			}
			if err := l.run.Finish(a.h.context); err != nil {
				return err
			}
			return a.h.runs.done(l)
		})
	})
}

// Pause holds a run at work before its next call of the model or of a tool, or lets it go on; what is under way is done first.
func (a *App) Pause(id string, on bool) error {
	return a.h.act(func() error { return a.h.runs.pause(id, on) })
}

// Say sends a message to a run at work, delivered at its next step; to one that asked a question it is the answer.
func (a *App) Say(id, text string) error {
	return a.h.act(func() error {
		if strings.TrimSpace(text) == "" {
			return fail(Invalid, "the message is empty")
		}
		return a.h.runs.with(a.h.context, id, func(l *live) error {
			waits := l.run.Waits()
			if err := l.run.Say(a.h.context, text); err != nil || !waits {
				return err
			}
			return a.h.runs.work(l)
		})
	})
}

// EditCriteria puts the person's acceptance criteria in place of a session's; a run at work gets them at its next step.
func (a *App) EditCriteria(id string, criteria []string) error {
	return a.h.act(func() error {
		return a.h.runs.with(a.h.context, id, func(l *live) error { return l.run.EditCriteria(a.h.context, criteria) })
	})
}

// Resume goes on with an interrupted session.
func (a *App) Resume(id string) error {
	return a.h.act(func() error { return a.h.runs.with(a.h.context, id, a.h.runs.work) })
}

// ResumeWith goes on with an interrupted session with another model, which the person chose; "" is the session's own.
func (a *App) ResumeWith(id, ref string) error {
	if ref == "" {
		return a.Resume(id)
	}
	return a.h.act(func() error {
		return a.h.idle(id, func(l *live) error {
			m, err := a.h.core.chooseModel(a.h.context, ref, l.run.Folder())
			if err != nil {
				return err
			}
			if err := l.run.ChooseModel(a.h.context, m); err != nil {
				return err
			}
			return a.h.runs.work(l)
		})
	})
}

// Written lists the files that were written.
type Written struct {
	Files []string `json:"files"`
	Redo  bool     `json:"redo"` // of Undo: the patch is in the folder again
}

// Approve writes the patch that waits for review into the folder. patchHash is the patch that the person saw.
func (a *App) Approve(id, patchHash string) (w Written, err error) {
	return guard(a.h, func() (Written, error) {
		err := a.h.idle(id, func(l *live) error {
			receipt, err := l.run.Approve(a.h.context, patchHash, "person")
			if err != nil {
				a.h.core.refused(id, err)
				return err
			}
			w = written(receipt)
			return a.h.runs.done(l)
		})
		return w, err
	})
}

// Reject refuses the patch. With a comment the run goes on with it; without one the session ends.
func (a *App) Reject(id, comment string) error {
	return a.h.act(func() error {
		return a.h.idle(id, func(l *live) error {
			comment = strings.TrimSpace(comment)
			if err := l.run.Reject(a.h.context, comment); err != nil {
				return err
			}
			if comment == "" {
				return a.h.runs.done(l)
			}
			return a.h.runs.work(l)
		})
	})
}

// ProveAgain makes the patch that waits for review anew on the folder as it is now, and proves it there; the session goes
// on without the model. A conflict names the lines that you and the patch both changed; nothing is written either way.
func (a *App) ProveAgain(id string) error {
	return a.h.choose(id, func(r *agent.Run) error { return r.ProveAgain(a.h.context) })
}

// Choice is what a person makes of the patch that waits for review, as the page sends it.
type Choice struct {
	PatchHash string           `json:"patch_hash"` // of the patch that the person saw
	Drop      []agent.HunkAt   `json:"drop"`
	Edits     []agent.OwnText  `json:"edits"`
	Comment   string           `json:"comment"`
	Notes     []agent.LineNote `json:"notes"`
}

// Choose puts the person's choice in place of the patch that waits for review, and has it proven anew without the model.
func (a *App) Choose(id string, c Choice) error {
	return a.h.choose(id, func(r *agent.Run) error { return r.Choose(a.h.context, agent.Choice(c)) })
}

// SendBack rejects the patch with comments; the model goes on from the person's choice and is told what they changed.
func (a *App) SendBack(id string, c Choice) error {
	return a.h.choose(id, func(r *agent.Run) error { return r.SendBack(a.h.context, agent.Choice(c)) })
}

// choose takes a choice and lets the run go on with it.
func (h *host) choose(id string, take func(*agent.Run) error) error {
	return h.act(func() error {
		return h.idle(id, func(l *live) error {
			if err := take(l.run); err != nil {
				return err
			}
			return h.runs.work(l)
		})
	})
}

// Undo takes back what a session wrote, or with redo writes it again; never one in place of the other, whatever another
// window did meanwhile.
func (a *App) Undo(id string, redo bool) (Written, error) {
	return guard(a.h, func() (Written, error) {
		store, err := a.h.core.sessions()
		if err != nil {
			return Written{}, err
		}
		if err := a.h.runs.forget(id); err != nil { // it may still have a copy from its work
			return Written{}, err
		}
		receipt, err := a.h.core.undo(a.h.context, store, id, redo, a.h.runs.hooks())
		if err != nil {
			return Written{}, err
		}
		w := written(receipt)
		w.Redo = redo
		return w, nil
	})
}

// AnswerAsk answers a question that a run waits on.
func (a *App) AnswerAsk(id, askID string, allow bool) error {
	return a.h.act(func() error { return a.h.runs.answer(askID, allow) })
}

// HitRow is a search result with its text.
type HitRow struct {
	search.Hit
	Snippet  string        `json:"snippet"`
	BestLine int           `json:"best_line"`
	Why      []search.Part `json:"why"`
}

// Found is what a search gives: the results, and in sentences what there is to know of them, such as that not all was looked at.
type Found struct {
	Hits []HitRow `json:"hits"`
	Told []string `json:"told"`
}

// Search looks for code in an opened folder.
func (a *App) Search(folder, query string, n int) (Found, error) {
	return guard(a.h, func() (Found, error) {
		f, err := a.h.core.open(folder)
		if err != nil {
			return Found{}, err
		}
		return lookFor(a.h.context, f, query, n)
	})
}

func lookFor(ctx context.Context, f *folder, query string, n int) (Found, error) {
	found := Found{Hits: []HitRow{}, Told: []string{}}
	if strings.TrimSpace(query) == "" {
		return found, nil
	}
	hits, err := search.Search(ctx, f.index, query, search.Options{N: min(max(n, 1), 100), Read: f.repo.Read, Within: searchWithin,
		Told: func(said string) { found.Told = append(found.Told, said) }})
	if errors.Is(err, search.ErrEmpty) {
		err = nil // "symbol:" on its way to a name
	}
	for _, hit := range hits {
		found.Hits = append(found.Hits, HitRow{Hit: hit, Snippet: hit.Snippet, BestLine: hit.BestLine, Why: hit.Why})
	}
	return found, err
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

// idle does an act on the run of a session that is not at work.
func (h *host) idle(id string, do func(*live) error) error {
	return h.runs.with(h.context, id, func(l *live) error {
		if h.runs.working(id) {
			return fail(Conflict, "the run is still at work; wait for it or cancel it first")
		}
		return do(l)
	})
}

func written(r repo.Receipt) Written {
	w := Written{Files: []string{}}
	for _, f := range r.Patch.Files {
		w.Files = append(w.Files, f.Path)
	}
	return w
}
