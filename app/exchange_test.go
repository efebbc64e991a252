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
	}{{"", "", exchange.JSONL}, {"", "a.HTML", exchange.HTML}, {"", "a.md", exchange.Markdown}, {"markdown", "a.html", exchange.Markdown}, {"", "a.txt", exchange.JSONL}} {
		if got, err := formOf(c.name, c.file); err != nil || got != c.want {
			t.Errorf("%q, %q: %q, %v", c.name, c.file, got, err)
		}
	}
}
