package testrun

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redgreen/backend/lang"
)

// host is where this machine's toolchains are: the folders of PATH and the home.
type host struct {
	path []string
	home string
	env  func(string) string // the variables that move a version manager's home; nil none
}

// thisHost reads the process's environment.
func thisHost() host {
	home, _ := os.UserHomeDir()
	return host{path: filepath.SplitList(os.Getenv("PATH")), home: home, env: os.Getenv}
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
		if isProgram(p) {
			all = append(all, p)
		}
	}
	return all
}

func isProgram(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// visible reports whether the sandbox shows a path by itself.
func visible(p string) bool {
	return strings.HasPrefix(p, "/usr/") || strings.HasPrefix(p, "/opt/") || strings.HasPrefix(p, "/nix/store/")
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

// cache is the real path of a dependency cache that is there and holds something: an empty one would only take the place of
// what an image or the distribution brings. One that a variable moved counts before the usual place.
func (h host) cache(c lang.Cache) (string, bool) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(c.Moved, "$"), "/")
	var dirs []string
	if c.Moved != "" && h.env != nil && filepath.IsAbs(h.env(name)) {
		dirs = append(dirs, filepath.Join(h.env(name), rest))
	}
	for _, dir := range append(dirs, h.expand(c.Path)) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || !h.exposable(real) {
			continue
		}
		if holdsSomething(real) {
			return real, true
		}
	}
	return "", false
}

// holdsSomething reports whether a path is a folder with at least one entry.
func holdsSomething(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	names, err := f.Readdirnames(1)
	return err == nil && len(names) > 0
}
