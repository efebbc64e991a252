package testrun

import (
	"context"
	"path"
	"slices"
	"time"
)

// Spectrum is which lines each test executes: by file, by line, the ids of the tests.
type Spectrum struct {
	Red, Green map[string]map[int]int // file → line → how many of the failing and of the passing tests execute it
	Reds       int                    // how many of each were measured
	Greens     int
	Problem    string // why nothing was measured, a clause; "" when it was
}

// Trace measures which lines of files the failing and the passing tests execute, test by test where the runner's driver
// can, else in two runs.
func (r *Runner) Trace(ctx context.Context, dir string, c Command, red, green, files []string, limit, wall time.Duration) (Spectrum, error) {
	s := Spectrum{Red: map[string]map[int]int{}, Green: map[string]map[int]int{}}
	if len(c.Parts) > 0 {
		for _, part := range c.Parts {
			own := ownPaths(dir, part, red)
			if len(own) == 0 {
				continue
			}
			got, err := r.Trace(ctx, dir, part, own, ownPaths(dir, part, green), files, limit, wall)
			if err != nil {
				return s, err
			}
			s.add(got)
		}
		return s, nil
	}
	if java := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return path.Ext(f) != ".java" }); len(java) > 0 && drives(c.Runner, java) != nil {
		files = java
	}
	if d := drives(c.Runner, files); d != nil && d.trace {
		return r.traceByTest(ctx, dir, c, d, red, green, files, limit, wall)
	}
	if c.Runner == "go" {
		if got, ok, err := r.traceGo(ctx, dir, c, red, green, files, wall); ok || err != nil {
			return got, err
		}
	}
	for _, side := range []struct {
		tests []string
		lines map[string]map[int]int
		n     *int
	}{{red[:min(len(red), maxFirst)], s.Red, &s.Reds}, {green[:min(len(green), maxSelected)], s.Green, &s.Greens}} {
		if len(side.tests) == 0 {
			continue
		}
		got, err := r.Cover(ctx, dir, c, side.tests, files)
		if err != nil {
			return s, err
		}
		if got.Problem != "" {
			s.Problem = got.Problem
			return s, nil
		}
		*side.n = 1
		for f, lines := range got.Files {
			for line, ran := range lines {
				if ran {
					count(side.lines, f, line)
				}
			}
		}
	}
	return s, nil
}

func (r *Runner) traceByTest(ctx context.Context, dir string, c Command, d *driver, red, green, files []string, limit, wall time.Duration) (Spectrum, error) {
	s := Spectrum{Red: map[string]map[int]int{}, Green: map[string]map[int]int{}}
	ord := order{Trace: inSandbox(files), Seconds: 20 * limit.Seconds(), Wall: wall.Seconds()} // tracing makes tests slow
	problem, err := r.drive(ctx, dir, c, d, ord, red, green, func(e driven) {
		if e.Event != "lines" {
			return
		}
		side := s.Green
		switch {
		case slices.Contains(red, e.ID):
			side = s.Red
			s.Reds++
		case e.Status == Passed:
			s.Greens++
		default:
			return
		}
		for _, h := range e.Hits {
			name, _ := h[0].(string)
			line, _ := h[1].(float64)
			count(side, inTree(name), int(line))
		}
	})
	s.Problem = problem
	return s, err
}

func inSandbox(files []string) []string {
	all := make([]string, len(files))
	for i, f := range files {
		all[i] = path.Join(workspacePath, f)
	}
	return all
}

func count(m map[string]map[int]int, file string, line int) {
	if m[file] == nil {
		m[file] = map[int]int{}
	}
	m[file][line]++
}

func (s *Spectrum) add(o Spectrum) {
	s.Reds, s.Greens = s.Reds+o.Reds, s.Greens+o.Greens
	if s.Problem == "" {
		s.Problem = o.Problem
	}
	for _, side := range []struct{ to, from map[string]map[int]int }{{s.Red, o.Red}, {s.Green, o.Green}} {
		for f, lines := range side.from {
			for line, n := range lines {
				for range n {
					count(side.to, f, line)
				}
			}
		}
	}
}
