package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"redgreen/backend/eval"
	"redgreen/backend/model/subtoken"
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
	var clones []string
	var part string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "localize ROWS…",
		Short: "Measure the search on bug fixes of real histories",
		Long: "Each row is a bug-fix commit: the query is its message, what is searched is the state before it, and what has to be found is\n" +
			"what it changed. Blind queries leave out the names of the changed files and functions. A figure says how often the first of the\n" +
			"changed files or functions was found by then; the intervals are of the difference to the last ranking, 95 %, by paired\n" +
			"bootstrap. Name a clone for each file of rows; of several, those at bases of 40 files and more are pooled below. Tune on\n" +
			"--part rest only. It takes about a second a row.",
		Example: "  redgreen eval localize flask.jsonl --repo ~/src/flask --part rest\n  redgreen eval rows --repo ~/src/flask > flask.jsonl   # makes the rows",
		Args:    atLeast("a file of ROWS", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(clones) != len(args) {
				return fmt.Errorf("%s, but %s: name one clone with --repo for each, in the same order", countOf(len(args), "file of rows"), countOf(len(clones), "clone"))
			}
			var all []eval.Localized
			for i := range args {
				found, err := c.localize(cmd.Context(), args[i], clones[i], part)
				if err != nil {
					return err
				}
				if err := c.printLocalized(args[i], found, part, asJSON); err != nil {
					return err
				}
				for _, l := range found {
					if l.Files >= manyFiles {
						all = append(all, l)
					}
				}
			}
			if len(args) == 1 || asJSON {
				return nil
			}
			return c.printLocalized(fmt.Sprintf("all at bases of %d files and more", manyFiles), all, part, false)
		},
	}
	cmd.Flags().StringArrayVar(&clones, "repo", nil, "a clone of the rows' repository with its full history; given once for each file of rows")
	cmd.Flags().StringVar(&part, "part", eval.PartAll, "sealed (the newest third), rest, or all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a file of rows, with every row")
	return cmd
}

// manyFiles is where Recall by file begins to say something: among fewer files even chance finds most.
const manyFiles = 40

func (c *command) localize(ctx context.Context, name, clone, part string) (found []eval.Localized, err error) {
	file, err := os.Open(expandHome(name))
	if err != nil {
		return nil, fmt.Errorf("reading the rows: %w", err)
	}
	defer file.Close()
	rows, err := eval.ReadFixes(file)
	if err != nil {
		return nil, err
	}
	if rows, err = eval.Part(rows, part); err != nil {
		return nil, err
	}
	core, err := c.house()
	if err != nil {
		return nil, err
	}
	dir, done, err := core.tempDir()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	found, err = eval.Localize(ctx, eval.LocalizeOptions{Fixes: rows, Clone: expandHome(clone), Dir: dir, Embedder: core.embedder(), Told: func(n, all int) {
		if c.colour {
			fmt.Fprintf(c.err, "\r%d of %d fixes\x1b[K", n, all)
		}
	}})
	if c.colour {
		fmt.Fprint(c.err, "\r\x1b[K")
	}
	return found, err
}

func (c *command) printLocalized(title string, found []eval.Localized, part string, asJSON bool) error {
	if asJSON {
		r := localizeReport{Fixes: len(found), Part: part, Rankings: eval.Rankings(), Rows: found, Full: map[string][]eval.Measure{}, Blind: map[string][]eval.Measure{}}
		full, blind := eval.Score(found, eval.Localized.OfFull), eval.Score(found, eval.Localized.OfBlind)
		for i, name := range r.Rankings {
			r.Full[name], r.Blind[name] = full[i], blind[i]
		}
		return json.NewEncoder(c.out).Encode(r)
	}
	fmt.Fprintf(c.out, "\n%s: %d fixes (%s)\n", title, len(found), part)
	printMeasures(c.out, "full message", eval.Score(found, eval.Localized.OfFull))
	printMeasures(c.out, "blind", eval.Score(found, eval.Localized.OfBlind))
	fmt.Fprint(c.out, "\n| tokens until a changed function is in view | search_code and its hits | words by rg, whole files | ratio |\n|---|---:|---:|---:|\n")
	for _, kind := range []struct {
		name string
		of   func(eval.Localized) eval.Reading
	}{{"full message", func(l eval.Localized) eval.Reading { return l.FullRead }}, {"blind", func(l eval.Localized) eval.Reading { return l.BlindRead }}} {
		own, plain, seen, of := eval.TokensRead(found, kind.of)
		fmt.Fprintf(c.out, "| %s, median of %d | %.0f (%d seen) | %.0f (%d seen) | %.2f |\n", kind.name, of, own, seen[0], plain, seen[1], own/plain)
	}
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
		Args:    noMore,
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

func (c *command) pairsCommand() *cobra.Command {
	var clone string
	o := eval.PairOptions{}
	cmd := &cobra.Command{
		Use:   "pairs",
		Short: "Find texts of people with the code that they speak of, to train the built-in embedder",
		Long: "Prints one JSON object a line: the first sentence of a comment with its definition, and the message of a commit with the\n" +
			"definitions that it changed, both as subtokens. Nothing of the clone is run.",
		Example: "  redgreen eval pairs --repo ~/src/flask > flask.pairs",
		Args:    noMore,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := json.NewEncoder(c.out)
			o.Clone = expandHome(clone)
			o.Found = func(p eval.Pair) error { return out.Encode(p) }
			return eval.Pairs(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&clone, "repo", "", "a clone with its full history")
	cmd.Flags().IntVar(&o.Commits, "commits", 1000, "the most commits, newest first")
	cmd.Flags().IntVar(&o.Docs, "docs", 4000, "the most documented definitions")
	return cmd
}

func (c *command) trainCommand() *cobra.Command {
	var out string
	var o subtoken.TrainOptions
	cmd := &cobra.Command{
		Use:   "train PAIRS…",
		Short: "Train the built-in embedder's table",
		Long: "Learns one vector for each subtoken from the files that eval pairs printed, one file a repository. It takes minutes of\n" +
			"CPU time. The same files in the same order give the same table.",
		Example: "  redgreen eval train *.pairs --out subtokens.bin",
		Args:    atLeast("a file of ROWS", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return errors.New("where to? for example: --out subtokens.bin")
			}
			var groups [][]subtoken.Example
			for _, name := range args {
				group, err := readPairs(expandHome(name))
				if err != nil {
					return err
				}
				groups = append(groups, group)
			}
			o.Progress = func(epoch int, loss, right float64) {
				fmt.Fprintf(c.err, "epoch %d: loss %.3f, nearest right %.1f %%\n", epoch, loss, 100*right)
			}
			return os.WriteFile(expandHome(out), subtoken.Train(groups, o).Bytes(), 0o644)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the table's file")
	cmd.Flags().IntVar(&o.Dim, "dim", 0, "numbers a vector (0: as the shipped table)")
	cmd.Flags().IntVar(&o.Epochs, "epochs", 0, "times through all pairs (0: as the shipped table)")
	cmd.Flags().IntVar(&o.Most, "most", 0, "the most subtokens (0: as the shipped table)")
	return cmd
}

func readPairs(name string) ([]subtoken.Example, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading pairs: %w", err)
	}
	defer file.Close()
	var out []subtoken.Example
	err = eval.ReadPairs(file, func(p eval.Pair) error {
		out = append(out, subtoken.Example{Words: p.Words, Code: p.Code})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}
