package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"redgreen/backend/eval"
)

// localizeReport is what `redgreen eval localize --json` prints.
type localizeReport struct {
	Fixes    int                       `json:"fixes"`
	Part     string                    `json:"part"`
	Rankings []string                  `json:"rankings"`
	Full     map[string][]eval.Measure `json:"full"`
	Blind    map[string][]eval.Measure `json:"blind"`
	Rows     []eval.Localized          `json:"rows"`
}

func (c *command) localizeCommand() *cobra.Command {
	var clone, part string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "localize ROWS",
		Short: "Measure the search on bug fixes of a real history",
		Long: "Each row is a bug-fix commit: the query is its message, what is searched is the state before it, and what has to be found is\n" +
			"what it changed. Blind queries leave out the names of the changed files and functions. The intervals are of the difference to the\n" +
			"last ranking, 95 %, by paired bootstrap. Tune on --part rest only. It takes about a second a row.",
		Example: "  redgreen eval rows --repo ~/src/flask > flask.jsonl\n  redgreen eval localize flask.jsonl --repo ~/src/flask --part rest",
		Args:    exactly("ROWS", 1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			file, err := os.Open(expandHome(args[0]))
			if err != nil {
				return fmt.Errorf("reading the rows: %w", err)
			}
			defer file.Close()
			rows, err := eval.ReadFixes(file)
			if err != nil {
				return err
			}
			if rows, err = eval.Part(rows, part); err != nil {
				return err
			}
			core, err := c.house()
			if err != nil {
				return err
			}
			dir, done, err := core.tempDir()
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, done()) }()
			found, err := eval.Localize(cmd.Context(), eval.LocalizeOptions{Fixes: rows, Clone: expandHome(clone), Dir: dir, Told: func(n, all int) {
				if c.colour {
					fmt.Fprintf(c.err, "\r%d of %d fixes\x1b[K", n, all)
				}
			}})
			if c.colour {
				fmt.Fprint(c.err, "\r\x1b[K")
			}
			if err != nil {
				return err
			}
			return c.printLocalized(found, part, asJSON)
		},
	}
	cmd.Flags().StringVar(&clone, "repo", "", "a clone of the rows' repository with its full history")
	cmd.Flags().StringVar(&part, "part", eval.PartAll, "sealed (the newest third), rest, or all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object with every row")
	return cmd
}

func (c *command) printLocalized(found []eval.Localized, part string, asJSON bool) error {
	if asJSON {
		r := localizeReport{Fixes: len(found), Part: part, Rankings: eval.Rankings(), Rows: found, Full: map[string][]eval.Measure{}, Blind: map[string][]eval.Measure{}}
		full, blind := eval.Score(found, eval.Localized.OfFull), eval.Score(found, eval.Localized.OfBlind)
		for i, name := range r.Rankings {
			r.Full[name], r.Blind[name] = full[i], blind[i]
		}
		return json.NewEncoder(c.out).Encode(r)
	}
	fmt.Fprintf(c.out, "%s (%s)\n", countOf(len(found), "fix"), part)
	printMeasures(c.out, "full message", eval.Score(found, eval.Localized.OfFull))
	printMeasures(c.out, "blind", eval.Score(found, eval.Localized.OfBlind))
	return nil
}

// printMeasures writes one table; each cell is the figure in percent and the interval of its difference to the last row.
func printMeasures(w io.Writer, title string, table [][]eval.Measure) {
	fmt.Fprintf(w, "\n| %s |", title)
	for _, m := range table[0] {
		fmt.Fprintf(w, " %s |", m.Name)
	}
	fmt.Fprint(w, "\n|---|")
	for range table[0] {
		fmt.Fprint(w, "---:|")
	}
	fmt.Fprintln(w)
	for i, name := range eval.Rankings() {
		fmt.Fprintf(w, "| %s |", name)
		for _, m := range table[i] {
			fmt.Fprintf(w, " %.1f", 100*m.Value)
			if i < len(table)-1 {
				fmt.Fprintf(w, " (%+.1f…%+.1f)", 100*m.Low, 100*m.High)
			}
			fmt.Fprint(w, " |")
		}
		fmt.Fprintln(w)
	}
}

func (c *command) rowsCommand() *cobra.Command {
	var clone, name string
	var most int
	cmd := &cobra.Command{
		Use:   "rows",
		Short: "Find the bug fixes of a history, as rows for eval localize",
		Long: "Prints one JSON object a line for each commit whose message speaks of a fix and that touches tests and at most 60 lines of\n" +
			"source: its id, its parent, the files it changes and the functions whose old lines it touches. Nothing of the clone is run.",
		Example: "  redgreen eval rows --repo ~/src/flask > flask.jsonl",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if name == "" {
				name = filepath.Base(clone)
			}
			out := json.NewEncoder(c.out)
			return eval.Mine(cmd.Context(), eval.MineOptions{Clone: expandHome(clone), Repository: name, Most: most,
				Found: func(f eval.Fix) error { return out.Encode(f) }})
		},
	}
	cmd.Flags().StringVar(&clone, "repo", "", "a clone with its full history")
	cmd.Flags().StringVar(&name, "name", "", "what the rows call it (default: the folder's name)")
	cmd.Flags().IntVar(&most, "most", 0, "the most rows, newest first (0: all)")
	return cmd
}
