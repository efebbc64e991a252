package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

const (
	leastID   = 4 // as many characters of an id as git asks for: a slip of the finger names no session
	namedMost = 5 // sessions that an ambiguous beginning names
)

// shortIDs lets every command that takes the ids of sessions take their beginnings. Which arguments are ids its use line says.
func (c *command) shortIDs(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		c.shortIDs(sub)
	}
	words := strings.Fields(cmd.Use)[1:]
	isID := func(at int) bool {
		if at >= len(words) {
			at = len(words) - 1
			return strings.HasSuffix(words[at], "…") && strings.HasPrefix(words[at], "ID")
		}
		return slices.Contains([]string{"ID", "ID…", "OTHER"}, words[at])
	}
	run := cmd.RunE
	if run == nil || !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "ID") }) {
		return
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		core, err := c.house()
		if err != nil {
			return err
		}
		for i := range args {
			if !isID(i) {
				continue
			}
			if args[i], err = c.wholeID(core, args[i]); err != nil {
				return err
			}
		}
		return run(cmd, args)
	}
}

// wholeID gives the id of the one session whose id begins with a text. A text that begins none stays as it is, for whoever
// looks for that session to say so; one that begins several is an error that names them.
func (c *command) wholeID(core *core, text string) (string, error) {
	if len(text) < leastID {
		return text, nil
	}
	store, err := core.sessions()
	if err != nil {
		return "", err
	}
	ids, err := store.Begin(context.Background(), text)
	switch {
	case err != nil:
		return "", err
	case len(ids) == 0:
		return text, nil
	case len(ids) == 1:
		return ids[0], nil
	}
	lines := []string{fmt.Sprintf("the ids of %s begin with %q; write more of the one that you mean:", countOf(len(ids), "session"), text)}
	for i, id := range ids {
		if i == namedMost {
			lines = append(lines, fmt.Sprintf("  and %d more, see `redgreen sessions list`", len(ids)-i))
			break
		}
		state, err := store.State(context.Background(), id)
		if err != nil {
			return "", err
		}
		lines = append(lines, "  "+id+"  "+sessionWords(core, state))
	}
	return "", fail(Invalid, strings.Join(lines, "\n"))
}
