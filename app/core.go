package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"redgreen/backend/agent"
	"redgreen/backend/eval"
	"redgreen/backend/index"
	"redgreen/backend/model"
	"redgreen/backend/policy"
	"redgreen/backend/repo"
	"redgreen/backend/sandbox"
	"redgreen/backend/session"
	"redgreen/backend/testrun"
)

// core is the house put together: what the window and the subcommands share. Parts open when first asked for, so that
// `redgreen version` touches nothing. Safe for concurrent use.
type core struct {
	assets Assets
	paths  Paths
	keys   keys
	log    *slog.Logger
	kind   string // of an Owner: what this process is

	locks sync.Mutex      // while a lock is taken, given up or looked at
	held  map[string]bool // the locks that are held here

	mu         sync.Mutex
	settings   Settings
	store      *session.Store
	hooks      eval.KillHooks            // of the kill test; else none
	vectorless error                     // why the embedder could not be opened the last time, nil it could
	boxes      map[bool]*sandbox.Sandbox // by whether runs without isolation are allowed; opened on first use
	folders    map[string]*folder
	changed    map[string][]string // by session: what kept its patch from being written, beside the patch's own files
}

// folder is an opened repository with its index.
type folder struct {
	repo     *repo.Repo
	index    *index.Index
	replaced chan struct{} // closed when another folder stands at its path
}

func newCore(a Assets, env func(string) string, log *slog.Logger) (*core, error) {
	paths, err := findPaths(env)
	if err != nil {
		return nil, err
	}
	if err := paths.make(); err != nil {
		return nil, err
	}
	s, told, err := loadSettings(paths.settings())
	if err != nil {
		return nil, err
	}
	if told != "" && log != nil {
		log.Warn("reading the settings", slog.String("file", paths.settings()), slog.String("problem", told))
	}
	return &core{assets: a, paths: paths, settings: s, keys: keys{env: env}, log: log, kind: "terminal", held: map[string]bool{}, folders: map[string]*folder{}, changed: map[string][]string{}}, nil
}

// Close closes what was opened, in the order that lets nothing be used after its end.
func (c *core) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, f := range c.folders {
		errs = append(errs, f.index.Close(), f.repo.Close())
	}
	for _, b := range c.boxes {
		errs = append(errs, b.Close())
	}
	if c.store != nil {
		errs = append(errs, c.store.Close())
	}
	c.folders, c.boxes, c.store = map[string]*folder{}, nil, nil
	return errors.Join(errs...)
}

func (c *core) sessions() (*session.Store, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.store != nil {
		return c.store, nil
	}
	s, err := session.Open(c.paths.sessions(), session.Options{Now: c.hooks.Now})
	if err != nil {
		return nil, err
	}
	c.store = s
	return s, nil
}

// sandbox is what the tests of the folder root run in; "" no folder in particular. Runs without isolation come in only for
// a folder for which the person has switched them on, and then as the last resort.
func (c *core) sandbox(root string) (*sandbox.Sandbox, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	allowed := root != "" && slices.Contains(c.settings.AllowNone, root)
	if b, ok := c.boxes[allowed]; ok {
		return b, nil
	}
	b, err := sandbox.Open(sandbox.Options{Dir: c.paths.sandbox(), Images: c.paths.images(), Runtime: c.settings.Runtime, AllowNone: allowed, Log: c.log})
	if err != nil {
		return nil, err
	}
	if c.boxes == nil {
		c.boxes = map[bool]*sandbox.Sandbox{}
	}
	c.boxes[allowed] = b
	return b, nil
}

// open opens a folder once, and anew where another one came to stand at its path; its index is opened but not yet brought
// up to date.
func (c *core) open(dir string) (*folder, error) {
	r, err := repo.Open(dir, repo.Options{StateDir: c.paths.undo(), Step: c.hooks.Step})
	if err != nil {
		return nil, err
	}
	if before, _, inGit := strings.Cut(r.Root()+"/", "/.git/"); inGit {
		return nil, errors.Join(fail(Invalid, fmt.Sprintf("%s belongs to git itself; open %s instead", r.Root(), before)), r.Close())
	}
	embedder, generated := c.embedder(), c.current().Generated
	c.mu.Lock()
	defer c.mu.Unlock()
	if f, ok := c.folders[r.Root()]; ok {
		if f.repo.Gone() == nil {
			return f, r.Close()
		}
		delete(c.folders, r.Root())
		close(f.replaced)
		if err := errors.Join(f.index.Close(), f.repo.Close()); err != nil {
			c.log.Warn("closing a folder that was replaced", slog.String("folder", r.Root()), slog.Any("error", err))
		}
	}
	ix, err := index.Open(r, filepath.Join(c.paths.indexes(), indexName(r.Root())), index.Options{Embedder: embedder, Generated: generated})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the index of %s: %w", r.Root(), err), r.Close())
	}
	f := &folder{repo: r, index: ix, replaced: make(chan struct{})}
	c.folders[r.Root()] = f
	return f, nil
}

// indexName is a readable, unique folder name for a repository's index.
func indexName(root string) string {
	sum := sha256.Sum256([]byte(root))
	name := filepath.Base(root)
	if len(name) > 80 { // a name may be as long as the file system allows, and ours adds to it
		name = strings.ToValidUTF8(name[:80], "")
	}
	return name + "-" + hex.EncodeToString(sum[:6])
}

