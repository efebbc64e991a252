package sandbox

import (
	"context"
	"flag"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// inImage runs the suite in an image that was built before, in the store of images of the folder after "=":
//
//	go test ./backend/sandbox -run 'TestConformance/(crun|runc|runsc)' -image localhost/redgreen/python=$HOME/.local/share/redgreen/images
var inImage = flag.String("image", "", "run TestConformance in this image, as NAME=STORE")

// A bench is one runtime under test.
type bench struct {
	sb    *Sandbox
	image string // "" the host's own toolchain
}

// runs gives folders owned by whom the sandbox wants, and runs.
func (b bench) folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if uid, gid, ok := b.sb.Owner(); ok {
		if err := filepath.WalkDir(dir, func(p string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(p, uid, gid)
		}); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (b bench) run(t *testing.T, spec Spec) Result {
	t.Helper()
	return b.runCtx(t.Context(), t, spec)
}

func (b bench) runCtx(ctx context.Context, t *testing.T, spec Spec) Result {
	t.Helper()
	if spec.Workspace == "" {
		spec.Workspace = b.folder(t, map[string]string{"file": "original\n"})
	}
	if spec.Limits.Wall == 0 {
		spec.Limits.Wall = 2 * time.Minute
	}
	if spec.Limits.Memory == 0 {
		spec.Limits.Memory = 512 << 20
	}
	if spec.Image == "" {
		spec.Image = b.image
	}
	res, err := b.sb.Run(ctx, spec)
	if err != nil {
		t.Fatalf("run %q: %v", spec.Args, err)
	}
	return res
}

// until waits for something that takes well under a second, and a minute where the machine is busy.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited a minute until %s", what)
		}
	}
}

func sh(script string) []string { return []string{"/bin/sh", "-c", script} }

