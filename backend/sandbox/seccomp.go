package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The system calls that a run may make, by what they are for. Everything else is denied: a list of what is allowed stays
// right when a new kernel adds calls, a list of what is forbidden does not. The denial is ENOSYS, as on an older kernel, so
// that libraries take their older way; calls that a program expects to be refused for lack of rights (mount, unshare,
// bpf, …) give EPERM. What is left out on purpose: new namespaces, mounts, keyrings, io_uring, BPF, perf, userfaultfd,
// modules, clocks, swap, quota, raw I/O ports and every socket family but unix, IP and netlink.
const (
	callsFiles = `access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 fadvise64
		fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fremovexattr
		fsetxattr fstat fstatfs fsync ftruncate futimesat getcwd getdents getdents64 getxattr inotify_add_watch inotify_init
		inotify_init1 inotify_rm_watch ioctl lchown lgetxattr link linkat listxattr llistxattr lremovexattr lseek lsetxattr
		lstat mkdir mkdirat mknod mknodat newfstatat open openat openat2 pipe pipe2 pread64 preadv preadv2 pwrite64 pwritev
		pwritev2 read readahead readlink readlinkat readv removexattr rename renameat renameat2 rmdir sendfile setxattr splice
		stat statfs statx symlink symlinkat sync sync_file_range syncfs tee truncate umask unlink unlinkat utime utimensat
		utimes vmsplice write writev cachestat name_to_handle_at`
	callsMemory = `brk get_mempolicy madvise membarrier memfd_create memfd_secret mincore mlock mlock2 mlockall mmap mprotect
		mremap mseal msync munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect process_madvise process_mrelease
		remap_file_pages map_shadow_stack`
	callsProcess = `arch_prctl capget capset execve execveat exit exit_group fork get_robust_list get_thread_area
		getegid geteuid getgid getgroups getpgid getpgrp getpid getppid getpriority getresgid getresuid getrlimit getrusage
		getsid gettid getuid kill pidfd_open pidfd_send_signal prctl prlimit64 ptrace restart_syscall rseq seccomp
		set_robust_list set_thread_area set_tid_address setfsgid setfsuid setgid setgroups setpgid setpriority setregid
		setresgid setresuid setreuid setrlimit setsid setuid sysinfo tgkill tkill times uname getcpu vfork wait4 waitid
		landlock_add_rule landlock_create_ruleset landlock_restrict_self`
	callsSignals = `alarm eventfd eventfd2 getitimer pause rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo
		rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo setitimer sigaltstack signalfd signalfd4`
	callsTime = `clock_getres clock_gettime clock_nanosleep gettimeofday nanosleep time timer_create timer_delete
		timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime`
	callsWait = `epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old futex
		futex_requeue futex_waitv futex_wait futex_wake poll ppoll pselect6 select`
	callsSockets = `accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg sendmmsg
		sendmsg sendto setsockopt shutdown socketpair`
	callsIPC = `mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd semctl
		semget semop semtimedop shmat shmctl shmdt shmget`
	callsSched = `ioprio_get ioprio_set sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr
		sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam
		sched_setscheduler sched_yield`
	callsOther = `getrandom io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit`

	// callsRefused give EPERM; they are what a program without rights is used to be refused.
	callsRefused = `add_key bpf chroot clock_adjtime clock_settime delete_module fanotify_init finit_module fsconfig fsmount
		fsopen fspick init_module io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp kexec_file_load kexec_load
		keyctl mount mount_setattr move_mount move_pages open_by_handle_at open_tree perf_event_open pidfd_getfd pivot_root
		process_vm_readv process_vm_writev quotactl reboot request_key setdomainname sethostname setns settimeofday swapoff
		swapon syslog umount2 unshare userfaultfd vhangup`
)

