package testrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"redgreen/backend/sandbox"
)

// Finding is one complaint of a linter, formatter or type checker.
type Finding struct {
	Tool string `json:"tool"` // the name of a Linter
	File string `json:"file"` // relative to the root
	Line int    `json:"line"` // 0 for the whole file
	Rule string `json:"rule"` // the tool's own name of it, "" none
	Text string `json:"text"` // one line
}

// Lint is what the linters of a tree say of some files.
type Lint struct {
	Findings []Finding // sorted, without repeats
	Ran      []string  // tools that came to a verdict, sorted
	Failed   []string  // tools that the tree configures and that gave none, each with why, sorted
}

// Linter is one tool that looks at source text: a row of Linters. It is only used where the tree itself asks for it.
type Linter struct {
	Name string
	// runner names the Kind of the same language, whose dependency folders are shown.
	runner string
	// takes tells the files that the tool looks at.
	takes func(p string) bool
	// asked gives the file of a folder that asks for the tool, "" none.
	asked func(f folder) string
	// start makes the command; files are relative to the command's folder.
	start func(j *job, files []string) error
	// read turns its output into findings with paths relative to the command's folder; an error is why there is no verdict.
	read func(o output) ([]Finding, error)
}

// maxFindings bounds what is kept of one run: a person reads the first few.
const maxFindings = 2000

// Lint runs the linters that a tree configures on files (slash-separated, relative to the root; absent ones are left out).
// only names the tools to run, nil all. Like tests they run in the sandbox, by a fixed argument list. The error means that
// ctx ended; a tool that does not run is in Failed.
func (r *Runner) Lint(ctx context.Context, dir string, files, only []string) (Lint, error) {
	var all Lint
	tree := folder{root: dir}
	for _, l := range Linters() {
		if only != nil && !slices.Contains(only, l.Name) {
			continue
		}
		ran := false
		for _, g := range l.groups(tree, files) {
			found, err := r.lintGroup(ctx, dir, l, g)
			if ctx.Err() != nil {
				return all, fmt.Errorf("running %s: %w", l.Name, ctx.Err())
			}
			if err != nil {
				all.Failed = append(all.Failed, fmt.Sprintf("%s (asked for by %s): %s", l.Name, join(g.dir, g.source), shorten(firstLine(err.Error()), 300)))
				continue
			}
			ran = true
			all.Findings = append(all.Findings, found...)
		}
		if ran {
			all.Ran = append(all.Ran, l.Name)
		}
	}
	slices.Sort(all.Ran)
	slices.Sort(all.Failed)
	all.Failed = slices.Compact(all.Failed)
	slices.SortFunc(all.Findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, strings.Compare(a.Tool, b.Tool), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Text, b.Text))
	})
	all.Findings = slices.Compact(all.Findings)
	return all, nil
}

// group is the files of one folder that asks for a linter, relative to it.
type group struct {
	dir, source string
	files       []string
}

// groups sorts files by the nearest folder above each that asks for the tool.
func (l Linter) groups(tree folder, files []string) []group {
	var all []group
	for _, p := range files {
		if !l.takes(p) || strings.HasPrefix(p, "-") || !tree.has(p) {
			continue
		}
		dirs := upwards(path.Dir(p))
		slices.Reverse(dirs)
		for _, d := range dirs {
			source := l.asked(tree.sub(d))
			if source == "" {
				continue
			}
			i := slices.IndexFunc(all, func(g group) bool { return g.dir == d })
			if i < 0 {
				all, i = append(all, group{dir: d, source: source}), len(all)
			}
			rel, _ := within(d, p)
			all[i].files = append(all[i].files, rel)
			break
		}
	}
	return all
}

// errNotInstalled is why a linter that is asked for did not run.
var errNotInstalled = errors.New("not installed here")

// lintGroup runs one tool over the files of one folder.
func (r *Runner) lintGroup(ctx context.Context, dir string, l Linter, g group) ([]Finding, error) {
	j, err := r.newJob(dir, Command{Runner: l.runner, Dir: g.dir, Args: []string{l.Name}}, nil)
	if err != nil {
		return nil, err
	}
	defer j.close()
	j.spec.Env["NO_COLOR"] = "1"
	if err := l.start(j, g.files); err != nil {
		return nil, err
	}
	res, err := r.start(ctx, j)
	if err != nil {
		return nil, err
	}
	if res.Reason != "" {
		return nil, fmt.Errorf("stopped: %s", res.Reason)
	}
	if res.ExitCode == 126 || res.ExitCode == 127 {
		return nil, errNotInstalled
	}
	return l.findings(j.output(res), res)
}

// findings reads the output and puts its paths in terms of the root.
func (l Linter) findings(o output, res sandbox.Result) ([]Finding, error) {
	found, err := l.read(o)
	if err != nil {
		return nil, err
	}
	kept := found[:0]
	for _, f := range found {
		if f.File = inTree(f.File); f.File == "" || len(kept) == maxFindings {
			continue
		}
		f.Tool, f.File = l.Name, o.under(f.File)
		f.Rule, f.Text = cleanLine(f.Rule), shorten(strings.TrimSpace(cleanLine(f.Text)), 500)
		kept = append(kept, f)
	}
	if len(kept) == 0 && len(found) == 0 && res.ExitCode != 0 {
		return nil, fmt.Errorf("exit status %d%s", res.ExitCode, withError(clean(joinLogs(o.stdout, o.stderr))))
	}
	return kept, nil
}
