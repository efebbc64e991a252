package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"redgreen/backend/eval"
)

// evalFlags are the flags of `redgreen eval harness`.
type evalFlags struct {
	repos   string
	samples []string
	cases   []string
	cost    bool
	asJSON  bool
}

func (c *command) evalCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "eval",
		Short:   "Measure Redgreen itself on tasks with known answers",
		Example: "  redgreen eval harness\n  redgreen eval builtin --part tuning --language python",
	}
	var f evalFlags
	harness := &cobra.Command{
		Use:   "harness",
		Short: "Play recorded models with deliberate faults; each must end in a proven fix or a clean stop",
		Long: "Runs the whole job with models that send bad edits, wrong arguments, empty replies, loops and floods, over the bundled\n" +
			"sample or the samples of --repos, and prints how each run ended, what a model was sent against a bare loop over the same\n" +
			"calls, and what the harness itself costs a step. No model is called. It takes minutes.\n\n" +
			"Exit codes: 0 every run ended as it must, 1 one did not, 2 it could not run.",
		Example: "  redgreen eval harness\n  redgreen eval harness --repos testdata/repos --case refusal --case \"back and forth\"\n  redgreen eval harness --json > report.json",
		Args:    noMore,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.harness(cmd.Context(), f) },
	}
	fl := harness.Flags()
	fl.StringVar(&f.repos, "repos", "", "folder of samples: NAME/, NAME.task.json, NAME.script.jsonl (default: the bundled one)")
	fl.StringArrayVar(&f.samples, "sample", nil, "only the sample of this name; may be given again")
	fl.StringArrayVar(&f.cases, "case", nil, "only the fault of this name; may be given again")
	fl.BoolVar(&f.cost, "cost", true, "measure what the harness costs a step")
	fl.BoolVar(&f.asJSON, "json", false, "print the report as one JSON object")
	cmd.AddCommand(harness, c.localizeCommand(), c.rowsCommand(), c.pairsCommand(), c.trainCommand(), c.builtinCommand(), c.priorsCommand(), c.killsCommand(), c.killedCommand())
	return cmd
}

func (c *command) harness(ctx context.Context, f evalFlags) error {
	core, err := c.house()
	if err != nil {
		return err
	}
	box, err := core.sandbox("")
	if err != nil {
		return err
	}
	dir, done, err := core.tempDir()
	if err != nil {
		return err
	}
	o := eval.Options{Names: f.samples, Cases: f.cases, Sandbox: box, Dir: dir, Seed: core.paths.seed(), Told: func(r eval.Row) {
		fmt.Fprintf(c.err, "%s, %s: %s\n", r.Sample, r.Fault, map[bool]string{true: "as it must", false: "NOT as it must: " + printable(r.Why, 300)}[r.OK])
	}}
	if f.repos != "" {
		o.Samples = os.DirFS(expandHome(f.repos))
	} else if o.Samples, err = fs.Sub(c.assets.Sample, sampleRoot); err != nil {
		return errors.Join(err, done())
	}
	report, err := eval.Harness(ctx, o)
	if err == nil && f.cost {
		report.Overhead, err = eval.Cost(ctx, o)
	}
	if err = errors.Join(err, done()); err != nil {
		return err
	}
	if f.asJSON {
		err = json.NewEncoder(c.out).Encode(report)
	} else {
		printReport(c.out, report)
	}
	if err == nil && !report.OK() {
		return &exit{code: exitNot}
	}
	return err
}

// printReport writes the report as tables that a document can take over.
func printReport(w io.Writer, r eval.Report) {
	cell := func(s string, n int) string { return strings.ReplaceAll(printable(s, n), "|", "\\|") }
	fmt.Fprint(w, "| sample | fault | the model | ended as | because | steps | |\n|---|---|---|---|---|---:|---|\n")
	for _, row := range r.Rows {
		end, mark := outcomeWord(row.Outcome), "as it must"
		if row.Proof != "" {
			end += ", " + strings.ReplaceAll(row.Proof, "_", " ")
		}
		if !row.OK {
			mark = "NOT as it must: " + row.Want
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %d | %s |\n", row.Sample, row.Fault, cell(row.Does, 120), end, cell(row.Why, 160), row.Steps, cell(mark, 200))
	}
	if len(r.Tokens) > 0 {
		fmt.Fprint(w, "\n| sample | steps | input tokens | a step | plain bare loop | ratio | best bare loop | in steps | ratio | comes again | stable prefix |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	}
	for _, t := range r.Tokens {
		fmt.Fprintf(w, "| %s | %d | %s | %s | %s | %.2f | %s | %d | %.2f | %.1f %% | %.1f %% |\n", t.Sample, t.Steps, thousands(t.Ours), thousands(t.PerStep), thousands(t.Plain), t.OfPlain, thousands(t.Bare), t.Steps-t.Fewer, t.Ratio, 100*t.Again, 100*t.Prefix)
	}
	if r.Overhead.Steps > 0 {
		fmt.Fprintf(w, "\nthe harness costs a step, behind %d others: median %.1f ms (%.1f ms of CPU time), 90 %% below %.1f ms (%d steps)\n", r.Overhead.History,
			float64(r.Overhead.Median.Microseconds())/1000, float64(r.Overhead.CPU.Microseconds())/1000, float64(r.Overhead.P90.Microseconds())/1000, r.Overhead.Steps)
	}
}
