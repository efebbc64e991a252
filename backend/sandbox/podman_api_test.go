package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeServer answers on a unix socket in a folder with a short path.
func fakeServer(t *testing.T, h http.Handler) *api {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "rg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}}
	s.Start()
	a := newAPI(filepath.Join(dir, "s"))
	t.Cleanup(s.Close)
	t.Cleanup(a.close)
	return a
}

func TestAPIErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body, contentType string
		status                  int
		want                    string // in the error
		notFound                bool
	}{
		{"json", `{"cause":"that name is already in use","message":"creating container: that name is already in use","response":500}`, "application/json", 500, "creating container: that name is already in use", false},
		{"only a cause", `{"cause":"no such container","response":404}`, "application/json", 404, "no such container", true},
		{"plain text", "Not Found", "text/plain", 404, "Not Found", true},
		{"nothing", "", "", 500, "Internal Server Error", false},
		{"cut JSON", `{"cause":"x`, "application/json", 500, `{"cause":"x`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := fakeServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", c.contentType)
				w.WriteHeader(c.status)
				io.WriteString(w, c.body)
			}))
			err := a.start(t.Context(), "x")
			var e *apiError
			if !errors.As(err, &e) || e.Status != c.status || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v", err)
			}
			if isNotFound(err) != c.notFound {
				t.Errorf("not found: %v", isNotFound(err))
			}
		})
	}
}

func TestAPIWithoutService(t *testing.T) {
	t.Parallel()
	a := newAPI(filepath.Join(t.TempDir(), "none"))
	if err := a.ping(t.Context()); err == nil || !strings.Contains(err.Error(), "no answer from the podman service") {
		t.Errorf("got %v", err)
	}
}

