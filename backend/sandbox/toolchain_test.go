package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A toolchain is a language's own test run on a small honest project, with what its Spec needs. The programs exercise what
// system call filters are known to break: threads, child processes, sockets, file watching, memory maps.
type toolchain struct {
	name  string
	needs string // a program that must be there
	files map[string]string
	args  []string
	env   map[string]string
	path  []string
	shown func(t *testing.T) []Mount
	want  string // in stdout
	once  bool   // on one rung only
	must  bool   // not to be skipped where everything is said to be installed
	slow  bool   // compiles a standard library first: only with REDGREEN_ALL_TOOLCHAINS set
}

func toolchains() []toolchain {
	return []toolchain{
		{
			name: "pytest", needs: "/usr/bin/python3",
			files: map[string]string{"test_x.py": pythonSuite},
			args:  []string{"/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"},
			want:  "4 passed",
			must:  true,
		},
		{
			name: "node --test", needs: "/usr/bin/node",
			files: map[string]string{"x.test.js": nodeSuite},
			args:  []string{"/usr/bin/node", "--test"},
			want:  "# pass 3",
			must:  true,
		},
		{
			name: "go test", needs: "/usr/local/go/bin/go",
			files: map[string]string{"go.mod": goModule, "x_test.go": goSuite},
			args:  []string{"go", "test", "-v", "./..."},
			env:   map[string]string{"GOCACHE": "/cache/go-build", "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"},
			want:  "--- PASS: TestSockets",
			slow:  true,
		},
		{
			name: "go test, compiled outside", needs: "/usr/local/go/bin/go",
			args:  []string{"/toolchain/x.test", "-test.v"},
			shown: goTests,
			want:  "--- PASS: TestSockets",
		},
		{
			name: "java", needs: "/usr/bin/java",
			files: map[string]string{"X.java": javaSuite},
			args:  []string{"java", "-ea", "X.java"},
			want:  "java passed",
			once:  true,
		},
		{
			name: "cargo test", needs: "cargo",
			files: map[string]string{"Cargo.toml": "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": rustSuite},
			args:  []string{"cargo", "test", "--offline"},
			env:   map[string]string{"CARGO_HOME": "/tmp/cargo", "CARGO_TARGET_DIR": "/cache/target"},
			path:  []string{"/toolchain/bin"},
			shown: rustToolchain,
			want:  "test result: ok. 2 passed",
			once:  true,
		},
	}
}

// goTests is a folder with Go's suite, compiled by the host with what it has compiled of the standard library already.
func goTests(t *testing.T) []Mount {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": goModule, "x_test.go": goSuite} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compile := exec.CommandContext(t.Context(), "/usr/local/go/bin/go", "test", "-c", "-o", "x.test", ".")
	compile.Dir, compile.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOTOOLCHAIN=local")
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return []Mount{{dir, "/toolchain"}}
}

// rustToolchain finds the folder of the active toolchain of rustup, which lies in the home.
func rustToolchain(t *testing.T) []Mount {
	out, err := exec.CommandContext(t.Context(), "rustc", "--print", "sysroot").Output()
	if err != nil {
		t.Skip("rustc does not tell its folder:", err)
	}
	return []Mount{{strings.TrimSpace(string(out)), "/toolchain"}}
}

// TestToolchains runs each toolchain on every rung that is there, and what is slow on the first only. The rungs share a cache folder for what is compiled.
func TestToolchains(t *testing.T) {
	outer := t
	caches := map[string]string{}
	done := map[string]bool{}
	for _, name := range []string{"crun", "runc", "runsc", "bwrap"} {
		t.Run(name, func(t *testing.T) {
			b := openFor(t, name)
			for _, tc := range toolchains() {
				if tc.once && done[tc.name] {
					continue
				}
				done[tc.name] = true
				if caches[tc.name] == "" {
					caches[tc.name] = b.folder(outer, nil)
				}
				t.Run(tc.name, func(t *testing.T) {
					if tc.slow && os.Getenv("REDGREEN_ALL_TOOLCHAINS") == "" {
						t.Skip("minutes of compiling; set REDGREEN_ALL_TOOLCHAINS=1 to run it")
					}
					b.testToolchain(t, tc, caches[tc.name])
				})
			}
		})
	}
}

func (b bench) testToolchain(t *testing.T, tc toolchain, cache string) {
	_, err := exec.LookPath(tc.needs)
	if tc.name == "pytest" && err == nil {
		err = exec.CommandContext(t.Context(), "/usr/bin/python3", "-c", "import pytest").Run()
	}
	if err != nil && os.Getenv("CI") == "true" && tc.must {
		t.Fatalf("%s is needed for this test: %v", tc.name, err)
	}
	if err != nil {
		t.Skip(err)
	}
	spec := Spec{Args: tc.args, Env: tc.env, Path: tc.path, Workspace: b.folder(t, tc.files), Cache: cache,
		Limits: Limits{Wall: 4 * time.Minute, Memory: 2 << 30}}
	if tc.shown != nil {
		spec.ReadOnly = tc.shown(t)
	}
	res := b.run(t, spec)
	if res.ExitCode != 0 || !strings.Contains(string(res.Stdout), tc.want) {
		t.Errorf("exit %d %s after %s, no %q in\n%s\n%s", res.ExitCode, res.Reason, res.Duration, tc.want, res.Stdout, res.Stderr)
	}
	t.Log(tc.name, res.Duration.Round(time.Millisecond))
	if _, err := os.Stat(filepath.Join(spec.Workspace, "target")); err == nil {
		t.Error("the host's workspace has changed")
	}
}

