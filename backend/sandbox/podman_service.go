package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// service is one `podman system service` with a configuration of its own: nothing of the machine's Podman is read or
// written, so neither /etc/containers nor a registry nor systemd is needed. One a runtime, because servers before 2026
// ignore the runtime named in a request.
type service struct {
	api   *api
	dir   string
	short string
	done  chan struct{} // closed when the process has ended
	pid   int
	log   string
}

// serviceStart is how long a service may take to answer.
const serviceStart = time.Minute

// podmanSetup is what differs between the services of the runtimes.
type podmanSetup struct {
	name    string // the runtime's name for Podman
	program string // its absolute path
	wrapper []string
	role    string   // "-images", "-build", beside the service for runs without an image
	stores  []string // folders of images that are read
	graph   string   // the folder that images are written to; "" one of the service's own
	hide    string   // a mount point to take away in the service's mount namespace
}

// startService writes the configuration below h and starts the service. It dies with this process.
func startService(ctx context.Context, h *home, podman string, set podmanSetup) (*service, error) {
	dir := filepath.Join(h.dir, set.name+set.role)
	short := filepath.Join(h.short, set.name+set.role)
	killOwned([]string{dir, short}) // of a service that has died
	if err := errors.Join(removeAll(dir), removeAll(short)); err != nil {
		return nil, fmt.Errorf("starting podman for %s: %w", set.name, err)
	}
	for _, d := range []string{"storage", "bin", "home"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o711); err != nil {
			return nil, fmt.Errorf("starting podman for %s: %w", set.name, err)
		}
	}
	for _, d := range []string{"run", "tmp", "xdg"} {
		if err := os.MkdirAll(filepath.Join(short, d), 0o700); err != nil {
			return nil, fmt.Errorf("starting podman for %s: %w", set.name, err)
		}
	}
	if err := writePodmanConf(h, set, dir, short); err != nil {
		return nil, fmt.Errorf("configuring podman for %s: %w", set.name, err)
	}
	s := &service{dir: dir, short: short, done: make(chan struct{}), log: filepath.Join(dir, "service.log")}
	socket := filepath.Join(short, "sock")
	if err := s.spawn(h, podman, set, short, socket); err != nil {
		return nil, fmt.Errorf("starting podman for %s: %w", set.name, err)
	}
	s.api = newAPI(socket)
	if err := s.waitUp(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("starting podman for %s: %w", set.name, err), s.stop())
	}
	return s, nil
}

