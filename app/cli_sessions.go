package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redgreen/backend/patch"
	"redgreen/backend/session"
)

// manageCommands are what can be done with saved sessions beside looking at them.
func (c *command) manageCommands() []*cobra.Command {
	return []*cobra.Command{c.renameCommand(), c.pinCommand(true), c.pinCommand(false), c.deleteCommand(), c.pruneCommand(),
		c.compareCommand(), c.whyCommand(), c.replayCommand()}
}

func (c *command) renameCommand() *cobra.Command {
	return &cobra.Command{
		Use: "rename ID NAME", Short: "Give a session a name that stands for its task in lists", Example: `  redgreen sessions rename ID "discount, second try"`,
		Args: exactly("the ID of a session and a NAME (\"\" takes it back)", 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withStore(func(_ *core, store *session.Store) error { return store.Rename(cmd.Context(), args[0], args[1]) })
		},
	}
}

func (c *command) pinCommand(on bool) *cobra.Command {
	use, short := "pin", "Keep a session at the head of the list, whatever its age"
	if !on {
		use, short = "unpin", "Let a pinned session go again"
	}
	return &cobra.Command{
		Use: use + " ID", Short: short, Example: "  redgreen sessions " + use + " ID", Args: exactly("the ID of a session", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withStore(func(_ *core, store *session.Store) error { return store.Pin(cmd.Context(), args[0], on) })
		},
	}
}

func (c *command) deleteCommand() *cobra.Command {
	return &cobra.Command{
		Use: "delete ID…", Short: "Delete sessions with all that is kept of them",
		Long:    "Deletes sessions for good: their events, requests and outputs. What they wrote into a folder stays, and can then no longer be\nundone by Redgreen.",
		Example: "  redgreen sessions delete 20261129-093012-h3k9x2mq", Args: atLeast("the ID of a session, or of several", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			core, err := c.house()
			if err != nil {
				return err
			}
			for i, id := range args {
				if slices.Contains(args[:i], id) { // two beginnings of one id
					continue
				}
				if err := core.deleteSession(cmd.Context(), id); err != nil {
					return err
				}
				fmt.Fprintln(c.out, "deleted", id)
			}
			return nil
		},
	}
}

func (c *command) pruneCommand() *cobra.Command {
	var days, megabytes int
	cmd := &cobra.Command{
		Use: "prune", Short: "Delete old sessions, by age or size",
		Long:    "Deletes sessions that have ended, oldest first. Pinned ones and those that wait for your decision stay.",
		Example: "  redgreen sessions prune --days 90\n  redgreen sessions prune --megabytes 500", Args: noMore,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if days <= 0 && megabytes <= 0 {
				return fail(Invalid, "say what is to be kept: --days N, or --megabytes N")
			}
			return c.withStore(func(core *core, store *session.Store) error {
				deleted, err := core.pruneStore(cmd.Context(), store, Retention{Days: days, Megabytes: megabytes}.kept())
				fmt.Fprintf(c.out, "deleted %s\n", countOf(len(deleted), "session"))
				return err
			})
		},
	}
	cmd.Flags().IntVar(&days, "days", 0, "delete sessions in which nothing happened for `N` days")
	cmd.Flags().IntVar(&megabytes, "megabytes", 0, "delete the oldest until all take no more than `N` MB on disk")
	return cmd
}

func (c *command) whyCommand() *cobra.Command {
	var removed, asJSON bool
	cmd := &cobra.Command{
		Use: "why ID FILE:LINE", Short: "Say which step made a changed line, and why", Args: exactly("the ID of a session and a FILE:LINE", 2),
		Long:    "LINE is the line's number in the patched file or, with --removed, in the file before.",
		Example: "  redgreen sessions why 20261129-093012-h3k9x2mq app/invoices.py:52",
		RunE: func(cmd *cobra.Command, args []string) error {
			at := strings.LastIndexByte(args[1], ':') // a file's name may have one, too
			path, number := args[1][:max(at, 0)], args[1][at+1:]
			line, err := strconv.Atoi(number)
			if err != nil || line < 1 {
				return fail(Invalid, fmt.Sprintf("%q names no line; give FILE:LINE, such as app/invoices.py:52", args[1]))
			}
			core, err := c.house()
			if err != nil {
				return err
			}
			o, err := core.why(cmd.Context(), args[0], path, line, removed)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(c.out).Encode(o)
			}
			c.printOrigin(o)
			return nil
		},
	}
	cmd.Flags().BoolVar(&removed, "removed", false, "LINE is of the file before")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one object: {seq, step, said, by, act}")
	return cmd
}

