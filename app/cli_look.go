package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redgreen/backend/index"
	"redgreen/backend/repo"
	"redgreen/backend/search"
	"redgreen/backend/testrun"
)

func (c *command) searchCommand() *cobra.Command {
	var n int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "search FOLDER QUERY…",
		Short: "Find code by words, a name, a path or a pasted error",
		Long: "Brings the folder's index up to date and ranks its functions, methods and classes for the query. The kind of the query\n" +
			"is told from its text; to be exact say it: text:, regex:, symbol:, path:, words:, callers: or references:.\n\n" +
			"--json prints one object a line: {path, start_line, end_line, symbol, kind, score, why}.",
		Example: "  redgreen search . where is the discount rounded\n  redgreen search . parse_header -n 3 --json\n  redgreen search . 'callers: parse_header'",
		Args:    atLeast("a FOLDER and a QUERY", 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if n < 1 || n > 1000 {
				return errors.New("-n is a number from 1 to 1000")
			}
			core, f, st, err := c.indexed(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if note := core.vectorNote(st.Vectors); note != "" {
				fmt.Fprintln(c.err, note)
			}
			hits, err := search.Search(cmd.Context(), f.index, strings.Join(args[1:], " "), search.Options{N: n, Read: f.repo.Read, Within: searchWithin, Told: func(said string) { fmt.Fprintln(c.err, said) }})
			if err != nil {
				return err
			}
			for _, h := range hits {
				if err := c.printHit(h, asJSON); err != nil {
					return err
				}
			}
			if len(hits) == 0 && !asJSON {
				fmt.Fprintln(c.err, nothingFound(f, st))
			}
			return nil
		},
	}
	cmd.Flags().IntVarP(&n, "number", "n", 10, "show `N` results at most")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

// nothingFound says what to do where a search has no result.
func nothingFound(f *folder, st index.Stats) string {
	if st.Files == 0 {
		return fmt.Sprintf("%s holds no file that can be searched", printable(f.repo.Root(), 4096))
	}
	return "nothing found; try other words, or a part of a name or path"
}

// searchWithin is how long an expression that the index cannot help with is looked for.
const searchWithin = 2 * time.Second

func (c *command) printHit(h search.Hit, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(c.out).Encode(h)
	}
	lines := strings.Split(h.Snippet, "\n")
	at := func(line int) string {
		if line < h.StartLine || line-h.StartLine >= len(lines) {
			return ""
		}
		return printable(strings.TrimSpace(lines[line-h.StartLine]), 160)
	}
	line := h.BestLine
	if line < h.StartLine || line-h.StartLine >= len(lines) {
		line = h.StartLine
	}
	place := fmt.Sprintf("%s:%d", printable(h.Path, 4096), line)
	if h.Symbol != "" { // lines of a file that no grammar reads have no name
		place += "  " + printable(h.Symbol, 200)
	}
	fmt.Fprintln(c.out, place)
	if len(h.Lines) < 2 {
		fmt.Fprintf(c.out, "    %s\n", at(line))
		return nil
	}
	for i, l := range h.Lines {
		if i == matchesMost || at(l) == "" {
			fmt.Fprintf(c.out, "    … and %s\n", countOf(len(h.Lines)-i, "more line"))
			break
		}
		fmt.Fprintf(c.out, "    %d: %s\n", l, at(l))
	}
	return nil
}

// matchesMost is how many lines of one hit are shown that hold an exact text or fit an expression.
const matchesMost = 5

// progress draws the state of an indexing run on a terminal, and nothing elsewhere.
func (c *command) progress() func(index.Progress) {
	if !c.colour {
		return nil
	}
	last := time.Time{}
	return func(p index.Progress) {
		if time.Since(last) > 100*time.Millisecond && p.Total > 500 {
			last = time.Now()
			fmt.Fprintf(c.err, "\r%s\x1b[K", progressLine(p))
		}
		if p.Done == p.Total && p.Total > 500 {
			fmt.Fprint(c.err, "\r\x1b[K")
		}
	}
}

// progressLine says how far an index is, and how long it will take once that is known.
func progressLine(p index.Progress) string {
	line := fmt.Sprintf("indexing %d of %d files", p.Done, p.Total)
	if p.Rate > 0 {
		line += fmt.Sprintf(", %.0f a second, %s left", p.Rate, (p.Left + 999*time.Millisecond).Truncate(time.Second))
	}
	return line
}

