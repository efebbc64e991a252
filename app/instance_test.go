package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAsked(t *testing.T) {
	t.Parallel()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want startup
	}{
		"nothing":         {nil, startup{}},
		"a whole path":    {[]string{"/srv/shop"}, startup{folder: "/srv/shop"}},
		"from the folder": {[]string{"shop"}, startup{folder: "/work/shop"}},
		"the folder":      {[]string{"."}, startup{folder: "/work"}},
		"from home":       {[]string{"~/shop"}, startup{folder: filepath.Join(home, "shop")}},
		"a link":          {[]string{"redgreen://session/abc-1"}, startup{session: "abc-1"}},
		"a bad link":      {[]string{"redgreen://session/../x"}, startup{}},
		"another link":    {[]string{"REDGREEN://open/srv"}, startup{}},
		"only flags":      {[]string{"--debug"}, startup{}},
		"flag, then path": {[]string{"--debug", "/srv/shop"}, startup{folder: "/srv/shop"}},
		"an empty one":    {[]string{""}, startup{}},
	} {
		if got := asked(c.args, "/work"); got != c.want {
			t.Errorf("%s: %+v, not %+v", name, got, c.want)
		}
	}
	for _, s := range []startup{{}, {folder: "/srv/my shop"}, {session: "abc_1-X"}} {
		if got := asked(s.args(), "/elsewhere"); got != s {
			t.Errorf("%+v was handed over as %v and read as %+v", s, s.args(), got)
		}
	}
}

// TestOpening holds that what a second start asks for is opened once: by the page's first question, or told to it later.
func TestOpening(t *testing.T) {
	t.Parallel()
	var told []any
	h, err := newHost(testCore(t), "window", func(name string, payload any) {
		if name == "open" {
			told = append(told, payload)
		}
	}, nil, startup{folder: "/srv/first"})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.open(startup{})
	h.open(startup{session: "second"})
	b, err := (&App{h: h}).Boot()
	if err != nil || b.Session == nil || *b.Session != "second" || b.Folder != nil {
		t.Errorf("the page was given %+v, %v", b, err)
	}
	if told != nil {
		t.Errorf("told before it asked: %v", told)
	}
	h.open(startup{folder: "/srv/third"})
	h.open(startup{})
	if diff := cmp.Diff([]any{Opening{Folder: "/srv/third"}}, told); diff != "" {
		t.Error(diff)
	}
}

func TestInstance(t *testing.T) {
	t.Parallel()
	one, other := Paths{Data: "/home/ada/.local/share/redgreen"}.instance(), Paths{Data: "/tmp/x/data"}.instance()
	if one == other {
		t.Errorf("two data folders share the window %s", one)
	}
}
