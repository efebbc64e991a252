package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redgreen/backend/sandbox"
	"redgreen/backend/testrun"
)

func (c *command) doctorCommand() *cobra.Command {
	var asJSON, allow, forbid bool
	cmd := &cobra.Command{
		Use:   "doctor [FOLDER]",
		Short: "Say whether tests can run here, in which isolation, and what would help",
		Long: "Says first whether tests can run here and in which isolation; then which kinds of isolation work, what would fix the others,\n" +
			"and what the one in use was seen to keep. With a folder, also which toolchains its tests get and whether they may run without\n" +
			"any isolation (" + noneWords + ").",
		Example: "  redgreen doctor\n  redgreen doctor --json\n  redgreen doctor --allow-none ~/src/shop   let its tests run unprotected if need be",
		Args:    between("one FOLDER at most", 0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if allow && forbid || asJSON && (allow || forbid) {
				return errors.New("--allow-none, --forbid-none and --json do different things; give one of them")
			}
			core, err := c.house()
			if err != nil {
				return err
			}
			if allow || forbid {
				return c.setNone(core, args, allow)
			}
			root := ""
			if len(args) > 0 {
				if root, err = folderRoot(expandHome(args[0])); err != nil {
					return err
				}
			}
			report, err := core.doctor(cmd.Context(), root)
			if err != nil {
				return err
			}
			if root != "" {
				checks, err := testrun.New(core.runnerOptions(root, "")).Toolchains(root)
				if err != nil {
					return err
				}
				report.Checks = append(report.Checks, checks...)
			}
			if asJSON {
				err = json.NewEncoder(c.out).Encode(report)
			} else {
				c.printReport(report, root)
			}
			if report.Chosen == "" && err == nil {
				return &exit{code: exitError}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as one JSON object")
	cmd.Flags().BoolVar(&allow, "allow-none", false, "let FOLDER's tests run without isolation where no sandbox works")
	cmd.Flags().BoolVar(&forbid, "forbid-none", false, "take that back")
	return cmd
}

// noneWords say what a run without isolation is.
const noneWords = "the repository's code then runs as you, with your files and your network; only the folder is a copy"

// setNone changes whether a folder's tests may run without isolation, and says what that means.
func (c *command) setNone(core *core, args []string, on bool) error {
	if len(args) == 0 {
		return fail(Invalid, "name the folder for which it is to be changed, for example: redgreen doctor --allow-none ~/src/shop")
	}
	if _, err := core.allowNone(expandHome(args[0]), on); err != nil {
		return err
	}
	if on {
		fmt.Fprintf(c.out, "%s: its tests may run without any isolation where no sandbox works here. %s.\nTake it back with: redgreen doctor --forbid-none %s\n",
			printable(args[0], 4096), strings.ToUpper(noneWords[:1])+noneWords[1:], printable(args[0], 4096))
	} else {
		fmt.Fprintf(c.out, "%s: its tests run in a sandbox or not at all\n", printable(args[0], 4096))
	}
	return nil
}

// printReport says first whether tests can run, and in what; then what that rests on.
func (c *command) printReport(r sandbox.Report, root string) {
	fmt.Fprintln(c.out, answerWords(r, root))
	kinds, walls, rest := sortChecks(r)
	c.printChecks("Kinds of isolation, the strongest first", kinds)
	if _, err := os.Stat("/dev/kvm"); err != nil {
		fmt.Fprintln(c.out, "     This machine offers no hardware virtualisation (/dev/kvm), which a microVM needs.")
	}
	c.printChecks("What "+r.Chosen+" was seen to keep, tried just now", walls)
	c.printChecks("What the tests run with", rest)
}

// answerWords say whether tests can run, and in what.
func answerWords(r sandbox.Report, root string) string {
	whose := "Tests"
	if root != "" {
		whose = "The tests of " + printable(root, 4096)
	}
	if r.Chosen == "" {
		return whose + " cannot run here: no kind of isolation works. Each line below says what would help; one is enough."
	}
	label, protects := "", ""
	for _, k := range sandbox.Runtimes() {
		if k.Name == r.Chosen {
			label, protects = k.Label, k.Protects
		}
	}
	text := whose + " can run here. Isolation: " + isolation(r.Chosen, label)
	if r.Chosen != "none" {
		text += ", that is " + protects
	}
	for _, check := range r.Checks {
		if (strings.HasPrefix(check.Name, "toolchain: ") || strings.HasPrefix(check.Name, "plugins: ")) && !check.OK {
			text += ".\nBut what they need is missing: " + printable(check.Detail, 500)
			break
		}
	}
	return strings.TrimSuffix(text, ".") + "."
}

// sortChecks tells apart the kinds of isolation, what was tried in the one in use, and the rest.
func sortChecks(r sandbox.Report) (kinds, walls, rest []sandbox.Check) {
	for _, check := range r.Checks {
		isKind := func(k sandbox.Kind) bool { return k.Name == check.Name }
		what, tried := strings.CutPrefix(check.Name, r.Chosen+": ")
		switch {
		case slices.ContainsFunc(sandbox.Runtimes(), isKind):
			kinds = append(kinds, check)
		case r.Chosen != "" && tried:
			check.Name = what
			walls = append(walls, check)
		default:
			rest = append(rest, check)
		}
	}
	return kinds, walls, rest
}

func (c *command) printChecks(title string, checks []sandbox.Check) {
	if len(checks) == 0 {
		return
	}
	fmt.Fprintf(c.out, "\n%s:\n", title)
	said := map[string]bool{} // descriptions of a kind of sandbox, which several have in common
	for _, check := range checks {
		if i := strings.LastIndex(check.Detail, ": "); i >= 0 && check.OK {
			if what := check.Detail[i:]; said[what] {
				check.Detail = check.Detail[:i]
			} else {
				said[what] = true
			}
		}
		mark := "no "
		if check.OK {
			mark = "yes"
		}
		took := ""
		if check.Took >= time.Millisecond {
			took = fmt.Sprintf(" (%s)", check.Took.Round(time.Millisecond))
		}
		fmt.Fprintf(c.out, "%s  %s: %s%s\n", mark, check.Name, check.Detail, took)
		if check.Fix != "" && !check.OK {
			fmt.Fprintf(c.out, "     fix: %s\n", onTerminal(check.Fix, 1000))
		}
	}
}
