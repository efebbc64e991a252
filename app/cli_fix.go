package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redgreen/backend/agent"
	"redgreen/backend/model"
	"redgreen/backend/policy"
	"redgreen/backend/repair"
	"redgreen/backend/repo"
	"redgreen/backend/session"
	"redgreen/backend/session/exchange"
	"redgreen/backend/testrun"
)

// usdMost is the highest limit of cost: more is a slip of the finger, and no wish.
const usdMost = 1_000_000

// What flags of several commands say.
const (
	approveUsage = "`WHEN` to write: ask, auto (only what is proven) or never (default: ask in a terminal, else never)"
	testCmdUsage = "run the tests with `COMMAND`; quotes are read as in a shell, but none runs it"
)

// fixFlags are the flags of `redgreen fix`.
type fixFlags struct {
	say                                          string // of a session that goes on: a message to begin with
	images                                       []string
	message, model, approve, testCmd, kind, keep string
	json, sample, noGuides                       bool
	free                                         bool // --max-usd 0: only a model that costs nothing
	steps                                        int
	usd                                          float64
	timeout                                      time.Duration
}

func (c *command) fixCommand() *cobra.Command {
	var f fixFlags
	cmd := &cobra.Command{
		Use:   "fix FOLDER -m \"what is wrong\"",
		Short: "Fix a bug in the terminal and prove the fix",
		Long: "Works on a copy of the folder until the fix is proven, shows the diff and its certificate, and asks before it writes; with\n" +
			"--approve auto it writes what is proven, unless the tests leave another edit that does something else. Without a model the\n" +
			"built-in engine searches for a small fix; it needs a failing test.\n\n" +
			"The trace goes to stderr, the diff and its certificate to stdout. Exit codes: 0 proven and, if asked to, written (or an\n" +
			"explanation given), 1 ended but not proven, 2 a wrong argument or something missing, 3 a limit was hit, 130 interrupted.",
		Example: "  redgreen fix . -m \"the total is off by one cent when a discount applies\"\n" +
			"  redgreen fix . -m \"crash on an empty list\" --model ollama/qwen3-coder --approve auto\n" +
			"  redgreen fix . -m \"…\" --test-cmd \"python3 -m pytest -q tests/unit\" --json > events.jsonl\n" +
			"  redgreen fix --sample",
		Args: between("one FOLDER at most", 0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.free = cmd.Flags().Changed("max-usd") && f.usd == 0
			if cmd.Flags().Changed("max-steps") && f.steps == 0 {
				return errors.New("--max-steps 0 lets the model do nothing; leave the flag out for the default")
			}
			return c.fix(cmd.Context(), args, f)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.message, "message", "m", "", "`TEXT`: what is wrong, in your words")
	fl.StringArrayVar(&f.images, "image", nil, "`FILE` with a picture that belongs to the message (PNG, JPEG, GIF or WebP, up to 5 of 3.75 MB), where the model takes them")
	fl.StringVar(&f.model, "model", "", "`PROVIDER/NAME`, as `redgreen models list` shows them (default: the first that can be called, else the built-in engine)")
	fl.StringVar(&f.approve, "approve", "", approveUsage)
	fl.StringVar(&f.kind, "kind", "", "`KIND` of task: fix, feature, new, tests, refactor or explain (default: told from the message)")
	fl.BoolVar(&f.json, "json", false, "print every event on stdout, one JSON object a line")
	fl.BoolVar(&f.sample, "sample", false, "fix the bundled sample repository, laid anew")
	fl.IntVar(&f.steps, "max-steps", 0, "stop after `N` calls of the model (default 30)")
	fl.Float64Var(&f.usd, "max-usd", 0, "stop before more than `USD` dollars are spent (default 1.00)")
	fl.DurationVar(&f.timeout, "timeout", 0, "stop after `TIME`, for example 10m (default 20m)")
	fl.StringVar(&f.testCmd, "test-cmd", "", testCmdUsage)
	fl.BoolVar(&f.noGuides, "no-guides", false, "give the model nothing of AGENTS.md, CLAUDE.md, .cursorrules and .github/copilot-instructions.md")
	fl.StringVar(&f.keep, "keep-copy", "", "keep the copy that was worked on as `NEW`, a folder outside of FOLDER that is not there yet")
	return cmd
}

// checked looks at the flags before anything is started.
func (f *fixFlags) checked(args []string, tty bool) error {
	if f.sample && len(args) > 0 {
		return errors.New("give a folder or --sample, not both")
	}
	if !f.sample && len(args) == 0 {
		return errors.New("`redgreen fix` needs a FOLDER, for example: redgreen fix . -m \"what is wrong\"")
	}
	if !f.sample && strings.TrimSpace(f.message) == "" {
		return errors.New("say what is wrong with -m, for example: redgreen fix . -m \"the total is off by one cent\"")
	}
	if f.approve == "" {
		f.approve = "never"
		if tty && !f.json {
			f.approve = "ask"
		}
	}
	if !slices.Contains([]string{"ask", "auto", "never"}, f.approve) {
		return fmt.Errorf("--approve is ask, auto or never, not %q", f.approve)
	}
	if math.IsNaN(f.usd) || f.usd > usdMost {
		return fmt.Errorf("--max-usd takes an amount of at most %d; a task always has a limit", usdMost)
	}
	if f.steps < 0 || f.usd < 0 || f.timeout < 0 {
		return errors.New("a limit cannot be negative; leave the flag out for the default")
	}
	return nil
}

func (c *command) fix(ctx context.Context, args []string, f fixFlags) error {
	if err := f.checked(args, c.tty); err != nil {
		return err
	}
	testCmd, err := splitWords(f.testCmd)
	if err != nil {
		return err
	}
	kind, err := agent.KindOf(f.kind)
	if err != nil {
		return err
	}
	images, err := readPictureFiles(f.images)
	if err != nil {
		return err
	}
	core, err := c.house()
	if err != nil {
		return err
	}
	dir, err := c.fixTarget(ctx, core, args, &f)
	if err != nil {
		return err
	}
	folder, err := core.open(dir)
	if err != nil {
		return err
	}
	if old := folder.repo.Recovered(); old != "" {
		fmt.Fprintln(c.err, visible(old))
	}
	if f.keep, err = keepAt(f.keep, folder.repo.Root()); err != nil {
		return err
	}
	m, err := core.chooseModel(ctx, f.model, folder.repo.Root())
	if err != nil {
		return err
	}
	if cost, known := m.WorstCost(1000, 1000); f.free && (!known || cost > 0) {
		return fmt.Errorf("--max-usd 0 lets only models work that cost nothing, and what %s costs is not nothing or not known; choose a local one with --model, or leave the flag out", m.Ref())
	}
	if err := m.RefuseImages(); err != nil && len(images) > 0 {
		return err
	}
	for _, words := range pictureWords(m.Info, len(images)) {
		fmt.Fprintln(c.err, printable(words, 500))
	}
	limits := core.current().Limits
	if f.steps > 0 {
		limits.Steps = f.steps
	}
	if f.usd > 0 {
		limits.MicroUSD = model.MicroUSD(math.Ceil(f.usd * 1e6))
	}
	if f.timeout > 0 {
		limits.Wall = f.timeout
	}
	guides, off, err := c.showGuides(ctx, core, folder.repo, m, f.noGuides)
	if err != nil {
		return err
	}
	tests := TestCommand{Args: testCmd}
	if len(testCmd) == 0 {
		tests = core.fixedCommand(folder.repo.Root())
	}
	return c.work(ctx, core, folder, m, agent.Task{Text: f.message, Images: images, Kind: kind, Limits: limits, Approval: f.approve, TestCmd: tests.Args, TestDir: tests.Dir,
		AskEdits: core.current().AskEdits && f.approve == "ask", NoGuides: off, Guides: guides}, f)
}

// keepAt is where a working copy is to be kept, as it really is: a new folder outside of root, into which nothing but an
// approved patch is written.
func keepAt(dir, root string) (string, error) {
	if dir == "" {
		return "", nil
	}
	abs, err := filepath.Abs(expandHome(dir))
	if err != nil {
		return "", fmt.Errorf("--keep-copy %s: %w", dir, err)
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if err != nil {
		return "", fmt.Errorf("--keep-copy %s: the folder around it cannot be found; make it first (%w)", dir, err)
	}
	abs = filepath.Join(parent, filepath.Base(abs))
	if _, err := os.Lstat(abs); err == nil {
		return "", fmt.Errorf("--keep-copy %s: it exists; name a folder that does not", dir)
	}
	if rel, err := filepath.Rel(root, abs); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", fmt.Errorf("--keep-copy %s: it lies inside the opened folder; name one outside of it", dir)
	}
	return abs, nil
}

// fixTarget is the folder to work in; for the sample it fills in the task and the model as well.
func (c *command) fixTarget(ctx context.Context, core *core, args []string, f *fixFlags) (string, error) {
	if !f.sample {
		return expandHome(args[0]), nil
	}
	s, err := core.sample(true)
	if err != nil {
		return "", err
	}
	if f.message == "" {
		f.message = s.Task
	}
	if f.model == "" {
		f.model, err = c.sampleModel(ctx, core)
	}
	return s.Path, err
}

// sampleModel offers a local model first, where one runs and there is somebody to ask.
func (c *command) sampleModel(ctx context.Context, core *core) (string, error) {
	list, err := core.models(ctx)
	if err != nil {
		return "", err
	}
	for _, m := range list.Models {
		if m.Provider == "ollama" && c.tty {
			if c.yes(ctx, fmt.Sprintf("Ollama runs here. Use %s? Otherwise the built-in engine searches for the fix. [Y/n] ", m.Name), true) {
				return m.Ref, nil
			}
			break
		}
	}
	return repair.Ref, nil
}

// answer reads one line, or ends with ctx: Ctrl-C must end a question as well. The reader that is left behind then ends
// with the process; nothing is asked after it.
func (c *command) answer(ctx context.Context) (string, error) {
	type read struct {
		line string
		err  error
	}
	got := make(chan read, 1)
	in := c.lines()
	go func() {
		line, err := in.ReadString('\n')
		got <- read{line, err}
	}()
	select {
	case r := <-got:
		return r.line, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// yes asks on stderr and reads one line; an empty line means the default, the end of the input means no.
func (c *command) yes(ctx context.Context, question string, byDefault bool) bool {
	c.question(question)
	line, err := c.answer(ctx)
	switch answer := strings.ToLower(strings.TrimSpace(line)); {
	case answer == "" && err == nil:
		return byDefault
	default:
		return answer == "y" || answer == "yes"
	}
}

// work runs one task, draws it, and asks for the approval.
func (c *command) work(ctx context.Context, core *core, f *folder, m model.Model, t agent.Task, flags fixFlags) error {
	return c.workWith(ctx, core, f, m, flags, t.Approval, func(o agent.Options) (*agent.Run, func(), error) {
		t.ID = o.Store.NewID()
		release, err := core.ownSession(t.ID) // before others see it
		if err != nil {
			return nil, nil, err
		}
		run, err := agent.New(ctx, o, t)
		if err != nil {
			release()
		}
		return run, release, err
	})
}

// workWith does so with a run that begin makes, or picks up, and owns until it is released.
func (c *command) workWith(ctx context.Context, core *core, f *folder, m model.Model, flags fixFlags, approval string, begin func(agent.Options) (*agent.Run, func(), error)) error {
	store, err := core.sessions()
	if err != nil {
		return err
	}
	c.unwritten = true
	width := 0
	if c.colour || c.tty {
		width = cmp.Or(c.width, 80)
	}
	trace := newTrace(c.err, c.colour, width)
	if c.colour {
		defer trace.live(width)()
	}
	var follow *follower
	o, err := core.agentOptions(f, m, hooks{
		phase: func(_, text string) { trace.phase(text) },
		tests: func(_ string, p testrun.Progress) { trace.tests(p) },
		ask: func(ctx context.Context, _ string, act policy.Act) (bool, error) {
			trace.hold(true)
			defer trace.hold(false)
			return c.yes(ctx, fmt.Sprintf("%s: %s\nAllow? [y/N] ", act.Kind, visible(act.Object)), false), ctx.Err()
		},
		delta: func(id string, step int, d model.Delta) {
			if trace.begins(step) {
				follow.flush(context.WithoutCancel(ctx))
			}
			trace.delta(id, step, d)
		},
	})
	if err != nil {
		return err
	}
	o.Tests.Told = func(text string) {
		if text != "" && !c.colour { // else the status line says it
			trace.told(waitWords(text))
		}
	}
	follow = newFollower(store, "", func(e session.Event) {
		if flags.json {
			printEvent(c.out, e)
		}
		trace.event(e)
	})
	run, release, err := begin(o)
	if err != nil {
		follow.stop(ctx)
		return err
	}
	defer release()
	outcome, err := c.workOn(ctx, store, run, flags, follow)
	if err == nil && outcome == session.Review {
		err = c.review(ctx, store, run, flags, follow)
	}
	// What follows happens even after Ctrl-C: the record must be whole.
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if ctx.Err() != nil && (outcome == session.Review || outcome == session.Waiting) {
		err = errors.Join(err, run.Finish(after))
	}
	state, err2 := store.State(after, run.ID())
	if state.Outcome == session.Error { // its message stands in the trace
		err = nil
	}
	c.unwritten = !state.Applied
	follow.stop(after)
	trace.close()
	if flags.keep != "" {
		if kept := run.Keep(flags.keep); kept != nil {
			err = errors.Join(err, kept)
		} else {
			fmt.Fprintf(c.err, "The working copy is kept in %s.\n", flags.keep)
		}
	}
	if err := errors.Join(err, err2, run.Close()); err != nil && ctx.Err() == nil {
		return err
	}
	if !flags.json {
		c.printEnd(state)
	}
	return ended(ctx, state, approval)
}

// workOn lets the run work until it ends or waits for review; a question of the model is put to the person on the way. With
// nobody to ask the session ends there, and says which question it was.
func (c *command) workOn(ctx context.Context, store *session.Store, run *agent.Run, flags fixFlags, follow *follower) (session.Outcome, error) {
	for {
		outcome, err := run.Work(ctx)
		if err != nil || outcome != session.Waiting {
			return outcome, err
		}
		state, err := store.State(ctx, run.ID())
		if err != nil {
			return outcome, err
		}
		follow.flush(ctx)
		answer := ""
		if flags.approve == "ask" {
			c.question(fmt.Sprintf("The model asks: %s\nYour answer (empty ends the run): ", visible(state.Question)))
			answer, _ = c.answer(ctx)
		}
		if ctx.Err() != nil {
			return outcome, nil
		}
		if strings.TrimSpace(answer) == "" {
			return session.NotProven, run.Finish(ctx)
		}
		if err := run.Say(ctx, strings.TrimSpace(answer)); err != nil {
			return outcome, err
		}
	}
}

// review shows the proposal and carries out the decision.
func (c *command) review(ctx context.Context, store *session.Store, run *agent.Run, flags fixFlags, follow *follower) error {
	for tries := 0; ; tries++ {
		state, err := store.State(ctx, run.ID())
		if err != nil {
			return err
		}
		follow.flush(ctx)
		approved, comment := false, ""
		switch flags.approve {
		case "auto":
			approved = state.Proof == "proven" && state.Doubt == ""
			if state.Doubt != "" {
				fmt.Fprintln(c.err, "   not written by --approve auto: other edits pass the same tests and do something else")
			}
		case "ask":
			if flags.json {
				fmt.Fprint(c.err, diffText(state))
			} else {
				c.printProposal(state)
			}
			approved, comment = c.askReview(ctx, state)
		}
		if approved {
			by := "person"
			if flags.approve == "auto" {
				by = "auto"
			}
			_, err := run.Approve(ctx, state.PatchHash, by)
			if !errors.Is(err, repo.ErrConflict) {
				return err
			}
			follow.flush(ctx)
			if again := c.proveAgain(ctx, run, by == "auto" && tries == 0); again != nil {
				return errors.Join(err, again)
			}
			continue
		}
		if comment == "" {
			return run.Finish(ctx)
		}
		if err := run.Reject(ctx, comment); err != nil {
			return err
		}
		outcome, err := c.workOn(ctx, store, run, flags, follow)
		if err != nil || outcome != session.Review {
			return err
		}
	}
}

// errNotAgain ends a review whose patch no longer fits and is not proven again.
var errNotAgain = errors.New("it was not proven again")

// proveAgain offers to prove the patch on the folder as it is now, and does; yes is the answer given beforehand.
func (c *command) proveAgain(ctx context.Context, run *agent.Run, yes bool) error {
	if !yes && !c.yes(ctx, "Your folder changed since the proof. Prove the change again on the folder as it is now? [y/N] ", false) {
		return errNotAgain
	}
	if err := run.ProveAgain(ctx); err != nil {
		return err
	}
	outcome, err := run.Work(ctx)
	if err == nil && outcome != session.Review {
		err = errNotAgain
	}
	return err
}

// writeWords is the question before a session's patch is written.
func writeWords(state session.State) string {
	what := fmt.Sprintf("Write %s", countOf(len(state.Patch.Files), "file"))
	if state.Proof != "proven" {
		what += " although it is not proven"
	}
	return fmt.Sprintf("%s into %s?", what, printable(state.Folder, 4096))
}

// askReview asks for the decision: y writes, n ends, anything else is a comment that goes back to the model.
func (c *command) askReview(ctx context.Context, state session.State) (approved bool, comment string) {
	c.question(writeWords(state) + " [y/N, or say what is wrong] ")
	line, err := c.answer(ctx)
	if err != nil { // Ctrl-C, or Ctrl-D: the question's line has no end yet
		fmt.Fprintln(c.err)
	}
	if ctx.Err() != nil {
		return false, ""
	}
	answer := strings.TrimSpace(line)
	switch strings.ToLower(answer) {
	case "y", "yes":
		return true, ""
	case "", "n", "no":
		return false, ""
	}
	return false, answer
}

// ended turns the end of a session into the exit code.
func ended(ctx context.Context, s session.State, approval string) error {
	switch {
	case !s.Applied && (ctx.Err() != nil || s.Outcome == session.Cancelled):
		return &exit{code: exitInterrupt}
	case s.Outcome == session.Answered:
		return nil
	case s.Outcome == session.Proven && (approval != "auto" || s.Applied):
		return nil
	case s.Outcome == session.Limit:
		return &exit{code: exitLimit}
	case s.Outcome == session.Error:
		return &exit{code: exitError}
	}
	return &exit{code: exitNot}
}

// printEvent writes an event as one flat JSON object: seq, session, time, kind, and the fields of its payload.
func printEvent(w io.Writer, e session.Event) {
	if line, err := exchange.Flat(e); err == nil {
		fmt.Fprintf(w, "%s\n", line)
	}
}
