package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSettingsRoundTrip(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "settings.json")
	want := defaults()
	want.Theme, want.Model, want.FontSize, want.AskEdits, want.Notify = "dark", "ollama/qwen3-coder", 15, true, false
	want.BaseURLs = map[string]string{"openai": "http://127.0.0.1:8080/v1"}
	want = want.opened("/src/shop", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	if err := want.save(path); err != nil {
		t.Fatal(err)
	}
	got, _, err := loadSettings(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestBrokenSettingsAreKeptAside(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte(`{"theme": `), 0o600); err != nil {
		t.Fatal(err)
	}
	got, told, err := loadSettings(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(told, "unexpected end of JSON input") || !strings.HasSuffix(told, path+".broken") {
		t.Errorf("told %q, want what is wrong and where the file is kept", told)
	}
	if d := cmp.Diff(defaults(), got); d != "" {
		t.Error(d)
	}
	kept, err := os.ReadFile(path + ".broken")
	if err != nil || string(kept) != `{"theme": ` {
		t.Errorf("the broken file was not kept: %q, %v", kept, err)
	}
	if err := os.WriteFile(path, []byte(`[`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := loadSettings(path); err != nil {
		t.Fatal(err)
	}
	first, _ := os.ReadFile(path + ".broken")
	second, _ := os.ReadFile(path + ".broken-2")
	if string(first) != `{"theme": ` || string(second) != `[` {
		t.Errorf("two broken files were kept as %q and %q", first, second)
	}
}

func TestSettingsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte(`{"theme":"pink","font_size":400,"limits":{"steps":-3,"tokens":-1},"base_urls":null,"recent":null}`), 0o600); err != nil {
		t.Fatal(err)
	}
	got, _, err := loadSettings(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(defaults(), got); d != "" {
		t.Error(d)
	}
}

func TestRecentFolders(t *testing.T) {
	t.Parallel()
	s := defaults()
	for _, p := range []string{"/a", "/b", "/a"} {
		s = s.opened(p, time.Unix(1, 0))
	}
	if len(s.Recent) != 2 || s.Recent[0].Path != "/a" || s.Recent[1].Path != "/b" {
		t.Errorf("got %v", s.Recent)
	}
	for i := range 30 {
		s = s.opened(filepath.Join("/many", string(rune('a'+i))), time.Unix(1, 0))
	}
	if len(s.Recent) != recentMost {
		t.Errorf("%d recent folders, want %d", len(s.Recent), recentMost)
	}
}

func TestWhatSettingsTell(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ file, want string }{
		{`{}`, ""},
		{`{"Theme": "dark", "test_commands": {}}`, ""},
		{`{"folders": 5, "theme": "dark", "colour": 1}`, `there is no setting "colour", "folders"; it is passed over`},
		{`null`, "the file holds no object; the defaults are used"},
	} {
		path := filepath.Join(t.TempDir(), "settings.json")
		if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, got, err := loadSettings(path); err != nil || got != tt.want {
			t.Errorf("%s tells %q, %v; want %q", tt.file, got, err, tt.want)
		}
	}
	if _, _, err := loadSettings(t.TempDir()); err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("a folder in place of the settings gives %v, want what to do next", err)
	}
}
