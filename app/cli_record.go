package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redgreen/backend/session"
)

func (c *command) sessionsCommand() *cobra.Command {
	var f session.Filter
	var folder, outcome, since string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "sessions",
		Short:   "All that was done: list it, show it, write or undo it, go on with it, export it",
		Long:    "Each session has an ID, which `redgreen sessions list` shows. The first characters of one will do, where no other begins with them.",
		Example: "  redgreen sessions list\n  redgreen sessions show ID\n  redgreen sessions approve ID\n  redgreen sessions undo ID\n  redgreen sessions export ID --out session.html",
	}
	list := &cobra.Command{
		Use:   "list [WORDS]",
		Short: "List the saved sessions, newest first; with words, those in which they were said, read or changed",
		Long: "Each word must begin a word of anything that was said, read or changed in a session, or occur in its task, name or\n" +
			"folder. \"Words in quotes\" must stand side by side, and -word must not occur.",
		Example: "  redgreen sessions list\n  redgreen sessions list --folder . --json\n  redgreen sessions list 'half_even -draft' --outcome proven --since 2026-11-01",
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withStore(func(core *core, store *session.Store) error {
				if folder != "" {
					opened, err := core.open(expandHome(folder))
					if err != nil {
						return err
					}
					f.Folder = opened.repo.Root()
				}
				if since != "" {
					day, err := time.ParseInLocation(time.DateOnly, since, time.Local)
					if err != nil {
						return fail(Invalid, fmt.Sprintf("%q is no day; write it as 2026-11-29", since))
					}
					f.Since = day
				}
				f.Query, f.Outcome = strings.Join(args, " "), session.Outcome(outcome)
				all, _, err := store.Find(cmd.Context(), f)
				if err != nil {
					return err
				}
				if len(all) == 0 && f != (session.Filter{}) && !asJSON {
					fmt.Fprintln(c.err, "no session fits; `redgreen sessions list` shows all")
					return nil
				}
				if err := c.printSessions(core, all, asJSON); err != nil || asJSON || f.Query == "" {
					return err
				}
				return c.printHits(cmd.Context(), store, all, f.Query)
			})
		},
	}
	list.Flags().StringVar(&folder, "folder", "", "only sessions of `FOLDER`")
	list.Flags().StringVar(&outcome, "outcome", "", "only sessions in `STATE`: proven, not_proven, limit, cancelled, error, answered, running, review, waiting")
	list.Flags().StringVar(&f.Model, "model", "", "only sessions of the model `PROVIDER/NAME`")
	list.Flags().StringVar(&since, "since", "", "only sessions begun on `DAY` or later, such as 2026-11-29")
	list.Flags().BoolVar(&f.Pinned, "pinned", false, "only pinned sessions")
	list.Flags().IntVar(&f.Limit, "limit", 0, "list `N` at most (default: all)")
	list.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	cmd.AddCommand(list, c.showCommand(), c.resumeCommand(), c.forkCommand(), c.exportCommand(), c.importCommand())
	cmd.AddCommand(append(c.decideCommands(), c.manageCommands()...)...)
	return cmd
}

func (c *command) showCommand() *cobra.Command {
	follow := false
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show a session: its trace, diff and certificate",
		Long:    "Shows a session as it is. With --follow one that another window or terminal works on is shown as it goes on, until that ends;\nCtrl-C ends only the view.",
		Example: "  redgreen sessions show 20261129-093012-h3k9x2mq\n  redgreen sessions show 20261129-093012-h3k9x2mq --follow",
		Args:    exactly("the ID of a session", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withStore(func(core *core, store *session.Store) error {
				if follow {
					return c.follow(cmd.Context(), core, store, args[0])
				}
				return c.show(cmd.Context(), core, store, args[0])
			})
		},
	}
	cmd.Flags().BoolVar(&follow, "follow", false, "go on while another process works on it")
	return cmd
}

func (c *command) withStore(do func(*core, *session.Store) error) error {
	core, err := c.house()
	if err != nil {
		return err
	}
	store, err := core.sessions()
	if err != nil {
		return err
	}
	return do(core, store)
}

// findEvents loads all events of a session; an unknown id says where the ids are.
func findEvents(ctx context.Context, store *session.Store, id string) ([]session.Event, error) {
	events, err := store.Events(ctx, id, 0, 0)
	if errors.Is(err, session.ErrNotFound) || (err == nil && len(events) == 0) {
		return nil, fail(NotFound, fmt.Sprintf("there is no session %q; `redgreen sessions list` shows the ids", id))
	}
	return events, err
}

