package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// runGroup is the control groups that we make ourselves for one run, for a runtime that has none of its own.
// The nil runGroup is a machine where they cannot be made.
type runGroup struct {
	name string
	dirs []string // one per tree
}

// newRunGroup makes the groups below the owner's and sets the limits.
func newRunGroup(h *home, run string, l Limits) (*runGroup, error) {
	trees := cgroupTrees()
	g := &runGroup{name: "run-" + run}
	type setting struct{ tree, file, value string }
	memory, pids := strconv.FormatInt(l.Memory, 10), strconv.Itoa(l.Processes)
	quota := strconv.FormatInt(int64(l.CPUs*100_000), 10)
	settings := []setting{
		{"memory", "memory.limit_in_bytes", memory}, {"memory", "?memory.memsw.limit_in_bytes", memory},
		{"pids", "pids.max", pids}, {"cpu", "cpu.cfs_period_us", "100000"}, {"cpu", "cpu.cfs_quota_us", quota},
	}
	if h.host.cgroup == cgroupV2 {
		settings = []setting{{"", "memory.max", memory}, {"", "?memory.swap.max", "0"}, {"", "pids.max", pids}, {"", "cpu.max", quota + " 100000"}}
		if err := enableControllers(trees[""], h.owner); err != nil {
			return nil, err
		}
	}
	made := map[string]bool{}
	for _, s := range settings {
		tree, ok := trees[s.tree]
		if !ok {
			g.remove()
			return nil, fmt.Errorf("making control groups: there is no tree for %q", s.tree)
		}
		dir := filepath.Join(tree, cgroupRoot, h.owner, g.name)
		if !made[s.tree] {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				g.remove()
				return nil, fmt.Errorf("making control groups: %w", err)
			}
			made[s.tree] = true
			g.dirs = append(g.dirs, dir)
		}
		file, optional := strings.CutPrefix(s.file, "?")
		if err := os.WriteFile(filepath.Join(dir, file), []byte(s.value), 0o644); err != nil && !optional {
			g.remove()
			return nil, fmt.Errorf("setting %s: %w", file, err)
		}
	}
	return g, nil
}

// enableControllers hands the controllers down the v2 tree to the owner's group.
func enableControllers(tree, owner string) error {
	if tree == "" {
		return errors.New("making control groups: no v2 tree")
	}
	if err := os.MkdirAll(filepath.Join(tree, cgroupRoot, owner), 0o755); err != nil {
		return fmt.Errorf("making control groups: %w", err)
	}
	for _, d := range []string{tree, filepath.Join(tree, cgroupRoot), filepath.Join(tree, cgroupRoot, owner)} {
		if err := os.WriteFile(filepath.Join(d, "cgroup.subtree_control"), []byte("+cpu +memory +pids"), 0o644); err != nil {
			return fmt.Errorf("handing control groups down: %w", err)
		}
	}
	return nil
}

// enter is the shell text by which a process enters the groups before it becomes the run.
func (g *runGroup) enter() string {
	if g == nil {
		return ""
	}
	var b strings.Builder
	for _, d := range g.dirs {
		fmt.Fprintf(&b, "echo $$ > %s/cgroup.procs || exit 125; ", shellQuote(d))
	}
	return b.String()
}

// mark is what only this run's groups have in their path.
func (g *runGroup) mark() string {
	if g == nil {
		return "\x00" // in no path
	}
	return g.name
}

// counters opens the groups' own files; was is what was found by the process, closed when it is replaced.
func (g *runGroup) counters(was *counters) *counters {
	if g == nil {
		return was
	}
	was.close()
	c := &counters{}
	for _, d := range g.dirs {
		for _, controller := range []string{"", "memory", "pids"} {
			c.open(controller, d)
		}
	}
	for _, d := range g.dirs {
		if _, err := os.Stat(filepath.Join(d, "pids.current")); err == nil {
			c.pidsDir = d
		}
	}
	return c
}

// remove removes the groups; whatever is in them is dead by then.
func (g *runGroup) remove() {
	if g == nil {
		return
	}
	for _, d := range g.dirs {
		_ = os.Remove(d) // the owner's end takes what is left
	}
}
