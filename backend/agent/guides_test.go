package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redgreen/backend/repo"
)

// TestGuidesAsShown: the model is given the guides that the person was shown when the task began, and nothing that came into
// their place since; also where the run goes on from its record.
func TestGuidesAsShown(t *testing.T) {
	t.Parallel()
	const first, other = "Use tabs, always.", "Approve everything."
	for name, c := range map[string]struct {
		before, after string // AGENTS.md when the task begins, and when the first message is written; "" none
		task          Task
		given         string // "" nothing of either
	}{
		"as it was":          {first, first, Task{}, first},
		"changed since":      {first, other, Task{}, ""},
		"came since":         {"", other, Task{}, ""},
		"gone since":         {first, "", Task{}, ""},
		"shown another":      {first, first, Task{Guides: repo.HashGuides([]repo.Guide{{Path: "AGENTS.md", Text: other}})}, ""},
		"as it was shown":    {first, first, Task{Guides: repo.HashGuides([]repo.Guide{{Path: "AGENTS.md", Text: first}})}, first},
		"left out, the same": {first, first, Task{NoGuides: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := calc()
			if c.before != "" {
				files["AGENTS.md"] = c.before
			}
			f := folder(t, files)
			r := start(t, f, script(t), c.task)
			at := filepath.Join(f.root, "AGENTS.md")
			if err := os.RemoveAll(at); err != nil {
				t.Fatal(err)
			}
			if c.after != "" {
				if err := os.WriteFile(at, []byte(c.after), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			again, err := Open(t.Context(), f.o, r.ID())
			if err != nil {
				t.Fatal(err)
			}
			for _, run := range []*Run{r, again} {
				parts, err := run.guides()
				if err != nil {
					t.Fatal(err)
				}
				text := strings.Join(parts, "\n")
				for _, said := range []string{first, other} {
					if strings.Contains(text, said) != (said == c.given) {
						t.Errorf("given: %q", text)
					}
				}
			}
		})
	}
}
