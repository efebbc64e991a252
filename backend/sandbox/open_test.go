package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func discardLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

// memoryRuntime is a runtime that runs nothing.
type memoryRuntime struct {
	name   string
	broken error // at the probe
	breaks error // at the run
	runs   int
}

func (m *memoryRuntime) Name() string { return m.name }

func (m *memoryRuntime) Probe(context.Context) (Rung, error) { return Rung{Name: m.name}, m.broken }

func (m *memoryRuntime) Run(context.Context, Spec) (Result, error) {
	m.runs++
	return Result{Runtime: Rung{Name: m.name}}, m.breaks
}

func TestLadder(t *testing.T) {
	t.Parallel()
	bad := errors.New("not here (sudo install it)")
	for _, c := range []struct {
		name     string
		runtimes []*memoryRuntime
		want     string
		err      []string
	}{
		{"strongest", []*memoryRuntime{{name: "a"}, {name: "b"}}, "a", nil},
		{"next", []*memoryRuntime{{name: "a", broken: bad}, {name: "b"}}, "b", nil},
		{"none", []*memoryRuntime{{name: "a", broken: bad}, {name: "b", broken: bad}}, "", []string{"no test is run", "a: not here", "b: not here", "apt-get install"}},
		{"no fall in a run", []*memoryRuntime{{name: "a", breaks: errors.New("fell over")}, {name: "b"}}, "a", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &Sandbox{home: &home{log: discardLog()}}
			for _, r := range c.runtimes {
				s.runtimes = append(s.runtimes, r)
			}
			rung, err := s.Rung(t.Context())
			if rung.Name != c.want || (err == nil) != (c.err == nil) {
				t.Fatalf("chose %q, %v", rung.Name, err)
			}
			for _, part := range c.err {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q is not in %q", part, err)
				}
			}
			_, err = s.Run(t.Context(), Spec{})
			if first := c.runtimes[0]; first.breaks != nil && (!errors.Is(err, first.breaks) || c.runtimes[1].runs > 0) {
				t.Errorf("a broken rung gives %v and %d runs on the weaker one", err, c.runtimes[1].runs)
			}
		})
	}
}

