package proof

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

// Tests for code that is right pass at once, so nothing shows that they could ever fail. Where tests are what the patch is
// for, the code that each new one runs is broken on purpose, one line at a time, in a copy, until the test fails.

// Break is a line of the code changed on purpose, with the new tests that fail with it.
type Break struct {
	File  string   `json:"file"`
	Line  int      `json:"line"`
	Was   string   `json:"was"`
	Now   string   `json:"now"`
	Tests []string `json:"tests"`
}

// The bounds of the search for breaks.
const (
	breakRuns   = 60 // in all
	breakTries  = 8  // for one test
	breakWall   = 2 * time.Minute
	breakFiles  = 200
	breakBytes  = 256 << 10 // of a file
	guessedFrom = 3         // files, where it is not known which lines a test runs
)

// breaks finds for each new test that was not seen red a change of the code that it fails with.
func (o observer) breaks(ctx context.Context, e evidence, c *Certificate) error {
	var fresh []string
	for _, id := range compare(e.base, e.patched).turned {
		if statuses(e.base)[id] == missing && !slices.Contains(c.Flaky, id) && !slices.Contains(c.RedToGreen, id) {
			fresh = append(fresh, id)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return o.in(ctx, o.Patch, func(dir string) error {
		b := breaker{observer: o, dir: dir, left: fresh, tried: map[string]bool{}, end: o.Now().Add(breakWall)}
		b.files = codeOf(dir)
		b.byWords(o.Patch)
		err := b.work(ctx)
		c.Breaks, c.Unbroken = append(c.Breaks, b.found...), append(c.Unbroken, b.left...)
		return err
	})
}

// breaker is one search.
type breaker struct {
	observer
	dir   string
	files []codeFile
	left  []string // tests that were not seen to fail
	found []Break
	tried map[string]bool
	runs  int
	end   time.Time
}

// codeFile is a file of the tree that is no test.
type codeFile struct {
	path  string
	text  string
	mode  fs.FileMode
	lines []string
	score int // words that it shares with the patch's tests
}

// codeOf lists the code of a tree that is no test and nobody else's.
func codeOf(dir string) []codeFile {
	var all []codeFile
	_ = filepath.WalkDir(dir, func(full string, d fs.DirEntry, err error) error { // what cannot be read is not broken
		rel, _ := filepath.Rel(dir, full)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil:
			return nil
		case d.IsDir() && rel != "." && (strings.HasPrefix(d.Name(), ".") || kindOfFile(rel+"/x") == manifest):
			return fs.SkipDir
		case !d.Type().IsRegular() || len(all) == breakFiles || !testrun.Code(rel) || testrun.TestFile(rel) || kindOfFile(rel) != ordinary:
			return nil
		}
		info, err := d.Info()
		if err != nil || info.Size() > breakBytes {
			return nil
		}
		data, err := os.ReadFile(full)
		if err != nil {
			return nil
		}
		all = append(all, codeFile{path: rel, text: string(data), mode: info.Mode(), lines: strings.SplitAfter(string(data), "\n")})
		return nil
	})
	return all
}

var nameWord = regexp.MustCompile(`[A-Za-z_]\w{2,}`)

// byWords puts the files first that the patch's tests speak of most.
func (b *breaker) byWords(p patch.Patch) {
	said := map[string]bool{}
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op == patch.Insert && testrun.TestFile(f.Path) {
					for _, w := range nameWord.FindAllString(l.Text, -1) {
						said[w] = true
					}
				}
			}
		}
	}
	for i, f := range b.files {
		seen := map[string]bool{}
		for _, w := range nameWord.FindAllString(f.text, -1) {
			if said[w] && !seen[w] {
				seen[w] = true
				b.files[i].score++
			}
		}
	}
	slices.SortStableFunc(b.files, func(x, y codeFile) int { return cmp.Compare(y.score, x.score) })
}

