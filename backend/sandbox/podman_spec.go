package sandbox

import (
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// spec builds the container.
func (r *podmanRuntime) spec(s Spec, root, workspace string, copied bool) (containerSpec, error) {
	h := r.home.host
	l := s.Limits
	v := view{}
	if s.Image == "" {
		v = hostView("/")
	}
	shown := submounts(append(append([]Mount{}, v.mounts...), s.ReadOnly...), mountTable())
	if err := buildSkeleton(root, h, v, shown); err != nil {
		return containerSpec{}, err
	}
	c := containerSpec{
		Command: s.command(""), Env: s.environment(), UnsetEnv: []string{"container", "TERM"},
		User: fmt.Sprintf("%d:%d", h.uid, h.gid), Hostname: hostName,
		Labels: map[string]string{"redgreen.owner": r.home.owner},
		Rootfs: root, WorkDir: s.workDir(),
		CapDrop: []string{"all"}, NoNewPrivileges: true, SeccompProfile: r.home.seccompPath(), SelinuxOpts: []string{"disable"},
		ReadOnly: true,
		NetNS:    namespace{Mode: "none"}, IPCNS: namespace{Mode: "private"}, CgroupNS: namespace{Mode: "private"},
		UseImageHosts: true, UseImageResolve: true, Systemd: "false",
		Resources: &resources{
			Memory: &memoryLimit{Limit: l.Memory, Swap: l.Memory},
			CPU:    &cpuLimit{Quota: int64(l.CPUs * 100_000), Period: 100_000},
			Pids:   &pidsLimit{Limit: int64(l.Processes)},
		},
		Log:     logConfig{Driver: "none"},
		ShmSize: min(l.Memory/4, 256<<20),
		Timeout: uint(l.Wall/time.Second) + 15, // only if this process dies: it kills by itself before
	}
	if h.root {
		c.CgroupParent = r.home.cgroupParent()
	} else {
		c.UserNS = &namespace{Mode: "keep-id"}
	}
	for _, m := range shown {
		c.Mounts = append(c.Mounts, specMount{m.Target, "bind", m.Source, []string{"bind", "ro", "nosuid", "nodev"}})
	}
	c.Mounts = append(c.Mounts, bindWritable(dirStatus, statusDir(root)))
	switch {
	case workspace == "": // it is placed later
	case copied:
		c.Mounts = append(c.Mounts, bindWritable(dirWorkspace, workspace))
	default:
		c.OverlayVolumes = []overlayVolume{{Destination: dirWorkspace, Source: workspace, Options: []string{}}}
	}
	for target, source := range map[string]string{dirOut: s.Out, dirCache: s.Cache} {
		if source != "" {
			c.Mounts = append(c.Mounts, bindWritable(target, source))
		}
	}
	for _, target := range []string{dirTmp, dirHome} {
		c.Mounts = append(c.Mounts, specMount{target, "tmpfs", "tmpfs", []string{"rw", "nosuid", "nodev", "exec", "mode=1777",
			"size=" + strconv.FormatInt(tmpSize(l), 10)}})
	}
	return c, nil
}

func bindWritable(target, source string) specMount {
	return specMount{target, "bind", source, []string{"bind", "rw", "nosuid", "nodev"}}
}

// tmpSize is the size of /tmp and of the home. Both are memory and count against its limit.
func tmpSize(l Limits) int64 { return min(l.Disk, max(l.Memory/2, minMemory)) }

// rlimits are set in any case: Podman's own defaults are higher than a process without CAP_SYS_RESOURCE may set. They are
// read from the service, which lowers some of its own.
func (r *podmanRuntime) rlimits(svc *service, l Limits) []rlimit {
	out := []rlimit{{"core", 0, 0}}
	for name, which := range map[string]int{"nofile": unix.RLIMIT_NOFILE, "nproc": unix.RLIMIT_NPROC} {
		var has unix.Rlimit
		if err := unix.Prlimit(svc.pid, which, nil, &has); err != nil {
			continue // then Podman's default is as good as any
		}
		n := min(has.Max, 65536)
		if name == "nproc" && !r.home.host.root {
			n = min(n, processBackstop(r.home.host.uid, l))
		}
		out = append(out, rlimit{name, n, n})
	}
	return out
}
