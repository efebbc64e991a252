package testrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// several is the runner of a command that stands for more than one.
const several = "several"

// Together makes one command of those of a repository of several parts: it runs each in its own folder and puts the
// results side by side. One command stays what it is; of none the command is empty.
func Together(commands []Command) Command {
	switch len(commands) {
	case 0:
		return Command{}
	case 1:
		return commands[0]
	}
	c := Command{Runner: several, Parts: slices.Clone(commands), Args: []string{}}
	var sources []string
	for i, part := range commands {
		if i > 0 {
			c.Args = append(c.Args, ";")
		}
		if part.Dir != "" {
			c.Args = append(c.Args, part.Dir+":")
		}
		c.Args = append(c.Args, part.Args...)
		sources = append(sources, join(part.Dir, part.Source))
	}
	c.Source = strings.Join(sources, ", ")
	return c
}

// Touched are the commands in whose folders some path lies; all of them where no path lies in any, since then nothing
// tells which tests the paths concern.
func Touched(commands []Command, paths []string) []Command {
	var all []Command
	for _, c := range commands {
		if slices.ContainsFunc(paths, func(p string) bool { _, ok := within(c.Dir, p); return ok }) {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return commands
	}
	return all
}

// Dirs are the folders that a command runs in.
func (c Command) Dirs() []string {
	if len(c.Parts) == 0 {
		return []string{c.Dir}
	}
	var all []string
	for _, part := range c.Parts {
		all = append(all, part.Dir)
	}
	return all
}

// same tells commands apart by what they run and where.
func same(a, b Command) bool { return a.Dir == b.Dir && slices.Equal(a.Args, b.Args) }

// partRun is the run of one part.
type partRun struct {
	command Command
	run     Run
}

// runParts runs each part that some of the paths belong to, all without paths.
func (r *Runner) runParts(ctx context.Context, dir string, c Command, paths []string) (Run, error) {
	var parts []partRun
	for i, part := range c.Parts {
		own := ownPaths(dir, part, paths)
		if len(paths) > 0 && len(own) == 0 {
			continue
		}
		run, err := r.runOne(ctx, dir, part, own, [2]int{i + 1, len(c.Parts)})
		if err != nil {
			return Run{}, err
		}
		parts = append(parts, partRun{part, run})
	}
	merged := merge(parts)
	merged.Command = append(slices.Clone(c.Args), paths...)
	return merged, nil
}

// ownPaths are the paths that a part takes.
func ownPaths(dir string, part Command, paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return Validate(dir, part, []string{p}) != nil })
}

// checkParts holds each path against all parts.
func checkParts(dir string, c Command, paths []string) error {
	for _, part := range c.Parts {
		if err := Validate(dir, part, nil); err != nil {
			return err
		}
	}
	for _, p := range paths {
		var errs []error
		for _, part := range c.Parts {
			errs = append(errs, Validate(dir, part, []string{p}))
		}
		if !slices.Contains(errs, nil) {
			return errors.Join(errs...)
		}
	}
	return nil
}

// Only is the part of a run of several commands that is c's, as if c alone had been run; a run of one command is given
// back as it is. false when c was not all run.
func (r Run) Only(c Command) (Run, bool) {
	if len(r.parts) == 0 {
		return r, true
	}
	wanted := c.Parts
	if len(wanted) == 0 {
		wanted = []Command{c}
	}
	var parts []partRun
	for _, w := range wanted {
		i := slices.IndexFunc(r.parts, func(p partRun) bool { return same(p.command, w) })
		if i < 0 {
			return Run{}, false
		}
		parts = append(parts, r.parts[i])
	}
	if len(c.Parts) == 0 {
		return parts[0].run, true
	}
	merged := merge(parts)
	merged.Command = slices.Clone(c.Args)
	return merged, true
}

// merge puts the runs of several parts side by side. A part that has no test yet says nothing, unless none has one.
func merge(parts []partRun) Run {
	m := Run{Tests: []Test{}, Toolchain: []Tool{}, Base: "host", Finished: true, PerTest: true, Unbuilt: true, NoTests: true, parts: parts}
	var reasons []string
	var log strings.Builder
	for _, p := range parts {
		r := p.run
		m.Tests = append(m.Tests, p.tests()...)
		m.Toolchain = append(m.Toolchain, r.Toolchain...)
		m.Duration += r.Duration
		m.Limits = r.Limits
		m.ExitCode = cmp.Or(m.ExitCode, r.ExitCode)
		if m.Rung.Name == "" {
			m.Runtime, m.Rung, m.Base = r.Runtime, r.Rung, cmp.Or(r.Base, m.Base)
		}
		fmt.Fprintf(&log, "== %s\n%s\n", p.name(), strings.TrimRight(string(r.Log), "\n"))
		m.NoTests = m.NoTests && r.NoTests
		if r.NoTests {
			continue
		}
		m.Finished, m.PerTest = m.Finished && r.Finished, m.PerTest && r.PerTest
		if r.Infrastructure {
			reasons = append(reasons, p.name()+": "+r.Reason)
			m.Infrastructure, m.Unbuilt = true, m.Unbuilt && r.Unbuilt
		}
	}
	if m.NoTests && len(parts) > 0 {
		m.Infrastructure, m.Finished, reasons = true, false, []string{parts[0].name() + ": " + parts[0].run.Reason}
	}
	m.Unbuilt = m.Unbuilt && m.Infrastructure && !m.NoTests
	m.Reason, m.Log = strings.Join(reasons, "; "), []byte(log.String())
	slices.SortStableFunc(m.Tests, func(a, b Test) int { return strings.Compare(a.ID, b.ID) })
	return m
}

// name is a part for people.
func (p partRun) name() string {
	if p.command.Dir == "" {
		return strings.Join(p.command.Args, " ")
	}
	return p.command.Dir + ": " + strings.Join(p.command.Args, " ")
}

// tests are a part's results. Ids that are no paths get the part's folder in front, so that two parts do not share them.
func (p partRun) tests() []Test {
	tests := slices.Clone(p.run.Tests)
	if kindOf(p.command.Runner).check == nil {
		for i := range tests {
			tests[i].ID = cmp.Or(p.command.Dir, strings.Join(p.command.Args, " ")) + ": " + tests[i].ID
		}
	}
	return tests
}

// coverParts measures each part's own files.
func (r *Runner) coverParts(ctx context.Context, dir string, c Command, paths, files []string) (Coverage, error) {
	all := Coverage{Files: map[string]map[int]bool{}}
	for _, part := range c.Parts {
		own := ownPaths(dir, part, paths)
		measured := slices.DeleteFunc(slices.Clone(files), func(p string) bool { _, ok := within(part.Dir, p); return !ok || !Measures(part, p) })
		if len(measured) == 0 || len(paths) > 0 && len(own) == 0 {
			continue
		}
		got, err := r.Cover(ctx, dir, part, own, measured)
		if err != nil {
			return all, err
		}
		all.Problem = cmp.Or(all.Problem, got.Problem)
		for file, lines := range got.Files {
			if all.Files[file] == nil {
				all.Files[file] = map[int]bool{}
			}
			for line, ran := range lines {
				all.Files[file][line] = all.Files[file][line] || ran
			}
		}
	}
	return all, nil
}