func (c *core) current() Settings {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settings
}

// change saves changed settings.
func (c *core) change(edit func(Settings) Settings) (Settings, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := edit(c.settings).checked()
	if err := next.save(c.paths.settings()); err != nil {
		return c.settings, err
	}
	c.settings = next
	return next, nil
}

// allowNone changes the setting for the folder that dir leads to; it must be there, so that the person sees which it is.
func (c *core) allowNone(dir string, on bool) (Settings, error) {
	root, err := folderRoot(dir)
	if err != nil {
		return c.current(), err
	}
	return c.change(func(s Settings) Settings { return s.allowNone(root, on) })
}

// folderRoot is the path under which a folder is opened and known in the settings.
func folderRoot(dir string) (string, error) {
	r, err := repo.Open(dir, repo.Options{})
	if err != nil {
		return "", err
	}
	return r.Root(), r.Close()
}

// modelOptions are the person's settings and keys, and the prices of their own, prices.json in the settings folder.
func (c *core) modelOptions() model.Options {
	s := c.current()
	o := model.Options{Key: c.keys.get, Env: c.keys.env, BaseURL: s.BaseURLs, Second: s.SecondURLs,
		Forms: map[string]model.Form{}, EditForms: map[string]string{}, Windows: map[string]int{}}
	for ref, m := range s.Models {
		o.Forms[ref], o.EditForms[ref], o.Windows[ref] = m.Form, m.EditForm, m.Window
	}
	prices, err := os.ReadFile(c.paths.prices())
	switch {
	case err == nil:
		o.Prices = prices
	case !errors.Is(err, fs.ErrNotExist):
		c.log.Warn("reading the prices of your own", slog.Any("error", err))
	}
	return o
}

// smallModel is the person's model for supporting work, or the task's own where none is set or it cannot be opened: what
// it does is a help, and no reason to stop a task.
func (c *core) smallModel(task model.Model) model.Model {
	ref := c.current().SmallModel
	if ref == "" {
		return task.Apart()
	}
	m, err := model.Open(ref, c.modelOptions())
	if err == nil {
		err = c.keyFound(m.Info)
	}
	if err != nil {
		c.log.Warn("opening the model for supporting work", slog.String("model", ref), slog.Any("error", err))
		return task.Apart()
	}
	return m
}

// hooks are what a run tells its caller while it works.
type hooks struct {
	ask   func(ctx context.Context, session string, act policy.Act) (bool, error)
	delta func(session string, step int, d model.Delta)
	phase func(session, text string)
	tests func(session string, p testrun.Progress)
}

// agentOptions puts the house together for one run in one folder.
func (c *core) agentOptions(f *folder, m model.Model, h hooks) (agent.Options, error) {
	store, err := c.sessions()
	if err != nil {
		return agent.Options{}, err
	}
	box, err := c.sandbox(f.repo.Root())
	if err != nil {
		return agent.Options{}, err
	}
	o := agent.Options{
		Version: Version, Store: store, Repo: f.repo, Index: f.index, Sandbox: box, Model: m,
		Dir: c.paths.workspace(), Spare: c.paths.spare(), Seed: c.paths.seed(), Tests: c.runnerOptions(f.repo.Root(), ""), Now: time.Now, Ask: h.ask, OnDelta: h.delta, OnPhase: h.phase, OnTests: h.tests,
	}
	if m.Provider != nil {
		store.Hide(c.keys.all()...) // wherever they might turn up, in a test's output, say
	}
	if m.Provider != nil && m.Info.Provider != "script" && !m.Search { // a recorded model plays replies in their order and sums nothing up
		o.Summary = c.smallModel(m)
	}
	return o, nil
}

// prepareCopy makes the copy that the next task in a folder takes, where that saves time.
func (c *core) prepareCopy(ctx context.Context, f *folder) {
	box, err := c.sandbox(f.repo.Root())
	if err != nil {
		return // a task will say why
	}
	uid, gid, other := box.Owner()
	if err := f.repo.Prepare(ctx, repo.CopyOptions{UID: uid, GID: gid, Chown: other, Spare: c.paths.spare()}); err != nil && ctx.Err() == nil {
		c.log.Warn("preparing a copy", slog.Any("error", err))
	}
}

// undo takes back what a session wrote, or with redo writes it again. Nothing may work on the session.
func (c *core) undo(ctx context.Context, store *session.Store, id string, redo bool, h hooks) (receipt repo.Receipt, err error) {
	release, err := c.ownSession(id)
	if err != nil {
		return receipt, err
	}
	defer release()
	state, err := store.State(ctx, id)
	if err != nil {
		return receipt, err
	}
	if state.Source != "" {
		return receipt, fail(Conflict, fmt.Sprintf("session %s was imported from %s: nothing of it was written here, so there is nothing to undo", id, printable(state.Source, 300)))
	}
	f, err := c.open(state.Folder)
	if err != nil {
		return receipt, err
	}
	o, err := c.agentOptions(f, model.Model{Info: state.Model}, h)
	if err != nil {
		return receipt, err
	}
	if redo {
		return agent.Redo(ctx, o, id)
	}
	return agent.Undo(ctx, o, id)
}