const pythonSuite = `import asyncio, mmap, multiprocessing, os, socket, subprocess, sys, tempfile, threading

def test_threads():
    done = []
    ts = [threading.Thread(target=done.append, args=(i,)) for i in range(20)]
    [t.start() for t in ts]; [t.join() for t in ts]
    assert len(done) == 20

def test_processes():
    assert subprocess.run([sys.executable, "-c", "print(6*7)"], capture_output=True, text=True).stdout == "42\n"
    with multiprocessing.Pool(2) as p:
        assert p.map(abs, [-1, -2]) == [1, 2]

def test_sockets():
    async def main():
        async def echo(r, w):
            w.write(await r.readline()); await w.drain(); w.close()
        s = await asyncio.start_server(echo, "127.0.0.1", 0)
        r, w = await asyncio.open_connection(*s.sockets[0].getsockname())
        w.write(b"hi\n")
        assert await r.readline() == b"hi\n"
        a, b = socket.socketpair(); a.send(b"x"); assert b.recv(1) == b"x"
    asyncio.run(main())
    assert socket.gethostbyname("localhost") == "127.0.0.1"

def test_files():
    with tempfile.TemporaryFile() as f:
        f.write(b"x" * 8192); f.flush()
        assert mmap.mmap(f.fileno(), 0)[:1] == b"x"
    os.mkfifo("/tmp/fifo"); os.chmod("/tmp/fifo", 0o600)
    assert os.path.expanduser("~") == "/home/sandbox"
`

const nodeSuite = `const test = require('node:test'); const assert = require('node:assert');
const { execFileSync } = require('node:child_process'); const { Worker } = require('node:worker_threads');
const http = require('node:http'); const fs = require('node:fs');
test('process', () => assert.equal(execFileSync(process.execPath, ['-p', '6*7']).toString(), '42\n'));
test('worker', () => new Promise((ok, no) => new Worker('require("worker_threads").parentPort.postMessage(1)', {eval: true}).on('message', ok).on('error', no)));
test('server and file watch', async () => {
  const s = http.createServer((q, r) => r.end('hi')).listen(0, '127.0.0.1');
  await new Promise(r => s.on('listening', r));
  const r = await fetch('http://127.0.0.1:' + s.address().port); assert.equal(await r.text(), 'hi');
  s.closeAllConnections(); s.close();
  const w = fs.watch('/tmp'); w.close();
});
`

const goModule = "module x\n\ngo 1.20\n"

const goSuite = `package x

import ("net"; "os"; "os/exec"; "os/user"; "sync"; "testing")

func TestThreads(t *testing.T) {
	var wg sync.WaitGroup
	for i := 0; i < 100; i++ { wg.Add(1); go func() { defer wg.Done() }() }
	wg.Wait()
	out, err := exec.Command("sh", "-c", "echo hi").Output()
	if err != nil || string(out) != "hi\n" { t.Fatal(err, out) }
	if _, err := os.MkdirTemp("", "x"); err != nil { t.Fatal(err) }
	if u, err := user.Current(); err != nil || u.Username != "sandbox" { t.Fatal(u, err) }
}

func TestSockets(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil { t.Fatal(err) }
	if _, err := net.Dial("tcp", l.Addr().String()); err != nil { t.Fatal(err) }
	if _, err := net.Interfaces(); err != nil { t.Fatal(err) }
	if a, err := net.LookupHost("localhost"); err != nil { t.Fatal(a, err) }
}
`

const javaSuite = `import java.net.*; import java.nio.file.*; import java.util.concurrent.*;
class X {
  public static void main(String[] a) throws Exception {
    var pool = Executors.newFixedThreadPool(8);
    assert pool.submit(() -> 42).get() == 42; pool.shutdown();
    var p = new ProcessBuilder("/bin/echo", "hi").start();
    assert new String(p.getInputStream().readAllBytes()).equals("hi\n") && p.waitFor() == 0;
    try (var s = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()); var c = new Socket(s.getInetAddress(), s.getLocalPort())) {
      assert c.isConnected();
    }
    Files.createTempFile("x", "y");
    System.out.println("java passed");
  }
}
`

const rustSuite = `#[test]
fn threads_and_processes() {
    let ts: Vec<_> = (0..8).map(|i| std::thread::spawn(move || i)).collect();
    assert_eq!(ts.into_iter().map(|t| t.join().unwrap()).sum::<i32>(), 28);
    let o = std::process::Command::new("echo").arg("hi").output().unwrap();
    assert_eq!(o.stdout, b"hi\n");
}
#[test]
fn sockets() {
    let l = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    std::net::TcpStream::connect(l.local_addr().unwrap()).unwrap();
}
`
