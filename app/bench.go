package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"redgreen/backend/repo"
	"redgreen/backend/sandbox"
	"redgreen/backend/testrun"
)

// imageUsage describes --image everywhere.
const imageUsage = "run in `IMAGE` instead of with the host's toolchains; it must be there, see redgreen image"

// bench is what a run of tests outside a session needs: a disposable copy, a runner and the command.
type bench struct {
	dir       string
	done      func() error // removes dir
	workspace *repo.Workspace
	runner    *testrun.Runner
	command   testrun.Command
	rung      sandbox.Rung
}

// bench prepares a run of a folder's tests, by the person's choice of command; image is named for this run, "" as the
// settings say; told and meter are those of testrun.Options.
func (c *core) bench(ctx context.Context, r *repo.Repo, by choice, image string, told func(string), meter *testrun.Meter) (*bench, error) {
	b, err := c.emptyBench(ctx, r, by, image, told, meter)
	if err == nil && len(b.command.Args) == 0 {
		return nil, errors.Join(noCommand(r.Root()), b.close())
	}
	return b, err
}

func noCommand(dir string) error {
	return fail(NotFound, fmt.Sprintf("no test command was found in %s; name one with --test-cmd \"…\"%s", dir, suggested(dir)))
}

// emptyBench is bench for a folder that may have no test yet: then its command is empty.
func (c *core) emptyBench(ctx context.Context, r *repo.Repo, by choice, image string, told func(string), meter *testrun.Meter) (*bench, error) {
	commands, err := c.commands(r, by)
	if err != nil {
		return nil, err
	}
	command := testrun.Together(commands)
	box, err := c.sandbox(r.Root())
	if err != nil {
		return nil, err
	}
	rung, err := box.Rung(ctx)
	if err != nil {
		return nil, err
	}
	dir, done, err := c.tempDir()
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir, done: done, command: command, rung: rung}
	cache := filepath.Join(dir, "cache")
	if err := os.Mkdir(cache, 0o755); err != nil {
		return nil, errors.Join(err, b.close())
	}
	uid, gid, chown := box.Owner()
	if chown {
		if err := os.Chown(cache, uid, gid); err != nil {
			return nil, errors.Join(err, b.close())
		}
	}
	b.workspace, err = r.NewWorkspace(ctx, filepath.Join(dir, "workspace"), repo.CopyOptions{UID: uid, GID: gid, Chown: chown, Spare: c.paths.spare()})
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	o := c.runnerOptions(r.Root(), image)
	o.Sandbox, o.Cache, o.TempDir, o.Told, o.Meter = box, cache, dir, told, meter
	b.runner = testrun.New(o)
	return b, nil
}

func (b *bench) close() error {
	var err error
	if b.workspace != nil {
		err = b.workspace.Close()
	}
	return errors.Join(err, b.done())
}
