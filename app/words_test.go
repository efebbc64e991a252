package app

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		"title\x1b]0;x\x07end": "title�]0;x�end",
	}
	for in, want := range cases {
		if got := visible(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
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
