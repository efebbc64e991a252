package eval

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"redgreen/backend/lang"
)

// commit is one change of a history: its message and what it does to the lines of each file.
type commit struct {
	id, parent, message string
	files               []touched
}

// touched is one file of a commit. at are the lines of the old text that go away or that lines are put behind.
type touched struct {
	path           string
	created, gone  bool
	at             []span
	added, removed int
}

// span is a range of old lines, 1-based and inclusive; to < from is the gap before from.
type span struct{ from, to int }

// errEnough ends a walk early.
var errEnough = errors.New("enough")

// history walks the commits of HEAD that have one parent, newest first, until f gives an error; errEnough is none.
func (c *clone) history(ctx context.Context, f func(commit) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := c.command(ctx, "-c", "core.quotePath=false", "log", "--no-merges", "--min-parents=1", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color",
		"--no-show-signature", "--format=%x00%H %P%n%B%x00", "-p", "-U0", "HEAD", "--")
	cmd.Args = append(cmd.Args, sourcePaths()...) // only these: a clone may lack its large data files
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting git: %w", err)
	}
	err = readHistory(bufio.NewReaderSize(out, 1<<20), f)
	if err != nil {
		cancel() // git would wait for somebody to read on
	}
	if waited := cmd.Wait(); err == nil && waited != nil {
		err = fmt.Errorf("git log: %w: %s", waited, strings.TrimSpace(errs.String()))
	}
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// sourcePaths are git's patterns for the files of all languages.
func sourcePaths() []string {
	var out []string
	for _, l := range lang.All() {
		if l.Data {
			continue
		}
		for _, e := range l.Extensions {
			out = append(out, "*"+e)
		}
		out = append(out, l.Filenames...)
	}
	return out
}

// readHistory reads what git log prints: NUL, ids and message, NUL, the diff.
func readHistory(r *bufio.Reader, f func(commit) error) error {
	if _, err := r.ReadString(0); err == io.EOF {
		return nil
	} else if err != nil {
		return err
	}
	for {
		head, err := r.ReadString(0)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		ids, message, _ := strings.Cut(strings.TrimSuffix(head, "\x00"), "\n")
		c := commit{message: strings.ToValidUTF8(message, " ")}
		c.id, c.parent, _ = strings.Cut(ids, " ")
		end := c.readDiff(r)
		if err := f(c); err != nil {
			return err
		}
		if end != nil {
			if end == io.EOF {
				return nil
			}
			return end
		}
	}
}

// readDiff reads a diff up to the NUL behind it; io.EOF at the end of all.
func (c *commit) readDiff(r *bufio.Reader) error {
	for {
		line, err := readDiffLine(r)
		if err != nil {
			return err
		}
		if line == "\x00" {
			return nil
		}
		c.diffLine(strings.TrimSuffix(line, "\n"))
	}
}

// readDiffLine reads one line; a NUL at its start ends the diff and is given alone.
func readDiffLine(r *bufio.Reader) (string, error) {
	first, err := r.Peek(1)
	if err != nil {
		return "", err
	}
	if first[0] == 0 {
		_, err := r.Discard(1)
		return "\x00", err
	}
	line, err := r.ReadString('\n')
	if err == io.EOF && line != "" {
		err = nil
	}
	return line, err
}

func (c *commit) diffLine(line string) {
	if strings.HasPrefix(line, "diff --git ") {
		c.files = append(c.files, touched{})
		return
	}
	if len(c.files) == 0 {
		return
	}
	t := &c.files[len(c.files)-1]
	switch {
	case strings.HasPrefix(line, "--- ") && len(t.at) == 0:
		if p, ok := strings.CutPrefix(line, "--- a/"); ok {
			t.path = strings.TrimSuffix(p, "\t")
		}
	case strings.HasPrefix(line, "+++ ") && len(t.at) == 0:
		if p, ok := strings.CutPrefix(line, "+++ b/"); ok {
			t.created = t.path == ""
			t.path = strings.TrimSuffix(p, "\t")
		} else {
			t.gone = true
		}
	case strings.HasPrefix(line, "@@ -"):
		from, n := hunkStart(line)
		t.at = append(t.at, span{from, from + n - 1})
	case strings.HasPrefix(line, "+"):
		t.added++
	case strings.HasPrefix(line, "-"):
		t.removed++
	}
}

// hunkStart reads "@@ -from,n +…": the old lines of a hunk; where there are none, the gap behind the named line.
func hunkStart(line string) (from, n int) {
	old, _, _ := strings.Cut(strings.TrimPrefix(line, "@@ -"), " ")
	a, b, several := strings.Cut(old, ",")
	from, _ = strconv.Atoi(a) // git wrote it
	n = 1
	if several {
		n, _ = strconv.Atoi(b)
	}
	if n == 0 {
		from++
	}
	return from, n
}
