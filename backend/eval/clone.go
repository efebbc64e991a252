package eval

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// clone reads commits, trees and blobs of a git clone by git's plumbing, which runs no hook, filter or program that the
// clone names. It is for one goroutine.
type clone struct {
	dir string // the git directory
	cat *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// openClone opens a bare clone or a working copy; the caller closes it.
func openClone(ctx context.Context, dir string) (*clone, error) {
	if dir == "" {
		return nil, errors.New("no clone named: give the folder of a git clone with its full history")
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		dir = filepath.Join(dir, ".git")
	}
	c := &clone{dir: dir}
	if _, err := c.git(ctx, "rev-parse", "--verify", "HEAD^{commit}"); err != nil {
		return nil, fmt.Errorf("opening the clone %s: %w; give the folder of a git clone with its full history", dir, err)
	}
	c.cat = c.command(ctx, "cat-file", "--batch")
	var err error
	if c.in, err = c.cat.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := c.cat.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReaderSize(stdout, 1<<16)
	if err := c.cat.Start(); err != nil {
		return nil, fmt.Errorf("starting git: %w", err)
	}
	return c, nil
}

func (c *clone) close() error {
	return errors.Join(c.in.Close(), c.cat.Wait())
}

func (c *clone) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir", c.dir, "--no-pager"}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0"}
	return cmd
}

func (c *clone) git(ctx context.Context, args ...string) ([]byte, error) {
	cmd := c.command(ctx, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(errs.String()))
	}
	return out, nil
}

// errMissing is an object that the clone does not have.
var errMissing = errors.New("no such object")

// object gives the bytes of an object, named by its id or by "COMMIT:PATH".
func (c *clone) object(name string) ([]byte, error) {
	if strings.ContainsAny(name, "\n\x00") {
		return nil, fmt.Errorf("%q names no object", name)
	}
	if _, err := io.WriteString(c.in, name+"\n"); err != nil {
		return nil, fmt.Errorf("asking git for %s: %w", name, err)
	}
	head, err := c.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	f := strings.Fields(head)
	if len(f) != 3 || f[1] == "missing" {
		return nil, fmt.Errorf("%w: %s; the clone needs the full history", errMissing, name)
	}
	n, err := strconv.Atoi(f[2])
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(c.out, data); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	_, err = c.out.Discard(1)
	return data, err
}

// message is a commit's message.
func (c *clone) message(commit string) (string, error) {
	data, err := c.object(commit + "^{commit}")
	if err != nil {
		return "", err
	}
	_, text, _ := strings.Cut(string(data), "\n\n")
	return strings.ToValidUTF8(text, " "), nil
}

// tree lists the regular files of a commit with their blobs' ids.
func (c *clone) tree(ctx context.Context, commit string) (map[string]string, error) {
	out, err := c.git(ctx, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		meta, path, ok := strings.Cut(entry, "\t")
		f := strings.Fields(meta)
		if ok && len(f) == 3 && strings.HasPrefix(f[0], "100") && filepath.IsLocal(path) {
			files[path] = f[2]
		}
	}
	return files, nil
}

// checkout is a folder that holds one commit's files and is moved from commit to commit: only what differs is written, so
// an index of it follows at little cost.
type checkout struct {
	c    *clone
	dir  string
	have map[string]string // blob by path
}

func (t *checkout) to(ctx context.Context, commit string) error {
	want, err := t.c.tree(ctx, commit)
	if err != nil {
		return err
	}
	for path := range t.have {
		if _, ok := want[path]; !ok {
			if err := t.remove(path); err != nil {
				return fmt.Errorf("laying out %s: %w", commit, err)
			}
		}
	}
	for path, blob := range want {
		if t.have[path] == blob {
			continue
		}
		data, err := t.c.object(blob)
		if errors.Is(err, errMissing) {
			delete(want, path) // some clones leave large data files out
			continue
		}
		if err != nil {
			return err
		}
		full := filepath.Join(t.dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return fmt.Errorf("laying out %s: %w", commit, err)
		}
		if err := os.WriteFile(full, data, 0o644); err != nil {
			return fmt.Errorf("laying out %s: %w", commit, err)
		}
	}
	t.have = want
	return nil
}

// remove takes a file away, and the folders that it leaves empty: a file may come in their place.
func (t *checkout) remove(path string) error {
	full := filepath.Join(t.dir, filepath.FromSlash(path))
	if err := os.Remove(full); err != nil {
		return err
	}
	for dir := filepath.Dir(full); dir != t.dir && len(dir) > len(t.dir); dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil {
			break // not empty
		}
	}
	return nil
}
