package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"redgreen/backend/eval"
	"redgreen/backend/model"
	"redgreen/backend/session"
)

// builtinFlags are the flags of `redgreen eval builtin`.
type builtinFlags struct {
	bugs, repos, part, engine, cache string
	resume                           string
	languages, only                  []string
	check, asJSON                    bool
	wall                             time.Duration
}

func (c *command) builtinCommand() *cobra.Command {
	var f builtinFlags
	cmd := &cobra.Command{
		Use:   "builtin",
		Short: "Let the built-in engine fix bugs with known fixes, and judge each fix by tests that it never saw",
		Long: "Runs the whole job, in the sandbox, over single-hunk bugs in four languages: in the sample repositories, in libraries as\n" +
			"their registries have them (fetched once with go, npm and apt-get) and in small programs. A fix counts when it is proven\n" +
			"and either is the known one but for blanks and comments or passes further tests that the engine never saw; a proven one\n" +
			"that fails them is counted as wrong. The engine's makers saw those of the part tuning alone; heldback is as large, oneline is\n" +
			"small classic algorithms in Python with one wrong line each. It takes a while.\n\n" +
			"Exit codes: 0 it ran, 1 a bug is not as it says (or, with --check, a known fix was misjudged), 2 it could not run.",
		Example: "  redgreen eval builtin\n  redgreen eval builtin --part tuning --language python --resume runs.jsonl\n  redgreen eval builtin --check --only js-undo-stack --json",
		Args:    noMore,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.builtin(cmd.Context(), f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.bugs, "bugs", filepath.Join("testdata", "builtin"), "folder of the bugs: a folder a part, NAME.txtar in it")
	fl.StringVar(&f.repos, "repos", filepath.Join("testdata", "repos"), "folder of the sample repositories")
	fl.StringVar(&f.part, "part", "all", "tuning, heldback, oneline or all")
	fl.StringVar(&f.engine, "model", "builtin/repair", "the model that is measured")
	fl.StringVar(&f.cache, "cache", "", "folder for fetched libraries (default: among Redgreen's own)")
	fl.StringArrayVar(&f.languages, "language", nil, "only python, go, javascript or java; may be given again")
	fl.StringArrayVar(&f.only, "only", nil, "only the bug of this name; may be given again")
	fl.StringVar(&f.resume, "resume", "", "file of runs, one JSON object a line: each run is added as it ends, and what is there is not run again")
	fl.DurationVar(&f.wall, "wall", 0, "how long the job over one bug may take (default: as any task)")
	fl.BoolVar(&f.check, "check", false, "play the known fixes instead, and the plausible wrong ones: is each bug as it says?")
	fl.BoolVar(&f.asJSON, "json", false, "print the runs as one JSON list")
	return cmd
}

func (c *command) builtin(ctx context.Context, f builtinFlags) error {
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
	o := eval.BuiltinOptions{Options: eval.Options{Samples: os.DirFS(expandHome(f.repos)), Sandbox: box, Dir: dir, Seed: core.paths.seed()},
		Bugs: os.DirFS(expandHome(f.bugs)), Languages: f.languages, Only: f.only, Cache: f.cache, Limits: session.Limits{Wall: f.wall},
		Told: func(r eval.Fixed) {
			if r.Doubt != "" {
				r.Verdict += ", a person is asked"
			}
			fmt.Fprintf(c.err, "%s (%s): %s, %d tried, %.1f s %s\n", r.Bug, r.Language, r.Verdict, r.Tried, float64(r.Millis)/1000, printable(r.Unexpected, 1000))
		}}
	if f.part != "all" {
		o.Parts = []string{f.part}
	}
	if o.Cache == "" {
		o.Cache = filepath.Join(core.paths.Cache, "bugs")
	}
	if o.Cache, err = filepath.Abs(expandHome(o.Cache)); err != nil {
		return errors.Join(err, done())
	}
	if f.check {
		err = c.checkBugs(ctx, o, f.asJSON)
		return errors.Join(err, done())
	}
	o.Model = func(eval.Bug) (model.Model, error) { return core.chooseModel(ctx, f.engine, "") }
	keep, err := keepRuns(&o, f.resume)
	if err != nil {
		return errors.Join(err, done())
	}
	all, err := eval.Builtin(ctx, o)
	err = errors.Join(err, keep(), done())
	if len(all) > 0 && f.asJSON { // also what was run before an interruption
		err = errors.Join(err, json.NewEncoder(c.out).Encode(all))
	} else if len(all) > 0 {
		printFixed(c.out, all)
	}
	if err == nil && slices.ContainsFunc(all, func(r eval.Fixed) bool { return r.Unexpected != "" }) {
		return &exit{code: exitNot}
	}
	return err
}

// keepRuns reads the runs of a file and has each further one added to it; the function that it gives closes the file and says
// what could not be written. Without a name nothing is read or written.
func keepRuns(o *eval.BuiltinOptions, name string) (func() error, error) {
	if name == "" {
		return func() error { return nil }, nil
	}
	file, err := os.OpenFile(expandHome(name), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("keeping the runs: %w", err)
	}
	lines := json.NewDecoder(file)
	for {
		var r eval.Fixed
		err := lines.Decode(&r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("reading the runs kept in %s: %w; it is made by --resume, give another file or take its last line out", name, err), file.Close())
		}
		o.Kept = append(o.Kept, r)
	}
	var failed error
	told, write := o.Told, json.NewEncoder(file)
	o.Told = func(r eval.Fixed) {
		failed = errors.Join(failed, write.Encode(r))
		told(r)
	}
	return func() error {
		if err := errors.Join(failed, file.Close()); err != nil {
			return fmt.Errorf("keeping the runs: %w", err)
		}
		return nil
	}, nil
}