// printOrigin says who changed a line, in which step, with which words, and shows the edit.
func (c *command) printOrigin(o session.Origin) {
	if o.By == "person" {
		fmt.Fprintf(c.out, "after step %d, by you in the review\n", o.Step)
	} else {
		fmt.Fprintf(c.out, "step %d\n", o.Step)
	}
	if o.Said != "" {
		fmt.Fprintf(c.out, "  said: %s\n", printable(strings.Join(strings.Fields(o.Said), " "), 1000))
	}
	if o.Act == nil {
		return
	}
	fmt.Fprintf(c.out, "  did:  %s %s\n", toolVerb(o.Act.Tool, o.Act.OK), printable(o.Act.Summary, 300))
	lines := strings.Split(editText(o.Act.Args), "\n")
	for i, l := range lines {
		if i == editMost {
			fmt.Fprintf(c.out, "        … and %s\n", countOf(len(lines)-i, "more line"))
			break
		}
		fmt.Fprintf(c.out, "        %s\n", l)
	}
}

// editMost is how many lines of an edit are shown; the diff of the session has all.
const editMost = 60

// editText is an edit's arguments as lines with − and +: a diff as it was written, of old and new text what differs.
func editText(args string) string {
	var a struct{ Path, Old, New, Content, Patch string }
	if json.Unmarshal([]byte(args), &a) != nil {
		return printable(args, 1000)
	}
	if a.Patch != "" {
		return fileHashes.ReplaceAllString(visible(strings.TrimSpace(a.Patch)), "index $1..$2")
	}
	state := func(text string) *patch.Content { return &patch.Content{Data: []byte(text), Mode: 0o644} }
	p, err := patch.Diff([]patch.Pair{{Path: a.Path, Before: state(a.Old), After: state(a.New + a.Content)}})
	if err != nil || p.Empty() {
		return printable(args, 1000)
	}
	var b strings.Builder
	for _, h := range p.Files[0].Hunks {
		for _, l := range h.Lines {
			fmt.Fprintf(&b, "%s%s\n", l.Op, visible(strings.TrimSuffix(l.Text, "\n")))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (c *command) replayCommand() *cobra.Command {
	var speed float64
	cmd := &cobra.Command{
		Use: "replay ID", Short: "Play a session again as it went, offline", Args: exactly("the ID of a session", 1),
		Long:    "Prints a session's trace in the time that it took, divided by --speed; no pause is longer than 5s. Nothing is run and no model\nis called.",
		Example: "  redgreen sessions replay ID\n  redgreen sessions replay ID --speed 20",
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(speed > 0) || math.IsInf(speed, 1) { // neither is NaN
				return fail(Invalid, "--speed is a number above 0; 1 is as fast as it went")
			}
			return c.withStore(func(_ *core, store *session.Store) error {
				events, err := findEvents(cmd.Context(), store, args[0])
				if err != nil {
					return err
				}
				fmt.Fprintln(c.err, replayWords(events, speed))
				if err := replay(cmd.Context(), c.out, c.width, events, speed); err != nil {
					return err
				}
				state, err := store.State(cmd.Context(), args[0])
				if err == nil {
					c.printEnd(state)
				}
				return err
			})
		},
	}
	cmd.Flags().Float64Var(&speed, "speed", 1, "play `N` times as fast as it went")
	return cmd
}

// replayPause is the longest wait between two events: a person may have slept between them.
const replayPause = 5 * time.Second

// replayWait is the pause between two events of a replay.
func replayWait(before, e session.Event, speed float64) time.Duration {
	return time.Duration(min(max(float64(e.Time.Sub(before.Time)), 0)/speed, float64(replayPause)))
}

// replayWords say how long a session took, how long its replay will take, and how it goes faster.
func replayWords(events []session.Event, speed float64) string {
	var plays time.Duration
	for i := 1; i < len(events); i++ {
		plays += replayWait(events[i-1], events[i], speed)
	}
	end := slices.IndexFunc(events, func(e session.Event) bool { return e.Kind == session.KindSessionFinished }) // what came later is a decision
	if end < 0 {
		end = len(events) - 1
	}
	took := events[end].Time.Sub(events[0].Time)
	return fmt.Sprintf("the session took %s and plays in %s; --speed 20 makes it 20 times as fast, Ctrl-C ends it", inSeconds(took), inSeconds(plays))
}

// inSeconds is a duration to the second, "less than 1s" below that.
func inSeconds(d time.Duration) string {
	if d < time.Second {
		return "less than 1s"
	}
	return d.Round(time.Second).String()
}

func replay(ctx context.Context, out io.Writer, width int, events []session.Event, speed float64) error {
	trace := newTrace(out, false, width)
	for i, e := range events {
		if i > 0 {
			select {
			case <-time.After(replayWait(events[i-1], e, speed)):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		trace.event(e)
	}
	return nil
}
