package testrun

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// A version manager keeps each version of a tool in a folder of its own below the home. It is never run, nor are its
// shims, which are scripts that ask it: what is installed, what is the default and what a folder asks for are read from
// files alone.

// manager is one version manager.
type manager struct {
	name  string
	env   string              // the variable that moves its home, "" none
	homes []string            // where its home is by habit; "~" is the person's
	tools map[string][]string // tool -> where its versions are below the home; "*" stands for the version
	shims string              // the folder of its home that it puts on the PATH
	// defaults names the versions that it takes where a folder asks for none; nil none.
	defaults func(h host, home, tool string) []string
}

// managers lists them; where two have what is asked for, the first that the PATH names wins, then this order.
func managers() []manager {
	env := func(tool string) map[string][]string { return map[string][]string{tool: {"versions/*"}} }
	return []manager{
		{name: "pyenv", env: "PYENV_ROOT", homes: []string{"~/.pyenv"}, tools: env("python"), shims: "shims", defaults: versionFile},
		{name: "rbenv", env: "RBENV_ROOT", homes: []string{"~/.rbenv"}, tools: env("ruby"), shims: "shims", defaults: versionFile},
		{name: "nodenv", env: "NODENV_ROOT", homes: []string{"~/.nodenv"}, tools: env("node"), shims: "shims", defaults: versionFile},
		{name: "goenv", env: "GOENV_ROOT", homes: []string{"~/.goenv"}, tools: env("go"), shims: "shims", defaults: versionFile},
		{name: "phpenv", env: "PHPENV_ROOT", homes: []string{"~/.phpenv"}, tools: env("php"), shims: "shims", defaults: versionFile},
		{name: "jenv", env: "JENV_ROOT", homes: []string{"~/.jenv"}, tools: env("java"), shims: "shims", defaults: versionFile},
		{name: "mise", env: "MISE_DATA_DIR", homes: []string{"~/.local/share/mise"}, shims: "shims", defaults: miseDefault, tools: map[string][]string{
			"python": {"installs/python/*"}, "node": {"installs/node/*", "installs/nodejs/*"}, "go": {"installs/go/*", "installs/go/*/go"},
			"ruby": {"installs/ruby/*"}, "java": {"installs/java/*"}, "php": {"installs/php/*"}, "rust": {"installs/rust/*"},
			"maven": {"installs/maven/*", "installs/maven/*/apache-maven-*"}, "gradle": {"installs/gradle/*"}}},
		{name: "asdf", env: "ASDF_DATA_DIR", homes: []string{"~/.asdf"}, shims: "shims", defaults: asdfDefault, tools: map[string][]string{
			"python": {"installs/python/*"}, "node": {"installs/nodejs/*"}, "go": {"installs/golang/*/go"}, "ruby": {"installs/ruby/*"},
			"java": {"installs/java/*"}, "php": {"installs/php/*"}, "rust": {"installs/rust/*"}, "maven": {"installs/maven/*"}, "gradle": {"installs/gradle/*"}}},
		{name: "nvm", env: "NVM_DIR", homes: []string{"~/.nvm", "~/.config/nvm"}, tools: map[string][]string{"node": {"versions/node/*"}}, defaults: nvmDefault},
		{name: "fnm", env: "FNM_DIR", homes: []string{"~/.local/share/fnm", "~/.fnm"}, tools: map[string][]string{"node": {"node-versions/*/installation"}}, defaults: fnmDefault},
		{name: "volta", env: "VOLTA_HOME", homes: []string{"~/.volta"}, tools: map[string][]string{"node": {"tools/image/node/*"}}, shims: "bin", defaults: voltaDefault},
		{name: "uv", env: "UV_PYTHON_INSTALL_DIR", homes: []string{"~/.local/share/uv/python"}, tools: map[string][]string{"python": {"*"}}},
		{name: "conda", env: "CONDA_ROOT", homes: []string{"~/miniconda3", "~/anaconda3", "~/miniforge3", "~/mambaforge", "~/miniconda", "~/.conda"},
			tools: map[string][]string{"python": {"", "envs/*"}}, shims: "condabin"},
		{name: "micromamba", env: "MAMBA_ROOT_PREFIX", homes: []string{"~/micromamba", "~/.local/share/mamba"}, tools: map[string][]string{"python": {"", "envs/*"}}},
		{name: "rustup", env: "RUSTUP_HOME", homes: []string{"~/.rustup"}, tools: map[string][]string{"rust": {"toolchains/*"}}, defaults: rustupDefault},
		{name: "sdkman", env: "SDKMAN_DIR", homes: []string{"~/.sdkman"}, defaults: sdkmanDefault, tools: map[string][]string{
			"java": {"candidates/java/*"}, "maven": {"candidates/maven/*"}, "gradle": {"candidates/gradle/*"}}},
		{name: "go's own downloads", homes: []string{"~/sdk"}, tools: map[string][]string{"go": {"go*"}}},
		{name: "go's own downloads", env: "GOMODCACHE", homes: []string{"~/go/pkg/mod"}, tools: map[string][]string{"go": {"golang.org/toolchain@*"}}},
		{name: "the system", homes: []string{"/usr/lib/jvm"}, tools: map[string][]string{"java": {"*"}}},
		{name: "the system", homes: []string{"/usr/lib"}, tools: map[string][]string{"go": {"go-*"}}},
	}
}

