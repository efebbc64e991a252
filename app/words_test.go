package app

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/repo"
	"redgreen/backend/search"
	"redgreen/backend/session"
)

func TestSplitWords(t *testing.T) {
	t.Parallel()
	cases := []struct {
		in   string
		want []string
		bad  bool
	}{
		{in: "", want: nil},
		{in: "  ", want: nil},
		{in: "make test", want: []string{"make", "test"}},
		{in: `pytest -k "a b" 'c d'`, want: []string{"pytest", "-k", "a b", "c d"}},
		{in: `echo "unclosed`, bad: true},
		{in: "make test; rm -rf /", bad: true},
		{in: "make test | tee log", bad: true},
		{in: "make test && rm x", bad: true},
		{in: "make > out", bad: true},
		{in: "echo $HOME", want: []string{"echo", "$HOME"}},
		{in: "echo `id`", want: []string{"echo", "`id`"}},
	}
	for _, c := range cases {
		got, err := splitWords(c.in)
		if (err != nil) != c.bad {
			t.Errorf("%q: error %v", c.in, err)
		}
		if d := cmp.Diff(c.want, got); !c.bad && d != "" {
			t.Errorf("%q: %s", c.in, d)
		}
	}
}

func TestVisible(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"plain\ttext\n":        "plain\ttext\n",
		"\x1b[31mred\x1b[0m":   "�[31mred�[0m",
		"right\u202eto\u200b":  "right�to�",
		"tag\U000e0041":        "tag�",
		"bad\xff":              "bad�",
		"dos\r\nfile\r\n":      "dos\r\nfile\r\n",
		"over\rwritten":        "over�written",
		"title\x1b]0;x\x07end": "title�]0;x�end",
	}
	for in, want := range cases {
		if got := visible(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestExpandHome holds that a folder is opened by the name that it has, and a pasted path without what came along.
func TestExpandHome(t *testing.T) {
	t.Parallel()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	odd := filepath.Join(t.TempDir(), "'odd' ")
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		odd:                     odd,
		"~/src":                 filepath.Join(home, "src"),
		` "/no/such/folder" `:   "/no/such/folder",
		"file:///no/such/thing": "/no/such/thing",
		"file:///no/my%20shop":  "/no/my shop",
		"file://localhost/no/x": "/no/x",
		"file:///no/100%":       "/no/100%", // no address, but what is meant is clear
		"file:///no/a?b#c":      "/no/a?b#c",
		"/no/my%20shop":         "/no/my%20shop",
	} {
		if got := expandHome(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestExplain holds that what a person gave is not taken for a mistake of ours, and that a message can be read to its end.
func TestExplain(t *testing.T) {
	t.Parallel()
	_, long := repo.Open("/"+strings.Repeat("a", 1<<20), repo.Options{})
	_, query := search.Parse("regex:[" + strings.Repeat("a", 1<<20))
	for name, err := range map[string]error{"a long path": long, "a long expression": query, "our own": fail(Invalid, strings.Repeat("ü", 5000)+"do this")} {
		got := explain(err)
		if got.Code != Invalid || len(got.Message) > 4000 || !utf8.ValidString(got.Message) || !strings.HasSuffix(err.Error(), got.Message[len(got.Message)-7:]) {
			t.Errorf("%s: %s, %d bytes, %q", name, got.Code, len(got.Message), got.Message[max(0, len(got.Message)-200):])
		}
	}
}

// TestIndexNameFits holds that a folder's own name, as long as a file system allows, leaves room for ours.
func TestIndexNameFits(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"shop", strings.Repeat("x", 255), strings.Repeat("ü", 127)} {
		if got := indexName("/src/" + name); len(got) > 100 || !utf8.ValidString(got) {
			t.Errorf("%q has %d bytes", got, len(got))
		}
	}
}

// slowInput never gives a byte, as a person who does not answer.
type slowInput struct{}

func (slowInput) Read([]byte) (int, error) { select {} }

// TestQuestionEndsWithContext holds that Ctrl-C ends a question that nobody answers.
func TestQuestionEndsWithContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := &command{in: slowInput{}, out: io.Discard, err: io.Discard}
	if c.yes(ctx, "write? ", true) {
		t.Error("a question that was not answered counts as yes")
	}
	if approved, comment := c.askReview(ctx, session.State{}); approved || comment != "" {
		t.Errorf("got %v, %q without an answer", approved, comment)
	}
}

// TestEnded holds the exit code against what became of the session.
func TestEnded(t *testing.T) {
	t.Parallel()
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tt := range map[string]struct {
		ctx   context.Context
		state session.State
		want  int
	}{
		"written":                     {t.Context(), session.State{Outcome: session.Proven, Applied: true}, exitOK},
		"proven, not written":         {t.Context(), session.State{Outcome: session.Proven}, exitNot},
		"not proven":                  {t.Context(), session.State{Outcome: session.NotProven}, exitNot},
		"limit":                       {t.Context(), session.State{Outcome: session.Limit}, exitLimit},
		"error":                       {t.Context(), session.State{Outcome: session.Error}, exitError},
		"interrupted":                 {stopped, session.State{Outcome: session.Cancelled}, exitInterrupt},
		"interrupted after the write": {stopped, session.State{Outcome: session.Proven, Applied: true}, exitOK},
	} {
		got := exitOK
		var e *exit
		if errors.As(ended(tt.ctx, tt.state, "auto"), &e) {
			got = e.code
		}
		if got != tt.want {
			t.Errorf("%s: exit code %d, want %d", name, got, tt.want)
		}
	}
}

func TestEditorArgs(t *testing.T) {
	t.Parallel()
	only := func(name string) func(string) (string, error) {
		return func(s string) (string, error) {
			if s == name {
				return "/bin/" + s, nil
			}
			return "", errors.New("absent")
		}
	}
	cases := []struct {
		own, has string
		want     []string
		bad      bool
	}{
		{"", "code", []string{"code", "--goto", "/r/a b.py:7"}, false},
		{"", "zed", []string{"zed", "/r/a b.py:7"}, false},
		{"vim +{line}", "vim", []string{"vim", "+7", "/r/a b.py"}, false},
		{"", "none", nil, true},
		{"vim", "none", nil, true},
	}
	for _, c := range cases {
		got, err := editorArgs(c.own, "/r/a b.py", 7, only(c.has))
		if (err != nil) != c.bad {
			t.Errorf("%+v: %v", c, err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%+v: %s", c, d)
		}
	}
}