func (c *command) show(ctx context.Context, core *core, store *session.Store, id string) error {
	events, err := findEvents(ctx, store, id)
	if err != nil {
		return err
	}
	trace := newTrace(c.out, false, c.width)
	for _, e := range events {
		trace.event(e)
	}
	state, err := store.State(ctx, id)
	if err != nil {
		return err
	}
	c.printEnd(state)
	if who := core.owner(id); who != nil {
		fmt.Fprintf(c.err, "%s works on it; to follow: redgreen sessions show %s --follow\n", who, id)
		if who.Silent != nil {
			c.sayOwner(*who)
		}
	}
	return nil
}

// ownerEvery is how often a follower asks whether the session still has its owner.
const ownerEvery = 300 * time.Millisecond

// follow shows a session that another process works on, live, until that process has given it up.
func (c *command) follow(ctx context.Context, core *core, store *session.Store, id string) error {
	if _, err := findEvents(ctx, store, id); err != nil {
		return err
	}
	who := core.owner(id)
	if who == nil {
		return c.show(ctx, core, store, id)
	}
	fmt.Fprintf(c.err, "%s works on this session; you follow it here, read only.\n", who)
	trace := newTrace(c.out, false, c.width)
	f := newFollower(store, id, trace.event)
	watching, end := context.WithCancel(ctx)
	watched := make(chan error, 1)
	go func() { watched <- store.Watch(watching) }()
	f.flush(ctx)
	tick := time.NewTicker(ownerEvery)
	defer tick.Stop()
	silent := false
	for ctx.Err() == nil {
		if who = core.owner(id); who == nil {
			break
		}
		if silent != (who.Silent != nil) {
			silent = !silent
			c.sayOwner(*who)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	end()
	err := <-watched
	f.stop(context.WithoutCancel(ctx))
	if err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	state, err := store.State(ctx, id)
	if err == nil {
		c.printEnd(state)
	}
	return err
}

// sayOwner says that an owner has fallen silent, or answers again.
func (c *command) sayOwner(who Owner) {
	if who.Silent == nil {
		fmt.Fprintf(c.err, "process %d answers again\n", who.PID)
		return
	}
	fmt.Fprintf(c.err, "nothing was heard of process %d since %s; %s\n", who.PID, who.Silent.Local().Format("15:04:05"), who.todo())
}

// printHits shows where the words of a query stand, for the first few sessions.
func (c *command) printHits(ctx context.Context, store *session.Store, all []session.State, query string) error {
	for _, s := range all[:min(len(all), 5)] {
		hits, err := store.Hits(ctx, s.ID, query, 3)
		if err != nil {
			return err
		}
		before := ""
		for i, h := range hits {
			if i == 0 {
				fmt.Fprintf(c.out, "\nfound in %s:\n", s.ID)
			}
			if before == "" || !strings.HasPrefix(before, h.Snippet) { // the task is its own first message
				fmt.Fprintf(c.out, "    %s\n", printable(h.Snippet, 300))
			}
			before = h.Snippet
		}
	}
	return nil
}

// noSessions stands where a list of them would.
const noSessions = "no sessions yet; start one with `redgreen fix FOLDER -m \"what is wrong\"`"

func (c *command) printSessions(core *core, all []session.State, asJSON bool) error {
	enc := json.NewEncoder(c.out)
	t := table{columns: []column{{title: "SESSION"}, {title: "BEGUN"}, {title: "STATE"}, {title: "COST"}, {title: "FOLDER", give: head}}}
	for _, s := range all {
		if asJSON {
			if err := enc.Encode(s); err != nil {
				return err
			}
			continue
		}
		outcome := core.standing(s)
		switch {
		case s.Source != "":
		case s.Applied:
			outcome += ", written"
		case s.Receipt != nil:
			outcome += ", taken back"
		}
		if s.Pinned {
			outcome += ", pinned"
		}
		title := s.Name
		if title == "" {
			title = strings.Join(strings.Fields(s.Task), " ")
		}
		t.rows = append(t.rows, []string{s.ID, s.Created.Local().Format("2006-01-02 15:04"), outcome, money(s.MicroUSD, s.Priced, s.Model.Local), printable(s.Folder, 4096)})
		t.under = append(t.under, fmt.Sprintf("%s · %s · %s", printable(title, 100), printable(s.Model.Label, 60), countOf(s.Steps, "step")))
	}
	if asJSON {
		return nil
	}
	if len(all) == 0 {
		fmt.Fprintln(c.err, noSessions)
		return nil
	}
	t.print(c.out, c.width)
	return nil
}