func (c *command) indexCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "index FOLDER",
		Short:   "Bring the search index of a folder up to date",
		Long:    "Indexes the files that changed since the last time. The index lies in your cache folder, never in the repository.",
		Example: "  redgreen index .",
		Args:    exactly("a FOLDER", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			core, _, s, err := c.indexed(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			fmt.Fprintln(c.out, indexWords(s))
			if note := core.vectorNote(s.Vectors); note != "" {
				fmt.Fprintln(c.err, note)
			}
			return nil
		},
	}
}

// indexed opens a folder and brings its index up to date.
func (c *command) indexed(ctx context.Context, path string) (*core, *folder, index.Stats, error) {
	core, err := c.house()
	if err != nil {
		return nil, nil, index.Stats{}, err
	}
	f, err := core.open(expandHome(path))
	if err != nil {
		return nil, nil, index.Stats{}, err
	}
	s, err := f.index.CatchUp(ctx, otherPatience, c.progress())
	if err == nil && s.Behind > 0 {
		fmt.Fprintln(c.err, behindWords(s.Behind))
	}
	return core, f, s, err
}

// otherPatience is how long another Redgreen, which writes the index of the folder, has to read what changed in it.
const otherPatience = 5 * time.Second

// behindWords say what another Redgreen has left to do.
func behindWords(n int) string {
	return fmt.Sprintf("another Redgreen has this folder open and has still to read %s; what changed in them is not found yet", countOf(n, "file"))
}

// openRepo opens a folder without its index; the caller closes it.
func (c *command) openRepo(path string) (*core, *repo.Repo, error) {
	core, err := c.house()
	if err != nil {
		return nil, nil, err
	}
	r, err := repo.Open(expandHome(path), repo.Options{StateDir: core.paths.undo()})
	return core, r, err
}

// indexWords say what an index holds and what was done; what did not happen is left out.
func indexWords(s index.Stats) string {
	parts := []string{fmt.Sprintf("%s, %s of code and text", countOf(s.Files, "file"), countOf(s.Chunks, "piece")), fmt.Sprintf("%d read anew", s.Updated)}
	add := func(n int, text string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(text, n))
		}
	}
	add(s.Removed, "%d removed")
	add(s.Generated, "%d generated left out")
	add(s.Vendored, "%d vendored left out")
	add(s.Skipped-s.Generated-s.Vendored, "%d left out as binary, too large or secret")
	add(s.Broken, "%d with syntax errors or of unknown syntax")
	return strings.Join(parts, "; ") + "; took " + millis(s.Took.Milliseconds())
}

