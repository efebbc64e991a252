package sandbox

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// gatedRun is a run that is a child of this process, and waits at its gate until it is being watched.
type gatedRun struct {
	name  string // of the program that sets it up, for people
	spec  Spec
	dir   string
	how   string // Result.Copied
	group *runGroup
	rung  Rung
	disk  []string // folders of the run's own, beside /out and /cache
	// What only a run without a process namespace needs; nil where the kernel does it.
	strays func() []int // what belongs to the run, wherever it went
}

// follow starts the command and watches it to its end.
func (g *gatedRun) follow(ctx context.Context, cmd *exec.Cmd) (Result, error) {
	pipes, err := newGate()
	if err != nil {
		return Result{}, err
	}
	defer pipes.close()
	cmd.ExtraFiles = append(cmd.ExtraFiles, pipes.theirs()...)
	var watching atomic.Pointer[watch] // set before the gate opens, thus before anything is written
	over := func() {
		if w := watching.Load(); w != nil {
			w.stop(Output)
		}
	}
	stdout, stderr := newCapture(g.spec.Limits.Output, over), newCapture(g.spec.Limits.Output, over)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = killTime // should a stray process hold the pipes

	ended := make(chan struct{})
	started := make(chan error, 1)
	go func() { // the parent-death signal follows the thread
		runtime.LockOSThread()
		err := cmd.Start()
		pipes.closeTheirs()
		started <- err
		if err == nil {
			_ = cmd.Wait() // the status is in ProcessState; a capture never fails
		}
		close(ended)
	}()
	if err := <-started; err != nil {
		return Result{}, err
	}
	kill := func() {
		_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) // gone is as good
		g.killStrays()
	}
	pid := pipes.await(ctx, kill)
	w := newWatch(pid, g.group.mark(), g.spec, func() {}, kill)
	defer w.close()
	w.counters = g.group.counters(w.counters)
	for _, d := range append(g.disk, g.spec.Out, g.spec.Cache, filepath.Join(g.dir, "status")) {
		w.disk = append(w.disk, newUsage(d))
	}
	if g.strays != nil {
		w.noNamespace(g.strays)
		go g.sweepAfter(w.pidfd, ended)
	}
	watching.Store(w)
	finished := w.watch(ctx)
	stopProxy, proxyErr := g.spec.Proxy.open(ctx, pid)
	if proxyErr != nil {
		w.stop(Cancelled)
	}
	defer stopProxy()
	begin := time.Now()
	pipes.open()
	<-ended
	took := time.Since(begin)
	w.lookAtEnd()
	finished()
	if ctx.Err() != nil {
		w.stop(Cancelled) // it may have come before the run was watched
	}
	if proxyErr != nil && pid != 0 {
		return cancelled(ctx, begin, proxyErr)
	}
	return g.result(cmd, w, stdout, stderr, took)
}

func (g *gatedRun) result(cmd *exec.Cmd, w *watch, stdout, stderr *capture, took time.Duration) (Result, error) {
	res := Result{ExitCode: cmd.ProcessState.ExitCode(), Duration: took, Runtime: g.rung, Copied: g.how}
	var cutOut, cutErr bool
	res.Stdout, cutOut = stdout.bytes()
	res.Stderr, cutErr = stderr.bytes()
	res.Cut = cutOut || cutErr
	if w.pid == 0 && w.reason() == "" { // it ended before it made a process
		return Result{}, fmt.Errorf("%s did not start: %s", g.name, strings.TrimSpace(string(res.Stderr)))
	}
	if res.Reason = w.verdict(res.ExitCode, false); res.Reason != "" {
		res.ExitCode = -1
		return res, nil
	}
	return res, checkStatus(g.dir, res.ExitCode)
}

// sweepAfter kills what the run left once its first process has ended, so that nothing holds its output open.
func (g *gatedRun) sweepAfter(pidfd int, ended <-chan struct{}) {
	for pidfd >= 0 {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, 50)
		if n > 0 || err != nil && err != unix.EINTR {
			break
		}
		select {
		case <-ended:
			return
		default:
		}
	}
	g.killStrays()
}

// killStrays kills what belongs to the run until nothing does.
func (g *gatedRun) killStrays() {
	if g.strays == nil {
		return
	}
	for range 1000 { // five seconds, on a busy machine
		pids := g.strays()
		if len(pids) == 0 {
			return
		}
		for _, p := range pids {
			_ = unix.Kill(p, unix.SIGKILL) // gone is as good
		}
		time.Sleep(5 * time.Millisecond)
	}
}
