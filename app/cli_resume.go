package app

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"redgreen/backend/agent"
	"redgreen/backend/model"
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
		Args:    exactly("the ID of a session", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.message = "resumed" // it has its task
			if err := f.checked(args, c.tty); err != nil {
				return err
			}
			return c.withStore(func(core *core, store *session.Store) error { return c.resume(cmd.Context(), core, store, args[0], f) })
		},
	}
	resumeFlags(cmd, &f)
	return cmd
}

// resumeFlags are the flags of a session that goes on.
func resumeFlags(cmd *cobra.Command, f *fixFlags) {
	fl := cmd.Flags()
	fl.StringVar(&f.model, "model", "", "go on with the model `PROVIDER/NAME` (default: the session's own)")
	fl.StringVar(&f.approve, "approve", "", approveUsage)
	fl.BoolVar(&f.json, "json", false, "print every further event on stdout, one JSON object a line")
}

func (c *command) forkCommand() *cobra.Command {
	var f fixFlags
	step := 0
	cmd := &cobra.Command{
		Use:   "fork ID --step N",
		Short: "Go another way from a step: a new session with the same history before it",
		Long: "Makes a new session with all that happened before a step, and lets it go on from there; -m says what is to be different. The\n" +
			"old session stays as it is, and the two can be compared. The output and the exit codes are those of `redgreen fix`.",
		Example: "  redgreen sessions fork 20261129-093012-h3k9x2mq --step 4 -m \"look at the rounding first\"\n  redgreen sessions fork 20261129-093012-h3k9x2mq --step 4 --model anthropic/claude-sonnet-5-5",
		Args:    exactly("the ID of a session", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.say = strings.TrimSpace(f.message)
			f.message = "forked" // it has its task
			if err := f.checked(args, c.tty); err != nil {
				return err
			}
			return c.withStore(func(core *core, store *session.Store) error {
				events, err := findEvents(cmd.Context(), store, args[0])
				if err != nil {
					return err
				}
				at, err := beforeStep(events, step)
				if err != nil {
					return err
				}
				state, err := store.State(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if state.Source == "" {
					if _, _, err := c.goesOn(cmd.Context(), core, state, f); err != nil { // before there is a session of it
						return err
					}
				}
				id, err := core.fork(cmd.Context(), args[0], at)
				if err != nil {
					return err
				}
				fmt.Fprintf(c.err, "session %s goes another way from before step %d of %s\n", id, step, args[0])
				return c.resume(cmd.Context(), core, store, id, f)
			})
		},
	}
	fl := cmd.Flags()
	fl.IntVar(&step, "step", 0, "go another way from step `N` on: it is the first that is done anew")
	fl.StringVarP(&f.message, "message", "m", "", "`TEXT` for the model: what is to be different")
	resumeFlags(cmd, &f)
	return cmd
}

// beforeStep is the last event before a step begins; of a session that went another way itself the last step of that number.
func beforeStep(events []session.Event, step int) (int64, error) {
	at, last := int64(0), 0
	for _, e := range events {
		data, err := session.Decode(e)
		if err != nil {
			continue // of a newer version
		}
		if s, ok := data.(session.StepStarted); ok {
			if last = s.Step; s.Step == step {
				at = e.Seq - 1
			}
		}
	}
	switch {
	case at > 0:
		return at, nil
	case last == 0:
		return 0, fail(Conflict, "this session has no step yet; start a new task with its text")
	}
	return 0, fail(Invalid, fmt.Sprintf("--step names the first step that is done anew, 1 to %d", last))
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
	folder, m, err := c.goesOn(ctx, core, state, f)
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
		if err == nil && f.say != "" {
			err = run.Say(ctx, f.say)
		}
		if err != nil {
			release()
		}
		return run, release, err
	})
}

// goesOn gives what a session goes on with: its folder, and the model that was asked for, else its own.
func (c *command) goesOn(ctx context.Context, core *core, state session.State, f fixFlags) (*folder, model.Model, error) {
	folder, err := core.open(state.Folder)
	if err != nil {
		return nil, model.Model{}, err
	}
	m, err := core.chooseModel(ctx, cmp.Or(f.model, state.Model.Ref()), folder.repo.Root())
	return folder, m, err
}
