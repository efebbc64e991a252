package app

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// exactly asks for n arguments by their names, such as "a FOLDER and a QUERY".
func exactly(names string, n int) cobra.PositionalArgs { return between(names, n, n) }

// atLeast asks for n arguments or more.
func atLeast(names string, n int) cobra.PositionalArgs { return between(names, n, 1<<20) }

// noMore takes no argument.
func noMore(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("`%s` takes no argument, but got %q; see `%s --help`", cmd.CommandPath(), args[0], cmd.CommandPath())
}

// between asks for arguments by their names, of which those after the first least may be left out.
func between(names string, least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > most {
			return fmt.Errorf("`%s` takes %s, but got %s; see `%s --help`", cmd.CommandPath(), names, countOf(len(args), "argument"), cmd.CommandPath())
		}
		if len(args) >= least {
			return nil
		}
		ids := ""
		if strings.Contains(cmd.Use, " ID") {
			ids = "; `redgreen sessions list` shows the ids"
		}
		return fmt.Errorf("`%s` needs %s, for example: %s%s", cmd.CommandPath(), names, firstExample(cmd), ids)
	}
}

// firstExample is the first command of a command's examples, without the words beside it.
func firstExample(cmd *cobra.Command) string {
	line, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
	line, _, _ = strings.Cut(line, "   ")
	return strings.TrimSpace(line)
}

// subcommandOnly is what a command does that only holds others: it shows them, and says so of a word that is none.
func subcommandOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	if meant := didYouMean(nearCommands(cmd, args[0]), cmd.CommandPath()+" "); meant != "" {
		return fmt.Errorf("`%s` has no command %q; %s", cmd.CommandPath(), args[0], meant)
	}
	return fmt.Errorf("`%s` has no command %q; it has %s", cmd.CommandPath(), args[0], strings.Join(names, ", "))
}

// didYouMean asks for the first of the near words, "" where there is none.
func didYouMean(near []string, before string) string {
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf("did you mean `%s%s`?", before, near[0])
}

// nearCommands are the commands of cmd that a word may have been meant for.
func nearCommands(cmd *cobra.Command, word string) []string {
	cmd.SuggestionsMinimumDistance = 2
	return cmd.SuggestionsFor(word)
}

// What cobra's flags say, which is in the words of the standard library, or of programmers.
var (
	badFlag     = regexp.MustCompile(`^invalid argument "(.*)" for "(?:-\w, )?--([\w-]+)" flag: `)
	unknownFlag = regexp.MustCompile(`^unknown flag: --([\w-]+)$`)
	unknownChar = regexp.MustCompile(`^unknown shorthand flag: '(.)' in `)
	emptyFlag   = regexp.MustCompile(`^flag needs an argument: (?:'(\w)' in .*|--([\w-]+))$`)
)

// flagError says what is wrong with a flag, and what it takes.
func flagError(cmd *cobra.Command, err error) error {
	see := fmt.Sprintf("see `%s --help`", cmd.CommandPath())
	text := err.Error()
	if m := unknownFlag.FindStringSubmatch(text); m != nil {
		if meant := didYouMean(nearFlags(cmd, m[1]), "--"); meant != "" {
			see = meant
		}
		return fmt.Errorf("`%s` has no flag --%s; %s", cmd.CommandPath(), m[1], see)
	}
	if m := unknownChar.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("`%s` has no flag -%s; %s", cmd.CommandPath(), m[1], see)
	}
	if m := emptyFlag.FindStringSubmatch(text); m != nil {
		name := "--" + m[2]
		if m[1] != "" {
			name = "-" + m[1]
		}
		return fmt.Errorf("%s needs a value after it; %s", name, see)
	}
	if m := badFlag.FindStringSubmatch(text); m != nil && cmd.Flags().Lookup(m[2]) != nil {
		takes := map[string]string{"float64": "a number such as 0.5", "int": "a whole number", "int64": "a whole number",
			"duration": "a time such as 90s or 20m", "bool": "true or false"}[cmd.Flags().Lookup(m[2]).Value.Type()]
		if takes != "" {
			return fmt.Errorf("--%s takes %s, not %q; %s", m[2], takes, m[1], see)
		}
	}
	return fmt.Errorf("%w; %s", err, see)
}

// nearFlags are the flags of a command that a word may have been meant for, by cobra's own measure for commands.
func nearFlags(cmd *cobra.Command, word string) []string {
	names := &cobra.Command{}
	for _, name := range flagNames(cmd) {
		names.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	return nearCommands(names, word)
}

// folderOrNone takes one folder at most; a word that is neither a folder nor a subcommand gets a helpful error.
func folderOrNone(cmd *cobra.Command, args []string) error {
	if err := between("one FOLDER at most", 0, 1)(cmd, args); err != nil || len(args) == 0 {
		return err
	}
	if _, isLink, err := linkedSession(args[0]); isLink {
		return err
	}
	if _, err := os.Stat(expandHome(args[0])); err == nil || cmd.HasParent() || !errors.Is(err, os.ErrNotExist) {
		return nil // where it opens it is said what is wrong with it
	}
	if meant := didYouMean(nearCommands(cmd, args[0]), "redgreen "); meant != "" {
		return fmt.Errorf("%q is neither a folder nor a command; %s", args[0], meant)
	}
	return fmt.Errorf("%q is neither a folder nor a command; see `redgreen --help`", args[0])
}

// flagName finds the names of flags in cobra's table of them.
var flagName = regexp.MustCompile(`(?m)^ +(?:-\w, )? *--([\w-]+)`)

// flagNames are the names of a command's flags, those of all commands too.
func flagNames(cmd *cobra.Command) []string {
	var names []string
	for _, m := range flagName.FindAllStringSubmatch(cmd.Flags().FlagUsages(), -1) {
		names = append(names, m[1])
	}
	return names
}
