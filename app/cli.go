package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"redgreen/backend/sandbox"
	"redgreen/backend/session"
)

// The exit codes of every subcommand.
const (
	exitOK        = 0   // done; for fix: proven and, if asked to, applied
	exitNot       = 1   // finished, but not proven, or tests failed
	exitError     = 2   // usage or environment
	exitLimit     = 3   // a limit was hit
	exitInterrupt = 130 // Ctrl-C
	exitUnread    = 141 // nobody reads the output any more, as after `| head`
)

// exit carries an exit code through cobra; err may be nil when all was said already.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprint("exit ", e.code)
	}
	return e.err.Error()
}
func (e *exit) Unwrap() error { return e.err }

// command is what the subcommands share: where they read and write, and the house, put together on first use.
type command struct {
	assets Assets
	env    func(string) string
	in     io.Reader
	out    io.Writer
	err    io.Writer
	tty    bool // both ends of the terminal are a person's
	colour bool // stderr understands colours
	screen bool // stdout is a terminal
	width  int  // of that terminal, in characters; 0 unknown, or none
	shown  bool // the last diff and certificate are on the screen already
	// unwritten says that the command could write into a folder and has not.
	unwritten bool
	debug     bool
	core      *core
	reader    *bufio.Reader
	ends      [2]*output // stdout and stderr, as out and err write to them; nil before run
	// waits is the text, a string, of what a test run waits for before its tests.
	waits atomic.Value
}

// lines is the one reader of the input: a second one would lose what the first has buffered.
func (c *command) lines() *bufio.Reader {
	if c.reader == nil {
		c.reader = bufio.NewReader(c.in)
	}
	return c.reader
}

// question prints what a person is asked. What they typed before they could read it is thrown away: a stray "y" during a run is
// no answer. What a program wrote into a pipe stays.
func (c *command) question(text string) {
	if f, ok := c.in.(*os.File); ok && c.tty {
		dropTyped(f)
		if r := c.lines(); r.Buffered() > 0 {
			_, _ = r.Discard(r.Buffered())
		}
	}
	fmt.Fprint(c.err, text)
}

// Main runs the program with the process's own arguments and gives the exit code.
func Main(a Assets) int {
	ctx, stop := untilEnded(ends())
	defer stop()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // else `| head` would kill a run, and leave its sandbox behind
	if code, helped := sandbox.Helper(os.Args, os.Stderr); helped {
		return code
	}
	tty := term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd()))
	c := &command{assets: a, env: os.Getenv, in: os.Stdin, out: os.Stdout, err: os.Stderr, tty: tty, screen: term.IsTerminal(int(os.Stdout.Fd())),
		colour: term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if c.screen {
		c.width, _, _ = term.GetSize(int(os.Stdout.Fd())) // 0 where it is not known
	}
	return c.run(ctx, os.Args[1:])
}

// stoppedBy is what cancelled a run where the person did not: the cause of its context, which the session's end says.
type stoppedBy string

func (s stoppedBy) Error() string        { return string(s) }
func (s stoppedBy) Is(target error) bool { return target == context.Canceled }

// untilEnded is a context that the first of the signals cancels; a second Ctrl-C ends at once what the first one could not.
func untilEnded(signals []os.Signal) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	came := make(chan os.Signal, 1)
	signal.Notify(came, signals...)
	go func() {
		select {
		case s := <-came:
			signal.Stop(came)
			cancel(whyEnded(s))
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(came)
		cancel(nil)
	}
}

// whyEnded is the cause that a signal stands for, nil for the person's own Ctrl-C.
func whyEnded(s os.Signal) error {
	switch s {
	case syscall.SIGHUP:
		return stoppedBy("its terminal was closed (SIGHUP)")
	case syscall.SIGTERM:
		return stoppedBy("the system or another program ended Redgreen (SIGTERM)")
	}
	return nil
}

// ends are the signals that end the program in order; who started it with one of them ignored, as nohup does, meant that.
func ends() []os.Signal {
	kept := []os.Signal{syscall.SIGTERM}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// run runs one subcommand.
func (c *command) run(ctx context.Context, args []string) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	unread := func() { cancel(stoppedBy("nobody reads its output any more")) }
	c.ends = [2]*output{{w: c.out, gone: unread}, {w: c.err, gone: unread}}
	c.out, c.err = c.ends[0], c.ends[1]
	root := c.root()
	root.SetArgs(args)
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.err)
	err := root.ExecuteContext(ctx)
	if c.core != nil {
		if err2 := c.core.Close(); err2 != nil && err == nil {
			err = err2
		}
	}
	return c.status(ctx, err)
}

// status says an error to the person and gives its exit code.
func (c *command) status(ctx context.Context, err error) int {
	unprinted := c.ends[0].failed()
	if closedPipe(unprinted) || closedPipe(c.ends[1].failed()) {
		if c.unwritten {
			fmt.Fprintln(c.err, "stopped, since nobody reads the output any more; nothing was written")
		}
		return exitUnread
	}
	if unprinted != nil {
		fmt.Fprintf(c.err, "redgreen: the output could not be written whole (%v); free some space, or send it elsewhere\n", bare(unprinted))
		return exitError
	}
	if err == nil {
		return exitOK
	}
	code := exitError
	var e *exit
	if errors.As(err, &e) {
		code, err = e.code, e.err
	}
	stopped := ctx.Err() != nil // whatever the interruption made fail, it is the reason
	if err != nil && !(stopped && errors.Is(err, context.Canceled)) {
		fmt.Fprintln(c.err, "redgreen:", visible(explain(err).Message))
	}
	if stopped {
		end := "interrupted"
		if c.unwritten {
			end += "; nothing was written"
		}
		fmt.Fprintln(c.err, end)
		return exitInterrupt
	}
	return code
}

