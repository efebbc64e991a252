package app

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"redgreen/backend/session"
)

// TestShortIDs: every command that names a session takes as much of its id as no other begins with, and says whose
// beginning it is where several do.
func TestShortIDs(t *testing.T) {
	t.Parallel()
	const first, second, third = "20260102-030405-aaaaaaaa", "20260102-030405-aabbbbbb", "20260203-040506-cccccccc"
	var out, said strings.Builder
	c := typing(t, &out, &said)
	if err := c.withStore(func(_ *core, store *session.Store) error {
		for _, id := range []string{first, second, third} {
			if _, err := store.CreateAs(t.Context(), id, session.Started{Task: "the total is off", Folder: "/home/me/shop"}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	run := func(line string) string {
		out.Reset()
		said.Reset()
		c.run(t.Context(), strings.Split(line, " "))
		return out.String() + said.String()
	}
	tried := 0
	everyCommand(c.root(), func(cmd *cobra.Command) {
		use := strings.Fields(cmd.Use)
		if len(use) < 2 || !strings.HasPrefix(use[1], "ID") {
			return
		}
		tried++
		more := map[string]string{"rename": " NAME", "compare": " " + third[:6], "why": " a.py:1", "fork": " --step 1", "export": " --as markdown"}[cmd.Name()]
		line := strings.TrimPrefix(cmd.CommandPath(), "redgreen ") + " "
		if got := run(line + first[:17] + more); !strings.Contains(got, "the ids of 2 sessions begin with") || !strings.Contains(got, first) || !strings.Contains(got, second) {
			t.Errorf("%s of two: %q", cmd.CommandPath(), got)
		}
		if cmd.Name() == "delete" {
			return
		}
		if got := run(line + third[:6] + more); strings.Contains(got, "there is no session") || strings.Contains(got, "not found") || strings.Contains(got, third[:6]+":") {
			t.Errorf("%s of one: %q", cmd.CommandPath(), got)
		}
		if got := run(line + third[:3] + more); !strings.Contains(got, third[:3]) || strings.Contains(got, third) {
			t.Errorf("%s of too little: %q", cmd.CommandPath(), got)
		}
		if got := run(line + third + "x" + more); !strings.Contains(got, third+"x") {
			t.Errorf("%s of none: %q", cmd.CommandPath(), got)
		}
	})
	if tried < 12 {
		t.Errorf("only %d commands take a session", tried)
	}
	if got := run("sessions compare " + third[:6] + " " + first[:6]); !strings.Contains(got, "the ids of 2 sessions") {
		t.Errorf("the second one: %q", got)
	}
	if got := run("--session " + first[:6]); !strings.Contains(got, "the ids of 2 sessions") {
		t.Errorf("the window's: %q", got)
	}
	if got := run("sessions delete " + third[:6] + " " + third[:8] + " " + first[:19]); got != "deleted "+third+"\ndeleted "+first+"\n" {
		t.Errorf("two of them: %q", got)
	}
	if got := run("sessions show 2026"); !strings.Contains(got, second) { // one is left
		t.Errorf("the last: %q", got)
	}
}
