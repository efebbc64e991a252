package testrun

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// want is a version that a folder asks for.
type want struct {
	version string
	source  string // the file that asks
	least   bool   // any later one will do: go.mod
}

// met reports whether an installation is what is asked for.
func (w want) met(i install) bool {
	if w.least {
		return i.version != "" && compareVersions(i.version, w.version) >= 0
	}
	return matches(i.tool, i.name, i.version, w.version)
}

// loose tells a want that much fits, so that the PATH's order counts more than the newest.
func (w want) loose() bool { return w.least || rangeSigns.MatchString(w.version) }

// aliases are the names that .tool-versions and mise.toml have for a tool.
func aliases(tool string) []string {
	switch tool {
	case "node":
		return []string{"node", "nodejs"}
	case "go":
		return []string{"go", "golang"}
	}
	return []string{tool}
}

// wants lists what a folder asks for, the nearest file first. Its text is the repository's: it is only ever compared with
// the names of what is installed, and never becomes part of a path.
func (f folder) wants(tool string) []want {
	var all []want
	add := func(source string, versions ...string) {
		for _, v := range versions {
			if v = strings.TrimSpace(v); v != "" && len(v) < 200 {
				all = append(all, want{version: v, source: source})
			}
		}
	}
	dirs := upwards(f.dir)
	slices.Reverse(dirs)
	for _, dir := range dirs {
		at := folder{root: f.root, dir: dir}
		for _, name := range ownFiles(tool) {
			add(join(dir, name), lines(at.read(name))...)
		}
		switch tool {
		case "node":
			add(join(dir, "package.json"), engines(at.read("package.json"))...)
		case "ruby":
			if m := gemfileRuby.FindStringSubmatch(at.read("Gemfile")); m != nil {
				add(join(dir, "Gemfile"), m[1])
			}
		case "rust":
			add(join(dir, "rust-toolchain.toml"), channel(at.read("rust-toolchain.toml")))
			if text := at.read("rust-toolchain"); strings.Contains(text, "[toolchain]") {
				add(join(dir, "rust-toolchain"), channel(text))
			} else {
				add(join(dir, "rust-toolchain"), lines(text)...)
			}
		case "go":
			all = append(all, goWants(at)...)
		case "python":
			if m := condaName.FindStringSubmatch(at.read("environment.yml")); m != nil {
				add(join(dir, "environment.yml"), m[1])
			}
		}
		if sdk := sdkmanrc(at.read(".sdkmanrc"), tool); sdk != "" {
			add(join(dir, ".sdkmanrc"), sdk)
		}
		add(join(dir, ".tool-versions"), toolVersions(at.read(".tool-versions"), tool)...)
		for _, name := range []string{"mise.toml", ".mise.toml", ".config/mise/config.toml"} {
			add(join(dir, name), miseTools(at.read(name), tool)...)
		}
	}
	return all
}

// ownFiles are the files whose whole text is a version.
func ownFiles(tool string) []string {
	switch tool {
	case "node":
		return []string{".nvmrc", ".node-version"}
	case "python", "ruby", "java", "php", "go":
		return []string{"." + tool + "-version"}
	}
	return nil
}

// lines are a file's lines without comments.
func lines(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

var (
	gemfileRuby = regexp.MustCompile(`(?m)^\s*ruby\s*\(?\s*["']([^"']+)["']`)
	condaName   = regexp.MustCompile(`(?m)^name:\s*["']?([\w.-]+)`)
	goLine      = regexp.MustCompile(`(?m)^go\s+(\d[\w.]*)`)
	toolLine    = regexp.MustCompile(`(?m)^toolchain\s+go(\d[\w.]*)`)
)

// goWants are the lines of go.mod and go.work: the toolchain if it is there, else any that is not older than the go line.
func goWants(at folder) []want {
	var all []want
	for _, name := range []string{"go.work", "go.mod"} {
		text := at.read(name)
		if m := toolLine.FindStringSubmatch(text); m != nil {
			all = append(all, want{version: m[1], source: join(at.dir, name), least: true})
		}
		if m := goLine.FindStringSubmatch(text); m != nil {
			all = append(all, want{version: m[1], source: join(at.dir, name), least: true})
		}
	}
	return all
}

// engines reads package.json: volta's pin, then the range that it works with.
func engines(text string) []string {
	var p struct {
		Volta   struct{ Node string }
		Engines struct{ Node string }
	}
	_ = json.Unmarshal([]byte(text), &p) // what cannot be read asks for nothing
	return []string{p.Volta.Node, p.Engines.Node}
}

// channel reads a rust-toolchain file in TOML.
func channel(text string) string {
	var s struct {
		Toolchain struct {
			Channel string `toml:"channel"`
		} `toml:"toolchain"`
	}
	if toml.Unmarshal([]byte(text), &s) != nil {
		return ""
	}
	return s.Toolchain.Channel
}

// toolVersions reads asdf's file: a tool and its versions a line.
func toolVersions(text, tool string) []string {
	for _, line := range lines(text) {
		words := strings.Fields(line)
		if len(words) > 1 && slices.Contains(aliases(tool), words[0]) {
			return words[1:]
		}
	}
	return nil
}

// miseTools reads the [tools] of mise: "3.11", ["3.11", "3.12"] or {version = "3.11"}.
func miseTools(text, tool string) []string {
	var s struct {
		Tools map[string]any `toml:"tools"`
	}
	if toml.Unmarshal([]byte(text), &s) != nil {
		return nil
	}
	var all []string
	var read func(v any)
	read = func(v any) {
		switch v := v.(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, one := range v {
				read(one)
			}
		case map[string]any:
			read(v["version"])
		}
	}
	for _, name := range aliases(tool) {
		read(s.Tools[name])
		read(s.Tools["core:"+name])
	}
	return all
}

// sdkmanrc reads "java=17.0.9-tem".
func sdkmanrc(text, tool string) string {
	for _, line := range lines(text) {
		if v, ok := strings.CutPrefix(line, tool+"="); ok {
			return v
		}
	}
	return ""
}
