package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// A socket belongs to the network it was made in for its whole life, whoever holds it. So we make the proxy's listening
// socket inside the run's network, which has nothing but its loopback, and answer it from outside: the run gets neither a
// device nor a route, and no file or program is shown to it.

// listenHelper is the argument by which this program, started anew in a run's namespaces, is told to listen there.
const listenHelper = "__redgreen-listen"

// helperSocket is the number under which the helper finds the socket to hand its own through.
const helperSocket = 3

// listenIn gives a socket that listens on 127.0.0.1:proxyPort in the network of process pid.
func listenIn(ctx context.Context, pid int) (net.Listener, error) {
	if pid <= 0 {
		return nil, errors.New("opening the proxy in the sandbox: its process is not known")
	}
	same, err := inOurNamespace(pid, "user")
	if err != nil {
		return nil, fmt.Errorf("opening the proxy in the sandbox: %w", err)
	}
	if own, err := inOurNamespace(pid, "net"); err != nil || own {
		return nil, errors.Join(errors.New("opening the proxy in the sandbox: it has no network of its own"), err)
	}
	var l net.Listener
	if same && os.Geteuid() == 0 {
		l, err = listenByThread(pid)
	} else {
		l, err = listenByHelper(ctx, pid, same)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the proxy in the sandbox: %w", err)
	}
	return l, nil
}

func inOurNamespace(pid int, kind string) (bool, error) {
	mine, err := os.Stat("/proc/self/ns/" + kind)
	if err != nil {
		return false, err
	}
	theirs, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid), "ns", kind))
	return err == nil && os.SameFile(mine, theirs), err
}

// listenByThread enters the network on a thread that ends with the goroutine. Root may.
func listenByThread(pid int) (net.Listener, error) {
	type result struct {
		l   net.Listener
		err error
	}
	done := make(chan result)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread is not used again
		ns, err := os.Open(filepath.Join("/proc", strconv.Itoa(pid), "ns/net"))
		if err != nil {
			done <- result{nil, err}
			return
		}
		defer ns.Close()
		if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err != nil {
			done <- result{nil, fmt.Errorf("entering its network: %w", err)}
			return
		}
		l, err := net.Listen("tcp4", "127.0.0.1:"+proxyPort)
		done <- result{l, err}
	}()
	r := <-done
	return r.l, r.err
}

// listenByHelper starts this program again through nsenter, since a program with several threads cannot enter a user
// namespace, and takes the socket that it made there.
func listenByHelper(ctx context.Context, pid int, sameUser bool) (net.Listener, error) {
	nsenter, err := locate("nsenter", "it is part of util-linux")
	if err != nil {
		return nil, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	defer ours.Close()
	args := []string{"-t", strconv.Itoa(pid), "-n"}
	handed := []*os.File{theirs}
	if !sameUser {
		owner, err := networkOwner(pid)
		if err != nil {
			return nil, errors.Join(err, theirs.Close())
		}
		defer owner.Close()
		handed = append(handed, owner)
		args = append(args, "--user=/proc/self/fd/"+strconv.Itoa(helperSocket+1), "--preserve-credentials")
	}
	cmd := exec.CommandContext(ctx, nsenter, append(args, "--", "/proc/self/exe", listenHelper)...)
	if exe, err := os.Executable(); err == nil {
		cmd.Args[len(cmd.Args)-2] = exe // nsenter's own /proc/self/exe would be nsenter
	}
	cmd.Env = []string{"PATH=" + toolPath()}
	cmd.ExtraFiles = handed
	out, err := cmd.CombinedOutput()
	theirs.Close()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %.300s", nsenter, err, out)
	}
	return receive(ours)
}

// networkOwner is the user namespace that a process's network belongs to, in which one may enter it. The process itself can
// be in a deeper one: a plain user's bubblewrap makes two, and the network in the first.
func networkOwner(pid int) (*os.File, error) {
	network, err := os.Open(filepath.Join("/proc", strconv.Itoa(pid), "ns/net"))
	if err != nil {
		return nil, err
	}
	defer network.Close()
	fd, err := unix.IoctlRetInt(int(network.Fd()), unix.NS_GET_USERNS)
	if err != nil {
		return nil, fmt.Errorf("asking for the owner of its network: %w", err)
	}
	return os.NewFile(uintptr(fd), "owner of the network"), nil
}

// receive takes the listening socket that came over a socket.
func receive(from *os.File) (net.Listener, error) {
	space := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(int(from.Fd()), make([]byte, 1), space, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(space[:n])
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(errors.New("the helper handed over no socket"), err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, errors.Join(errors.New("the helper handed over no socket"), err)
	}
	f := os.NewFile(uintptr(fds[0]), "listener")
	defer f.Close() // FileListener works on a copy
	return net.FileListener(f)
}

// Helper does what this program was started for, when the sandbox has started it anew inside a run's namespaces, and
// reports whether that was so; code is then its exit code. A program that uses Proxy without being root calls it first of
// all, with its own arguments.
func Helper(args []string, stderr io.Writer) (code int, helped bool) {
	if len(args) != 2 || args[1] != listenHelper {
		return 0, false
	}
	if err := handOver(); err != nil {
		fmt.Fprintln(stderr, err)
		return 1, true
	}
	return 0, true
}

// handOver listens and sends the socket.
func handOver() error {
	l, err := net.Listen("tcp4", "127.0.0.1:"+proxyPort)
	if err != nil {
		return err
	}
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		return err
	}
	return unix.Sendmsg(helperSocket, []byte{0}, unix.UnixRights(int(f.Fd())), nil, 0)
}

// open starts the proxy in the network of a run that stands but has not begun. stop is never nil.
func (p *Proxy) open(ctx context.Context, pid int) (stop func(), err error) {
	if p == nil {
		return func() {}, nil
	}
	l, err := listenIn(ctx, pid)
	if err != nil {
		return func() {}, err
	}
	return p.serve(l), nil
}

// carriesProxy tells whether a runtime's runs use the kernel's own network, in which a socket can be made from outside.
// gVisor and a virtual machine bring a network of their own.
func carriesProxy(name string) bool { return name == "crun" || name == "runc" || name == "bwrap" }

// chooseProxied is choose for a run with a proxy: where the chosen runtime cannot have one, the next that works and can.
func (s *Sandbox) chooseProxied(ctx context.Context) (Runtime, Rung, error) {
	chosen, rung, err := s.choose(ctx)
	if err != nil || carriesProxy(chosen.Name()) {
		return chosen, rung, err
	}
	for _, rt := range s.runtimes {
		if !carriesProxy(rt.Name()) {
			continue
		}
		weaker, err := rt.Probe(ctx)
		if err != nil {
			continue
		}
		weaker.Warnings = append(weaker.Warnings, fmt.Sprintf("%s has a network of its own that no proxy can be opened in, so this run is in %s", rung.Name, weaker.Name))
		return rt, weaker, nil // its runs are labelled by what ran, its warnings are kept by Run
	}
	return nil, Rung{}, fmt.Errorf("%s has a network of its own that no proxy can be opened in, and no other runtime works here (sudo apt-get install --no-install-recommends crun bubblewrap)", rung.Name)
}