// openFor opens a sandbox that has only this runtime; a machine without it is no failure unless CI says that it must be there.
func openFor(t *testing.T, name string) bench {
	t.Helper()
	log := slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	sb, err := Open(Options{Dir: t.TempDir(), Runtime: name, AllowNone: true, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sb.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if _, err := sb.Rung(t.Context()); err != nil {
		if os.Getenv("CI") == "true" && (name == "runc" || name == "bwrap" || name == "none") {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return bench{sb: sb}
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// TestConformance is what every runtime must do. Those that are missing here are named and skipped; what is a matter of
// isolation is named as not provided where there is none.
func TestConformance(t *testing.T) {
	for _, k := range Runtimes() {
		t.Run(k.Name, func(t *testing.T) {
			b := openFor(t, k.Name)
			if *inImage != "" {
				if k.Name == "bwrap" || k.Name == "none" {
					t.Skip("images need Podman")
				}
				b.image, b.sb.home.images, _ = strings.Cut(*inImage, "=")
			}
			for _, c := range []struct {
				name      string
				isolation bool
				test      func(*testing.T)
			}{
				{"basics", false, b.testBasics},
				{"exit status", false, b.testStatus},
				{"environment", false, b.testEnvironment},
				{"workspace", false, b.testWorkspace},
				{"files", true, b.testFiles},
				{"host is hidden", true, b.testHidden},
				{"network", true, b.testNetwork},
				{"loopback inside", false, b.testLoopback},
				{"privileges", true, b.testPrivileges},
				{"system calls", true, b.testSeccomp},
				{"mount table", true, b.testMountTable},
				{"limits", false, b.testLimits},
				{"limits that are touched", false, b.testTouched},
				{"out of memory and exit 137", false, b.testOutOfMemory},
				{"big output", false, b.testBigOutput},
				{"cancel", false, b.testCancel},
			} {
				t.Run(c.name, func(t *testing.T) {
					if c.isolation && k.Name == "none" {
						t.Skip("not provided: none isolates nothing, and says so")
					}
					c.test(t)
				})
			}
		})
	}
}

// TestMadeForIt holds the longer way against the suite: a container made for just one run, as for a plain user, an image or a
// long argument list; with the overlay, and with a copy of the workspace.
func TestMadeForIt(t *testing.T) {
	for _, how := range []string{byOverlay, byCopy} {
		t.Run(how, func(t *testing.T) {
			b := openFor(t, "runc")
			r := b.sb.runtimes[0].(*podmanRuntime)
			r.fixed.Store(true)
			r.copies.Store(how == byCopy)
			if res := b.run(t, Spec{Args: []string{"true"}}); how == byOverlay && res.Copied != byOverlay || how == byCopy && res.Copied == byOverlay {
				t.Fatalf("workspace by %s", res.Copied)
			}
			t.Run("workspace", b.testWorkspace)
			t.Run("files", b.testFiles)
			t.Run("environment", b.testEnvironment)
			t.Run("exit status", b.testStatus)
		})
	}
}

func (b bench) testBasics(t *testing.T) {
	res := b.run(t, Spec{Args: sh("echo out; echo err >&2; exit 3")})
	rung, err := b.sb.Rung(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if res.ExitCode != 3 || res.Reason != "" || string(res.Stdout) != "out\n" || string(res.Stderr) != "err\n" {
		t.Errorf("got exit %d reason %q stdout %q stderr %q", res.ExitCode, res.Reason, res.Stdout, res.Stderr)
	}
	t.Logf("workspace by %s", res.Copied)
	if res.Copied == "" || res.Runtime.Name != rung.Name || res.Runtime.Version == "" {
		t.Errorf("labelled %+v, probed %+v", res.Runtime, rung)
	}
	if res := b.run(t, Spec{Args: []string{"no-such-program"}}); res.ExitCode != 127 {
		t.Errorf("a missing program exits with %d", res.ExitCode)
	}
}

func (b bench) testEnvironment(t *testing.T) {
	t.Setenv("REDGREEN_SECRET", "leak")
	res := b.run(t, Spec{Args: []string{"/usr/bin/env"}, Env: map[string]string{"MINE": "yes"}, Path: []string{"/workspace/bin"}})
	got := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(res.Stdout)), "\n") {
		k, v, _ := strings.Cut(line, "=")
		got[k] = v
	}
	delete(got, "PWD") // the shell's
	delete(got, "OLDPWD")
	delete(got, "SHLVL")
	delete(got, "_")
	delete(got, runMark) // only where there are no namespaces
	want := map[string]string{"PATH": "/workspace/bin:" + basePath, "HOME": dirHome, "TMPDIR": "/tmp", "USER": "sandbox", "LANG": "C.UTF-8",
		"HOSTNAME": "sandbox", "MINE": "yes"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("environment (-want +got):\n%s", d)
	}
}

func (b bench) testFiles(t *testing.T) {
	ws := b.folder(t, map[string]string{"file": "original\n", "sub/x": "x"})
	out, cache := b.folder(t, nil), b.folder(t, nil)
	lib := t.TempDir()
	if err := os.WriteFile(filepath.Join(lib, "dep"), []byte("dep\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(lib, 0o755); err != nil {
		t.Fatal(err)
	}
	script := `cat ../file; echo changed > ../file; rm x; cat ../file; cat /deps/lib/dep; echo o > /out/o; echo c > /cache/c
		printf '#!/bin/sh\necho ran\n' > /tmp/p; chmod +x /tmp/p; /tmp/p
		for f in /x /usr/x /etc/x /deps/lib/x /home/x /dev/x; do (echo > $f) 2>/dev/null && echo wrote $f; done
		echo > /home/sandbox/x && echo home`
	res := b.run(t, Spec{Args: sh(script), Workspace: ws, Dir: "sub", Out: out, Cache: cache, ReadOnly: []Mount{{lib, "/deps/lib"}}})
	if want := "original\nchanged\ndep\nran\nhome\n"; string(res.Stdout) != want {
		t.Errorf("stdout %q, want %q; stderr %q", res.Stdout, want, res.Stderr)
	}
	for p, want := range map[string]string{filepath.Join(ws, "file"): "original\n", filepath.Join(ws, "sub/x"): "x",
		filepath.Join(out, "o"): "o\n", filepath.Join(cache, "c"): "c\n"} {
		if got, err := os.ReadFile(p); err != nil || string(got) != want {
			t.Errorf("%s on the host: %q, %v; want %q", p, got, err, want)
		}
	}
}

// testWorkspace writes only to the sandbox's own folders and looks at the host's.
func (b bench) testWorkspace(t *testing.T) {
	ws := b.folder(t, map[string]string{"file": "original\n", "sub/x": "x", "deps/none": ""})
	out, cache, lib := b.folder(t, nil), b.folder(t, nil), b.folder(t, map[string]string{"dep": "dep\n"})
	script := `cat ../file; echo changed > ../file; rm x; cat ../file /deps/lib/dep /workspace/in/dep; echo $0 > /out/o; echo c > /cache/c; echo > /tmp/t && pwd`
	spec := Spec{Args: append(sh(script), "/workspace/sub:/out"), Workspace: ws, Dir: "sub", Out: out, Cache: cache,
		ReadOnly: []Mount{{lib, "/deps/lib"}, {lib, "/workspace/in"}}}
	for range 2 { // the second time in a container that stood
		res := b.run(t, spec)
		if want := "original\nchanged\ndep\ndep\n/workspace/sub\n"; string(res.Stdout) != want {
			t.Errorf("stdout %q, want %q; stderr %q", res.Stdout, want, res.Stderr)
		}
		for p, want := range map[string]string{filepath.Join(ws, "file"): "original\n", filepath.Join(ws, "sub/x"): "x",
			filepath.Join(out, "o"): "/workspace/sub:/out\n", filepath.Join(cache, "c"): "c\n", filepath.Join(lib, "dep"): "dep\n"} {
			got, err := os.ReadFile(p)
			if res.Paths != nil {
				got = res.Paths(got)
			}
			if err != nil || string(got) != want {
				t.Errorf("%s on the host: %q, %v; want %q", p, got, err, want)
			}
		}
		if _, err := os.Lstat(filepath.Join(ws, "in")); !os.IsNotExist(err) {
			t.Errorf("a mount point was left in the host's workspace: %v", err)
		}
	}
}

// testLoopback is what a test suite with a server of its own needs.
func (b bench) testLoopback(t *testing.T) {
	res := b.run(t, Spec{Args: python(`import socket
for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    s = socket.socket(family); s.bind((host, 0)); s.listen()
    c = socket.create_connection(s.getsockname()[:2], 60); a = s.accept()[0]
    c.sendall(b"ping"); print(a.recv(4).decode())`)})
	if string(res.Stdout) != "ping\nping\n" {
		t.Errorf("stdout %q; stderr %s", res.Stdout, res.Stderr)
	}
}

// testMountTable looks for the host's paths in what the program can read of its mounts. The paths of plain binds (the
// dependencies' folders, the root) stay: the kernel names a bind by its place in its file system.
func (b bench) testMountTable(t *testing.T) {
	ws := b.folder(t, nil)
	res := b.run(t, Spec{Args: sh("cat /proc/self/mountinfo /proc/1/mountinfo /proc/mounts"), Workspace: ws})
	if strings.Contains(string(res.Stdout), ws) {
		t.Errorf("the workspace's place on the host is in\n%s", res.Stdout)
	}
}

// networkScript connects to itself over loopback, and reports what else it can reach. $1 is a port of the host's loopback.
const networkScript = `import socket, sys
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
c = socket.create_connection(s.getsockname(), 60); print("loopback inside")
def reach(what, f):
    try:
        f(); print("REACHED", what)
    except OSError:
        print("no", what)
reach("host", lambda: socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1))
reach("outside", lambda: socket.create_connection(("1.1.1.1", 53), 1))
reach("dns", lambda: socket.getaddrinfo("example.com", 80))
reach("interfaces", lambda: [i for i in socket.if_nameindex() if i[1] != "lo"][0] if len(socket.if_nameindex()) > 1 else (_ for _ in ()).throw(OSError()))
`

func (b bench) testNetwork(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	ws := b.folder(t, map[string]string{"net.py": networkScript})
	res := b.run(t, Spec{Args: []string{"/usr/bin/python3", "net.py", port}, Workspace: ws})
	if want := "loopback inside\nno host\nno outside\nno dns\nno interfaces\n"; string(res.Stdout) != want {
		t.Errorf("stdout %q, want %q; stderr %s", res.Stdout, want, res.Stderr)
	}
}

// hiddenScript tries to find the host: $1 is a file of it, $2 a socket with a path, $3 an abstract one, $4 a process id.
const hiddenScript = `import os, socket, sys
file, path, abstract, pid = sys.argv[1:]
def reach(what, f):
    try:
        f(); print("REACHED", what)
    except (OSError, KeyError):
        print("no", what)
def connect(address):
    socket.socket(socket.AF_UNIX).connect(address)
reach("file", lambda: open(file))
reach("file through /proc/1/root", lambda: open("/proc/1/root" + file))
reach("shadow", lambda: open("/etc/shadow"))
reach("socket", lambda: connect(path))
reach("abstract socket", lambda: connect("\0" + abstract))
reach("process", lambda: os.kill(int(pid), 0))
seen = [d + "/" + n for d in ("/root", "/home", "/run", "/mnt", "/media", "/srv", "/var", "/etc/ssh") if os.path.isdir(d) for n in os.listdir(d)]
print([n for n in seen if n not in ("/home/sandbox", "/run/.containerenv", "/run/status", "/run/launch", "/var/tmp")])
`

func (b bench) testHidden(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/tmp", "rg") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	abstract := "redgreen-test-" + filepath.Base(dir)
	for _, address := range []string{filepath.Join(dir, "sock"), "@" + abstract} {
		l, err := net.Listen("unix", address)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
	ws := b.folder(t, map[string]string{"hidden.py": hiddenScript})
	res := b.run(t, Spec{Args: []string{"/usr/bin/python3", "hidden.py", secret, filepath.Join(dir, "sock"), abstract, itoa(os.Getpid())}, Workspace: ws})
	want := "no file\nno file through /proc/1/root\nno shadow\nno socket\nno abstract socket\nno process\n[]\n"
	if b.image != "" { // what lies in /root or /var is the image's own there
		want = strings.TrimSuffix(want, "[]\n")
		res.Stdout = res.Stdout[:min(len(res.Stdout), len(want))]
	}
	if string(res.Stdout) != want {
		t.Errorf("got %q, want %q; stderr %s", res.Stdout, want, res.Stderr)
	}
}