// spawn starts the process on a thread of its own: the kernel's parent-death signal follows the thread.
func (s *service) spawn(h *home, podman string, set podmanSetup, short, socket string) error {
	logFile, err := os.OpenFile(s.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	args := []string{podman, "--log-level=warn", "system", "service", "--time", "0", "unix://" + socket}
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if h.host.root {
		// A mount namespace of its own: later mounts of the host still arrive, ours vanish with the service and its monitors.
		attr.Cloneflags = syscall.CLONE_NEWNS
		script := `mount --make-rslave / && { [ -z "$0" ] || umount "$0"; } && exec "$@"`
		args = append([]string{"/bin/sh", "-c", script, set.hide}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = s.dir // monitors may leave files in their working folder
	cmd.Env = serviceEnv(s.dir, short)
	cmd.Stdout, cmd.Stderr = logFile, logFile
	cmd.SysProcAttr = attr
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine, after the process has
		defer close(s.done)
		defer logFile.Close()
		err := cmd.Start()
		if err == nil {
			s.pid = cmd.Process.Pid
		}
		started <- err
		if err == nil {
			_ = cmd.Wait() // a service has no exit status that means anything; its log is read where it matters
		}
	}()
	return <-started
}

// serviceEnv is the whole environment of a service. The user's own only comes in where rootless control groups need the
// session's bus.
func serviceEnv(dir, short string) []string {
	env := []string{
		"PATH=" + toolPath(), "LANG=C.UTF-8", "HOME=" + filepath.Join(dir, "home"), "TMPDIR=" + filepath.Join(short, "tmp"),
		"XDG_RUNTIME_DIR=" + filepath.Join(short, "xdg"),
		"CONTAINERS_CONF=" + filepath.Join(dir, "containers.conf"),
		"CONTAINERS_STORAGE_CONF=" + filepath.Join(dir, "storage.conf"),
		"CONTAINERS_REGISTRIES_CONF=" + filepath.Join(dir, "registries.conf"),
	}
	if bus := sessionBus(); bus != "" {
		env = append(env, "DBUS_SESSION_BUS_ADDRESS="+bus)
	}
	return env
}

// sessionBus is the address of the user's D-Bus, "" without one.
func sessionBus() string {
	if a := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); a != "" {
		return a
	}
	p := "/run/user/" + strconv.Itoa(os.Getuid()) + "/bus"
	if _, err := os.Stat(p); err == nil {
		return "unix:path=" + p
	}
	return ""
}

// waitUp waits until the service answers.
func (s *service) waitUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, serviceStart)
	defer cancel()
	for {
		err := s.api.ping(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-s.done:
			return fmt.Errorf("it ended at once: %s", s.lastWords())
		case <-ctx.Done():
			return fmt.Errorf("it does not answer: %w: %s", err, s.lastWords())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// lastWords gives the end of the service's log.
func (s *service) lastWords() string {
	b, err := os.ReadFile(s.log)
	if err != nil {
		return err.Error()
	}
	b = bytes.TrimSpace(b)
	if len(b) > 800 {
		b = b[len(b)-800:]
	}
	if len(b) == 0 {
		return "its log is empty"
	}
	return string(b)
}

func (s *service) alive() bool {
	select {
	case <-s.done:
		return false
	default:
		return true
	}
}

// stop ends the service, what it started and what still holds its folder.
func (s *service) stop() error {
	if s.api != nil {
		s.api.close()
	}
	if s.alive() {
		_ = unix.Kill(-s.pid, unix.SIGTERM) // gone is as good
		select {
		case <-s.done:
		case <-time.After(time.Second):
			_ = unix.Kill(-s.pid, unix.SIGKILL)
			<-s.done
		}
	}
	killOwned([]string{s.dir, s.short})
	return errors.Join(removeAll(s.dir), removeAll(s.short))
}

// writePodmanConf writes the configuration that makes Podman independent of the machine's.
func writePodmanConf(h *home, set podmanSetup, dir, short string) error {
	conmon := find([]string{"/usr/libexec/podman", "/usr/lib/podman", "/usr/local/libexec/podman"}, "conmon")
	if conmon == "" {
		return errors.New("conmon is not installed; it comes with podman (sudo apt-get install conmon)")
	}
	program := set.program
	files := map[string]string{
		// Podman 4.3 looks for conmon's out-of-memory mark in the container's folder, conmon 2.1 writes it to where it was
		// started: bring them together.
		"bin/conmon": "#!/bin/sh\nb=; p=\nfor a; do [ \"$p\" = -b ] && { b=$a; break; }; p=$a; done\n[ -n \"$b\" ] && cd \"$b\"\nexec " + shellQuote(conmon) + " \"$@\"\n",
	}
	if len(set.wrapper) > 0 {
		program = filepath.Join(dir, "bin", set.name)
		files["bin/"+set.name] = "#!/bin/sh\nexec " + shellQuote(set.program) + " " + strings.Join(set.wrapper, " ") + " \"$@\"\n"
	}
	network := ""
	if find([]string{"/usr/libexec/podman", "/usr/lib/podman"}, "netavark") != "" {
		network = "network_backend = \"netavark\"\n"
	}
	files["containers.conf"] = fmt.Sprintf(`[containers]
default_ulimits = ["nofile=%[1]d:%[1]d", "nproc=%[9]d:%[9]d"]
log_driver = "none"
http_proxy = false
[engine]
cgroup_manager = %[2]q
events_logger = "none"
runtime = %[3]q
lock_type = "file"
conmon_path = [%[4]q]
conmon_env_vars = ["PATH=%[5]s"]
tmp_dir = %[6]q
no_pivot_root = false
[engine.runtimes]
%[3]s = [%[7]q]
[network]
%[8]s`, h.host.nofile, cgroupManager(h.host), set.name, filepath.Join(dir, "bin", "conmon"), toolPath(), filepath.Join(short, "tmp"), program, network, min(h.host.nproc, 1<<20))
	// Without images the driver that needs nothing of the kernel will do. Workspaces get their overlay all the same.
	driver, graph, options := "vfs", filepath.Join(dir, "storage"), ""
	if set.role != "" {
		driver = "overlay"
	}
	if set.graph != "" {
		graph = set.graph
	}
	if len(set.stores) > 0 {
		options = "[storage.options]\nadditionalimagestores = [\"" + strings.Join(set.stores, "\", \"") + "\"]\n"
	}
	files["storage.conf"] = fmt.Sprintf("[storage]\ndriver = %q\ngraphroot = %q\nrunroot = %q\nrootless_storage_path = %q\n%s",
		driver, graph, filepath.Join(short, "run"), graph, options)
	files["registries.conf"] = "unqualified-search-registries = []\n"
	for name, text := range files {
		mode := os.FileMode(0o600)
		if strings.HasPrefix(name, "bin/") {
			mode = 0o700
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			return err
		}
	}
	return nil
}

// cgroupManager is who makes control groups: ourselves by files as root, which works without systemd and gives paths that
// we know; the user's systemd where a rootless user could not write them.
func cgroupManager(h host) string {
	if !h.root && h.cgroup == cgroupV2 && sessionBus() != "" {
		return "systemd"
	}
	return "cgroupfs"
}

// shellQuote quotes for /bin/sh.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
