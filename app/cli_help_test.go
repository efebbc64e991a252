package app

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"redgreen/backend/session"
)

// TestHelpFitsTheScreen: sentences, tables and flags of every help keep to the width; commands to type stand whole.
func TestHelpFitsTheScreen(t *testing.T) {
	t.Parallel()
	everyCommand(typing(t, io.Discard, io.Discard).root(), func(cmd *cobra.Command) {
		cmd.InitDefaultHelpFlag()
		for _, width := range []int{60, 80, 100} {
			for line := range strings.Lines(helpText(cmd, width)) {
				line = strings.TrimSuffix(line, "\n")
				if typed := strings.Contains(line, "redgreen "); utf8.RuneCountInString(line) > width && !typed && strings.Contains(strings.TrimSpace(line), " ") && !strings.Contains(cmd.Long, line) {
					t.Errorf("%s at %d: %q", cmd.CommandPath(), width, line)
				}
			}
		}
	})
}

// TestHelpNamesEveryCommand: none is left out of the groups.
func TestHelpNamesEveryCommand(t *testing.T) {
	t.Parallel()
	code, out, _ := typed(t, "--help")
	for _, cmd := range typing(t, io.Discard, io.Discard).root().Commands() {
		if !strings.Contains(out, "\n  "+cmd.Name()+" ") || code != exitOK {
			t.Errorf("%s is not in the help (exit code %d)", cmd.Name(), code)
		}
	}
}

func TestCompletions(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	c := typing(t, &out, io.Discard)
	var id string
	if err := c.withStore(func(_ *core, store *session.Store) error {
		id = store.NewID()
		_, err := store.CreateAs(t.Context(), id, session.Started{Task: "the total is off", Folder: "/home/me/shop"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := c.core.Close(); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"sessions show ":                    id + "\tinterrupted, shop: the total is off\n:36\n",
		"sessions compare " + id + " ":      ":36\n", // not with itself
		"sessions undo " + id + " ":         ":4\n",
		"sessions show " + id[:15]:          id + "\tinterrupted, shop: the total is off\n:36\n",
		"sessions compare " + id[:10] + " ": ":36\n",
		"--session ":                        id + "\tinterrupted, shop: the total is off\n:36\n",
		"fix . --model built":               "builtin/repair\tbuilt-in engine (no language model)\n:36\n",
		"models probe built":                "builtin/repair\tbuilt-in engine (no language model)\n:36\n",
		"search . call":                     "callers:\twho calls a function\n",
		"search ":                           ":16\n", // folders
		"prove ":                            ":16\n",
		"prove . --patch ":                  ":0\n", // files
		"fix . --approve a":                 "ask\nauto\n",
		"cost --by ":                        "day\nmodel\nfolder\nall\n:36\n",
		"sessions li":                       "list\t",
		"cost ":                             ":4\n",
	} {
		out.Reset()
		words := strings.Split(line, " ")
		if code := c.run(t.Context(), append([]string{"__complete"}, words...)); code != exitOK || !strings.HasPrefix(out.String(), want) && !strings.Contains(out.String(), want) {
			t.Errorf("redgreen %s: exit code %d, %q", line, code, out.String())
		}
	}
}