// namespaceFlags are all CLONE_NEW* bits of clone's first argument. clone3 has them in memory where a filter cannot look,
// so it is ENOSYS and callers come back with clone.
const namespaceFlags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// socketFamilies are the first arguments that socket may have.
func socketFamilies() []uint64 {
	return []uint64{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
}

// personalities are the arguments that personality may have: Linux, with and without fixed addresses (debuggers and
// sanitizers use it), 32-bit names, and the question for the present one.
func personalities() []uint64 {
	return []uint64{0, 0x40000, 0x8, 0x20000, 0x20008, 0xffffffff, math.MaxUint64}
}

func allowedCalls() []string {
	return strings.Fields(strings.Join([]string{callsFiles, callsMemory, callsProcess, callsSignals, callsTime, callsWait,
		callsSockets, callsIPC, callsSched, callsOther}, " "))
}

// ociSyscalls is one rule of a seccomp profile in the form that Podman reads.
type ociSyscalls struct {
	Names    []string `json:"names"`
	Action   string   `json:"action"`
	ErrnoRet *uint    `json:"errnoRet,omitempty"`
	Args     []ociArg `json:"args,omitempty"`
}

type ociArg struct {
	Index    uint   `json:"index"`
	Value    uint64 `json:"value"`
	ValueTwo uint64 `json:"valueTwo"`
	Op       string `json:"op"`
}

// seccompProfile is the profile as the JSON that Podman takes. Calls of other architectures (32 bit, x32) are killed.
func seccompProfile() ([]byte, error) {
	nosys, perm := uint(unix.ENOSYS), uint(unix.EPERM)
	const allow, deny = "SCMP_ACT_ALLOW", "SCMP_ACT_ERRNO"
	rules := []ociSyscalls{
		{Names: allowedCalls(), Action: allow},
		{Names: []string{"clone"}, Action: allow, Args: []ociArg{{Value: namespaceFlags, Op: "SCMP_CMP_MASKED_EQ"}}},
		{Names: strings.Fields(callsRefused), Action: deny, ErrnoRet: &perm},
	}
	for _, f := range socketFamilies() {
		rules = append(rules, ociSyscalls{Names: []string{"socket"}, Action: allow, Args: []ociArg{{Value: f, Op: "SCMP_CMP_EQ"}}})
	}
	for _, p := range personalities() {
		rules = append(rules, ociSyscalls{Names: []string{"personality"}, Action: allow, Args: []ociArg{{Value: p, Op: "SCMP_CMP_EQ"}}})
	}
	return json.MarshalIndent(map[string]any{
		"defaultAction":   deny,
		"defaultErrnoRet": nosys,
		"syscalls":        rules,
	}, "", " ")
}

// seccompBPF is the same profile as the program that the kernel runs (an array of struct sock_filter in the machine's byte
// order), for bubblewrap.
func seccompBPF() ([]byte, error) {
	info, err := arch.GetInfo("")
	if err != nil {
		return nil, fmt.Errorf("compiling the seccomp profile: %w", err)
	}
	known := func(names []string) (out []string) { // the lists hold the names of all architectures and kernels
		for _, n := range names {
			if _, ok := info.SyscallNames[n]; ok {
				out = append(out, n)
			}
		}
		return out
	}
	noNamespaces := seccomp.Condition{Argument: 0, Operation: seccomp.BitsNotSet, Value: namespaceFlags}
	allow := seccomp.SyscallGroup{Action: seccomp.ActionAllow, Names: known(allowedCalls()),
		NamesWithCondtions: []seccomp.NameWithConditions{{Name: "clone", Conditions: []seccomp.Condition{noNamespaces}}}}
	for name, values := range map[string][]uint64{"socket": socketFamilies(), "personality": personalities()} {
		for _, v := range values {
			c := seccomp.Condition{Argument: 0, Operation: seccomp.Equal, Value: v}
			allow.NamesWithCondtions = append(allow.NamesWithCondtions, seccomp.NameWithConditions{Name: name, Conditions: []seccomp.Condition{c}})
		}
	}
	// The library knows one errno, EPERM. ActionTrace stands for ENOSYS and is replaced below; nothing of ours traces.
	p := seccomp.Policy{DefaultAction: seccomp.ActionTrace, Syscalls: []seccomp.SyscallGroup{
		allow,
		{Action: seccomp.ActionErrno, Names: known(strings.Fields(callsRefused))},
	}}
	program, err := p.Assemble()
	if err != nil {
		return nil, fmt.Errorf("compiling the seccomp profile: %w", err)
	}
	for i, in := range program {
		if r, ok := in.(bpf.RetConstant); ok && r.Val == uint32(seccomp.ActionTrace) {
			program[i] = bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)}
		}
	}
	raw, err := bpf.Assemble(program)
	if err != nil {
		return nil, fmt.Errorf("compiling the seccomp profile: %w", err)
	}
	out := make([]byte, 0, 8*len(raw))
	for _, r := range raw {
		out = binary.NativeEndian.AppendUint16(out, r.Op)
		out = append(out, r.Jt, r.Jf)
		out = binary.NativeEndian.AppendUint32(out, r.K)
	}
	return out, nil
}
