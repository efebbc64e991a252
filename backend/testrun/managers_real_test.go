package testrun

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

// TestManagedToolchainsRun runs real tests in the sandbox with toolchains of a made-up home, whose programs are the
// system's behind another path: they start from their own place, and nothing beside them can be seen.
func TestManagedToolchainsRun(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: time.Minute})
	home := madeHome(t, pythonAt(".pyenv/versions/3.11.7")+".pyenv/versions/3.11.7/lib/python3.11/site-packages/pytest/__init__.py\n.pyenv/version = 3.11.7\\n\n.pyenv/secret\n.ssh/id_rsa\n"+
		nodeAt(".nvm/versions/node/v20.11.0")+".nvm/secret\n")
	for name, system := range map[string]string{".pyenv/versions/3.11.7/bin/python3": "/usr/bin/python3", ".nvm/versions/node/v20.11.0/bin/node": "/usr/bin/node"} {
		if _, err := os.Stat(system); err != nil {
			t.Skip(err)
		}
		if err := os.WriteFile(filepath.Join(home, name), []byte("#!/bin/sh\nexec "+system+" \"$@\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	hidden := []string{".pyenv/secret", ".pyenv/version", ".ssh/id_rsa", ".pyenv/versions/3.11.7/pip.conf", ".nvm/secret", ".nvm/versions/node/v20.11.0/etc/npmrc"}
	var python, node strings.Builder
	for _, name := range hidden {
		p := filepath.Join(home, name)
		if _, err := os.Stat(p); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&python, "    assert not os.path.exists(%q)\n", p)
		fmt.Fprintf(&node, "  assert.ok(!fs.existsSync(%q));\n", p)
	}
	dir := b.folder(t, func(dir string) {
		writeFile(t, dir, "test_a.py", "import os\n\ndef test_a():\n    assert os.path.exists("+fmt.Sprintf("%q", filepath.Join(home, ".pyenv/versions/3.11.7/bin/python3"))+")\n"+python.String())
		writeFile(t, dir, ".nvmrc", "20\n")
		writeFile(t, dir, "package.json", "{}")
		writeFile(t, dir, "test/a.test.js", "const test = require('node:test'), assert = require('node:assert'), fs = require('fs');\ntest('a', () => {\n"+node.String()+"});\n")
	})
	b.runner.host = host{home: home, path: []string{filepath.Join(home, ".pyenv", "shims")}}
	for _, tt := range []struct {
		command Command
		tools   []Tool
	}{
		{Command{Runner: "pytest", Args: []string{"python3", "-m", "pytest"}}, []Tool{{Name: "python", Path: filepath.Join(home, ".pyenv/versions/3.11.7/bin/python3")}, {Name: "pytest"}}},
		{Command{Runner: "node", Args: []string{"node", "--test"}}, []Tool{{Name: "node", Path: filepath.Join(home, ".nvm/versions/node/v20.11.0/bin/node")}}},
	} {
		r, err := b.runner.Run(t.Context(), dir, tt.command, nil)
		if err != nil {
			t.Fatal(err)
		}
		if passed, failed, _ := r.Counts(); passed != 1 || failed != 0 || r.Infrastructure {
			t.Errorf("%s: %+v %q\n%s", tt.command.Runner, r.Tests, r.Reason, r.Log)
		}
		if r.Base != "host" || len(r.Toolchain) != len(tt.tools) {
			t.Fatalf("base %q, toolchain %+v, want %+v", r.Base, r.Toolchain, tt.tools)
		}
		for i, want := range tt.tools {
			if got := r.Toolchain[i]; got.Name != want.Name || got.Path != want.Path || numberOf("", got.Version, "") == "" {
				t.Errorf("toolchain %+v, want %+v with a version", got, want)
			}
		}
	}
}

// TestInstalledManagers runs tests with what this machine's own version managers have, if it has any.
func TestInstalledManagers(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	h := thisHost()
	for _, tt := range []struct {
		tool, manager string
		files         map[string]string
		pin           string // the file that asks for the version
		command       Command
		name          string // of the tool in the run
	}{
		{"python", "pyenv", map[string]string{"test_a.py": "import unittest\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        pass\n"}, ".python-version",
			Command{Runner: "unittest", Args: []string{"python3", "-m", "unittest", "discover"}}, "python"},
		{"rust", "rustup", map[string]string{"Cargo.toml": "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": "#[test]\nfn a() {}\n"}, "rust-toolchain",
			Command{Runner: "cargo", Args: []string{"cargo", "test"}}, "cargo"},
	} {
		t.Run(tt.manager, func(t *testing.T) {
			var last install
			for _, i := range h.installs(tt.tool) {
				if i.manager == tt.manager && compareVersions(i.version, "3.8") >= 0 == (tt.tool == "python") {
					last = i
				}
			}
			if last.dir == "" {
				t.Skip("no", tt.manager, "on this machine")
			}
			dir := b.folder(t, func(dir string) {
				for name, text := range tt.files {
					writeFile(t, dir, name, text)
				}
				pin, _, _ := strings.Cut(last.name, "-x86_64")
				writeFile(t, dir, tt.pin, pin+"\n")
			})
			r, err := b.runner.Run(t.Context(), dir, tt.command, nil)
			if err != nil {
				t.Fatal(err)
			}
			if passed, failed, _ := r.Counts(); passed != 1 || failed != 0 || r.Infrastructure {
				t.Fatalf("%+v %q\n%s", r.Tests, r.Reason, r.Log)
			}
			if len(r.Toolchain) == 0 || r.Toolchain[0].Name != tt.name || !strings.HasPrefix(r.Toolchain[0].Path, last.dir) || last.version != "" && r.Toolchain[0].Version != last.version {
				t.Errorf("toolchain %+v, want %s of %+v", r.Toolchain, tt.name, last)
			}
			t.Log(r.Toolchain, r.Duration)
		})
	}
}

// TestCachesAreShownWithoutCredentials holds each language's dependency folders against a home that also has what must
// not be seen.
func TestCachesAreShownWithoutCredentials(t *testing.T) {
	home := madeHome(t, strings.Join([]string{
		"go/pkg/mod/cache/download/x", ".cargo/registry/x", ".cargo/git/x", ".m2/repository/x", ".gradle/caches/modules-2/x", ".gem/ruby/3.1.0/x",
		".cache/composer/files/x", ".nuget/packages/x",
		".cargo/credentials.toml", ".cargo/config.toml", ".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties", ".gem/credentials",
		".composer/auth.json", ".config/composer/auth.json", ".npmrc", ".netrc", ".nuget/NuGet/NuGet.Config", "go/bin/secret",
	}, "\n"))
	for _, tt := range []struct {
		language string
		want     map[string]string // target -> below the home
		env      string
	}{
		{"go", map[string]string{filepath.Join(home, "go/pkg/mod"): "go/pkg/mod"}, "GOMODCACHE=" + filepath.Join(home, "go/pkg/mod")},
		{"rust", map[string]string{"/deps/cargo/registry": ".cargo/registry", "/deps/cargo/git": ".cargo/git"}, "CARGO_HOME=/deps/cargo"},
		{"java", map[string]string{"/deps/m2": ".m2/repository", "/deps/gradle/modules-2": ".gradle/caches/modules-2"}, "GRADLE_RO_DEP_CACHE=/deps/gradle"},
		{"ruby", map[string]string{"/home/sandbox/.gem/ruby": ".gem/ruby"}, ""},
		{"php", map[string]string{"/deps/composer/files": ".cache/composer/files"}, "COMPOSER_CACHE_DIR=/deps/composer"},
		{"csharp", map[string]string{"/deps/nuget": ".nuget/packages"}, "NUGET_PACKAGES=/deps/nuget"},
	} {
		t.Run(tt.language, func(t *testing.T) {
			j := made(t, "", tree(t, "-- x --\n"), host{home: home}, Command{Runner: "custom", Args: []string{"x"}})
			j.showCaches(tt.language)
			got := 0
			for _, m := range j.spec.ReadOnly {
				if !strings.HasPrefix(m.Source, home) {
					continue
				}
				got++
				if want := filepath.Join(home, tt.want[m.Target]); tt.want[m.Target] == "" || m.Source != want {
					t.Errorf("%s is shown at %s, want %q", m.Source, m.Target, want)
				}
			}
			if got != len(tt.want) {
				t.Errorf("%d folders are shown, want %d: %v", got, len(tt.want), j.spec.ReadOnly)
			}
			if k, v, ok := strings.Cut(tt.env, "="); ok && j.spec.Env[k] != v {
				t.Errorf("%s is %q, want %q", k, j.spec.Env[k], v)
			}
		})
	}
}

// TestMovedCachesAreFound follows the variable that moves a cache, and no further than a folder of its own.
func TestMovedCachesAreFound(t *testing.T) {
	home := madeHome(t, "cargo/registry/x\n.cargo/registry/x\n")
	env := map[string]string{"CARGO_HOME": filepath.Join(home, "cargo"), "GOMODCACHE": home}
	j := made(t, "", tree(t, "-- x --\n"), host{home: home, env: func(k string) string { return env[k] }}, Command{Runner: "custom", Args: []string{"x"}})
	j.showCaches("rust")
	j.showCaches("go")
	if got, want := mounted(j, "/deps/cargo/registry"), filepath.Join(home, "cargo", "registry"); got != want {
		t.Errorf("the registry is shown from %q, want %q", got, want)
	}
	if got := mounted(j, home); got != "" {
		t.Errorf("the home is shown as a module cache")
	}
}