// install is one version of a tool in a folder of its own.
type install struct {
	tool    string
	name    string // as its manager calls it: 3.11.7, v20.1.0, stable-x86_64-unknown-linux-gnu, 17.0.9-tem, or of an environment
	version string // its number, "" unknown
	manager string
	dir     string // real path
	shims   string // the folder by which the PATH would name it, "" none
	chosen  bool   // its manager's default
}

// program is the absolute path of a program of the install, "" when it has none.
func (i install) program(names ...string) string {
	for _, n := range names {
		p := filepath.Join(i.dir, "bin", n)
		if isProgram(p) {
			return p
		}
	}
	return ""
}

// installs lists what the managers have of a tool: each manager's default first, then the newest.
func (h host) installs(tool string) []install {
	var all []install
	for _, m := range managers() {
		for _, home := range h.homes(m) {
			found := h.versionsBelow(m, home, tool)
			slices.SortStableFunc(found, func(a, b install) int {
				if a.chosen != b.chosen {
					return map[bool]int{true: -1, false: 1}[a.chosen]
				}
				return compareVersions(b.version, a.version)
			})
			all = append(all, found...)
		}
	}
	return all
}

// homes are a manager's homes that are there: as its variable says, as the PATH shows, and by habit.
func (h host) homes(m manager) []string {
	var all []string
	add := func(dir string) {
		if info, err := os.Stat(dir); filepath.IsAbs(dir) && err == nil && info.IsDir() && !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	if m.env != "" && h.env != nil {
		add(h.env(m.env))
	}
	for _, home := range m.homes {
		dir := h.expand(home)
		if m.shims != "" {
			for _, p := range h.path { // moved by its owner, with no variable set: known by name
				if filepath.Base(p) == m.shims && filepath.Base(filepath.Dir(p)) == filepath.Base(dir) {
					add(filepath.Dir(p))
				}
			}
		}
		add(dir)
	}
	return all
}

// expand puts the person's home for "~".
func (h host) expand(p string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		if h.home == "" {
			return ""
		}
		return filepath.Join(h.home, rest)
	}
	return p
}

