package testrun

import (
	"fmt"
	"path/filepath"
	"slices"
)

// choice is a program that could run a command, and why it is offered.
type choice struct {
	install
	start string // the absolute path that is started
	why   string // the file that asks for it, "" none does
}

// choices lists what could run a tool, the best first: what the folder asks for, then the PATH's order with a manager's
// installations in place of its shims, then whatever else the managers have, since a window started from a desktop has a
// short PATH.
func (h host) choices(tool string, wants []want) []choice {
	all := h.installs(tool)
	found := h.onPath(tool, all)
	for _, i := range all {
		found = append(found, i.choice())
	}
	var out []choice
	for _, w := range wants {
		met := slices.DeleteFunc(slices.Clone(found), func(c choice) bool { return !w.met(c.install) })
		if !w.loose() { // the newest that fits; of a range the first on the PATH
			slices.SortStableFunc(met, func(a, b choice) int { return compareVersions(b.version, a.version) })
		}
		if tool == "python" {
			met = append(met, h.numbered(w)...)
		}
		for i := range met {
			met[i].why = w.source
		}
		out = append(out, met...)
	}
	out = append(out, found...)
	var once []choice
	for _, c := range out {
		if c.start != "" && !slices.ContainsFunc(once, func(o choice) bool { return o.start == c.start }) {
			once = append(once, c)
		}
	}
	return once
}

// choice is how an installation is started.
func (i install) choice() choice {
	return choice{install: i, start: i.program(layoutOf(i.tool).programs...)}
}

// onPath lists the PATH's own programs of a tool; a manager's folder of shims stands for its installations.
func (h host) onPath(tool string, all []install) []choice {
	var out []choice
	for _, dir := range append(slices.Clone(h.path), h.always()...) {
		if !filepath.IsAbs(dir) {
			continue
		}
		shims := false
		for _, i := range all {
			if i.shims != "" && filepath.Clean(dir) == i.shims {
				shims = true
				out = append(out, i.choice())
			}
		}
		for _, name := range layoutOf(tool).programs {
			if c, ok := h.at(tool, filepath.Join(dir, name), all); ok && !shims {
				out = append(out, c)
			}
		}
	}
	return out
}

// at is the program at a path, if the sandbox has it or may have its installation.
func (h host) at(tool, p string, all []install) (choice, bool) {
	real, err := filepath.EvalSymlinks(p)
	if err != nil || !isProgram(real) {
		return choice{}, false
	}
	dir := filepath.Dir(filepath.Dir(real))
	if i := slices.IndexFunc(all, func(i install) bool { return i.dir == dir || i.manager == "rustup" && rustupProxy(p, real) }); i >= 0 {
		return all[i].choice(), true // rustup's proxies stand for its default toolchain
	}
	i := install{tool: tool, dir: dir, manager: "the PATH", name: filepath.Base(dir)}
	switch {
	case visible(real):
		i.manager, i.name = "the system", ""
		if tool == "go" {
			i.name = firstLine(smallFile(dir, "VERSION"))
		}
		if visible(p) && tool == "python" { // alternatives may link to what is no Python of its own
			real = p
		}
	case rustupProxy(p, real) || !layoutOf(tool).fits(dir) || !h.exposable(dir):
		return choice{}, false
	}
	if i.name != "" {
		i.version = numberOf(tool, i.name, dir)
	}
	return choice{install: i, start: real}, true
}

// rustupProxy tells rustup's own programs: cargo in ~/.cargo/bin is rustup under another name.
func rustupProxy(p, real string) bool {
	return filepath.Base(real) == "rustup" || !visible(real) && exists(filepath.Dir(p), "rustup")
}

// numbered is a python3.11 of the system.
func (h host) numbered(w want) []choice {
	if p := parts(w.version); len(p) >= 2 {
		version := fmt.Sprintf("%d.%d", p[0], p[1])
		for _, p := range h.programs("python" + version) {
			if visible(p) {
				return []choice{{install: install{tool: "python", version: version, dir: filepath.Dir(filepath.Dir(p)), manager: "the system"}, start: p}}
			}
		}
	}
	return nil
}

// wants is what the command's folder asks for; what git ignores is only in the person's own folder.
func (j *job) wants(tool string) []want { return j.wantsAt(j.command.Dir, tool) }

func (j *job) wantsAt(dir, tool string) []want {
	all := folder{root: j.tree.root, dir: dir}.wants(tool)
	if j.source != "" && j.source != j.tree.root {
		all = append(all, folder{root: j.source, dir: dir}.wants(tool)...)
	}
	return all
}

// tool makes a tool usable inside and gives its program: one under /usr is there already; of one elsewhere the parts of its
// installation are shown read-only at their own paths.
func (j *job) tool(tool string) (string, error) {
	if len(layoutOf(tool).programs) == 0 {
		return "", fmt.Errorf("%s was %w on this machine: install it, or give another command with --test-cmd", tool, errNoTool)
	}
	if j.spec.Image != "" { // the image has its own, on its PATH
		return layoutOf(tool).programs[0], nil
	}
	all := j.host.choices(tool, j.wants(tool))
	if len(all) == 0 {
		return "", fmt.Errorf("%s was %w on this machine: install it, or give another command with --test-cmd", tool, errNoTool)
	}
	j.use(all[0])
	return all[0].start, nil
}

// jvm makes Java usable, and the build tool where a version manager has it; a wrapper of the tree needs only Java.
func (j *job) jvm(tool string) error {
	start, err := j.tool("java")
	if err != nil {
		return err
	}
	if j.spec.Image == "" {
		j.spec.Env["JAVA_HOME"] = filepath.Dir(filepath.Dir(start))
	}
	_, _ = j.tool(tool)
	return nil
}

// use shows a choice and puts it on the PATH.
func (j *job) use(c choice) {
	if !visible(c.dir) {
		j.show(c.tool, c.dir, c.dir)
		if c.tool == "python" {
			j.showBase(c.dir) // it may be an environment of another
		}
	}
	j.usePath(filepath.Dir(c.start))
}
