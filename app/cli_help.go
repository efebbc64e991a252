package app

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// commandGroup is a few commands under a title of the help.
type commandGroup struct {
	title    string
	commands []*cobra.Command
}

// help adds the commands in their groups, and says how the help of each is written.
func (c *command) help(root *cobra.Command, groups []commandGroup) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, cmd := range g.commands {
			cmd.GroupID = g.title
			root.AddCommand(cmd)
		}
	}
	more := groups[len(groups)-1].title
	root.SetHelpCommandGroupID(more)
	root.SetCompletionCommandGroupID(more)
	root.PersistentFlags().BoolP("help", "h", false, "show this text")
	root.Flags().BoolP("version", "v", false, "print the version")
	root.InitDefaultCompletionCmd("")
	if cmd, _, err := root.Find([]string{"completion"}); err == nil && cmd != root {
		cmd.Short, cmd.Long = "Complete commands, sessions, models and more in your shell", "Prints a script that lets your shell complete commands, flags, sessions, models and kinds of queries with Tab."
		cmd.Example = "  source <(redgreen completion bash)       in this shell; put it into ~/.bashrc for all\n  redgreen completion zsh > \"${fpath[1]}/_redgreen\"\n  redgreen completion fish > ~/.config/fish/completions/redgreen.fish"
	}
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		fmt.Fprint(c.out, helpText(cmd, c.width))
	})
}

// helpText is the help of a command, no wider than the screen; width 0 means that there is none.
func helpText(cmd *cobra.Command, width int) string {
	if width <= 0 || width > 100 {
		width = 100
	}
	long := cmd.Long
	if long == "" {
		long = cmd.Short
	}
	var b strings.Builder
	for _, paragraph := range strings.Split(strings.TrimSpace(long), "\n\n") {
		if !strings.Contains(paragraph, "  ") { // else its lines stand in columns
			paragraph = strings.TrimRight(wrapped(strings.ReplaceAll(paragraph, "\n", " "), width, ""), "\n")
		}
		b.WriteString(paragraph + "\n\n")
	}
	b.WriteString("Usage:\n")
	if cmd.Runnable() && !holdsOnly(cmd) {
		use := cmd.CommandPath()
		if _, args, ok := strings.Cut(cmd.Use, " "); ok {
			use += " " + args
		}
		fmt.Fprintf(&b, "  %s [flags]\n", use)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND\n", cmd.CommandPath())
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", strings.TrimRight(cmd.Example, "\n"))
	}
	for _, g := range helpGroups(cmd) {
		fmt.Fprintf(&b, "\n%s\n", g.title)
		t := table{columns: []column{{}, {give: lines}}}
		for _, sub := range g.commands {
			t.rows = append(t.rows, []string{"  " + sub.Name(), sub.Short})
		}
		t.print(&b, width)
	}
	fmt.Fprintf(&b, "\nFlags:\n%s", cmd.Flags().FlagUsagesWrapped(width))
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n`%s COMMAND --help` says more of each.\n", cmd.CommandPath())
	}
	return b.String()
}

// holdsOnly tells a command that does nothing but hold others.
func holdsOnly(cmd *cobra.Command) bool { return cmd.HasAvailableSubCommands() && cmd.HasParent() }

// helpGroups are the commands that one holds, under their titles.
func helpGroups(cmd *cobra.Command) []commandGroup {
	var out []commandGroup
	groups := cmd.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands:"}}
	}
	for _, g := range groups {
		group := commandGroup{title: g.Title}
		for _, sub := range cmd.Commands() {
			if sub.GroupID == g.ID && (sub.IsAvailableCommand() || sub.Name() == "help") {
				group.commands = append(group.commands, sub)
			}
		}
		if len(group.commands) > 0 {
			out = append(out, group)
		}
	}
	return out
}