// versionsBelow lists a manager's versions of a tool whose folder has the tool's layout and may be shown.
func (h host) versionsBelow(m manager, home, tool string) []install {
	var all []install
	var std []string
	if m.defaults != nil {
		std = m.defaults(h, home, tool)
	}
	for _, pattern := range m.tools[tool] {
		found, _ := filepath.Glob(filepath.Join(escapeGlob(home), filepath.FromSlash(pattern))) // the patterns are ours
		for _, p := range found {
			dir, err := filepath.EvalSymlinks(p)
			if err != nil || !layoutOf(tool).fits(dir) || !h.exposable(dir) && !visible(dir) {
				continue
			}
			name := versionName(home, pattern, p)
			i := install{tool: tool, name: name, version: numberOf(tool, name, dir), manager: m.name, dir: dir, chosen: slices.Contains(std, name)}
			if m.shims != "" {
				i.shims = filepath.Join(home, m.shims)
			}
			if same := slices.IndexFunc(all, func(o install) bool { return o.dir == dir }); same >= 0 {
				all[same].chosen = all[same].chosen || i.chosen // a second name of the same folder: 3.11 -> 3.11.7
				if len(i.version) > len(all[same].version) {
					all[same].name, all[same].version = i.name, i.version
				}
				continue
			}
			all = append(all, i)
		}
	}
	return all
}

// versionName is what "*" stands for in a path that the pattern found; "base" where there is none.
func versionName(home, pattern, p string) string {
	before, _, ok := strings.Cut(pattern, "*")
	if !ok {
		return "base"
	}
	rel, err := filepath.Rel(filepath.Join(home, filepath.Dir(before+"x")), p)
	if err != nil {
		return filepath.Base(p)
	}
	name, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	return strings.TrimPrefix(name, filepath.Base(before + "x")[:len(filepath.Base(before+"x"))-1])
}

// escapeGlob keeps a home with odd characters from being a pattern.
func escapeGlob(p string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(p)
}

// smallFile reads a manager's own file; "" when there is none. They are lines, not books.
func smallFile(parts ...string) string {
	f, err := os.OpenFile(filepath.Join(parts...), readOnly, 0)
	return string(regular(f, err, 64<<10))
}

func versionFile(_ host, home, _ string) []string { return strings.Fields(smallFile(home, "version")) }

func asdfDefault(h host, _, tool string) []string {
	return toolVersions(smallFile(h.home, ".tool-versions"), tool)
}

func miseDefault(h host, _, tool string) []string {
	return append(miseTools(smallFile(h.home, ".config", "mise", "config.toml"), tool), asdfDefault(h, "", tool)...)
}

// nvmDefault follows nvm's aliases: default -> lts/* -> lts/iron -> v20.11.0; or 20 -> its newest.
func nvmDefault(_ host, home, _ string) []string {
	name := strings.TrimSpace(smallFile(home, "alias", "default"))
	for range 5 {
		if name == "" || !filepath.IsLocal(name) {
			return nil
		}
		next := strings.TrimSpace(smallFile(home, "alias", name))
		if next == "" {
			break
		}
		name = next
	}
	entries, _ := os.ReadDir(filepath.Join(home, "versions", "node"))
	best := ""
	for _, e := range entries {
		if matches("node", e.Name(), numberOf("node", e.Name(), ""), name) && (best == "" || compareVersions(strings.TrimPrefix(e.Name(), "v"), strings.TrimPrefix(best, "v")) > 0) {
			best = e.Name()
		}
	}
	return []string{best}
}

func fnmDefault(_ host, home, _ string) []string {
	to, err := filepath.EvalSymlinks(filepath.Join(home, "aliases", "default"))
	if err != nil {
		return nil
	}
	return []string{filepath.Base(to), filepath.Base(filepath.Dir(to))} // it points to NAME or NAME/installation
}

func voltaDefault(_ host, home, _ string) []string {
	var p struct {
		Node struct {
			Runtime string `json:"runtime"`
		} `json:"node"`
	}
	if json.Unmarshal([]byte(smallFile(home, "tools", "user", "platform.json")), &p) != nil {
		return nil
	}
	return []string{p.Node.Runtime}
}

func sdkmanDefault(_ host, home, tool string) []string {
	to, err := os.Readlink(filepath.Join(home, "candidates", tool, "current"))
	if err != nil {
		return nil
	}
	return []string{filepath.Base(to), "current"}
}

func rustupDefault(_ host, home, _ string) []string {
	var s struct {
		Default string `toml:"default_toolchain"`
	}
	if toml.Unmarshal([]byte(smallFile(home, "settings.toml")), &s) != nil {
		return nil
	}
	return []string{s.Default}
}
