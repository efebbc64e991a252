package app

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// editors are graphical editors that take a line, the first that is installed is used. {file} and {line} are replaced.
func editors() []string {
	return []string{
		"code --goto {file}:{line}", "codium --goto {file}:{line}", "cursor --goto {file}:{line}", "zed {file}:{line}",
		"subl {file}:{line}", "idea --line {line} {file}", "gnome-text-editor +{line} {file}", "gedit +{line} {file}", "kate --line {line} {file}",
	}
}

// edit opens a file of an opened folder in the person's editor.
func (c *core) edit(ctx context.Context, dir, path string, line int) error {
	f, err := c.open(dir)
	if err != nil {
		return err
	}
	if _, err := f.repo.Read(path); err != nil {
		return err
	}
	args, err := editorArgs(c.current().Editor, filepath.Join(f.repo.Root(), filepath.FromSlash(path)), max(line, 1), exec.LookPath)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), args[0], args[1:]...)
	cmd.Dir = f.repo.Root()
	if err := cmd.Start(); err != nil {
		return fail(Unavailable, fmt.Sprintf("starting the editor %s: %v; set another one in the settings", args[0], err))
	}
	go cmd.Wait() //nolint:errcheck // the editor belongs to the person from here on; only its zombie is ours
	return nil
}

// editorArgs makes the argument list from the person's own command, or from the first editor found.
func editorArgs(own, file string, line int, look func(string) (string, error)) ([]string, error) {
	choices := editors()
	if own != "" {
		if !strings.Contains(own, "{file}") {
			own += " {file}"
		}
		choices = []string{own}
	}
	for _, choice := range choices {
		args := strings.Fields(choice)
		if _, err := look(args[0]); err != nil {
			continue
		}
		for i := range args {
			args[i] = strings.NewReplacer("{file}", file, "{line}", strconv.Itoa(line)).Replace(args[i])
		}
		return args, nil
	}
	return nil, fail(Unavailable, "no editor was found; set one in the settings, for example: code --goto {file}:{line}")
}