// bare is the system's own reason, without the operation and the path around it.
func bare(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}

// newLog is the program's log: whatever comes into it, no secret comes out.
func newLog(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch v := a.Value.Any().(type) {
		case string:
			a.Value = slog.StringValue(clean(v))
		case error:
			a.Value = slog.StringValue(clean(v.Error()))
		case []byte, fmt.Stringer:
			a.Value = slog.StringValue(clean(fmt.Sprintf("%s", v)))
		}
		return a
	}}))
}

func clean(text string) string {
	text, _ = session.Redact(text)
	return text
}

// house puts the rooms together.
func (c *command) house() (*core, error) {
	if c.core != nil {
		return c.core, nil
	}
	level := slog.LevelWarn
	if c.debug {
		level = slog.LevelDebug
	}
	core, err := newCore(c.assets, c.env, newLog(c.err, level))
	if err != nil {
		return nil, err
	}
	if err := core.sweep(); err != nil {
		core.log.Warn("sweeping", slog.Any("error", err))
	}
	c.core = core
	return core, nil
}

func (c *command) root() *cobra.Command {
	var sample bool
	var session string
	root := &cobra.Command{
		Use:   "redgreen [FOLDER]",
		Short: "A coding assistant that proves its work",
		Long: "Redgreen fixes what you say is wrong in a folder, in a disposable copy, and proves it: a test that was red\n" +
			"before is green now and nothing else broke. Nothing in your folder changes until you approve.",
		Example: "  redgreen ~/src/shop            open the window on a folder\n" +
			"  redgreen serve ~/src/shop      the same in a browser\n" +
			"  redgreen fix ~/src/shop -m \"the total is off by one cent\"\n" +
			"  redgreen fix --sample          see it work on a small program with a real bug",
		Version:       Version,
		Args:          folderOrNone,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			core, err := c.house()
			if err != nil {
				return err
			}
			s, err := c.startup(core, args, sample, session)
			if err != nil {
				return err
			}
			return window(cmd.Context(), core, s, func(line string) { fmt.Fprintln(c.out, line) })
		},
	}
	root.Flags().BoolVar(&sample, "sample", false, "open the bundled sample repository, laid anew")
	root.Flags().StringVar(&session, "session", "", "open the saved session `ID`")
	root.PersistentFlags().BoolVar(&c.debug, "debug", false, "log more to stderr")
	root.SetFlagErrorFunc(flagError)
	c.help(root, []commandGroup{
		{"Work on a folder:", []*cobra.Command{c.fixCommand(), c.proveCommand(), c.testCommand(), c.searchCommand(), c.serveCommand()}},
		{"Look back:", []*cobra.Command{c.sessionsCommand(), c.costCommand()}},
		{"Set up:", []*cobra.Command{c.doctorCommand(), c.modelsCommand(), c.prepareCommand(), c.imageCommand(), c.indexCommand()}},
		{"More:", []*cobra.Command{c.evalCommand(), c.versionCommand()}},
	})
	for _, group := range root.Commands() {
		if group.HasSubCommands() && !group.Runnable() {
			group.Args, group.RunE = cobra.ArbitraryArgs, subcommandOnly
		}
	}
	c.completions(root)
	c.shortIDs(root)
	return root
}

// startup says what a window opens at once.
func (c *command) startup(core *core, args []string, sample bool, session string) (startup, error) {
	whole, err := c.wholeID(core, session)
	if err != nil {
		return startup{}, err
	}
	s := startup{session: whole}
	if sample {
		laid, err := core.sample(true)
		if err != nil {
			return s, err
		}
		s.folder = laid.Path
	}
	if len(args) == 1 {
		if id, isLink, err := linkedSession(args[0]); isLink {
			s.session = id
			return s, err
		}
		abs, err := filepath.Abs(expandHome(args[0]))
		if err != nil {
			return s, err
		}
		s.folder = abs
		if _, err := folderRoot(abs); err != nil { // said here, where whoever typed it looks
			return s, err
		}
	}
	return s, nil
}

func (c *command) serveCommand() *cobra.Command {
	var port int
	var sample bool
	cmd := &cobra.Command{
		Use:   "serve [FOLDER]",
		Short: "Open the window in a browser",
		Long: "Serves the window on 127.0.0.1 and prints an address with a one-time token. Whoever holds the address can\n" +
			"write into your folders, so it works once and only from this machine.",
		Example: "  redgreen serve\n  redgreen serve ~/src/shop --port 8080",
		Args:    folderOrNone,
		RunE: func(cmd *cobra.Command, args []string) error {
			if port < 0 || port > 65535 {
				return fmt.Errorf("--port takes a number from 0 to 65535, not %d; 0, or no --port, takes any free one", port)
			}
			core, err := c.house()
			if err != nil {
				return err
			}
			s, err := c.startup(core, args, sample, "")
			if err != nil {
				return err
			}
			return serve(cmd.Context(), core, fmt.Sprintf("127.0.0.1:%d", port), s, func(url string) {
				fmt.Fprintln(c.err, "Open this address in a browser on this machine; it works once. Ctrl-C ends it.")
				fmt.Fprintln(c.out, url)
			})
		},
	}
	cmd.Flags().IntVar(&port, "port", 0, "listen on port `N` (default: any free one)")
	cmd.Flags().BoolVar(&sample, "sample", false, "open the bundled sample repository, laid anew")
	return cmd
}

func (c *command) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  redgreen version",
		Args:    noMore,
		RunE: func(cmd *cobra.Command, args []string) error {
			fmt.Fprintln(c.out, "redgreen", Version)
			return nil
		},
	}
}
