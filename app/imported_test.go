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
