package app

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/spf13/cobra"
)

// typed runs the program as a person would type it, with a home of its own and nobody to ask.
func typed(t *testing.T, args ...string) (code int, out, told string) {
	t.Helper()
	var o, e strings.Builder
	c := typing(t, &o, &e)
	code = c.run(t.Context(), args)
	return code, o.String(), e.String()
}

func typing(t *testing.T, out, told io.Writer) *command {
	t.Helper()
	home := t.TempDir()
	return &command{assets: Assets{Page: fstest.MapFS{}, Sample: os.DirFS(".."), Images: fstest.MapFS{}}, in: strings.NewReader(""), out: out, err: told,
		env: func(name string) string { return map[string]string{"REDGREEN_HOME": home}[name] }}
}

// everyCommand visits the commands that a person is shown.
func everyCommand(cmd *cobra.Command, visit func(*cobra.Command)) {
	if cmd.Hidden || cmd.Name() == "help" || cmd.Name() == "completion" {
		return
	}
	visit(cmd)
	for _, sub := range cmd.Commands() {
		everyCommand(sub, visit)
	}
}

// TestEveryCommandSaysWhatItTakes: one that lacks an argument, has one too many or a flag that there is not says so in words,
// names itself and shows an example or its help; none says what a library said.
func TestEveryCommandSaysWhatItTakes(t *testing.T) {
	t.Parallel()
	root := typing(t, io.Discard, io.Discard).root()
	everyCommand(root, func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		try := func(want string, args ...string) {
			code, _, told := typed(t, append(append([]string{}, path...), args...)...)
			if code != exitError || !strings.HasPrefix(told, "redgreen: ") || !strings.Contains(told, want) || strings.Count(told, "redgreen") < 2 {
				t.Errorf("redgreen %s: exit code %d, %q", strings.Join(append(path, args...), " "), code, told)
			}
		}
		try("has no flag --nonsense", "--nonsense")
		if cmd.Args == nil || cmd.HasSubCommands() {
			return
		}
		if cmd.Args(cmd, nil) != nil {
			try("needs ")
		}
		if many := strings.Split(strings.Repeat("x ", 9), " "); cmd.Args(cmd, many) != nil {
			try(" takes ", many...)
		}
	})
}

// TestEveryCommandHasAnExample: a newcomer reads these first.
func TestEveryCommandHasAnExample(t *testing.T) {
	t.Parallel()
	everyCommand(typing(t, io.Discard, io.Discard).root(), func(cmd *cobra.Command) {
		if example := firstExample(cmd); !strings.HasPrefix(example, "redgreen") || !strings.Contains(example, cmd.Name()) && cmd.HasParent() && !cmd.HasSubCommands() {
			t.Errorf("%s: its first example is %q", cmd.CommandPath(), example)
		}
	})
}

func TestSlipsOfTheFinger(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"srch":                         "\"srch\" is neither a folder nor a command; did you mean `redgreen search`?",
		"sessions lst":                 "`redgreen sessions` has no command \"lst\"; did you mean `redgreen sessions list`?",
		"image bild":                   "did you mean `redgreen image build`?",
		"eval harnes":                  "did you mean `redgreen eval harness`?",
		"sessions quite-another":       "it has approve, compare, delete",
		"--sampel":                     "`redgreen` has no flag --sampel; did you mean `--sample`?",
		"fix . --aprove auto":          "`redgreen fix` has no flag --aprove; did you mean `--approve`?",
		"fix . -z":                     "`redgreen fix` has no flag -z; see `redgreen fix --help`",
		"fix . -m":                     "-m needs a value after it; see",
		"fix . --message":              "--message needs a value after it; see",
		"fix . --max-usd much":         "--max-usd takes a number such as 0.5, not \"much\"; see",
		"serve --port 80x":             "--port takes a whole number, not \"80x\"",
		"serve --port 70000":           "--port takes a number from 0 to 65535, not 70000",
		"serve --port=-1":              "--port takes a number from 0 to 65535, not -1",
		"doctor --json --allow-none .": "give one of them",
	} {
		if code, _, told := typed(t, strings.Fields(args)...); code != exitError || !strings.Contains(told, want) {
			t.Errorf("redgreen %s: exit code %d, %q, want %q", args, code, told, want)
		}
	}
}

// TestWhatIsNoFolder: each command that takes a folder says what is wrong with another thing in its place, before it does anything.
func TestWhatIsNoFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, shut := filepath.Join(dir, "till.py"), filepath.Join(dir, "shut")
	if err := errors.Join(os.WriteFile(file, []byte("a = 1\n"), 0o644), os.Mkdir(shut, 0o000)); err != nil {
		t.Fatal(err)
	}
	wrong := map[string]string{
		file:                         "till.py is a file, not a folder; give the folder that holds it, " + dir,
		filepath.Join(dir, "absent"): "there is no folder " + filepath.Join(dir, "absent"),
		filepath.Join(file, "in"):    "there is no folder " + filepath.Join(file, "in"),
	}
	if os.Geteuid() != 0 {
		wrong[shut] = "you may not read it (permission denied); change its permissions"
	}
	for path, want := range wrong {
		for _, args := range [][]string{{"serve", path}, {"fix", path, "-m", "x"}, {"search", path, "x"}, {"index", path}, {"test", path}, {"test", path, "--list"},
			{"prepare", path}, {"doctor", path}, {"doctor", "--allow-none", path}, {"image", "use", "host", path}, {"sessions", "list", "--folder", path}} {
			code, out, told := typed(t, args...)
			if code != exitError || out != "" || !strings.Contains(told, want) || strings.Contains(told, "invalid argument") {
				t.Errorf("redgreen %s: exit code %d, %q, %q", strings.Join(args, " "), code, out, told)
			}
		}
	}
}

