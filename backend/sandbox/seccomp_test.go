package sandbox

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSeccompLists(t *testing.T) {
	t.Parallel()
	allowed := allowedCalls()
	if d := slices.Compact(slices.Sorted(slices.Values(allowed))); len(d) != len(allowed) {
		t.Errorf("a call is listed twice: %d of %d are different", len(d), len(allowed))
	}
	for _, bad := range append(strings.Fields(callsRefused), "clone3", "clone", "socket", "personality") {
		if slices.Contains(allowed, bad) {
			t.Errorf("%s is allowed without a condition", bad)
		}
	}
	b, err := seccompProfile()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		DefaultAction string
		Syscalls      []ociSyscalls
	}
	if err := json.Unmarshal(b, &doc); err != nil || doc.DefaultAction != "SCMP_ACT_ERRNO" {
		t.Errorf("profile: %v, default %q", err, doc.DefaultAction)
	}
	if p, err := seccompBPF(); err != nil || len(p) == 0 || len(p)%8 != 0 || len(p)/8 > 4096 {
		t.Errorf("program of %d bytes: %v", len(p), err)
	}
}

// syscallScript tries system calls by number (x86-64) and prints the errno's name, "ok" for none.
const syscallScript = `import ctypes, errno, os, platform
assert platform.machine() == "x86_64"
libc = ctypes.CDLL(None, use_errno=True)
def t(name, nr, *a):
    ctypes.set_errno(0)
    r = libc.syscall(nr, *a)
    if name == "fork" and r == 0: os._exit(0)
    print(name, "ok" if r != -1 else errno.errorcode[ctypes.get_errno()])
t("unshare user", 272, 0x10000000)
t("clone user", 56, 0x10000000 | 17, 0, 0, 0, 0)
t("clone3", 435, 0, 0)
t("setns", 308, -1, 0)
t("mount", 165, b"x", b"/tmp", b"tmpfs", 0, 0)
t("open_tree", 428, -100, b"/", 1)
t("fsopen", 430, b"tmpfs", 0)
t("keyctl", 250, 0, 0, 0, 0, 0)
t("add_key", 248, b"user", b"x", b"y", 1, -2)
t("io_uring_setup", 425, 1, 0)
t("bpf", 321, 0, 0, 0)
t("perf_event_open", 298, 0, 0, 0, 0, 0)
t("userfaultfd", 323, 0)
t("not yet invented", 499)
t("socket vsock", 41, 40, 1, 0)
t("socket alg", 41, 38, 5, 0)
t("socket packet", 41, 17, 3, 0)
t("socket inet", 41, 2, 1, 0)
t("socket unix", 41, 1, 1, 0)
t("personality execdomain", 135, 0x0020000 | 0x0400000)
t("personality ask", 135, ctypes.c_ulong(0xffffffff))
t("personality ask -1", 135, ctypes.c_ulong(0xffffffffffffffff))
t("getpid", 39)
t("fork", 57)
`

const syscallWant = `unshare user EPERM
clone user ENOSYS
clone3 ENOSYS
setns EPERM
mount EPERM
open_tree EPERM
fsopen EPERM
keyctl EPERM
add_key EPERM
io_uring_setup EPERM
bpf EPERM
perf_event_open EPERM
userfaultfd EPERM
not yet invented ENOSYS
socket vsock ENOSYS
socket alg ENOSYS
socket packet ENOSYS
socket inet ok
socket unix ok
personality execdomain ENOSYS
personality ask ok
personality ask -1 ok
getpid ok
fork ok
`

// testSeccomp holds the filter against the kernel; the two forms of the profile must act alike.
func (b bench) testSeccomp(t *testing.T) {
	rung, err := b.sb.Rung(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if rung.Name == "runsc" || rung.Name == "krun" {
		t.Skip("the host's filter does not act in a kernel of its own")
	}
	res := b.run(t, Spec{Args: python(syscallScript)})
	if d := cmp.Diff(strings.Split(syscallWant, "\n"), strings.Split(string(res.Stdout), "\n")); d != "" {
		t.Errorf("-want +got:\n%s\n%s", d, res.Stderr)
	}
}

// testPrivileges looks at what the program is.
func (b bench) testPrivileges(t *testing.T) {
	res := b.run(t, Spec{Args: sh(`id -u; grep -h '^Cap\|NoNewPrivs' /proc/self/status | tr -d '\t'; ls /dev | tr '\n' ' '`)})
	lines := strings.Split(string(res.Stdout), "\n")
	if lines[0] == "0" {
		t.Error("it runs as root")
	}
	for _, l := range lines {
		if strings.HasPrefix(l, "Cap") && strings.Trim(l[strings.Index(l, ":"):], ":0") != "" {
			t.Errorf("it has capabilities: %s", l)
		}
		if l == "NoNewPrivs:0" {
			t.Error("new privileges are possible")
		}
	}
	for _, dev := range []string{"kvm", "mem", "sda", "vda", "fuse", "net", "loop0"} {
		if slices.Contains(strings.Fields(lines[len(lines)-1]), dev) {
			t.Errorf("/dev/%s is there", dev)
		}
	}
}
