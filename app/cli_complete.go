package app

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redgreen/backend/session"
)

// completeWithin is how long a shell waits for what may be meant: a model's server that does not answer is left out.
const completeWithin = 2 * time.Second

// words completes one of a few words.
func words(all ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

func folders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func nothing(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completions says for every command and flag what a shell offers: commands by what their use line asks for, flags by name.
func (c *command) completions(root *cobra.Command) {
	flags := map[string]cobra.CompletionFunc{
		"approve": words("ask", "auto", "never"), "kind": words("fix", "feature", "new", "tests", "refactor", "explain"),
		"by": words("day", "model", "folder", "all"), "as": words("jsonl", "markdown", "html"),
		"outcome":  words("proven", "not_proven", "limit", "cancelled", "error", "answered", "running", "review", "waiting"),
		"language": words("python", "go", "javascript", "java", "rust", "ruby", "php", "c", "cpp"),
		"model":    c.completeModels, "session": c.completeSessions, "folder": folders, "keep-copy": folders, "dir": folders,
		"message": nothing, "port": nothing, "max-steps": nothing, "max-usd": nothing, "timeout": nothing, "number": nothing, "since": nothing,
	}
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		for name, complete := range flags {
			if cmd.LocalNonPersistentFlags().Lookup(name) != nil {
				_ = cmd.RegisterFlagCompletionFunc(name, complete) // it fails for an unknown or a doubled flag alone
			}
		}
		_, args, _ := strings.Cut(cmd.Use, " ")
		cmd.ValidArgsFunction = c.completeArgs(strings.Fields(args))
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(root)
}

// completeArgs completes the arguments that a use line names; of those after the last named one the last holds on.
func (c *command) completeArgs(names []string) cobra.CompletionFunc {
	by := map[string]cobra.CompletionFunc{"FOLDER": folders, "ID": c.completeSessions, "OTHER": c.completeSessions, "PROVIDER/NAME": c.completeModels,
		"QUERY": func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return []cobra.Completion{"text:\tcharacters as they stand", "regex:\ta regular expression", "symbol:\ta name", "path:\ta path or a file's name",
				"words:\twhat the code does", "callers:\twho calls a function", "references:\twho names it"}, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		},
		"FILE:LINE": c.completeChanged, "LANGUAGE": c.completeImages}
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		at := min(len(args), len(names)-1)
		if at < 0 {
			return nothing(cmd, args, word)
		}
		name := names[at]
		if len(args) > at && !strings.Contains(name, "…") {
			return nothing(cmd, args, word)
		}
		name = strings.Trim(name, "[]…")
		if strings.HasPrefix(names[at], "-") || at > 0 && strings.HasPrefix(names[at-1], "-") {
			return nothing(cmd, args, word) // the use line names a flag that is required
		}
		if complete := by[name]; complete != nil {
			return complete(cmd, args, word)
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// quiet is the house for a completion: it says nothing, sweeps nothing, and a failure offers nothing.
func (c *command) quiet(do func(ctx context.Context, core *core) []cobra.Completion) ([]cobra.Completion, cobra.ShellCompDirective) {
	core, err := newCore(c.assets, c.env, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer core.Close()
	ctx, cancel := context.WithTimeout(context.Background(), completeWithin)
	defer cancel()
	return do(ctx, core), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeSessions offers ids, newest first, with what they were about.
func (c *command) completeSessions(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return c.quiet(func(ctx context.Context, core *core) []cobra.Completion {
		store, err := core.sessions()
		if err != nil {
			return nil
		}
		all, err := store.List(ctx, "", 0)
		if err != nil {
			return nil
		}
		var out []cobra.Completion
		for _, s := range all {
			taken := func(arg string) bool { return len(arg) >= leastID && strings.HasPrefix(s.ID, arg) }
			if strings.HasPrefix(s.ID, word) && !slices.ContainsFunc(args, taken) {
				out = append(out, cobra.CompletionWithDesc(s.ID, sessionWords(core, s)))
			}
		}
		return out
	})
}

// standing is a session's outcome for a list, which says of an imported one that nothing of it was checked here.
func (c *core) standing(s session.State) string {
	if s.Source != "" {
		return "imported: " + outcomeWord(s.Outcome)
	}
	return c.outcome(s)
}

// sessionWords are a session in a few words.
func sessionWords(core *core, s session.State) string {
	title := s.Name
	if title == "" {
		title = oneLine(s.Task)
	}
	where := ""
	if s.Folder != "" { // a record of another tool may name none
		where = ", " + printable(filepath.Base(s.Folder), 30)
	}
	return fmt.Sprintf("%s%s: %s", core.standing(s), where, printable(title, 50))
}

func (c *command) completeModels(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return c.quiet(func(ctx context.Context, core *core) []cobra.Completion {
		list, err := core.models(ctx)
		if err != nil {
			return nil
		}
		var out []cobra.Completion
		for _, m := range list.Models {
			if !m.Recorded && strings.HasPrefix(m.Ref, word) {
				out = append(out, cobra.CompletionWithDesc(m.Ref, m.Label))
			}
		}
		return out
	})
}

// completeChanged offers the files that a session changed, for FILE:LINE.
func (c *command) completeChanged(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	out, how := c.quiet(func(ctx context.Context, core *core) []cobra.Completion {
		store, err := core.sessions()
		if err != nil || len(args) == 0 {
			return nil
		}
		id, err := c.wholeID(core, args[0])
		if err != nil {
			return nil
		}
		state, err := store.State(ctx, id)
		if err != nil {
			return nil
		}
		var out []cobra.Completion
		for _, path := range state.Patch.Paths() {
			if strings.HasPrefix(path, word) {
				out = append(out, path+":")
			}
		}
		return out
	})
	return out, how | cobra.ShellCompDirectiveNoSpace
}

func (c *command) completeImages(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return c.quiet(func(_ context.Context, core *core) []cobra.Completion { return core.imageLanguages() })
}