func TestAPICalls(t *testing.T) {
	t.Parallel()
	var seen []string
	a := fakeServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Method+" "+strings.TrimPrefix(r.URL.String(), "/"+apiVersion+"/libpod"))
		switch {
		case strings.HasSuffix(r.URL.Path, "/create"):
			w.WriteHeader(http.StatusCreated)
			io.WriteString(w, `{"Id":"abc","Warnings":["slow"]}`)
		case strings.HasSuffix(r.URL.Path, "/start"):
			w.WriteHeader(http.StatusNotModified) // it runs already
		case strings.HasSuffix(r.URL.Path, "/kill"):
			w.WriteHeader(http.StatusInternalServerError)
			io.WriteString(w, `{"cause":"container state improper","message":"can only kill running containers"}`)
		case strings.HasSuffix(r.URL.Path, "/containers/json"):
			io.WriteString(w, `[{"Id":"abc"},{"Id":"def"}]`)
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"cause":"no such container"}`)
		}
	}))
	ctx := t.Context()
	id, warnings, err := a.create(ctx, containerSpec{})
	if id != "abc" || err != nil || cmp.Diff([]string{"slow"}, warnings) != "" {
		t.Errorf("create: %q %v %v", id, warnings, err)
	}
	ids, err := a.list(ctx, "k", "v")
	if cmp.Diff([]string{"abc", "def"}, ids) != "" || err != nil {
		t.Errorf("list: %v %v", ids, err)
	}
	for name, err := range map[string]error{"start": a.start(ctx, "abc"), "kill a dead one": a.kill(ctx, "abc")} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := a.remove(ctx, "abc"); err != nil {
		t.Errorf("remove one that is gone: %v", err)
	}
	if want := "DELETE /containers/abc?force=true&ignore=true&timeout=0&v=true"; seen[len(seen)-1] != want {
		t.Errorf("asked %q, want %q", seen[len(seen)-1], want)
	}
}

// fakePodman stands in for a Podman whose runtime is a virtual machine, which the machines that test this do not have. It
// answers one run of the probe as such a machine would: with another kernel.
type fakePodman struct {
	runtime, kernel string
	dies            bool     // closes the stream in mid-frame, as when the service is killed
	deaf            bool     // nothing can listen inside, as krun is known to be under its default network
	warns           []string // at create
	spec            containerSpec
	started         chan struct{}
	start           sync.Once
}

func (f *fakePodman) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path := strings.TrimPrefix(r.URL.Path, "/"+apiVersion+"/libpod"); {
	case path == "/info":
		io.WriteString(w, `{"host":{"ociRuntime":{"name":"`+f.runtime+`","version":"`+f.runtime+` stub 1\nmore"},"security":{"seccompEnabled":true}},"version":{"Version":"5.0.0"}}`)
	case path == "/containers/create":
		if err := json.NewDecoder(r.Body).Decode(&f.spec); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"Id": "abc", "Warnings": f.warns}) // the caller tells if it did not arrive
	case strings.HasSuffix(path, "/attach"):
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		select {
		case <-f.started:
		case <-r.Context().Done():
			return
		}
		loopback := "held"
		if f.deaf {
			loopback = "Connection refused"
		}
		out := "loopback " + loopback + "\nrelease 6.6.6\nversion " + f.kernel + "\nuid 65521\nfile original\nwrite ok\n"
		if f.dies {
			io.WriteString(w, frame(1, out)[:20])
			return
		}
		io.WriteString(w, frame(1, out))
		for _, m := range f.spec.Mounts {
			if m.Destination == dirOut {
				_ = os.WriteFile(filepath.Join(m.Source, "kept"), nil, 0o644) // the probe misses it if this fails
			}
		}
	case strings.HasSuffix(path, "/start"):
		f.start.Do(func() { close(f.started) })
	case strings.HasSuffix(path, "/json"):
		io.WriteString(w, `{"OCIRuntime":"`+f.runtime+`","State":{"Status":"exited","ExitCode":37}}`)
	}
}

func krunOnFake(t *testing.T, f *fakePodman) *podmanRuntime {
	t.Helper()
	f.started = make(chan struct{})
	h, err := openHome(t.TempDir(), discardLog())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.close() })
	kind := Runtimes()[0]
	r := newKrun(h, kind).(*podmanRuntime)
	r.svc = &service{api: fakeServer(t, f), done: make(chan struct{}), dir: t.TempDir(), short: t.TempDir()}
	stands := exec.Command("sleep", "1000") // for the service's process, which is ended with what it stands for
	stands.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := stands.Start(); err != nil {
		t.Fatal(err)
	}
	r.svc.pid = stands.Process.Pid
	go func(done chan struct{}) {
		_ = stands.Wait() // it is killed
		close(done)
	}(r.svc.done)
	t.Cleanup(func() { _ = stands.Process.Kill() }) // or it is gone already
	return r
}

func TestKrunWithStub(t *testing.T) {
	t.Parallel()
	host := lookAtHost().version
	for _, c := range []struct {
		name string
		fake *fakePodman
		err  string
	}{
		{"another kernel", &fakePodman{runtime: "krun", kernel: "Linux version 6.6.6 (libkrunfw)"}, ""},
		{"the host's kernel", &fakePodman{runtime: "krun", kernel: host}, "plain container"},
		{"another runtime", &fakePodman{runtime: "crun", kernel: "Linux version 6.6.6"}, `podman made the container with "crun"`},
		{"no loopback", &fakePodman{runtime: "krun", kernel: "Linux version 6.6.6 (libkrunfw)", deaf: true}, "nothing can listen on 127.0.0.1 and connect to it (Connection refused)"},
		{"the service dies", &fakePodman{runtime: "krun", kernel: "x", dies: true}, "frame"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := krunOnFake(t, c.fake)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			rung, err := r.Probe(ctx)
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Fatalf("got %v, want %q", err, c.err)
			}
			if err == nil && (rung.Name != "krun" || rung.Label != "microVM") {
				t.Errorf("labelled %+v", rung)
			}
		})
	}
	r := krunOnFake(t, &fakePodman{runtime: "crun"})
	if err := r.learn(t.Context(), r.svc); err == nil || !strings.Contains(err.Error(), `podman uses "crun" though "krun"`) {
		t.Errorf("a podman with another runtime gives %v", err)
	}
}

// TestARungWithoutLoopbackIsPassedOver plays a krun that works but for loopback: the next rung is chosen and says so, as the
// doctor does; without isolation nothing is run for that.
func TestARungWithoutLoopbackIsPassedOver(t *testing.T) {
	t.Parallel()
	const why = "nothing can listen on 127.0.0.1 and connect to it (Connection refused)"
	krun := func() Runtime {
		return krunOnFake(t, &fakePodman{runtime: "krun", kernel: "Linux version 6.6.6", deaf: true})
	}
	broken := errors.New("not here")
	for _, c := range []struct {
		name   string
		below  []Runtime
		chosen string
		warns  string
	}{
		{"the next one works", []Runtime{&memoryRuntime{name: "runc"}}, "runc", "krun would be stronger and is passed over: inside, " + why},
		{"the one after it works", []Runtime{&memoryRuntime{name: "runc", broken: broken}, &memoryRuntime{name: "bwrap"}}, "bwrap", "krun would be stronger and is passed over: inside, " + why},
		{"only no isolation is left", []Runtime{&memoryRuntime{name: "runc", broken: broken}, &memoryRuntime{name: "none"}}, "krun", "inside, " + why},
		{"nothing is left", nil, "krun", "inside, " + why},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &Sandbox{home: &home{log: discardLog()}, runtimes: append([]Runtime{krun()}, c.below...)}
			rung, err := s.Rung(t.Context())
			if err != nil || rung.Name != c.chosen || len(rung.Warnings) != 1 || !strings.HasPrefix(rung.Warnings[0], c.warns) {
				t.Errorf("chose %+v, %v", rung, err)
			}
			if c.chosen != "krun" {
				if res, err := s.Run(t.Context(), Spec{}); err != nil || len(res.Runtime.Warnings) != 1 || res.Runtime.Warnings[0] != rung.Warnings[0] {
					t.Errorf("a run is labelled %+v, %v", res.Runtime, err)
				}
			}
			r := krun().(*podmanRuntime)
			d := &Sandbox{home: r.home, runtimes: append([]Runtime{r}, c.below...)}
			report := d.Doctor(t.Context())
			if krun := report.Checks[0]; report.Chosen != c.chosen || krun.OK || !strings.Contains(krun.Detail+krun.Fix, why) {
				t.Errorf("the doctor chose %q and says %+v", report.Chosen, krun)
			}
		})
	}
}

// TestUnenforcedLimitsAreLabelled plays a Podman without root on control groups v1: what it cannot enforce is in the label of
// the rung, of each run and of the doctor's report; the certificate takes it from the run.
func TestUnenforcedLimitsAreLabelled(t *testing.T) {
	t.Parallel()
	r := krunOnFake(t, &fakePodman{runtime: "krun", kernel: "Linux version 6.6.6",
		warns: []string{"Resource limits are not supported and ignored on cgroups V1 rootless systems"}})
	s := &Sandbox{home: r.home, runtimes: []Runtime{r}}
	rung, err := s.Rung(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.svc.api = fakeServer(t, &fakePodman{runtime: "krun", kernel: "x", started: make(chan struct{}),
		warns: []string{"Resource limits are not supported and ignored on cgroups V1 rootless systems"}})
	res, err := s.Run(t.Context(), Spec{Args: []string{"true"}, Workspace: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for what, got := range map[string][]string{"rung": rung.Warnings, "run": res.Runtime.Warnings} {
		if len(got) != 1 || !strings.Contains(got[0], "not enforced by the kernel here (control groups v1 without root)") {
			t.Errorf("the %s warns %q", what, got)
		}
	}
}

func TestKVMUsable(t *testing.T) {
	t.Parallel()
	if err := kvmUsable(filepath.Join(t.TempDir(), "kvm")); err == nil || !strings.Contains(err.Error(), "no hardware virtualisation") {
		t.Errorf("got %v", err)
	}
}