// work takes the tests in turn. A break that another test fails with as well serves both.
func (b *breaker) work(ctx context.Context) error {
	for _, id := range slices.Clone(b.left) {
		if !slices.Contains(b.left, id) {
			continue
		}
		lines, err := b.reach(ctx, id)
		if err != nil {
			return err
		}
		tries := 0
		for _, m := range b.mutants(id, lines) {
			if tries == breakTries || b.runs >= breakRuns || b.Now().After(b.end) || !slices.Contains(b.left, id) {
				break
			}
			tries++
			if err := b.try(ctx, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// reach gives the lines of code that a test executes, nil where that is not known.
func (b *breaker) reach(ctx context.Context, id string) (map[string]map[int]bool, error) {
	l, ok := b.suite.(looker)
	var files []string
	for _, f := range b.files {
		if testrun.Measures(b.Command, f.path) {
			files = append(files, f.path)
		}
	}
	if !ok || len(files) == 0 {
		return nil, nil
	}
	b.say("Looking which code " + id + " runs")
	got, err := l.Cover(ctx, b.dir, b.Command, b.selection(b.dir, []string{id}), files)
	if err != nil {
		return nil, err
	}
	return got.Files, nil
}

// mutant is one changed line.
type mutant struct {
	file  int // of b.files
	line  int // from 0
	now   string
	score int
}

// mutants are the changes to try for a test, the most telling first: the first change of each line before the second of any.
func (b *breaker) mutants(id string, ran map[string]map[int]bool) []mutant {
	var all []mutant
	for i, f := range b.files {
		if ran == nil && (i >= guessedFrom || f.score == 0) {
			break
		}
		for n, text := range f.lines {
			if ran != nil && !ran[f.path][n+1] {
				continue
			}
			for k, now := range variants(f.path, text) {
				m := mutant{file: i, line: n, now: now, score: -2 * k}
				if !b.tried[m.key()] {
					if speaksOf(id, header(f.lines, n)) {
						m.score += 8
					}
					if strings.HasPrefix(strings.TrimSpace(text), "return") {
						m.score++
					}
					all = append(all, m)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(x, y mutant) int { return cmp.Compare(y.score, x.score) })
	return all
}

func (m mutant) key() string { return fmt.Sprint(m.file, ":", m.line, ":", m.now) }

// header is the line that a line stands under by its indentation.
func header(lines []string, n int) string {
	indent := func(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }
	own := indent(lines[n])
	for i := n - 1; i >= 0; i-- {
		if strings.TrimSpace(lines[i]) != "" && indent(lines[i]) < own {
			if own = indent(lines[i]); own == 0 || definer.MatchString(lines[i]) {
				return lines[i]
			}
		}
	}
	return ""
}

var definer = regexp.MustCompile(`\b(def|func|function|fn|fun|sub)\b`)

// speaksOf reports whether a test's name has a word of a header.
func speaksOf(id, header string) bool {
	id = strings.ToLower(strings.ReplaceAll(id, "_", ""))
	return slices.ContainsFunc(nameWord.FindAllString(header, -1), func(w string) bool {
		return !definer.MatchString(w) && strings.Contains(id, strings.ToLower(strings.ReplaceAll(w, "_", "")))
	})
}

// try runs the tests that are left over one changed line. Only a test that ran and failed counts: what does not build shows
// nothing.
func (b *breaker) try(ctx context.Context, m mutant) error {
	b.tried[m.key()] = true
	b.runs++
	f := b.files[m.file]
	changed := slices.Clone(f.lines)
	changed[m.line] = m.now
	if err := put(b.dir, f, strings.Join(changed, "")); err != nil {
		return err
	}
	run, err := b.run(ctx, b.dir, b.selection(b.dir, b.left), fmt.Sprintf("Breaking %s:%d on purpose, to see a new test fail", f.path, m.line+1))
	if back := put(b.dir, f, f.text); err == nil {
		err = back
	}
	if err != nil {
		return err
	}
	if blocked(run) || run.Unbuilt || run.NoTests {
		return nil
	}
	got, still := statuses(run), []string{}
	hit := Break{File: f.path, Line: m.line + 1, Was: strings.TrimSpace(f.lines[m.line]), Now: strings.TrimSpace(m.now), Tests: []string{}}
	for _, id := range b.left {
		if red(got[id]) {
			hit.Tests = append(hit.Tests, id)
		} else {
			still = append(still, id)
		}
	}
	if b.left = still; len(hit.Tests) > 0 {
		b.found = append(b.found, hit)
	}
	return nil
}

// put gives a file of the tree another text, as a new file.
func put(dir string, f codeFile, text string) error {
	full := filepath.Join(dir, filepath.FromSlash(f.path))
	if err := os.Remove(full); err != nil {
		return fmt.Errorf("breaking %s on purpose: %w", f.path, err)
	}
	if err := os.WriteFile(full, []byte(text), f.mode.Perm()); err != nil {
		return fmt.Errorf("breaking %s on purpose: %w", f.path, err)
	}
	return nil
}
