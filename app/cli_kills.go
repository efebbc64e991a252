package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"redgreen/backend/eval"
	"redgreen/backend/model"
)

// killFlags are the flags of `redgreen eval kills`.
type killFlags struct {
	kills   int
	seed    uint64
	runtime string
	asJSON  bool
}

func (c *command) killsCommand() *cobra.Command {
	var f killFlags
	cmd := &cobra.Command{
		Use:   "kills",
		Short: "Kill sessions at work, again and again, and look at what is left after each kill",
		Long: "Starts processes that do the whole job on a small folder (baseline, edits, proof, approval, undo) and die by SIGKILL: at\n" +
			"event boundaries, at random moments, while an event is written, between the steps of a write to the folder and of its\n" +
			"undo. After each kill it looks whether what was acknowledged is stored, the chain verifies, the session opens and says\n" +
			"that it was interrupted, no known reply of the model was asked for again, the folder is wholly before or after the\n" +
			"patch, and nothing is left behind; and, at the end of a session, whether it came to the same patch and certificate as\n" +
			"one that nobody killed. It takes minutes.\n\n" +
			"Exit codes: 0 every check held, 1 one did not, 2 it could not run.",
		Example: "  redgreen eval kills\n  redgreen eval kills --kills 50 --seed 7 --json",
		Args:    noMore,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.kills(cmd.Context(), f) },
	}
	fl := cmd.Flags()
	fl.IntVar(&f.kills, "kills", 500, "how many")
	fl.Uint64Var(&f.seed, "seed", 1, "of the random moments")
	fl.StringVar(&f.runtime, "runtime", "bwrap", "the sandbox that the tests run in")
	fl.BoolVar(&f.asJSON, "json", false, "print the report as one JSON object")
	return cmd
}

func (c *command) kills(ctx context.Context, f killFlags) error {
	core, err := c.house()
	if err != nil {
		return err
	}
	dir, done, err := core.tempDir()
	if err != nil {
		return err
	}
	report, err := runKills(ctx, dir, f, func(r eval.KillRow) { fmt.Fprintf(c.err, "%d kills %s\n", r.Kills, r.Kind) })
	if err = errors.Join(err, done()); err != nil {
		return err
	}
	if f.asJSON {
		err = json.NewEncoder(c.out).Encode(report)
	} else {
		printKills(c.out, report)
	}
	if err == nil && !report.OK() {
		return &exit{code: exitNot}
	}
	return err
}

// runKills is the kill test with this program as its children.
func runKills(ctx context.Context, dir string, f killFlags, told func(eval.KillRow)) (eval.KillReport, error) {
	self, err := os.Executable()
	if err != nil {
		return eval.KillReport{}, fmt.Errorf("finding this program: %w", err)
	}
	return eval.Kills(ctx, eval.KillOptions{Kills: f.kills, Seed: f.seed, Dir: dir, Told: told,
		Open: killHouse(f.runtime),
		Child: func(ctx context.Context, job eval.KillJob) (*exec.Cmd, error) {
			raw, err := json.Marshal(job)
			if err != nil {
				return nil, err
			}
			return exec.CommandContext(ctx, self, "eval", "killed", "--runtime", f.runtime, string(raw)), nil
		}})
}

// killedCommand is one child of the kill test; nobody types it.
func (c *command) killedCommand() *cobra.Command {
	runtime := ""
	cmd := &cobra.Command{Use: "killed JOB", Hidden: true, Args: exactly("JOB", 1), RunE: func(cmd *cobra.Command, args []string) error {
		var job eval.KillJob
		if err := json.Unmarshal([]byte(args[0]), &job); err != nil {
			return fmt.Errorf("reading the job: %w", err)
		}
		return eval.KillChild(cmd.Context(), job, killHouse(runtime), c.out)
	}}
	cmd.Flags().StringVar(&runtime, "runtime", "bwrap", "")
	return cmd
}

// killHouse opens a house of its own below a home, on a folder.
func killHouse(runtime string) func(home, folder string, h eval.KillHooks) (*eval.KillHouse, error) {
	return func(home, dir string, kill eval.KillHooks) (*eval.KillHouse, error) {
		core, err := newCore(Assets{}, func(name string) string { return map[string]string{"REDGREEN_HOME": home}[name] }, nil)
		if err != nil {
			return nil, err
		}
		core.hooks, core.settings.Runtime = kill, runtime
		// The sandbox's user passes through to the workspaces.
		if err := errors.Join(os.Chmod(core.paths.Cache, 0o711), core.sweep()); err != nil {
			return nil, errors.Join(err, core.Close())
		}
		f, err := core.open(dir)
		if err != nil {
			return nil, errors.Join(err, core.Close())
		}
		o, err := core.agentOptions(f, model.Model{}, hooks{})
		if err != nil {
			return nil, errors.Join(err, core.Close())
		}
		return &eval.KillHouse{Agent: o, Own: core.ownSession, Interrupted: core.interrupted, Sweep: core.sweep, Close: core.Close,
			Leftovers: []string{core.paths.workspace(), filepath.Join(core.paths.sandbox(), "run")}}, nil
	}
}

// printKills writes the report as a table that a document can take over.
func printKills(w io.Writer, r eval.KillReport) {
	fmt.Fprint(w, "| killed | kills |")
	for _, check := range eval.KillChecks() {
		fmt.Fprintf(w, " %s |", check)
	}
	fmt.Fprint(w, "\n|---|---:|")
	for range eval.KillChecks() {
		fmt.Fprint(w, "---:|")
	}
	fmt.Fprintln(w)
	for _, row := range r.Rows {
		fmt.Fprintf(w, "| %s | %d |", row.Kind, row.Kills)
		for _, check := range eval.KillChecks() {
			fmt.Fprintf(w, " %d |", row.Passed[check])
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "\n%d kills, %d sessions worked on until they were through, %.0f s\n", r.Kills, r.Sessions, float64(r.Millis)/1000)
	for _, miss := range r.Misses {
		fmt.Fprintln(w, "missed:", printable(miss, 2000))
	}
}
