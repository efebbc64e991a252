package sandbox

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// Where things are inside the sandbox.
const (
	dirWorkspace = "/workspace"
	dirOut       = "/out"
	dirCache     = "/cache"
	dirTmp       = "/tmp"
	dirHome      = "/home/sandbox"
	dirStatus    = "/run/status" // where the wrapper writes how the program ended
	userName     = "sandbox"
	hostName     = "sandbox"
)

// basePath is the sandbox's own PATH.
const basePath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin"

// systemFolders are the host's folders that make up a toolchain. /usr and what lies beside it on hosts that have not merged
// them; nothing personal is kept there.
func systemFolders() []string {
	return []string{"/usr", "/usr/local", "/opt", "/nix/store", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}
}

// systemFiles are the few things of /etc without which toolchains do not work: the choice of Debian's alternatives, the
// loader's cache, public certificates, and the configuration that distributions move out of the JDK, PHP and Maven.
// Patterns; nothing else of /etc is shown.
func systemFiles() []string {
	return []string{
		"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
		"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted", "/etc/ca-certificates",
		"/etc/crypto-policies", "/etc/java*", "/etc/php/*/cli", "/etc/php/*/mods-available",
		"/etc/maven/m2.conf", "/etc/maven/logging", "/etc/mime.types", "/etc/services", "/etc/protocols",
	}
}

// view is what the sandbox sees of the host: read-only mounts and links, each target once.
type view struct {
	mounts []Mount
	links  map[string]string // path in the sandbox -> where the link points
}

// hostView finds the toolchain folders of the host whose root is root. Links such as /bin -> usr/bin stay links; on hosts
// that have not merged /bin and /lib into /usr they are folders and are shown as such.
func hostView(root string) view {
	v := view{links: map[string]string{}}
	seen := map[string]bool{}
	add := func(p string) {
		st, err := os.Lstat(filepath.Join(root, p))
		if err != nil || seen[p] {
			return
		}
		seen[p] = true
		if st.Mode()&os.ModeSymlink == 0 {
			v.mounts = append(v.mounts, Mount{filepath.Join(root, p), p})
			return
		}
		if to, err := os.Readlink(filepath.Join(root, p)); err == nil {
			v.links[p] = to
		}
	}
	for _, p := range systemFolders() {
		add(p)
	}
	for _, pattern := range systemFiles() {
		found, _ := filepath.Glob(filepath.Join(root, pattern)) // the patterns are ours and well-formed
		for _, p := range found {
			add("/" + strings.Trim(strings.TrimPrefix(p, root), "/"))
		}
	}
	return v
}

// submounts adds to each mount the file systems that are mounted below its source, which a plain bind would show empty and
// a recursive one would leave writable.
func submounts(in []Mount, table []string) []Mount {
	var out []Mount
	seen := map[string]bool{}
	for _, m := range in {
		all := []Mount{m}
		for _, p := range table {
			if rest, ok := strings.CutPrefix(p, strings.TrimSuffix(m.Source, "/")+"/"); ok {
				all = append(all, Mount{p, path.Join(m.Target, rest)})
			}
		}
		for _, m := range all {
			if !seen[m.Target] {
				seen[m.Target] = true
				out = append(out, m)
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Target < out[j].Target }) // parents before children
	return out
}

// mountTable lists the host's mount points of real file systems.
func mountTable() []string {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	defer f.Close()
	var out []string
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if fields := strings.Fields(s.Text()); len(fields) > 4 {
			out = append(out, unescapeMount(fields[4]))
		}
	}
	return out
}

// unescapeMount undoes the kernel's octal escapes of blank, tab, newline and backslash.
func unescapeMount(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// buildSkeleton makes an empty root in dir: links, the user's entries, and a mount point for every target, so that the
// runtime has nothing to create in it. It works through os.Root: a link of the view must not lead out of dir.
func buildSkeleton(dir string, h host, v view, mounts []Mount) error {
	if err := fillSkeleton(dir, h, v, mounts); err != nil {
		return fmt.Errorf("making the sandbox's root: %w", err)
	}
	return nil
}

func fillSkeleton(dir string, h host, v view, mounts []Mount) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	r, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer r.Close()
	for _, d := range []string{"proc", "sys", "dev", "run/status", "var/tmp", "etc", "tmp", "workspace", "out", "cache", "home/sandbox"} {
		if err := r.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	for _, d := range []string{"tmp", "home/sandbox"} { // runc gives a tmpfs the mode of what it covers
		if err := r.Chmod(d, 0o777|os.ModeSticky); err != nil {
			return err
		}
	}
	for at, to := range v.links {
		if d := path.Dir(at); d != "/" {
			if err := r.MkdirAll(d[1:], 0o755); err != nil {
				return err
			}
		}
		if err := r.Symlink(to, at[1:]); err != nil {
			return err
		}
	}
	for name, text := range etcFiles(h) {
		if err := r.WriteFile("etc/"+name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, m := range mounts {
		if err := mountPoint(r, m); err != nil {
			return fmt.Errorf("the mount point %s: %w", m.Target, err)
		}
	}
	return nil
}

// etcFiles is the sandbox's own /etc: one user, the loopback name, files before nothing.
func etcFiles(h host) map[string]string {
	return map[string]string{
		"passwd":        fmt.Sprintf("root:x:0:0:root:/root:/bin/sh\n%s:x:%d:%d::%s:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n", userName, h.uid, h.gid, dirHome),
		"group":         fmt.Sprintf("root:x:0:\n%s:x:%d:\nnogroup:x:65534:\n", userName, h.gid),
		"hosts":         "127.0.0.1 localhost " + hostName + "\n::1 localhost ip6-localhost\n",
		"hostname":      hostName + "\n",
		"resolv.conf":   "",
		"nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n",
	}
}

// mountPoint makes an empty folder or file to mount m on.
func mountPoint(r *os.Root, m Mount) error {
	st, err := os.Stat(m.Source)
	if err != nil {
		return err
	}
	return makePoint(r, m.Target[1:], st.IsDir())
}
