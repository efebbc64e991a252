package testrun

import (
	"path/filepath"
	"slices"
)

// layout is what an installation of a tool looks like. Only the listed parts are shown in the sandbox: beside them some
// tools keep settings that may hold passwords (etc/npmrc of Node, pip.conf of Python, conf/settings.xml of Maven).
type layout struct {
	programs []string // in bin, the first that is there is started
	marks    []string // patterns of which one must be there
	parts    []string // what is shown
}

func layoutOf(tool string) layout {
	return map[string]layout{
		"python": {[]string{"python3", "python"}, []string{"lib/python3*/os.py", "pyvenv.cfg"}, []string{"bin", "lib", "lib64", "include", "share", "ssl", "pyvenv.cfg"}},
		"node":   {[]string{"node"}, []string{"lib/node_modules/npm", "include/node"}, []string{"bin", "lib", "include", "share"}},
		"go":     {[]string{"go"}, []string{"src/runtime"}, []string{"bin", "src", "pkg", "lib", "misc", "api", "VERSION", "go.env"}},
		"ruby":   {[]string{"ruby"}, []string{"lib/ruby"}, []string{"bin", "lib", "include", "share"}},
		"rust":   {[]string{"cargo"}, []string{"lib/rustlib"}, []string{"bin", "lib", "libexec", "share"}},
		"java":   {[]string{"java"}, []string{"lib/modules", "lib/rt.jar", "jre/lib/rt.jar"}, []string{"bin", "lib", "conf", "jmods", "include", "jre", "legal", "release"}},
		"php":    {[]string{"php"}, []string{"lib/php", "include/php"}, []string{"bin", "lib", "include", "php", "share", "etc/php.ini", "etc/conf.d"}},
		"maven":  {[]string{"mvn"}, []string{"boot"}, []string{"bin", "boot", "lib", "conf/logging"}},
		"gradle": {[]string{"gradle"}, []string{"lib/plugins"}, []string{"bin", "lib"}},
	}[tool]
}

// fits reports whether a folder has the tool's program and one of its marks.
func (l layout) fits(dir string) bool {
	if !slices.ContainsFunc(l.programs, func(p string) bool { return exists(dir, "bin", p) }) {
		return false
	}
	return slices.ContainsFunc(l.marks, func(m string) bool {
		found, _ := filepath.Glob(filepath.Join(escapeGlob(dir), filepath.FromSlash(m)))
		return len(found) > 0
	})
}

// show shows the parts of an installation read-only, as seen at the path at: its own, or a name that a link gives it.
func (j *job) show(tool, dir, at string) {
	for _, part := range layoutOf(tool).parts {
		part = filepath.FromSlash(part)
		real, err := filepath.EvalSymlinks(filepath.Join(dir, part))
		if err != nil || real != filepath.Join(dir, part) && !inside(dir, real) {
			continue // a part that links elsewhere would show what is there
		}
		j.mount(real, filepath.Join(at, part))
	}
}
