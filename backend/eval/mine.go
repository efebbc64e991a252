package eval

import (
	"context"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"redgreen/backend/index"
	"redgreen/backend/lang"
)

// MineOptions say what fixes to look for.
type MineOptions struct {
	Clone      string
	Repository string          // the name in the rows
	Most       int             // rows, 0 all
	Found      func(Fix) error // is called for each, newest first
}

const (
	// maxFixLines is the most lines of source that a fix may change: more is a rewrite.
	maxFixLines = 60
	// maxFixFiles is the most files that a commit may touch at all: more is a sweep through the tree.
	maxFixFiles = 30
)

// fixWord tells a fix by its message.
var fixWord = regexp.MustCompile(`(?i)\b(fix(e[sd]|ing)?|bugs?|crash(es|ed)?|regression|incorrect(ly)?|broken|wrong(ly)?|panics?|deadlock|race|leaks?|fail(s|ed|ure)?|close[sd]? #\d+|resolve[sd]? #\d+)\b`)

// Mine finds the bug-fix commits of a history that touch source and tests, and says where each starts from and what it
// changes. It reads the clone and runs nothing of it.
func Mine(ctx context.Context, o MineOptions) (err error) {
	c, err := openClone(ctx, o.Clone)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	n := 0
	return c.history(ctx, func(one commit) error {
		f, ok := fixOf(one)
		if !ok {
			return nil
		}
		f.Repository = o.Repository
		for _, t := range one.files {
			if !slices.Contains(f.Files, t.path) {
				continue
			}
			chunks, err := c.touchedChunks(one.parent, t)
			if err != nil {
				return err
			}
			for _, ch := range chunks {
				f.Functions = append(f.Functions, Function{t.path, ch.Qualified})
			}
		}
		if n++; o.Most > 0 && n > o.Most {
			return errEnough
		}
		return o.Found(f)
	})
}

// fixOf judges a commit by its message and size.
func fixOf(one commit) (Fix, bool) {
	f := Fix{Base: one.parent, Fix: one.id, Files: []string{}, Functions: []Function{}, New: []string{}, Tests: []string{}}
	if !fixWord.MatchString(one.message) || len(one.files) > maxFixFiles || strings.Contains(one.parent, " ") {
		return f, false
	}
	lines := 0
	for _, t := range one.files {
		l, ok := lang.ByPath(t.path)
		switch {
		case !ok || t.path == "":
		case isTestPath(l, t.path):
			f.Tests = append(f.Tests, t.path)
		case t.created:
			f.New = append(f.New, t.path)
			lines += t.added
		default:
			f.Files = append(f.Files, t.path)
			lines += t.added + t.removed
		}
	}
	return f, len(f.Files) > 0 && len(f.Tests) > 0 && lines <= maxFixLines
}

// isTestPath knows tests and what only serves them.
func isTestPath(l lang.Language, p string) bool {
	if l.TestFile(p) {
		return true
	}
	return slices.ContainsFunc(strings.Split(path.Dir(p), "/"), func(d string) bool {
		switch d {
		case "test", "tests", "testing", "testdata", "__tests__", "spec", "specs", "fixtures", "vendor", "third_party", "node_modules", "dist":
			return true
		}
		return false
	})
}

// touchedChunks are the definitions whose old lines a commit touches, the innermost of each line.
func (c *clone) touchedChunks(parent string, t touched) ([]index.Chunk, error) {
	src, err := c.object(parent + ":" + t.path)
	if err != nil {
		return nil, err
	}
	chunks, err := index.Cut(t.path, src)
	if err != nil {
		return nil, nil // minified: nobody looks for it
	}
	var out []index.Chunk
	for _, ch := range chunks {
		if ch.Kind == "module" || ch.Kind == "lines" || ch.Kind == "constant" {
			continue
		}
		own := false
		ch.OwnLines(func(l int) {
			for _, s := range t.at {
				// a gap touches a definition when it is inside: before a line that is not its first
				own = own || s.from <= l && l <= s.to || s.to < s.from && l == s.from && l > ch.StartLine
			}
		})
		if own {
			out = append(out, ch)
		}
	}
	return out, nil
}
