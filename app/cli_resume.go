package app

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"redgreen/backend/agent"
	"redgreen/backend/session"
)

func (c *command) resumeCommand() *cobra.Command {
	var f fixFlags
	cmd := &cobra.Command{
		Use:   "resume ID",
		Short: "Go on with a session that was interrupted, cancelled, or ended in an error",
		Long: "Goes on where the record ends: the copy is made anew with the change so far, the tests of the untouched copy run again, and\n" +
			"the model sees the conversation as it was. --model goes on with another model, which is recorded. What a session used of\n" +
			"its limits counts on. The output and the exit codes are those of `redgreen fix`.",
		Example: "  redgreen sessions resume 20261129-093012-h3k9x2mq\n  redgreen sessions resume 20261129-093012-h3k9x2mq --model anthropic/claude-sonnet-5-5",
		Args:    exactly("ID", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.message = "resumed" // it has its task
			if err := f.checked(args, c.tty); err != nil {
				return err
			}
			return c.withStore(func(core *core, store *session.Store) error { return c.resume(cmd.Context(), core, store, args[0], f) })
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.model, "model", "", "PROVIDER/NAME: another model to go on with (default: the session's own)")
	fl.StringVar(&f.approve, "approve", "", "ask, auto (write only when proven) or never (default: ask in a terminal, else never)")
	fl.BoolVar(&f.json, "json", false, "print every further event on stdout, one JSON object a line")
	return cmd
}

func (c *command) resume(ctx context.Context, core *core, store *session.Store, id string, f fixFlags) error {
	if _, err := findEvents(ctx, store, id); err != nil {
		return err
	}
	state, err := store.State(ctx, id)
	if err != nil {
		return err
	}
	if !agent.CanResume(state) {
		return fail(Conflict, fmt.Sprintf("session %s has ended as %s and does not go on; start a new task", id, outcomeWord(state.Outcome)))
	}
	folder, err := core.open(state.Folder)
	if err != nil {
		return err
	}
	ref := f.model
	if ref == "" {
		ref = state.Model.Ref()
	}
	m, err := core.chooseModel(ctx, ref, folder.repo.Root())
	if err != nil {
		return err
	}
	return c.workWith(ctx, core, folder, m, f, f.approve, func(o agent.Options) (*agent.Run, func(), error) {
		release, err := core.ownSession(id) // first: what another process wrote until then is in the record
		if err != nil {
			return nil, nil, err
		}
		run, err := agent.Open(ctx, o, id)
		if err == nil {
			err = run.ChooseModel(ctx, m)
		}
		if err != nil {
			release()
		}
		return run, release, err
	})
}
