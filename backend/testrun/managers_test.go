package testrun

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redgreen/backend/sandbox"
)

// madeHome makes a home folder: a line is a program "bin/x" (anything in a folder bin), another file, or a link "from -> to".
func madeHome(t *testing.T, lines string) string {
	t.Helper()
	home := t.TempDir()
	for line := range strings.Lines(lines) {
		name, rest, link := strings.Cut(strings.TrimSpace(line), " -> ")
		if name == "" {
			continue
		}
		name, text, _ := strings.Cut(name, " = ")
		p := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		switch {
		case link:
			err = os.Symlink(strings.ReplaceAll(rest, "HOME", home), p)
		case filepath.Base(filepath.Dir(p)) == "bin" || filepath.Base(filepath.Dir(p)) == "shims":
			err = os.WriteFile(p, []byte("#!/bin/sh\necho the home's program was started outside the sandbox\n"), 0o755)
		default:
			err = os.WriteFile(p, []byte(strings.ReplaceAll(text, `\n`, "\n")), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// python, node and so on are the least of an installation that is taken for one.
func pythonAt(dir string) string {
	return dir + "/bin/python3\n" + dir + "/lib/python3.11/os.py\n" + dir + "/pip.conf\n"
}
func nodeAt(dir string) string {
	return dir + "/bin/node\n" + dir + "/lib/node_modules/npm/x\n" + dir + "/etc/npmrc\n"
}
func goAt(dir string) string   { return dir + "/bin/go\n" + dir + "/src/runtime/x.go\n" }
func rubyAt(dir string) string { return dir + "/bin/ruby\n" + dir + "/lib/ruby/x\n" }
func rustAt(dir string) string { return dir + "/bin/cargo\n" + dir + "/lib/rustlib/x\n" }
func javaAt(dir string) string { return dir + "/bin/java\n" + dir + "/lib/modules\n" }

// TestVersionManagers holds for every manager: which version is taken for what a folder asks, that only its own folder
// is shown, and that nothing else of the home is.
func TestVersionManagers(t *testing.T) {
	tests := []struct {
		name, home string
		path       string // below the home, ":" between
		env        string // VARIABLE=below the home
		folder     string // txtar of the opened folder
		tool       string
		want       string // the program, below the home; "" the system's or none
	}{
		{"pyenv by the folder's file", pythonAt(".pyenv/versions/3.11.7") + pythonAt(".pyenv/versions/3.12.1"), ".pyenv/shims", "", "-- .python-version --\n3.11\n", "python", ".pyenv/versions/3.11.7/bin/python3"},
		{"pyenv's default stands for its shims", pythonAt(".pyenv/versions/3.11.7") + pythonAt(".pyenv/versions/3.12.1") + ".pyenv/version = 3.11.7\n.pyenv/shims/python3\n", ".pyenv/shims", "", "", "python", ".pyenv/versions/3.11.7/bin/python3"},
		{"pyenv moved by its variable", pythonAt("py/versions/3.9.1"), "", "PYENV_ROOT=py", "-- .python-version --\n3.9.1\n", "python", "py/versions/3.9.1/bin/python3"},
		{"pyenv moved, known by its shims", pythonAt("tools/.pyenv/versions/3.9.1"), "tools/.pyenv/shims", "", "-- .python-version --\n3.9.1\n", "python", "tools/.pyenv/versions/3.9.1/bin/python3"},
		{"pyenv-virtualenv by its name", pythonAt(".pyenv/versions/3.11.7") + ".pyenv/versions/3.11.7/envs/shop/bin/python3 -> HOME/.pyenv/versions/3.11.7/bin/python3\n.pyenv/versions/3.11.7/envs/shop/pyvenv.cfg = home = HOME/.pyenv\n.pyenv/versions/shop -> HOME/.pyenv/versions/3.11.7/envs/shop\n", "", "", "-- .python-version --\nshop\n", "python", ".pyenv/versions/3.11.7/envs/shop/bin/python3"},
		{"the newest of several that fit", pythonAt(".pyenv/versions/3.9.2") + pythonAt(".pyenv/versions/3.9.18"), "", "", "-- .python-version --\n3.9\n", "python", ".pyenv/versions/3.9.18/bin/python3"},
		{"uv", pythonAt(".local/share/uv/python/cpython-3.12.1-linux-x86_64-gnu") + ".local/share/uv/python/cpython-3.12-linux-x86_64-gnu -> cpython-3.12.1-linux-x86_64-gnu\n", "", "", "-- .python-version --\n3.12\n", "python", ".local/share/uv/python/cpython-3.12.1-linux-x86_64-gnu/bin/python3"},
		{"miniconda's environment by its name", pythonAt("miniconda3") + pythonAt("miniconda3/envs/shop"), "", "", "-- environment.yml --\nname: shop\ndependencies: [python]\n", "python", "miniconda3/envs/shop/bin/python3"},
		{"micromamba's environment by its Python", pythonAt("micromamba/envs/x") + "micromamba/envs/x/conda-meta/python-3.10.4-h1.json\n", "", "", "-- .python-version --\n3.10\n", "python", "micromamba/envs/x/bin/python3"},
		{"conda that is on the PATH", pythonAt("miniconda3"), "miniconda3/bin", "", "", "python", "miniconda3/bin/python3"},
		{"asdf", pythonAt(".asdf/installs/python/3.11.7") + pythonAt(".asdf/installs/python/3.12.0"), ".asdf/shims", "", "-- .tool-versions --\nnodejs 20.1.0\npython 3.11.7 # why\n", "python", ".asdf/installs/python/3.11.7/bin/python3"},
		{"asdf's default", nodeAt(".asdf/installs/nodejs/18.2.0") + nodeAt(".asdf/installs/nodejs/20.1.0") + ".tool-versions = nodejs 18.2.0\\n\n", ".asdf/shims", "", "", "node", ".asdf/installs/nodejs/18.2.0/bin/node"},
		{"mise by mise.toml", nodeAt(".local/share/mise/installs/node/20.11.0") + ".local/share/mise/installs/node/20 -> ./20.11.0\n" + nodeAt(".local/share/mise/installs/node/22.1.0"), "", "", "-- mise.toml --\n[tools]\nnode = { version = \"20\" }\n", "node", ".local/share/mise/installs/node/20.11.0/bin/node"},
		{"mise's default", goAt(".local/share/mise/installs/go/1.25.1") + goAt(".local/share/mise/installs/go/1.99.0") + ".config/mise/config.toml = [tools]\\ngo = \"1.25.1\"\\n\n", ".local/share/mise/shims", "", "", "go", ".local/share/mise/installs/go/1.25.1/bin/go"},
		{"nvm by .nvmrc", nodeAt(".nvm/versions/node/v18.19.0") + nodeAt(".nvm/versions/node/v20.11.0"), "", "", "-- .nvmrc --\nv18\n", "node", ".nvm/versions/node/v18.19.0/bin/node"},
		{"nvm by a long-term line", nodeAt(".nvm/versions/node/v18.19.0") + nodeAt(".nvm/versions/node/v20.11.0") + nodeAt(".nvm/versions/node/v21.0.0"), "", "", "-- .nvmrc --\nlts/hydrogen\n", "node", ".nvm/versions/node/v18.19.0/bin/node"},
		{"nvm by the newest long-term line", nodeAt(".nvm/versions/node/v20.11.0") + nodeAt(".nvm/versions/node/v21.0.0"), "", "", "-- .nvmrc --\nlts/*\n", "node", ".nvm/versions/node/v20.11.0/bin/node"},
		{"nvm's default that is on the PATH", nodeAt(".nvm/versions/node/v18.19.0") + nodeAt(".nvm/versions/node/v20.11.0"), ".nvm/versions/node/v18.19.0/bin", "", "", "node", ".nvm/versions/node/v18.19.0/bin/node"},
		{"fnm by .node-version", nodeAt(".local/share/fnm/node-versions/v20.11.0/installation") + nodeAt(".local/share/fnm/node-versions/v22.0.0/installation"), "", "", "-- .node-version --\n20.11.0\n", "node", ".local/share/fnm/node-versions/v20.11.0/installation/bin/node"},
		{"fnm's shell that is on the PATH", nodeAt(".local/share/fnm/node-versions/v20.11.0/installation") + "run/1_2 -> HOME/.local/share/fnm/node-versions/v20.11.0/installation\n", "run/1_2/bin", "", "", "node", ".local/share/fnm/node-versions/v20.11.0/installation/bin/node"},
		{"volta by package.json", nodeAt(".volta/tools/image/node/20.1.0") + nodeAt(".volta/tools/image/node/22.1.0"), ".volta/bin", "", "-- package.json --\n{\"volta\": {\"node\": \"20.1.0\"}}\n", "node", ".volta/tools/image/node/20.1.0/bin/node"},
		{"volta's default", nodeAt(".volta/tools/image/node/20.1.0") + nodeAt(".volta/tools/image/node/22.1.0") + ".volta/tools/user/platform.json = {\"node\": {\"runtime\": \"20.1.0\"}}\n.volta/bin/node\n", ".volta/bin", "", "", "node", ".volta/tools/image/node/20.1.0/bin/node"},
		{"engines are a range", nodeAt(".nvm/versions/node/v18.19.0") + nodeAt(".nvm/versions/node/v16.1.0"), "", "", "-- package.json --\n{\"engines\": {\"node\": \">=18 <19\"}}\n", "node", ".nvm/versions/node/v18.19.0/bin/node"},
		{"nodenv", nodeAt(".nodenv/versions/20.1.0"), "", "", "-- .node-version --\n20.1.0\n", "node", ".nodenv/versions/20.1.0/bin/node"},
		{"rbenv by .ruby-version", rubyAt(".rbenv/versions/3.2.1") + rubyAt(".rbenv/versions/3.3.0"), ".rbenv/shims", "", "-- .ruby-version --\nruby-3.2.1\n", "ruby", ".rbenv/versions/3.2.1/bin/ruby"},
		{"rbenv by the Gemfile", rubyAt(".rbenv/versions/3.2.1") + rubyAt(".rbenv/versions/3.3.0"), "", "", "-- Gemfile --\nsource 'x'\nruby \"3.2.1\"\n", "ruby", ".rbenv/versions/3.2.1/bin/ruby"},
		{"rustup by its file", rustAt(".rustup/toolchains/stable-x86_64-unknown-linux-gnu") + rustAt(".rustup/toolchains/1.75.0-x86_64-unknown-linux-gnu"), "", "", "-- rust-toolchain.toml --\n[toolchain]\nchannel = \"1.75\"\n", "rust", ".rustup/toolchains/1.75.0-x86_64-unknown-linux-gnu/bin/cargo"},
		{"rustup by its old file", rustAt(".rustup/toolchains/stable-x86_64-unknown-linux-gnu") + rustAt(".rustup/toolchains/nightly-2024-01-01-x86_64-unknown-linux-gnu"), "", "", "-- rust-toolchain --\nnightly-2024-01-01\n", "rust", ".rustup/toolchains/nightly-2024-01-01-x86_64-unknown-linux-gnu/bin/cargo"},
		{"rustup's default stands for its proxies", rustAt(".rustup/toolchains/stable-x86_64-unknown-linux-gnu") + rustAt(".rustup/toolchains/nightly-x86_64-unknown-linux-gnu") + ".rustup/settings.toml = default_toolchain = \"nightly-x86_64-unknown-linux-gnu\"\n.cargo/bin/rustup\n.cargo/bin/cargo -> rustup\n", ".cargo/bin", "", "", "rust", ".rustup/toolchains/nightly-x86_64-unknown-linux-gnu/bin/cargo"},
		{"sdkman by .sdkmanrc", javaAt(".sdkman/candidates/java/17.0.9-tem") + javaAt(".sdkman/candidates/java/21.0.1-tem"), "", "", "-- .sdkmanrc --\njava=17.0.9-tem\n", "java", ".sdkman/candidates/java/17.0.9-tem/bin/java"},
		{"sdkman's default", javaAt(".sdkman/candidates/java/17.0.9-tem") + javaAt(".sdkman/candidates/java/21.0.1-tem") + ".sdkman/candidates/java/current -> 17.0.9-tem\n", ".sdkman/candidates/java/current/bin", "", "", "java", ".sdkman/candidates/java/17.0.9-tem/bin/java"},
		{"asdf's Java by a vendor's name", javaAt(".asdf/installs/java/temurin-99.0.9+9"), "", "", "-- .tool-versions --\njava temurin-99.0.9+9\n", "java", ".asdf/installs/java/temurin-99.0.9+9/bin/java"},
		{"jenv links to an installation", javaAt("jdks/99.1") + ".jenv/versions/99.1 -> HOME/jdks/99.1\n", "", "", "-- .java-version --\n99\n", "java", "jdks/99.1/bin/java"},
		{"goenv", goAt(".goenv/versions/1.99.3"), "", "", "-- .go-version --\n1.99.3\n", "go", ".goenv/versions/1.99.3/bin/go"},
		{"go.mod asks for a newer Go", goAt("sdk/go1.99.2") + goAt("sdk/go1.98.1"), "", "", "-- go.mod --\nmodule m\n\ngo 1.99\n", "go", "sdk/go1.99.2/bin/go"},
		{"go.mod's toolchain from the module cache", goAt("go/pkg/mod/golang.org/toolchain@v0.0.1-go1.99.4.linux-amd64"), "", "", "-- go.mod --\nmodule m\n\ngo 1.21\n\ntoolchain go1.99.4\n", "go", "go/pkg/mod/golang.org/toolchain@v0.0.1-go1.99.4.linux-amd64/bin/go"},
		{"a version of a hostile file is a name only", pythonAt(".pyenv/versions/3.11.7") + pythonAt(".ssh"), ".pyenv/shims", "", "-- .python-version --\n../../.ssh\n", "python", ".pyenv/versions/3.11.7/bin/python3"},
		{"a version that is not there", pythonAt(".pyenv/versions/3.11.7"), ".pyenv/shims", "", "-- .python-version --\n3.4.1\n", "python", ".pyenv/versions/3.11.7/bin/python3"},
		{"what has no layout is none", ".pyenv/versions/3.11.7/bin/python3\n", ".pyenv/shims", "", "-- .python-version --\n3.11.7\n", "python", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := madeHome(t, tt.home+".ssh/id_rsa\n.netrc\n.pyenv/plugins/x\n.npmrc\n.cargo/credentials.toml\n")
			h := host{home: home, env: func(string) string { return "" }}
			for p := range strings.SplitSeq(tt.path, ":") {
				if p != "" {
					h.path = append(h.path, filepath.Join(home, filepath.FromSlash(p)))
				}
			}
			if k, v, ok := strings.Cut(tt.env, "="); ok {
				h.env = func(name string) string {
					if name == k {
						return filepath.Join(home, v)
					}
					return ""
				}
			}
			j := made(t, "", tree(t, tt.folder), h, Command{Runner: "custom", Args: []string{"x"}})
			got, err := j.tool(tt.tool)
			rel, _ := filepath.Rel(home, got)
			if !strings.HasPrefix(got, home) {
				rel = ""
			}
			if rel != tt.want {
				t.Fatalf("takes %s (%v), want %s\n%+v", got, err, tt.want, h.choices(tt.tool, j.wants(tt.tool)))
			}
			if tt.want != "" {
				checkShown(t, home, filepath.Dir(filepath.Dir(got)), j.spec.ReadOnly)
			}
		})
	}
}

// checkShown holds that what is shown of a home lies in an installation and is no settings file of it.
func checkShown(t *testing.T, home, dir string, mounts []sandbox.Mount) {
	t.Helper()
	own := 0
	for _, m := range mounts {
		if !strings.HasPrefix(m.Source, home) {
			continue
		}
		if inside(dir, m.Source) {
			own++
		}
		for _, secret := range []string{"id_rsa", "npmrc", "pip.conf", "credentials.toml", ".netrc"} {
			_ = filepath.WalkDir(m.Source, func(p string, _ os.DirEntry, err error) error {
				if err == nil && strings.HasSuffix(p, secret) {
					t.Errorf("%s is shown by %s", p, m.Source)
				}
				return nil
			})
		}
	}
	if own < 2 {
		t.Errorf("its installation %s is not shown: %v", dir, mounts)
	}
}

func TestMatches(t *testing.T) {
	tests := []struct {
		tool, name, asked string
		want              bool
	}{
		{"python", "3.11.7", "3.11.7", true}, {"python", "3.11.7", "3.11", true}, {"python", "3.11.7", "3.1", false},
		{"python", "3.11.7", "3", true}, {"python", "3.11.7", "system", false}, {"python", "pypy3.9-7.3", "pypy3.9-7.3", true},
		{"python", "3.9.1", "pypy3.9", false}, {"python", "3.9.1", "", false},
		{"node", "v20.11.0", "20.11.0", true}, {"node", "v20.11.0", "v20", true}, {"node", "v20.11.0", "^20.1", true},
		{"node", "v20.11.0", "18 || 20", true}, {"node", "v20.11.0", ">=21", false}, {"node", "v20.11.0", "20.x", true},
		{"node", "v20.11.0", "*", true}, {"node", "v21.0.0", "lts/*", false}, {"node", "v21.0.0", "node", true},
		{"rust", "stable-x86_64-unknown-linux-gnu", "stable", true}, {"rust", "stable-x86_64-unknown-linux-gnu", "86", false},
		{"rust", "1.75.0-x86_64-unknown-linux-gnu", "1.75", true},
		{"java", "17.0.9-tem", "17", true}, {"java", "17.0.9-tem", "temurin-17.0.9+9", true}, {"java", "21.0.1-tem", "17", false},
		{"java", "java-1.17.0-openjdk-amd64", "17", true}, {"java", "java-1.8.0-openjdk-amd64", "1.8", true},
		{"ruby", "3.2.1", "ruby-3.2.1", true}, {"ruby", "3.2.1", "~> 3.2", true},
	}
	for _, tt := range tests {
		if got := matches(tt.tool, tt.name, numberOf(tt.tool, tt.name, ""), tt.asked); got != tt.want {
			t.Errorf("matches(%s, %s, %q) = %v, want %v", tt.tool, tt.name, tt.asked, got, tt.want)
		}
	}
}

func TestPythonThatHasTheRunnerIsTaken(t *testing.T) {
	home := madeHome(t, pythonAt(".pyenv/versions/3.4.7")+pythonAt(".pyenv/versions/3.12.1")+".pyenv/versions/3.12.1/lib/python3.12/site-packages/pytest/__init__.py\n")
	h := host{home: home, path: []string{filepath.Join(home, ".pyenv", "shims")}}
	all := h.choices("python", folder{root: tree(t, "-- .python-version --\n3.4\n")}.wants("python"))
	if c, ok := pythonWith(all, "pytest"); !ok || c.version != "3.12.1" {
		t.Errorf("takes %+v for pytest, want the one that has it", c)
	}
	if c, ok := pythonWith(all, ""); !ok || c.version != "3.4.7" {
		t.Errorf("takes %+v without a module, want what the folder asks for", c)
	}
}
