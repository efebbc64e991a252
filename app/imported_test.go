package app

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redgreen/backend/session"
)

// A record that somebody made up may hold any text in any field: none reaches the terminal as it is, and none passes for a
// proof that was made here.
func TestMadeUpRecordIsShownAsText(t *testing.T) {
	t.Parallel()
	const escape = "\x1b]0;x\x07"
	data, err := os.ReadFile(filepath.Join("..", "testdata", "sessions", "proven.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for line := range bytes.Lines(data) {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(spoiled(v, escape, true))
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(raw, '\n'))
	}
	path := filepath.Join(t.TempDir(), "spoiled.jsonl")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	core := testCore(t)
	store, err := core.sessions()
	if err != nil {
		t.Fatal(err)
	}
	id, _, err := importFile(t.Context(), store, path)
	if err != nil {
		t.Fatal(err)
	}
	state, err := store.State(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var shown bytes.Buffer
	c := &command{out: &shown, err: &shown}
	if err := c.show(t.Context(), core, store, id); err != nil {
		t.Fatal(err)
	}
	if err := c.printSessions(core, []session.State{state}, false); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(shown.String(), "\x1b") {
		t.Errorf("an escape reaches the terminal:\n%q", shown.String())
	}
	if !strings.Contains(shown.String(), "nothing of it was checked here") || !strings.Contains(shown.String(), "imported: proven") {
		t.Errorf("it does not say that it was imported:\n%s", shown.String())
	}
}

// TestRecordOfAnotherToolIsShown: what a record does not tell (tokens, times, prices) is not shown as 0.
func TestRecordOfAnotherToolIsShown(t *testing.T) {
	t.Parallel()
	core := testCore(t)
	store, err := core.sessions()
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string][]string{
		"mini-odd.traj.json": {"not proven · 1 step · 0.1000 USD · imported from mini-swe-agent 2.1.0"},
		"mini-1.1.traj.json": {"\n   tokens unknown, 0.2500 USD\n", "not proven · 1 step · 0.5000 USD · imported"},
		"codex.jsonl":        {"\n   200 tokens in (75 % from the cache), 30 out, price unknown\n", "not proven · 3 steps · price unknown · 230 tokens · imported"},
		"claude.jsonl":       {"not proven · 2 steps · price unknown · 148 tokens · imported"},
	} {
		id, _, err := importFile(t.Context(), store, filepath.Join("..", "testdata", "import", file))
		if err != nil {
			t.Fatal(err)
		}
		var shown bytes.Buffer
		if err := (&command{out: &shown, err: &shown}).show(t.Context(), core, store, id); err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(shown.String(), w) {
				t.Errorf("%s: no %q in:\n%s", file, w, shown.String())
			}
		}
		if text := shown.String(); strings.Contains(text, " 0 tokens") || strings.Contains(text, " 0 out") || strings.Contains(text, " 0 ms") {
			t.Errorf("%s: what is not known is shown as 0:\n%s", file, text)
		}
	}
}

// spoiled puts a text behind every string of a value but those that make an event an event.
func spoiled(v any, text string, top bool) any {
	switch v := v.(type) {
	case string:
		return v + text
	case []any:
		for i := range v {
			v[i] = spoiled(v[i], text, false)
		}
	case map[string]any:
		for name, field := range v {
			keep := top && (name == "seq" || name == "session" || name == "time" || name == "kind") || name == "issued" || name == "status" || name == "op"
			if !keep {
				v[name] = spoiled(field, text, name == "data")
			}
		}
	}
	return v
}
