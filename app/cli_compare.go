package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redgreen/backend/session"
)

func (c *command) compareCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "compare ID OTHER", Short: "Put the steps of two sessions side by side", Long: "Lines up the steps of two sessions by what they did. Without a mark both did the same with the same result; - is only in the\nfirst, or there otherwise, + in the second. Long steps are cut to where they differ.", Example: "  redgreen sessions compare ID OTHER", Args: exactly("the ids of two sessions", 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			core, err := c.house()
			if err != nil {
				return err
			}
			pairs, err := core.compare(cmd.Context(), args[0], args[1])
			if err != nil {
				return err
			}
			if !asJSON {
				if err := c.printCompared(cmd.Context(), core, args); err != nil {
					return err
				}
			}
			for _, p := range pairs {
				if asJSON {
					if err := json.NewEncoder(c.out).Encode(p); err != nil {
						return err
					}
					continue
				}
				c.printPair(p)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one pair a line: {a, b, same}")
	return cmd
}

// printCompared names the two sessions as a diff names its files: what only one has, or has otherwise, is marked.
func (c *command) printCompared(ctx context.Context, core *core, ids []string) error {
	store, err := core.sessions()
	if err != nil {
		return err
	}
	for i, mark := range []string{"---", "+++"} {
		s, err := store.State(ctx, ids[i])
		if err != nil {
			return err
		}
		fmt.Fprintf(c.out, "%s %s  %s, %s, %s: %s\n", mark, s.ID, printable(s.Model.Label, 60), core.outcome(s), countOf(s.Steps, "step"), printable(cmp.Or(s.Name, s.Task), 80))
	}
	return nil
}

func (c *command) printPair(p session.Pair) {
	a, b := stepText(p.A), stepText(p.B)
	if p.Same {
		fmt.Fprintf(c.out, "  %3d  %s\n", p.A.Step, printable(a, stepWidth))
		return
	}
	if p.A != nil && p.B != nil {
		if a == b {
			a, b = a+wanted(p.A), b+wanted(p.B)
		}
		a, b = fromDifference(a, b)
	}
	if p.A != nil {
		fmt.Fprintf(c.out, "- %3d  %s\n", p.A.Step, printable(a, stepWidth))
	}
	if p.B != nil {
		fmt.Fprintf(c.out, "+ %3d  %s\n", p.B.Step, printable(b, stepWidth))
	}
}

// stepWidth is how much of a step is shown, in characters, and sharedMost how much of it two steps may share before that is
// cut, so that their difference is in sight.
const (
	stepWidth  = 160
	sharedMost = 70
)

// fromDifference leaves out most of what two texts begin with both: "Changed  … + b" and "Changed  … - b".
func fromDifference(a, b string) (string, string) {
	x, y := []rune(a), []rune(b)
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	if n <= sharedMost || max(len(x), len(y)) <= stepWidth {
		return a, b
	}
	head := string(x[:sharedMost/2]) + " … "
	return head + string(x[n-sharedMost/2:]), head + string(y[n-sharedMost/2:])
}

// stepText is what a step did and what came of it in the words of the trace, else what was said; "" of no step.
func stepText(s *session.Step) string {
	if s == nil {
		return ""
	}
	var acts []string
	for _, a := range s.Acts {
		acts = append(acts, strings.TrimSpace(toolVerb(a.Tool, a.OK)+"  "+oneLine(a.Summary)))
	}
	if len(acts) == 0 {
		return oneLine(s.Said)
	}
	return strings.Join(acts, "; ")
}

// wanted is what a step's calls asked for: what tells two steps apart that the trace shows in the same words.
func wanted(s *session.Step) string {
	var all []string
	for _, a := range s.Acts {
		if text := wantedOf(a); text != "" {
			all = append(all, text)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + strings.Join(all, "; ")
}

// wantedOf gives an edit's lines, of another call its arguments.
func wantedOf(a session.Act) string {
	var args map[string]any
	switch err := json.Unmarshal([]byte(a.Args), &args); {
	case err != nil:
		return oneLine(a.Args)
	case a.Tool == "apply_patch":
		var lines []string
		for line := range strings.Lines(editText(a.Args)) {
			lines = append(lines, oneLine(line))
		}
		return strings.Join(lines, " ⏎ ")
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		all = append(all, strings.ReplaceAll(name, "_", " ")+" "+oneLine(fmt.Sprint(args[name])))
	}
	return strings.Join(all, ", ")
}