func (c *command) testCommand() *cobra.Command {
	var asJSON bool
	var image string
	var t testFlags
	cmd := &cobra.Command{
		Use:   "test FOLDER [PATH…]",
		Short: "Run a folder's tests in the sandbox",
		Long: "Finds the folder's test commands, one for each part of it, and runs them on a disposable copy, with no network and\n" +
			"bounded time, memory and processes. PATH is a test file, folder or test id.\n\n" +
			"Exit codes: 0 all passed, 1 some failed, 2 they could not run.\n" +
			"--json prints {runtime, command, tests: [{id, status, ms, message}], exit_code, reason}.",
		Example: "  redgreen test .\n  redgreen test . tests/test_cart.py --json\n  redgreen test . --list\n  redgreen test . --test-cmd \"make test\" --save",
		Args:    atLeast("a FOLDER", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if t.list || t.save || t.forget {
				return c.testCommands(args, t)
			}
			run, err := c.test(cmd, args, t, image)
			if err != nil {
				return err
			}
			if asJSON {
				if run.Tests == nil {
					run.Tests = []testrun.Test{}
				}
				err = json.NewEncoder(c.out).Encode(run)
			} else {
				c.printRun(run)
			}
			_, failed, _ := run.Counts()
			switch {
			case err != nil:
				return err
			case run.Infrastructure:
				return &exit{code: exitError}
			case failed > 0 || run.ExitCode != 0:
				return &exit{code: exitNot}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the run as one JSON object")
	cmd.Flags().StringVar(&image, "image", "", imageUsage)
	cmd.Flags().StringVar(&t.own, "test-cmd", "", testCmdUsage)
	cmd.Flags().StringVar(&t.dir, "dir", "", "run only what is found in `PART`, a folder of it (. is the folder itself), or --test-cmd there")
	cmd.Flags().IntVar(&t.number, "command", 0, "run only command `N` of --list")
	cmd.Flags().BoolVar(&t.list, "list", false, "list the commands found and by what, and run nothing")
	cmd.Flags().BoolVar(&t.save, "save", false, "use --test-cmd in this folder from now on; it is kept in your settings, not in the folder")
	cmd.Flags().BoolVar(&t.forget, "forget", false, "take back what --save kept")
	return cmd
}

// testFlags are the flags of `redgreen test` that choose the command.
type testFlags struct {
	own, dir           string
	number             int
	list, save, forget bool
}

// testCommands shows how a folder is tested, and fixes the command for it or takes that away.
func (c *command) testCommands(args []string, t testFlags) error {
	words, err := splitWords(t.own)
	if err != nil {
		return err
	}
	if t.save && len(words) == 0 {
		return errors.New("which command? for example: redgreen test . --test-cmd \"make test\" --save")
	}
	core, r, err := c.openRepo(args[0])
	if err != nil {
		return err
	}
	defer r.Close()
	if t.save || t.forget {
		fixed := TestCommand{Args: words, Dir: t.dir}
		if t.forget {
			fixed = TestCommand{}
		}
		if err := core.fixCommand(r.Root(), fixed); err != nil {
			return err
		}
	}
	found, err := testrun.Find(r.Root())
	if err != nil {
		return err
	}
	return c.printCommands(r.Root(), core.fixedCommand(r.Root()), found)
}

// printCommands is the table of --list: what is fixed for the folder, what was found, and what a text of it names.
func (c *command) printCommands(root string, fixed TestCommand, found []testrun.Command) error {
	out := table{columns: []column{{title: "NUMBER"}, {title: "FOLDER", give: head}, {title: "COMMAND", give: tail}, {title: "FOUND BY"}}}
	row := func(mark string, t testrun.Command) {
		out.rows = append(out.rows, []string{mark, printable(cmp.Or(t.Dir, "."), 200), printable(strings.Join(t.Args, " "), 1000), printable(t.Source, 200)})
	}
	known := slices.Clone(found)
	if len(fixed.Args) > 0 {
		known = append(known, fixed.command())
	}
	suggested := slices.DeleteFunc(testrun.Suggest(root), func(s testrun.Command) bool {
		return slices.ContainsFunc(known, func(k testrun.Command) bool { return k.Dir == s.Dir && slices.Equal(k.Args, s.Args) })
	})
	if len(known)+len(suggested) == 0 {
		fmt.Fprintln(c.err, noCommand(root))
		return nil
	}
	if len(fixed.Args) > 0 {
		row("fixed", fixed.command())
	}
	for i, f := range found {
		row(strconv.Itoa(i+1), f)
	}
	for _, s := range suggested {
		row("suggested", s)
	}
	out.print(c.out, c.width)
	return nil
}

// test runs the tests of a folder on a disposable copy.
func (c *command) test(cmd *cobra.Command, args []string, t testFlags, image string) (testrun.Run, error) {
	ctx := cmd.Context()
	words, err := splitWords(t.own)
	if err != nil {
		return testrun.Run{}, err
	}
	core, r, err := c.openRepo(args[0])
	if err != nil {
		return testrun.Run{}, err
	}
	defer r.Close()
	bench, err := core.bench(ctx, r, choice{words: words, dir: t.dir, number: t.number}, image, c.told, c.meter())
	if err != nil {
		return testrun.Run{}, err
	}
	defer bench.close()
	if err := testrun.Validate(bench.workspace.Dir(), bench.command, args[1:]); err != nil {
		return testrun.Run{}, err
	}
	fmt.Fprintf(c.err, "running %s (found by %s); isolation: %s\n", printable(strings.Join(bench.command.Args, " "), 1000), printable(bench.command.Source, 300), isolationOf(bench.rung))
	return bench.runner.Run(ctx, bench.workspace.Dir(), bench.command, args[1:])
}

// tempDir makes a folder for one command's workspace; done removes it.
func (c *core) tempDir() (dir string, done func() error, err error) {
	name := "run-" + strings.ToLower(rand.Text())
	release, err := c.own(name)
	if err != nil {
		return "", nil, err
	}
	dir = filepath.Join(c.paths.workspace(), name)
	if err := os.Mkdir(dir, 0o755); err != nil { // the sandbox's user must reach what is inside
		release()
		return "", nil, fmt.Errorf("making a folder for the workspace: %w", err)
	}
	return dir, func() error {
		defer release()
		return os.RemoveAll(dir)
	}, nil
}
