package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redgreen/backend/patch"
	"redgreen/backend/proof"
	"redgreen/backend/testrun"
)

func (c *command) proveCommand() *cobra.Command {
	var file, testCmd, image string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "prove FOLDER --patch FILE",
		Short: "Prove any patch: run the tests without and with it, without a model",
		Long: "Runs the folder's tests without and with the patch, on disposable copies in the sandbox, and prints the\n" +
			"certificate. The folder does not change. Exit codes: 0 proven, 1 not proven, 2 unverifiable or an error; with --json\n" +
			"an error is a certificate too, with its reason.",
		Example: "  redgreen prove . --patch fix.diff\n  git diff | redgreen prove . --patch - --json",
		Args:    exactly("a FOLDER", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if file == "" {
				return errors.New("which patch? name it with --patch FILE, or - for standard input")
			}
			cert, err := c.prove(cmd.Context(), args[0], file, testCmd, image)
			if err != nil && (!asJSON || cmd.Context().Err() != nil) {
				return err
			}
			if err != nil {
				cert = proof.None(err.Error(), time.Now())
			}
			if asJSON {
				err = json.NewEncoder(c.out).Encode(cert)
			} else {
				printCertificate(c.out, cert)
			}
			switch {
			case err != nil:
				return err
			case cert.State == proof.NotProven || cert.State == proof.Stale:
				return &exit{code: exitNot}
			case cert.State != proof.Proven:
				return &exit{code: exitError}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "patch", "", "read the unified diff from `FILE`, - for standard input")
	cmd.Flags().StringVar(&testCmd, "test-cmd", "", testCmdUsage)
	cmd.Flags().StringVar(&image, "image", "", imageUsage)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the certificate as one JSON object")
	return cmd
}

// prove makes the certificate of a patch file.
func (c *command) prove(ctx context.Context, dir, name, own, image string) (proof.Certificate, error) {
	var none proof.Certificate
	words, err := splitWords(own)
	if err != nil {
		return none, err
	}
	file, err := c.readPatch(name)
	if err != nil {
		return none, err
	}
	core, r, err := c.openRepo(dir)
	if err != nil {
		return none, err
	}
	defer r.Close()
	edits, err := file.edits()
	if err != nil {
		return none, err
	}
	b, err := core.emptyBench(ctx, r, choice{words: words}, image, c.told, c.meter())
	if err != nil {
		return none, err
	}
	defer b.close()
	if len(edits) == 0 {
		fmt.Fprintf(c.err, "%s is empty; a patch with all changes since the last commit comes from `%s`\n", file.said(), file.make())
		cert, _, err := proof.Prove(ctx, proof.Options{Command: b.command, BaseHash: b.workspace.BaseHash(), Now: time.Now})
		return cert, err
	}
	p, notes, err := patch.Resolve(edits, b.workspace.Content)
	if err != nil {
		return none, file.misfit(err)
	}
	for _, n := range notes {
		fmt.Fprintf(c.err, "%s: %s\n", printable(n.Path, 4096), printable(n.Message, 1000))
	}
	if err := b.firstCommand(ctx, r.Root(), p); err != nil {
		return none, err
	}
	if len(b.command.Parts) > 0 {
		b.command = testrun.Together(testrun.Touched(b.command.Parts, p.Paths()))
	}
	fmt.Fprintf(c.err, "running %s; isolation: %s\n", printable(strings.Join(b.command.Args, " "), 1000), isolationOf(b.rung))
	c.told("Running all tests without the patch")
	base, done, err := b.tree(ctx, patch.Patch{})
	if err != nil {
		return none, err
	}
	baseline, err := b.runner.Run(ctx, base, b.command, nil)
	done()
	if err != nil {
		return none, err
	}
	c.ran(baseline)
	cert, _, err := proof.Prove(ctx, proof.Options{Runner: b.runner, Command: b.command, Baseline: baseline, Patch: p,
		BaseHash: b.workspace.BaseHash(), Tree: b.tree, ReadBase: b.workspace.Base, Now: time.Now, Progress: c.told, Ran: c.ran})
	if err != nil {
		return none, err
	}
	changed, err := r.Check(p)
	if err != nil {
		return none, err
	}
	return cert.Against(changed), nil
}

// ran says on stderr how a run of a proof ended.
func (c *command) ran(r testrun.Run) {
	passed, failed, skipped := r.Counts()
	words := fmt.Sprintf("%d passed, %d failed", passed, failed)
	if skipped > 0 {
		words += fmt.Sprintf(", %d skipped", skipped)
	}
	if r.Infrastructure {
		words = "no verdict: " + onTerminal(stopWords(r.Reason), 300)
	}
	fmt.Fprintf(c.err, "     %s (%s)\n", words, millis(r.Duration.Milliseconds()))
}

// firstCommand looks for a test command with the patch where the folder has none: the patch may bring the first test.
func (b *bench) firstCommand(ctx context.Context, root string, p patch.Patch) error {
	if len(b.command.Args) > 0 {
		return nil
	}
	dir, done, err := b.tree(ctx, p)
	if err != nil {
		return err
	}
	defer done()
	found, err := testrun.Find(dir)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return noCommand(root)
	}
	b.command = testrun.Together(found)
	return nil
}

// tree gives a fresh copy of the base with a patch applied.
func (b *bench) tree(ctx context.Context, p patch.Patch) (string, func(), error) {
	dir, err := os.MkdirTemp(b.dir, "tree-")
	if err != nil {
		return "", nil, fmt.Errorf("making a copy to test: %w", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", nil, fmt.Errorf("making a copy to test: %w", err)
	}
	w, err := b.workspace.Pristine(ctx, filepath.Join(dir, "tree"))
	if err != nil {
		return "", nil, err
	}
	done := func() {
		w.Close()
		os.RemoveAll(dir)
	}
	if err := w.Apply(p); err != nil {
		done()
		return "", nil, err
	}
	return w.Dir(), done, nil
}
