package testrun

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// host is where this machine's toolchains are: the folders of PATH and the home.
type host struct {
	path []string
	home string
}

// thisHost reads the process's environment.
func thisHost() host {
	home, _ := os.UserHomeDir()
	return host{path: filepath.SplitList(os.Getenv("PATH")), home: home}
}

// always are the system's own folders, searched after PATH: a window started from a desktop has a short PATH.
func (h host) always() []string { return []string{"/usr/local/bin", "/usr/bin", "/usr/local/go/bin"} }

// programs lists where a program is found, in PATH's order, with symlinks as they are.
func (h host) programs(name string) []string {
	var all []string
	for _, dir := range append(slices.Clone(h.path), h.always()...) {
		p := filepath.Join(dir, name)
		if !filepath.IsAbs(p) || slices.Contains(all, p) {
			continue
		}
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			all = append(all, p)
		}
	}
	return all
}

// visible reports whether the sandbox shows a path by itself: it always has /usr.
func visible(p string) bool { return strings.HasPrefix(p, "/usr/") }

// tool finds a program and makes it usable inside: one under /usr is there already; of one elsewhere the toolchain's own
// folder is shown read-only at its own path when holds accepts that folder.
func (j *job) tool(name string, holds func(prefix string) bool) (string, error) {
	for _, p := range j.host.programs(name) {
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			continue
		}
		if visible(real) {
			j.usePath(filepath.Dir(real))
			return real, nil
		}
		prefix := filepath.Dir(filepath.Dir(real))
		if !j.host.exposable(prefix) || !holds(prefix) {
			continue
		}
		j.mount(prefix, prefix)
		j.usePath(filepath.Dir(real))
		return real, nil
	}
	return "", fmt.Errorf("%s was %w on this machine: install it, or give another command with --test-cmd", name, errNoTool)
}

// usePath puts a folder in front of the sandbox's PATH, once; the system's own need not.
func (j *job) usePath(dir string) {
	if dir == "/usr/bin" || dir == "/usr/local/bin" || slices.Contains(j.spec.Path, dir) {
		return
	}
	j.spec.Path = append(j.spec.Path, dir)
}

// exposable refuses to show the root, the home a folder that holds the home, or one that mixes programs
// with the person's own files, whatever a symlink says.
func (h host) exposable(dir string) bool {
	dir = filepath.Clean(dir)
	if dir == "/" || strings.Count(dir, "/") < 2 {
		return false
	}
	home, err := filepath.EvalSymlinks(h.home)
	if err != nil {
		home = h.home
	}
	mixed := []string{filepath.Join(home, ".local"), filepath.Join(home, ".config"), filepath.Join(home, "bin")}
	return dir != home && !inside(dir, home) && !slices.Contains(mixed, dir)
}