// checkBugs plays known fixes: each right one must be judged as fixed, each plausible one as wrong.
func (c *command) checkBugs(ctx context.Context, o eval.BuiltinOptions, asJSON bool) error {
	bad := []string{}
	var all []eval.Fixed
	for _, wrong := range []bool{false, true} {
		want := eval.FixedRight
		if wrong {
			want = eval.FixedWrong
		}
		o.Model = func(b eval.Bug) (model.Model, error) { return eval.Known(b, wrong), nil }
		o.Plausible = wrong
		fixed, err := eval.Builtin(ctx, o)
		if err != nil && !(wrong && errors.Is(err, eval.ErrNoBugs)) {
			return err
		}
		for _, r := range fixed {
			if r.Verdict != want || r.Unexpected != "" {
				bad = append(bad, fmt.Sprintf("%s: %s, not %s: %s %s", r.Bug, r.Verdict, want, r.Unexpected, r.Why))
			}
		}
		all = append(all, fixed...)
	}
	if asJSON {
		if err := json.NewEncoder(c.out).Encode(all); err != nil {
			return err
		}
	}
	for _, b := range bad {
		fmt.Fprintln(c.err, printable(b, 4000))
	}
	fmt.Fprintf(c.err, "%d known fixes played, %d misjudged\n", len(all), len(bad))
	if len(bad) > 0 {
		return &exit{code: exitNot}
	}
	return nil
}

// printFixed writes the runs as tables that a document can take over.
func printFixed(w io.Writer, all []eval.Fixed) {
	fmt.Fprint(w, "| bugs | | fixed correctly | plausible but wrong | not found | median time to a proven fix | median candidates tried |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, s := range eval.Sum(all) {
		fmt.Fprintf(w, "| %s | %d | %d (%.0f %%) | %d | %d | %.1f s | %d |\n", s.Of, s.Bugs, s.Fixed, 100*float64(s.Fixed)/float64(s.Bugs), s.Wrong, s.NotFound, float64(s.Millis)/1000, s.Tried)
	}
	asked, of := map[string]int{}, map[string]int{}
	for _, r := range all {
		of[r.Verdict]++
		if r.Doubt != "" {
			asked[r.Verdict]++
		}
	}
	fmt.Fprintf(w, "\nA person was asked to choose among edits in %d of the %d that were fixed correctly and in %d of the %d wrong ones.\n\n",
		asked[eval.FixedRight], of[eval.FixedRight], asked[eval.FixedWrong], of[eval.FixedWrong])
	for _, r := range all {
		if r.Verdict == eval.FixedWrong {
			fmt.Fprintf(w, "wrong: %s (%s, %s): the hidden tests are red: %s\n", r.Bug, r.Language, r.Kind, printable(r.Why, 300))
		}
	}
	for _, r := range all {
		if r.Verdict == eval.NotFound {
			fmt.Fprintf(w, "not found: %s (%s, %s): %s\n", r.Bug, r.Language, r.Kind, printable(r.Why, 200))
		}
	}
}