func TestPortInUse(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	code, out, told := typed(t, "serve", "--port", port)
	if code != exitError || out != "" || !strings.Contains(told, "port "+port+" is in use by another program; choose another with --port") {
		t.Errorf("exit code %d, %q, %q", code, out, told)
	}
}

// broken is an end that takes nothing.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "stdout", Err: b.err}
}

// TestOutputThatIsLost: no command ends as if it had said what it could not; where nobody reads any more it ends quietly.
func TestOutputThatIsLost(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"version"}, {"--help"}, {"models", "list"}, {"models", "list", "--json"}, {"sessions"}, {"search", ".", "cobra", "--json"}, {"search", ".", "cobra"}, {"index", "."}} {
		var told strings.Builder
		if code := typing(t, broken{syscall.ENOSPC}, &told).run(t.Context(), args); code != exitError || !strings.Contains(told.String(), "could not be written whole (no space left on device); free some") {
			t.Errorf("a full disk, redgreen %s: exit code %d, %q", strings.Join(args, " "), code, told.String())
		}
		told.Reset()
		if code := typing(t, broken{syscall.EPIPE}, &told).run(t.Context(), args); code != exitUnread || told.String() != "" {
			t.Errorf("no reader, redgreen %s: exit code %d, %q", strings.Join(args, " "), code, told.String())
		}
	}
}

// TestNoReaderEndsTheWork: a run of which nobody sees anything any more stops, and says on what is left that nothing was written.
func TestNoReaderEndsTheWork(t *testing.T) {
	t.Parallel()
	var told strings.Builder
	gone := make(chan struct{})
	c := &command{err: &told, unwritten: true}
	c.ends[0] = &output{w: broken{syscall.EPIPE}, gone: func() { close(gone) }}
	for range 2 { // the second is not told again
		if _, err := c.ends[0].Write([]byte("x")); err == nil {
			t.Fatal("it was written")
		}
	}
	<-gone
	if code := c.status(t.Context(), context.Canceled); code != exitUnread || told.String() != "stopped, since nobody reads the output any more; nothing was written\n" {
		t.Errorf("exit code %d, %q", code, told.String())
	}
}

// TestInterruptedDoctor: what was interrupted is no finding.
func TestInterruptedDoctor(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, told strings.Builder
	if code := typing(t, &out, &told).run(ctx, []string{"doctor"}); code != exitInterrupt || out.String() != "" || told.String() != "interrupted\n" {
		t.Errorf("exit code %d, %q, %q", code, out.String(), told.String())
	}
}

// TestOwnFolders: where Redgreen's own files cannot be kept every command says which folder that is and what to do.
func TestOwnFolders(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	homes := map[string]string{file: "set REDGREEN_HOME to a folder that can be written", "/proc/redgreen": "set REDGREEN_HOME"}
	if os.Geteuid() != 0 {
		shut := t.TempDir()
		for _, name := range []string{"config", "data", "cache"} {
			if err := os.Mkdir(filepath.Join(shut, name), 0o555); err != nil {
				t.Fatal(err)
			}
		}
		homes[shut] = "data cannot be written: permission denied; change its owner or permissions, or set REDGREEN_HOME to another"
	}
	for home, want := range homes {
		for _, args := range [][]string{{"sessions", "list"}, {"cost"}, {"models", "list"}, {"search", ".", "x"}, {"test", "."}, {"fix", ".", "-m", "x"}} {
			var told strings.Builder
			c := typing(t, io.Discard, &told)
			c.env = func(name string) string { return map[string]string{"REDGREEN_HOME": home}[name] }
			if code := c.run(t.Context(), args); code != exitError || !strings.Contains(told.String(), want) || !strings.Contains(told.String(), home) {
				t.Errorf("redgreen %s: exit code %d, %q", strings.Join(args, " "), code, told.String())
			}
		}
	}
}

// TestSignals: what ended a run stands in its record; only a Ctrl-C is the person's own.
func TestSignals(t *testing.T) {
	for s, want := range map[syscall.Signal]string{
		syscall.SIGHUP:  "its terminal was closed (SIGHUP)",
		syscall.SIGTERM: "the system or another program ended Redgreen (SIGTERM)",
		syscall.SIGINT:  context.Canceled.Error(),
	} {
		ctx, stop := untilEnded([]os.Signal{s})
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		if got := context.Cause(ctx); got.Error() != want || !errors.Is(got, context.Canceled) {
			t.Errorf("%v: %v", s, got)
		}
		stop()
	}
}
