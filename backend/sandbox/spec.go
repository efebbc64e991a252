package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// Default limits; see Limits. The last is for gVisor, whose own threads count.
const (
	defaultWall            = 10 * time.Minute
	defaultMemory          = 2 << 30
	defaultCPUs            = 2
	defaultProcesses       = 512
	defaultOutput          = 1 << 20
	defaultDisk            = 2 << 30
	gvisorProcesses        = 1024
	minMemory        int64 = 16 << 20 // less starts no container at all
)

// withDefaults fills in what is zero.
func (l Limits) withDefaults() Limits {
	if l.Wall <= 0 {
		l.Wall = defaultWall
	}
	if l.Memory <= 0 {
		l.Memory = defaultMemory
	}
	l.Memory = max(l.Memory, minMemory)
	if l.CPUs <= 0 {
		l.CPUs = defaultCPUs
	}
	if l.Processes <= 0 {
		l.Processes = defaultProcesses
	}
	if l.Output <= 0 {
		l.Output = defaultOutput
	}
	if l.Disk <= 0 {
		l.Disk = defaultDisk
	}
	return l
}

// check refuses a spec that cannot be run as written.
func (s Spec) check() error {
	if len(s.Args) == 0 || s.Args[0] == "" {
		return errors.New("running in the sandbox: the argument list is empty")
	}
	if strings.Contains(s.Args[0], "=") {
		return fmt.Errorf("running in the sandbox: %q is not a program's name (it contains =)", s.Args[0])
	}
	for _, a := range s.Args {
		if strings.ContainsRune(a, 0) {
			return errors.New("running in the sandbox: an argument contains a zero byte")
		}
	}
	for what, p := range map[string]string{"workspace": s.Workspace, "out folder": s.Out, "cache folder": s.Cache} {
		if p == "" && what != "workspace" {
			continue
		}
		if err := hostFolder(p); err != nil {
			return fmt.Errorf("running in the sandbox: the %s: %w", what, err)
		}
	}
	if s.Dir != "" && !filepath.IsLocal(filepath.FromSlash(s.Dir)) {
		return fmt.Errorf("running in the sandbox: the working folder %q leaves the workspace", s.Dir)
	}
	for k, v := range s.Env {
		if k == "" || strings.ContainsAny(k, "=\x00") || strings.ContainsRune(v, 0) {
			return fmt.Errorf("running in the sandbox: %q cannot be an environment variable", k)
		}
	}
	return checkMounts(s.ReadOnly)
}

func hostFolder(p string) error {
	if !filepath.IsAbs(p) {
		return fmt.Errorf("%q is not an absolute path", p)
	}
	st, err := os.Stat(p)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return fmt.Errorf("%s is not a folder", p)
	}
	return nil
}

// checkMounts refuses targets that would hide what the sandbox itself sets up.
func checkMounts(mounts []Mount) error {
	for _, m := range mounts {
		if !filepath.IsAbs(m.Source) || !path.IsAbs(m.Target) || path.Clean(m.Target) != m.Target {
			return fmt.Errorf("running in the sandbox: the mount %s on %s needs clean absolute paths", m.Source, m.Target)
		}
		if _, err := os.Stat(m.Source); err != nil {
			return fmt.Errorf("running in the sandbox: the mount on %s: %w", m.Target, err)
		}
		switch top := "/" + strings.SplitN(m.Target[1:], "/", 2)[0]; {
		case m.Target == "/", m.Target == dirOut, m.Target == dirCache, m.Target == dirWorkspace, m.Target == dirTmp,
			top == "/proc", top == "/sys", top == "/dev", top == "/etc", top == "/run":
			return fmt.Errorf("running in the sandbox: nothing can be mounted on %s", m.Target)
		}
	}
	return nil
}

// environment is the whole environment of the run, sorted.
func (s Spec) environment() map[string]string {
	env := map[string]string{}
	for k, v := range s.Env {
		env[k] = v
	}
	env["PATH"] = strings.Join(append(append([]string{}, s.Path...), basePath), ":")
	env["HOME"] = dirHome
	env["TMPDIR"] = dirTmp
	env["USER"] = userName
	env["LANG"] = "C.UTF-8"
	env["HOSTNAME"] = hostName // Podman sets it anyhow: the same on every rung
	if s.Proxy != nil {
		for k, v := range proxyEnv() {
			env[k] = v
		}
	}
	return env
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// command wraps the argument list: a shell as first process, which reaps orphans and lets signals act as usual (the kernel
// shields the first process of a namespace from them), and env, which looks the program up on the PATH and tells a missing
// one (127) from one that cannot be run (126). The script is fixed; the arguments are never parsed.
// first is shell text of ours that comes before.
func (s Spec) command(first string) []string {
	return append([]string{"/bin/sh", "-c", first + `"$@"; ` + tellStatus, "sandbox", "/usr/bin/env", "--"}, s.Args...)
}

// workDir is the working folder inside.
func (s Spec) workDir() string { return path.Join(dirWorkspace, filepath.ToSlash(s.Dir)) }
