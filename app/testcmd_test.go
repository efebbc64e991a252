package app

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cli runs a subcommand with a home of its own and gives what it printed.
func cli(t *testing.T, home string, args ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	env := func(key string) string {
		if key == "REDGREEN_HOME" {
			return home
		}
		return ""
	}
	c := &command{env: env, in: strings.NewReader(""), out: &out, err: &out}
	code := c.run(context.Background(), args)
	return out.String(), code
}

func TestTheTestCommandCanBeFixedForAFolder(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n", "a_test.go": "package m\n", "web/package.json": `{"scripts": {"test": "node --test"}}`,
		"AGENTS.md": "Run `make check` first.\n"} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	steps := []struct {
		args []string
		want []string
		code int
	}{
		{[]string{"--list"}, []string{"NUMBER     FOLDER  COMMAND        FOUND BY\n1          .       go test ./...  go.mod\n2          web     node --test    package.json\nsuggested  .       make check     AGENTS.md\n"}, 0},
		{[]string{"--save"}, []string{"which command?"}, 2},
		{[]string{"--save", "--test-cmd", "npm test", "--dir", "gone"}, []string{"there is no folder gone"}, 2},
		{[]string{"--save", "--test-cmd", "npm test", "--dir", "../.."}, []string{"lies outside"}, 2},
		{[]string{"--save", "--test-cmd", "npm test", "--dir", "web"}, []string{"fixed      web     npm test       fixed for this folder\n"}, 0},
		{[]string{"--list"}, []string{"fixed      web     npm test"}, 0},
		{[]string{"--forget"}, []string{"1          .       go test"}, 0},
		{[]string{"--command", "3"}, []string{"there is no command 3"}, 2},
		{[]string{"--dir", "docs"}, []string{"no test command was found in the folder docs"}, 2},
	}
	for _, s := range steps {
		out, code := cli(t, home, append([]string{"test", dir}, s.args...)...)
		if code != s.code {
			t.Errorf("%v: exit %d, want %d\n%s", s.args, code, s.code, out)
		}
		for _, w := range s.want {
			if !strings.Contains(out, w) {
				t.Errorf("%v does not print %q:\n%s", s.args, w, out)
			}
		}
		if s.args[0] == "--forget" && strings.Contains(out, "fixed ") {
			t.Errorf("the command is still fixed:\n%s", out)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Errorf("the folder changed: %v, %v", entries, err)
	}
}

// TestTheFixedCommandSurvivesTheSettings holds that saving the settings view does not take it away.
func TestTheFixedCommandSurvivesTheSettings(t *testing.T) {
	p := filepath.Join(t.TempDir(), "settings.json")
	s := defaults()
	s.TestCommands = map[string]TestCommand{"/a": {Args: []string{"make", "test"}}}
	if err := s.save(p); err != nil {
		t.Fatal(err)
	}
	got, _, err := loadSettings(p)
	if err != nil || len(got.TestCommands["/a"].Args) != 2 {
		t.Errorf("loaded %+v, %v", got.TestCommands, err)
	}
}
