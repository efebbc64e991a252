package app

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"redgreen/backend/agent"
	"redgreen/backend/model"
	"redgreen/backend/session"
)

// decideCommands are what a person decides on a saved session's patch: to write it, to take it back, to write it again.
func (c *command) decideCommands() []*cobra.Command {
	return []*cobra.Command{c.approveCommand(),
		c.undoCommand("undo", "Take back what a session wrote", "What you changed since in the same files stays. `redgreen sessions redo` writes it again.", false),
		c.undoCommand("redo", "Write again what `sessions undo` took back", "Writes the session's patch once more, onto the files that it was proven on.", true)}
}

func (c *command) undoCommand(use, short, long string, redo bool) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: use + " ID", Short: short, Long: short + ". " + long,
		Example: "  redgreen sessions " + use + " 20261129-093012-h3k9x2mq",
		Args:    exactly("the ID of a session", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withStore(func(core *core, store *session.Store) error {
				return c.undo(cmd.Context(), core, store, args[0], redo, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one object: {session, files, redo}")
	return cmd
}

// undo takes back what a session wrote into its folder, or with redo writes it again; never one in place of the other.
func (c *command) undo(ctx context.Context, core *core, store *session.Store, id string, redo, asJSON bool) error {
	if _, err := findEvents(ctx, store, id); err != nil {
		return err
	}
	state, err := store.State(ctx, id)
	if err != nil {
		return err
	}
	if state.Source == "" && (state.Receipt == nil || state.Applied == redo) {
		return fail(Conflict, undoneWords(state, redo))
	}
	receipt, err := core.undo(ctx, store, id, redo, hooks{})
	if err != nil {
		return err
	}
	did := "took back the change of"
	if redo {
		did = "wrote again"
	}
	return c.printWritten(id, did, written(receipt).Files, redo, asJSON)
}

// undoneWords say why there is nothing to undo, or to redo, and what can be done.
func undoneWords(s session.State, redo bool) string {
	switch {
	case s.Receipt == nil && agent.CanApprove(s):
		return fmt.Sprintf("session %s wrote nothing into your folder; to write its patch: redgreen sessions approve %s", s.ID, s.ID)
	case s.Receipt == nil:
		return fmt.Sprintf("session %s wrote nothing into your folder; see what it did with: redgreen sessions show %s", s.ID, s.ID)
	case redo:
		return fmt.Sprintf("the change of session %s is in the folder already, so nothing was written; take it back with: redgreen sessions undo %s", s.ID, s.ID)
	}
	return fmt.Sprintf("what session %s wrote is taken back already, so nothing was changed; write it again with: redgreen sessions redo %s", s.ID, s.ID)
}

func (c *command) printWritten(id, did string, files []string, redo, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(c.out).Encode(map[string]any{"session": id, "files": files, "redo": redo})
	}
	for _, file := range files {
		fmt.Fprintf(c.out, "%s %s\n", did, printable(file, 4096))
	}
	return nil
}

// approveFlags are the flags of `redgreen sessions approve`.
type approveFlags struct{ yes, unproven, json bool }

func (c *command) approveCommand() *cobra.Command {
	var f approveFlags
	cmd := &cobra.Command{
		Use: "approve ID", Short: "Write the patch of a session that was not written yet",
		Long: "Shows the diff and its certificate, asks, and writes the patch into the folder: all files or none, and only if the folder\n" +
			"is as it was when the patch was proven. A patch that is not proven can only be written while it waits for your review, and\n" +
			"needs --unproven beside --yes. Exit codes: 0 written, 1 you said no, 2 it cannot be written.",
		Example: "  redgreen sessions approve 20261129-093012-h3k9x2mq\n  redgreen sessions approve 20261129-093012-h3k9x2mq --yes",
		Args:    exactly("the ID of a session", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withStore(func(core *core, store *session.Store) error { return c.approve(cmd.Context(), core, store, args[0], f) })
		},
	}
	cmd.Flags().BoolVar(&f.yes, "yes", false, "write it without a question")
	cmd.Flags().BoolVar(&f.unproven, "unproven", false, "with --yes: also if it is not proven")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one object: {session, files, redo}")
	return cmd
}

func (c *command) approve(ctx context.Context, core *core, store *session.Store, id string, f approveFlags) error {
	if _, err := findEvents(ctx, store, id); err != nil {
		return err
	}
	release, err := core.ownSession(id)
	if err != nil {
		return err
	}
	defer release()
	state, err := store.State(ctx, id)
	if err != nil {
		return err
	}
	if err := notWritable(state); err != nil {
		return err
	}
	c.unwritten = true
	if err := c.agreed(ctx, state, f); err != nil {
		return err
	}
	run, err := core.pickUp(ctx, state)
	if err != nil {
		return err
	}
	defer run.Close()
	receipt, err := run.Approve(ctx, state.PatchHash, "person")
	if err != nil {
		return err
	}
	c.unwritten = false
	if f.json {
		return c.printWritten(id, "", written(receipt).Files, false, true)
	}
	if state, err = store.State(ctx, id); err == nil {
		c.printEnd(state)
	}
	return err
}

// agreed asks whether the patch is to be written; what was said by flags is not asked again.
func (c *command) agreed(ctx context.Context, state session.State, f approveFlags) error {
	switch proven := state.Proof == "proven"; {
	case f.yes && !proven && !f.unproven:
		return fail(Conflict, fmt.Sprintf("the patch of session %s is %s, so nothing was written; look at it with `redgreen sessions show %s`, and add --unproven to write it all the same",
			state.ID, stateWord(state.Proof), state.ID))
	case f.yes:
		return nil
	case !c.tty:
		return fail(Invalid, "nobody can be asked here; add --yes to write the patch")
	}
	c.printProposal(state)
	if !c.yes(ctx, writeWords(state)+" [y/N] ", false) {
		if ctx.Err() == nil {
			fmt.Fprintln(c.err, "nothing was written")
		}
		return &exit{code: exitNot}
	}
	return nil
}

// notWritable says why a session's patch cannot be written, and what to do instead; nil where it can.
func notWritable(s session.State) error {
	why := ""
	switch {
	case s.Source != "":
		why = fmt.Sprintf("it was imported from %s; nothing of it was proven here. `redgreen prove FOLDER --patch FILE` proves its diff", printable(s.Source, 300))
	case s.Applied:
		why = "it is written already; take it back with: redgreen sessions undo " + s.ID
	case s.Receipt != nil:
		why = "it was written and taken back; write it again with: redgreen sessions redo " + s.ID
	case s.Outcome == session.Running:
		why = "it has not ended; if it was interrupted, go on with: redgreen sessions resume " + s.ID
	case s.Patch.Empty():
		why = "it holds no change; see: redgreen sessions show " + s.ID
	case !agent.CanApprove(s):
		why = fmt.Sprintf("it ended as %s; see why with `redgreen sessions show %s`, and start a new task", outcomeWord(s.Outcome), s.ID)
	default:
		return nil
	}
	return fail(Conflict, fmt.Sprintf("the patch of session %s cannot be written: %s", s.ID, why))
}

// pickUp opens the run of a session that is not at work, for a decision: its model is not called.
func (c *core) pickUp(ctx context.Context, state session.State) (*agent.Run, error) {
	f, err := c.open(state.Folder)
	if err != nil {
		return nil, err
	}
	o, err := c.agentOptions(f, model.Model{Info: state.Model}, hooks{})
	if err != nil {
		return nil, err
	}
	return agent.Open(ctx, o, state.ID)
}
