package app

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"redgreen/backend/repo"
	"redgreen/backend/testrun"
)

// TestCommand is a test command that the person fixed for a folder; it is kept in the settings, never in the folder.
type TestCommand struct {
	Args []string `json:"args"` // an argument list; empty: none is fixed
	Dir  string   `json:"dir"`  // the folder that it runs in, slash-separated, relative to the opened one, "" the root
}

// fixedBy is the source of such a command.
const fixedBy = "fixed for this folder"

// command is the command as tests are run with it.
func (t TestCommand) command() testrun.Command {
	c := testrun.Custom(t.Args)
	c.Dir, c.Source = t.Dir, fixedBy
	return c
}

// fixedCommand is the command that the person fixed for a folder, without arguments when there is none.
func (c *core) fixedCommand(root string) TestCommand { return c.current().TestCommands[root] }

// fixCommand fixes the command for a folder; without arguments it takes the fixed one away. The command is checked as far
// as files tell, not run.
func (c *core) fixCommand(root string, t TestCommand) error {
	t.Dir = strings.TrimSuffix(filepath.ToSlash(t.Dir), "/")
	if t.Dir == "." {
		t.Dir = ""
	}
	if len(t.Args) > 0 {
		if err := testrun.Validate(root, t.command(), nil); err != nil {
			return fail(Invalid, err.Error())
		}
		if t.Dir != "" && !isFolder(root, t.Dir) {
			return fail(NotFound, fmt.Sprintf("there is no folder %s in %s; give one of it, or none", t.Dir, root))
		}
	}
	_, err := c.change(func(s Settings) Settings {
		s.TestCommands = maps.Clone(s.TestCommands)
		if s.TestCommands == nil {
			s.TestCommands = map[string]TestCommand{}
		}
		if s.TestCommands[root] = t; len(t.Args) == 0 {
			delete(s.TestCommands, root)
		}
		return s
	})
	return err
}

func isFolder(root, dir string) bool {
	info, err := os.Stat(filepath.Join(root, filepath.FromSlash(dir)))
	return err == nil && info.IsDir()
}

// choice is how a person chooses among a folder's test commands.
type choice struct {
	words  []string // a command of their own
	dir    string   // of it, or of those found
	number int      // one of those found, from 1; 0 all
}

// commands are the test commands of a folder by the person's choice: their own, the one they fixed, else what is found,
// which may be none.
func (c *core) commands(r *repo.Repo, by choice) ([]testrun.Command, error) {
	by.dir = strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(by.dir), "./"), "/")
	if len(by.words) > 0 {
		own := testrun.Custom(by.words)
		own.Dir = by.dir
		return []testrun.Command{own}, nil
	}
	if fixed := c.fixedCommand(r.Root()); len(fixed.Args) > 0 && by.number == 0 && by.dir == "" {
		return []testrun.Command{fixed.command()}, nil
	}
	found, err := testrun.Find(r.Root())
	if err != nil {
		return nil, err
	}
	if by.dir != "" {
		var there []testrun.Command
		for _, f := range found {
			if f.Dir == by.dir || by.dir == "." && f.Dir == "" {
				there = append(there, f)
			}
		}
		if found = there; len(found) == 0 {
			return nil, fail(NotFound, fmt.Sprintf("no test command was found in the folder %s; `redgreen test %s --list` shows those there are", by.dir, r.Root()))
		}
	}
	switch {
	case by.number < 0 || by.number > len(found):
		return nil, fail(Invalid, fmt.Sprintf("there is no command %d; there are %d, see `redgreen test %s --list`", by.number, len(found), r.Root()))
	case by.number > 0:
		return found[by.number-1 : by.number], nil
	}
	return found, nil
}

// suggested names the commands that the folder's guides speak of; they are only shown.
func suggested(root string) string {
	var all []string
	for _, s := range testrun.Suggest(root) {
		all = append(all, fmt.Sprintf("%q (%s)", printable(strings.Join(s.Args, " "), 200), s.Source))
	}
	if len(all) == 0 {
		return ""
	}
	return "; its guides speak of " + strings.Join(all, ", ")
}

// FolderTests are a folder's test commands, for the page.
type FolderTests struct {
	Fixed     TestCommand       `json:"fixed"`     // without args: none
	Found     []testrun.Command `json:"found"`     // run when none is fixed, each in its folder
	Suggested []testrun.Command `json:"suggested"` // by the folder's guides: shown, never run unless the person fixes one
}

// TestCommands tells how an opened folder is tested.
func (a *App) TestCommands(folder string) (FolderTests, error) {
	return guard(a.h, func() (FolderTests, error) {
		f, err := a.h.core.open(expandHome(folder))
		if err != nil {
			return FolderTests{}, err
		}
		found, err := testrun.Find(f.repo.Root())
		if err != nil {
			return FolderTests{}, err
		}
		t := FolderTests{Fixed: a.h.core.fixedCommand(f.repo.Root()), Found: append([]testrun.Command{}, found...),
			Suggested: append([]testrun.Command{}, testrun.Suggest(f.repo.Root())...)}
		if t.Fixed.Args == nil {
			t.Fixed.Args = []string{}
		}
		return t, nil
	})
}

// FixTestCommand fixes a folder's test command for all later tasks; an empty argument list takes it away.
func (a *App) FixTestCommand(folder string, args []string, dir string) error {
	return a.h.act(func() error {
		f, err := a.h.core.open(expandHome(folder))
		if err != nil {
			return err
		}
		return a.h.core.fixCommand(f.repo.Root(), TestCommand{Args: args, Dir: dir})
	})
}