func TestRungAsksAgainAfterCancel(t *testing.T) {
	t.Parallel()
	s := &Sandbox{home: &home{log: discardLog()}, runtimes: []Runtime{&memoryRuntime{name: "a", broken: context.Canceled}, &memoryRuntime{name: "b"}}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Rung(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if rung, err := s.Rung(t.Context()); err != nil || rung.Name != "b" {
		t.Errorf("then %v, %v", rung, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	if _, err := Open(Options{Dir: t.TempDir(), Runtime: "docker"}); err == nil || !strings.Contains(err.Error(), "choose one of krun, runsc, crun, runc, bwrap") {
		t.Errorf("got %v", err)
	}
	if _, err := Open(Options{Dir: "relative"}); err == nil {
		t.Error("a relative folder is taken")
	}
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{Dir: filepath.Join(file, "x")}); err == nil {
		t.Error("a folder below a file is taken")
	}
}

func TestSpecCheck(t *testing.T) {
	t.Parallel()
	ws := t.TempDir()
	ok := func(f func(*Spec)) Spec {
		s := Spec{Args: []string{"true"}, Workspace: ws}
		f(&s)
		return s
	}
	for _, c := range []struct {
		name string
		spec Spec
		err  string
	}{
		{"fine", ok(func(s *Spec) { s.Dir = "a/b"; s.ReadOnly = []Mount{{ws, "/deps"}, {ws, "/workspace/node_modules"}} }), ""},
		{"no arguments", ok(func(s *Spec) { s.Args = nil }), "empty"},
		{"an assignment", ok(func(s *Spec) { s.Args = []string{"A=b"} }), "not a program"},
		{"zero byte", ok(func(s *Spec) { s.Args = []string{"a\x00"} }), "zero byte"},
		{"no workspace", ok(func(s *Spec) { s.Workspace = "" }), "absolute"},
		{"missing workspace", ok(func(s *Spec) { s.Workspace = "/no/such" }), "no such file"},
		{"dir leaves", ok(func(s *Spec) { s.Dir = "../x" }), "leaves"},
		{"dir absolute", ok(func(s *Spec) { s.Dir = "/etc" }), "leaves"},
		{"relative out", ok(func(s *Spec) { s.Out = "out" }), "absolute"},
		{"bad variable", ok(func(s *Spec) { s.Env = map[string]string{"A=B": ""} }), "environment variable"},
		{"mount on /etc", ok(func(s *Spec) { s.ReadOnly = []Mount{{ws, "/etc/x"}} }), "nothing can be mounted"},
		{"mount on the workspace", ok(func(s *Spec) { s.ReadOnly = []Mount{{ws, "/workspace"}} }), "nothing can be mounted"},
		{"mount climbs", ok(func(s *Spec) { s.ReadOnly = []Mount{{ws, "/deps/../etc"}} }), "clean absolute"},
		{"missing mount", ok(func(s *Spec) { s.ReadOnly = []Mount{{"/no/such", "/deps"}} }), "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.spec.check()
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %v, want %q", err, c.err)
			}
		})
	}
}

func TestLimitDefaults(t *testing.T) {
	t.Parallel()
	want := Limits{Wall: 10 * time.Minute, Memory: 2 << 30, CPUs: 2, Processes: 512, Output: 1 << 20, Disk: 2 << 30}
	if d := cmp.Diff(want, Limits{}.withDefaults()); d != "" {
		t.Error(d)
	}
	if l := (Limits{Memory: 1}).withDefaults(); l.Memory != minMemory {
		t.Errorf("memory %d", l.Memory)
	}
}

func TestSubmounts(t *testing.T) {
	t.Parallel()
	got := submounts([]Mount{{"/usr", "/usr"}, {"/home/me/.x", "/tool"}, {"/usr/local", "/usr/local"}},
		[]string{"/", "/usr/local/go", "/usrx", "/home/me/.x/deep", "/proc"})
	want := []Mount{{"/home/me/.x", "/tool"}, {"/home/me/.x/deep", "/tool/deep"}, {"/usr", "/usr"}, {"/usr/local", "/usr/local"}, {"/usr/local/go", "/usr/local/go"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestSkeletonStaysInside(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	v := view{links: map[string]string{"/lib": outside}}
	src := t.TempDir()
	if err := buildSkeleton(filepath.Join(t.TempDir(), "root"), lookAtHost(), v, []Mount{{src, "/lib/x"}}); err == nil {
		t.Error("a mount point below a link that leads out was made")
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Errorf("outside: %v, %v", entries, err)
	}
}

func TestCopyTree(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "to")
	for name, mode := range map[string]os.FileMode{"a": 0o644, "run": 0o755, "ro": 0o444} {
		if err := os.WriteFile(filepath.Join(from, name), []byte(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(from, "d"), 0o755), os.Symlink("/etc/passwd", filepath.Join(from, "d", "link"))); err != nil {
		t.Fatal(err)
	}
	old := time.Unix(1_000_000_000, 0)
	if err := errors.Join(os.Chtimes(filepath.Join(from, "a"), old, old), os.Chtimes(filepath.Join(from, "d"), old, old)); err != nil {
		t.Fatal(err)
	}
	if how, err := copyTree(t.Context(), from, to, host{}); err != nil || how == "" {
		t.Fatal(how, err)
	}
	if link, err := os.Readlink(filepath.Join(to, "d", "link")); link != "/etc/passwd" || err != nil {
		t.Errorf("link %q %v", link, err)
	}
	for name, mode := range map[string]os.FileMode{"a": 0o644, "run": 0o755, "ro": 0o644} {
		if st, err := os.Stat(filepath.Join(to, name)); err != nil || st.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", name, st.Mode(), err)
		}
	}
	for _, name := range []string{"a", "d"} {
		if st, err := os.Stat(filepath.Join(to, name)); err != nil || !st.ModTime().Equal(old) {
			t.Errorf("%s: time %v %v", name, st.ModTime(), err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := copyTree(ctx, from, filepath.Join(t.TempDir(), "x"), host{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestHostView(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		dirs  []string
		links map[string]string
		want  []string
	}{
		{"merged", []string{"usr/bin", "usr/local", "etc/alternatives"}, map[string]string{"bin": "usr/bin", "lib64": "usr/lib64"},
			[]string{"/usr", "/usr/local", "/etc/alternatives"}},
		{"not merged", []string{"usr/bin", "bin", "lib", "opt"}, nil, []string{"/usr", "/opt", "/bin", "/lib"}},
		{"java and secrets", []string{"usr", "etc/java-17-openjdk", "etc/ssl/private", "etc/ssl/certs", "etc/ssh", "home/me"}, nil,
			[]string{"/usr", "/etc/ssl/certs", "/etc/java-17-openjdk"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			for _, d := range c.dirs {
				if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			want := view{links: map[string]string{}}
			for at, to := range c.links {
				if err := os.Symlink(to, filepath.Join(root, at)); err != nil {
					t.Fatal(err)
				}
				want.links["/"+at] = to
			}
			for _, p := range c.want {
				want.mounts = append(want.mounts, Mount{filepath.Join(root, p), p})
			}
			if d := cmp.Diff(want, hostView(root), cmp.AllowUnexported(view{})); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestReadWarnings(t *testing.T) {
	t.Parallel()
	got := readWarnings([]string{"Resource limits are not supported and ignored on cgroups V1 rootless systems", "other"})
	if len(got) != 2 || !strings.Contains(got[0], "not enforced by the kernel") || got[1] != "other" {
		t.Errorf("%q", got)
	}
}
