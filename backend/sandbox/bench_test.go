package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func itoa(n int) string { return strconv.Itoa(n) }

// turns are the times of one thing, one a turn.
type turns []time.Duration

func (t turns) median() time.Duration {
	s := slices.Sorted(slices.Values(t))
	return s[len(s)/2]
}

// ratio is the median over the turns of t's time by other's in the same turn.
func (t turns) ratio(other turns) float64 {
	var all []float64
	for i := range t {
		all = append(all, float64(t[i])/float64(other[i]))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

// timed runs f and adds its time.
func (t *turns) timed(f func()) {
	begin := time.Now()
	f()
	*t = append(*t, time.Since(begin))
}

// BenchmarkRun measures what a run costs beside the program's own time, for every rung that is present. In each turn, one
// after another: the bare command; `podman run` of the same container by the same runtime; a run for which no container
// stands ready (cold); one for which one does (warm). Metrics are medians over the turns.
func BenchmarkRun(b *testing.B) {
	for _, k := range Runtimes() {
		b.Run(k.Name, func(b *testing.B) { benchmarkRung(b, k.Name) })
	}
}

func benchmarkRung(b *testing.B, name string) {
	sb, err := Open(Options{Dir: b.TempDir(), Runtime: name, AllowNone: true})
	if err != nil {
		b.Fatal(err)
	}
	defer sb.Close()
	if _, err := sb.Rung(b.Context()); err != nil {
		b.Skip(err)
	}
	spec := Spec{Args: []string{"/bin/true"}, Workspace: benchWorkspace(b)}
	run := func() {
		if res, err := sb.Run(b.Context(), spec); err != nil || res.ExitCode != 0 {
			b.Fatal(res, err)
		}
	}
	r, engine := sb.runtimes[0].(*podmanRuntime)
	pooled := engine && r.places()
	settle := func(pool bool) {
		if engine {
			if r.drain(); pool {
				r.await(b.Context(), spec.Limits)
			}
			r.settled()
		}
	}
	var bare, peer, cold, warm turns
	run() // whatever happens once
	own := ""
	if engine {
		if own, err = os.MkdirTemp("/tmp", "rg"); err != nil { // sockets need a short path
			b.Fatal(err)
		}
		defer removeAll(own)
		command(b, podmanArgs(b, r, spec, own)...)
	}
	for b.Loop() {
		bare.timed(func() { command(b, spec.Args...) })
		if engine {
			args := podmanArgs(b, r, spec, own)
			settle(false)
			peer.timed(func() { command(b, args...) })
		}
		settle(false)
		cold.timed(run)
		if pooled {
			settle(true)
			warm.timed(run)
		}
	}
	b.ReportMetric(ms(bare.median()), "bare-ms")
	b.ReportMetric(ms(cold.median()-bare.median()), "cold-overhead-ms")
	if engine {
		b.ReportMetric(ms(peer.median()), "podman-run-ms")
		b.ReportMetric(cold.ratio(peer), "cold/podman-run")
	}
	if pooled {
		b.ReportMetric(ms(warm.median()-bare.median()), "warm-overhead-ms")
		b.ReportMetric(warm.ratio(peer), "warm/podman-run")
	}
}

// settled waits until nothing is being made or deleted beside.
func (r *podmanRuntime) settled() {
	r.pool.mu.Lock()
	all := slices.Clone(r.pool.stands)
	r.pool.mu.Unlock()
	for _, s := range all {
		<-s.done
	}
	r.cleaning.Wait()
}

// BenchmarkFirst measures the very first run of a process: opening the sandbox, starting the service, probing, running.
func BenchmarkFirst(b *testing.B) {
	for _, k := range Runtimes() {
		b.Run(k.Name, func(b *testing.B) {
			ws := benchWorkspace(b)
			var first turns
			for b.Loop() {
				dir := b.TempDir()
				var sb *Sandbox
				var err error
				first.timed(func() {
					if sb, err = Open(Options{Dir: dir, Runtime: k.Name, AllowNone: true}); err == nil {
						_, err = sb.Run(b.Context(), Spec{Args: []string{"/bin/true"}, Workspace: ws})
					}
				})
				if sb != nil {
					sb.Close()
				}
				if err != nil {
					b.Skip(err)
				}
			}
			b.ReportMetric(ms(first.median()), "first-ms")
		})
	}
}

func benchWorkspace(b *testing.B) string {
	ws := b.TempDir()
	if err := os.Chmod(ws, 0o755); err != nil {
		b.Fatal(err)
	}
	return ws
}

func command(b *testing.B, args ...string) {
	cmd := exec.CommandContext(b.Context(), args[0], args[1:]...)
	if len(args) > 2 { // podman
		cmd.Env = append(cmd.Env, strings.Split(args[len(args)-1], "\n")...)
		cmd.Args = cmd.Args[:len(cmd.Args)-1]
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%.40v: %v: %s", args, err, out)
	}
}

// podmanArgs is `podman run`, as it comes, of the container that r would make for spec: by the same runtime, with the same
// view, limits and filter, with own as its folder for storage: with the service's it would wait for what the service's settings
// keep back. The last element is its environment.
func podmanArgs(b *testing.B, r *podmanRuntime, s Spec, own string) []string {
	b.Helper()
	svc, err := r.service(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	dir, err := r.home.newRun()
	if err != nil {
		b.Fatal(err)
	}
	s.Limits = r.limits(s.Limits)
	if err := r.home.newStatus(dir); err != nil {
		b.Fatal(err)
	}
	copied := !r.overlay || r.copies.Load()
	c, err := r.spec(s, filepath.Join(dir, "root"), s.Workspace, copied)
	if err != nil {
		b.Fatal(err)
	}
	args := []string{find(nil, "podman"), "--root=" + own + "/storage", "--runroot=" + own + "/run", "--tmpdir=" + own + "/tmp",
		"--storage-driver=vfs", "--cgroup-manager=" + cgroupManager(r.home.host), "--events-backend=file", "--runtime=" + r.program(),
		"run", "--rm", "--network=none", "--read-only", "--read-only-tmpfs=false", "--cap-drop=all", "--no-hosts",
		"--security-opt=no-new-privileges", "--security-opt=seccomp=" + c.SeccompProfile, "--user=" + c.User, "--hostname=" + c.Hostname,
		"--memory=" + fmt.Sprint(c.Resources.Memory.Limit), "--memory-swap=" + fmt.Sprint(c.Resources.Memory.Swap),
		"--cpus=" + fmt.Sprint(s.Limits.CPUs), "--pids-limit=" + fmt.Sprint(c.Resources.Pids.Limit), "--shm-size=" + fmt.Sprint(c.ShmSize),
		"--log-driver=none", "--workdir=" + c.WorkDir, "--systemd=false"}
	if c.CgroupParent != "" {
		args = append(args, "--cgroup-parent="+c.CgroupParent)
	}
	if c.UserNS != nil {
		args = append(args, "--userns="+c.UserNS.Mode)
	}
	for _, l := range r.rlimits(svc, s.Limits) {
		args = append(args, fmt.Sprintf("--ulimit=%s=%d:%d", l.Type, l.Soft, l.Hard))
	}
	for _, m := range c.Mounts {
		opts := strings.Join(m.Options, ",")
		if m.Type == "tmpfs" {
			args = append(args, "--tmpfs="+m.Destination+":"+opts)
		} else {
			args = append(args, "--volume="+m.Source+":"+m.Destination+":"+strings.TrimPrefix(opts, "bind,"))
		}
	}
	for _, o := range c.OverlayVolumes {
		args = append(args, "--volume="+o.Source+":"+o.Destination+":O")
	}
	for k, v := range c.Env {
		args = append(args, "--env="+k+"="+v)
	}
	args = append(args, "--rootfs", c.Rootfs)
	args = append(args, c.Command...)
	if r.home.host.root { // into the mount namespace of the service, without which crun refuses hybrid control groups
		args = append([]string{"/usr/bin/nsenter", "--mount", "--target", itoa(svc.pid), "--"}, args...)
	}
	return append(args, "PATH="+toolPath()+"\nHOME="+svc.dir)
}

// program is the runtime's program as the service knows it.
func (r *podmanRuntime) program() string {
	set, err := r.set(r.home)
	if err == nil && len(set.wrapper) > 0 {
		return filepath.Join(r.svc.dir, "bin", set.name)
	}
	return set.program
}
