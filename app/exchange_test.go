package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redgreen/backend/model"
	"redgreen/backend/session"
	"redgreen/backend/session/exchange"
)

// saved puts a short session into a house's store.
func saved(t *testing.T, c *core) string {
	t.Helper()
	store, err := c.sessions()
	if err != nil {
		t.Fatal(err)
	}
	l, err := store.Create(t.Context(), session.Started{Folder: "/home/ada/shop", Task: "the total is wrong", Model: model.Info{Label: "a model"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), session.KindSessionFinished, session.Finished{Outcome: session.NotProven}); err != nil {
		t.Fatal(err)
	}
	return l.ID()
}

func TestExportSession(t *testing.T) {
	t.Parallel()
	c := testCore(t)
	id := saved(t, c)
	h, err := newHost(c, "browser", func(string, any) {}, nil, startup{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	a := &App{h: h}

	for as, want := range map[string]string{"jsonl": `"kind":"session.started"`, "markdown": "# the total is wrong", "html": "<h1>the total is wrong</h1>"} {
		got, err := a.ExportSession(id, as)
		if err != nil || !strings.Contains(got.Text, want) || got.Path != "" || !strings.HasPrefix(got.Name, "redgreen-"+id) {
			t.Errorf("%s without a dialog: %+v, %v", as, got, err)
		}
	}
	path := filepath.Join(t.TempDir(), "mine.html")
	h.save = func(name string) (string, error) { return path, nil }
	if got, err := a.ExportSession(id, "html"); err != nil || got.Path != path || got.Text != "" {
		t.Errorf("with a dialog: %+v, %v", got, err)
	}
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "the total is wrong") {
		t.Errorf("the file: %v", err)
	}
	h.save = func(string) (string, error) { return "", nil }
	if got, err := a.ExportSession(id, "html"); err != nil || got != (Exported{}) {
		t.Errorf("a closed dialog: %+v, %v", got, err)
	}
	for _, c := range []struct {
		id, as string
		code   Code
	}{{id, "pdf", Invalid}, {"nope", "html", NotFound}} {
		if _, err := a.ExportSession(c.id, c.as); err == nil || explain(err).Code != c.code {
			t.Errorf("%v: %v", c, err)
		}
	}
}

func TestFormOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		want       exchange.Form
	}{{"", "", exchange.JSONL}, {"", "a.HTML", exchange.HTML}, {"", "a.md", exchange.Markdown}, {"markdown", "a.html", exchange.Markdown}, {"html", "a.xyz", exchange.HTML}, {"", "session", exchange.JSONL}} {
		if got, err := formOf(c.name, c.file); err != nil || got != c.want {
			t.Errorf("%q, %q: %q, %v", c.name, c.file, got, err)
		}
	}
	for _, c := range [][2]string{{"", "a.xyz"}, {"", "a.txt"}, {"pdf", "a.html"}} {
		if got, err := formOf(c[0], c[1]); err == nil {
			t.Errorf("%q was taken for %q", c, got)
		}
	}
}

// A key of the person's own is replaced whatever its shape, once a run is put together.
func TestOwnKeysAreHidden(t *testing.T) {
	t.Parallel()
	c := testCore(t)
	name := model.KeyName("anthropic")
	c.keys.env = func(n string) string { return map[string]string{name: "no-shape-of-a-key"}[n] }
	f, err := c.open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.agentOptions(f, model.Model{Provider: model.NewScript(nil)}, hooks{})
	if err != nil {
		t.Fatal(err)
	}
	if got := o.Store.Redact("it printed no-shape-of-a-key"); got != "it printed [secret removed: a stored key]" {
		t.Errorf("got %q", got)
	}
}

func TestImportFile(t *testing.T) {
	t.Parallel()
	c := testCore(t)
	store, err := c.sessions()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mini.traj.json", "claude.jsonl", "codex.jsonl"} {
		id, source, err := importFile(t.Context(), store, filepath.Join("..", "testdata", "import", name))
		if err != nil {
			t.Fatal(name, err)
		}
		state, err := store.State(t.Context(), id)
		if err != nil || state.Outcome != session.NotProven || state.Created.Year() < 2000 || source.Tool == "" {
			t.Errorf("%s: %+v, %v", name, state, err)
		}
	}
	for path, code := range map[string]Code{"no/such/file": NotFound, "exchange_test.go": Invalid} {
		if _, _, err := importFile(t.Context(), store, path); err == nil || explain(err).Code != code {
			t.Errorf("%s: %v", path, err)
		}
	}
}
