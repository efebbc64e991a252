package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"redgreen/backend/agent"
	"redgreen/backend/session"
)

// The kill test: a child process works on a session (the whole job: baseline, edits, proof, approval, undo) and is killed
// with SIGKILL, by itself at a chosen instruction or by its parent at a random moment. Another child goes on, is killed
// in turn, and so on until the session is through. After each death the parent looks at what is on disk. It is the
// shipped house that runs in the child, with two hooks: the clock of the store, which is asked as each event begins, and
// the steps of a write to the folder.

// The kinds of kill.
const (
	KillBoundary = "at an event boundary"
	KillRandom   = "at a random moment"
	KillMidWrite = "while an event is written"
	KillApply    = "between the steps of a write to the folder"
	KillUndo     = "between the steps of an undo"
)

// KillJob is what one child does: it goes on with the session of a home until the job is done or it is killed.
type KillJob struct {
	Home   string `json:"home"`
	Kind   string `json:"kind,omitempty"` // "" it is not killed, or by its parent
	N      int    `json:"n,omitempty"`    // it dies at the n-th event or step of its life, from 1
	Micros int    `json:"micros,omitempty"`
}

// KillHooks is what a house is opened with for the kill test.
type KillHooks struct {
	Now  func() time.Time              // the clock of the store; nil the system's
	Step func(step, path string) error // before each step of a write to the folder; nil none
}

// KillHouse is the house that works on the session of a home.
type KillHouse struct {
	Agent       agent.Options // without a model
	Own         func(id string) (release func(), err error)
	Interrupted func(st session.State) bool // no process works on a session that says it runs
	Sweep       func() error                // removes what dead processes left
	Leftovers   []string                    // folders in which only lasting files may be left after Sweep
	Close       func() error
}

// KillOptions configure Kills. Open opens the house of a home on its folder, Child makes the command of a child.
type KillOptions struct {
	Kills int
	Dir   string // absolute; for everything that is written
	Seed  uint64 // of the random moments
	Open  func(home, folder string, h KillHooks) (*KillHouse, error)
	Child func(ctx context.Context, job KillJob) (*exec.Cmd, error)
	Told  func(KillRow) // after each session; may be nil
}

// KillRow counts, for one kind of kill, how often each check held after a kill.
type KillRow struct {
	Kind   string         `json:"kind"`
	Kills  int            `json:"kills"`
	Passed map[string]int `json:"passed"`
}

// KillReport is what a kill test gives.
type KillReport struct {
	Kills    int       `json:"kills"`
	Sessions int       `json:"sessions"` // worked on until they were through
	Rows     []KillRow `json:"rows"`
	Misses   []string  `json:"misses"`
	Millis   int64     `json:"ms"`
}

// OK says that every check held after every kill.
func (r KillReport) OK() bool { return r.Kills > 0 && r.Sessions > 0 && len(r.Misses) == 0 }

// KillChecks are the checks after each kill, in the order of the table.
func KillChecks() []string {
	return []string{"stored", "chain", "opens", "told", "no call twice", "folder", "nothing left", "same end"}
}

// killer is a kill test under way.
type killer struct {
	o     KillOptions
	rnd   *rand.Rand
	rows  map[string]*KillRow
	out   KillReport
	clean end           // of a session that nobody killed
	took  time.Duration // of that session
}

// Kills runs sessions until so many kills were survived, or not. An error means that the test could not be made at all.
func Kills(ctx context.Context, o KillOptions) (KillReport, error) {
	k := &killer{o: o, rnd: rand.New(rand.NewPCG(o.Seed, 8)), rows: map[string]*KillRow{}}
	begun := time.Now()
	if err := k.reference(ctx); err != nil {
		return k.out, fmt.Errorf("running the session that nobody kills: %w", err)
	}
	for i := 0; k.out.Kills < o.Kills; i++ {
		if err := k.session(ctx, i); err != nil {
			return k.out, err
		}
	}
	for _, kind := range []string{KillBoundary, KillRandom, KillMidWrite, KillApply, KillUndo} {
		if row := k.rows[kind]; row != nil {
			k.out.Rows = append(k.out.Rows, *row)
		}
	}
	k.out.Millis = time.Since(begun).Milliseconds()
	return k.out, nil
}

// reference runs one session without a kill: what all the others must come to.
func (k *killer) reference(ctx context.Context) error {
	home, err := k.home("clean")
	if err != nil {
		return err
	}
	begun := time.Now()
	l, err := k.live(ctx, KillJob{Home: home}, 0)
	if err != nil {
		return err
	}
	if l.killed || l.failed != "" {
		return fmt.Errorf("it failed: %s", l.failed)
	}
	k.took = time.Since(begun)
	k.clean, err = k.endOf(ctx, home)
	return errors.Join(err, os.RemoveAll(home))
}

func (k *killer) home(name string) (string, error) {
	home := filepath.Join(k.o.Dir, name)
	if err := os.Mkdir(home, 0o711); err != nil {
		return "", err
	}
	return home, layKillFolder(killFolder(home))
}

// session works on one session, killed again and again by one plan, until it is through.
func (k *killer) session(ctx context.Context, i int) error {
	home, err := k.home(fmt.Sprintf("s%d", i))
	if err != nil {
		return err
	}
	plan := k.plan(i)
	w := &watched{home: home}
	var kinds []string
	for n := 0; ; n++ {
		job, after := plan(n)
		if k.out.Kills >= k.o.Kills || n >= 60 {
			job, after = KillJob{}, 0
		}
		kind := job.Kind
		if after > 0 {
			kind = KillRandom
		}
		job.Home = home
		l, err := k.live(ctx, job, after)
		if err != nil {
			return err
		}
		if !l.killed {
			if l.failed != "" {
				k.miss("the session does not go on (session %d, life %d, after a kill %s): %s", i, n, lastOf(kinds), l.failed)
			}
			break
		}
		kinds = append(kinds, kind)
		if err := k.look(ctx, w, kind, l, fmt.Sprintf("session %d, life %d, %s, n %d", i, n, kind, job.N)); err != nil {
			return err
		}
	}
	if err := k.compare(ctx, home, kinds, i); err != nil {
		return err
	}
	k.out.Sessions++
	if k.o.Told != nil && len(kinds) > 0 {
		k.o.Told(*k.rows[lastOf(kinds)])
	}
	return os.RemoveAll(home)
}

func lastOf(kinds []string) string {
	if len(kinds) == 0 {
		return ""
	}
	return kinds[len(kinds)-1]
}

// plan says how the n-th life of a session ends: at a chosen instruction, or after some time. The lives of a plan reach
// further each time, so that a session gets through.
func (k *killer) plan(i int) func(n int) (KillJob, time.Duration) {
	round := i / 5
	switch i % 5 {
	case 0: // event boundaries: a fresh session at its n-th event, then lives that come a little further than their own baseline
		return func(n int) (KillJob, time.Duration) {
			if n == 0 {
				return KillJob{Kind: KillBoundary, N: round + 1}, 0
			}
			return KillJob{Kind: KillBoundary, N: n + 3}, 0
		}
	case 1:
		return func(n int) (KillJob, time.Duration) {
			if n >= 14 {
				return KillJob{}, 0
			}
			return KillJob{}, time.Duration(1 + k.rnd.Int64N(int64(k.took)/3))
		}
	case 2:
		return func(n int) (KillJob, time.Duration) {
			if n >= 20 {
				return KillJob{}, 0
			}
			return KillJob{Kind: KillMidWrite, N: 1 + k.rnd.IntN(8+n), Micros: k.rnd.IntN(1 << (3 + k.rnd.IntN(10)))}, 0 // mostly early, up to 4 ms
		}
	case 3: // the write: at each of its steps in turn
		return func(n int) (KillJob, time.Duration) { return KillJob{Kind: KillApply, N: n + 1}, 0 }
	}
	return func(n int) (KillJob, time.Duration) { return KillJob{Kind: KillUndo, N: n + 1}, 0 }
}

// life is how a child ended.
type life struct {
	killed bool
	failed string  // what it said when it failed
	acked  []acked // the events that it was told are stored
	asked  []int   // the model calls that it made, by their number in the session
}

type acked struct {
	Seq  int64        `json:"seq"`
	Kind session.Kind `json:"kind"`
}

// killLine is a line of a child's output.
type killLine struct {
	Ack *acked `json:"ack,omitempty"`
	Ask int    `json:"ask,omitempty"`
}

// live runs one child; after > 0 kills it then.
func (k *killer) live(ctx context.Context, job KillJob, after time.Duration) (life, error) {
	var l life
	cmd, err := k.o.Child(ctx, job)
	if err != nil {
		return l, err
	}
	out, err := os.CreateTemp(k.o.Dir, "out-") // a file, not a pipe: what the child wrote is there whatever becomes of it
	if err != nil {
		return l, err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, &stderr, 2*time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL}
	if err := cmd.Start(); err != nil {
		return l, fmt.Errorf("starting a child: %w", err)
	}
	limit := 5 * time.Minute
	if after > 0 {
		limit = after
	}
	timer := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	onTime := timer.Stop()
	if ctx.Err() != nil {
		return l, ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == unix.SIGKILL {
		l.killed = true
		if !onTime && after == 0 {
			return l, fmt.Errorf("a child hung for %s: %s", limit, stderr.String())
		}
	} else if err != nil {
		l.failed = err.Error() + ": " + stderr.String()
	}
	return l, k.read(out.Name(), &l)
}

// read reads a child's output; a last line without its end was not said.
func (k *killer) read(name string, l *life) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		var s killLine
		if err := json.Unmarshal(line, &s); err != nil {
			return fmt.Errorf("reading what a child said: %w: %q", err, line)
		}
		if s.Ack != nil {
			l.acked = append(l.acked, *s.Ack)
		}
		if s.Ask > 0 {
			l.asked = append(l.asked, s.Ask)
		}
	}
	return nil
}

func (k *killer) miss(format string, args ...any) {
	k.out.Misses = append(k.out.Misses, fmt.Sprintf(format, args...))
}

// count adds a kill of a kind with the checks that held.
func (k *killer) count(kind string, missed map[string]bool) {
	row := k.rows[kind]
	if row == nil {
		row = &KillRow{Kind: kind, Passed: map[string]int{}}
		k.rows[kind] = row
	}
	row.Kills++
	k.out.Kills++
	for _, c := range KillChecks() {
		if c != "same end" && !missed[c] {
			row.Passed[c]++
		}
	}
}

// compare holds a session that is through against the one that nobody killed.
func (k *killer) compare(ctx context.Context, home string, kinds []string, i int) error {
	got, err := k.endOf(ctx, home)
	if err != nil {
		k.miss("session %d cannot be read at its end: %v", i, err)
		return nil
	}
	if d := k.clean.differs(got); d != "" {
		k.miss("session %d, killed %d times, ends otherwise: %s", i, len(kinds), d)
		return nil
	}
	for _, kind := range slices.Compact(slices.Sorted(slices.Values(kinds))) {
		n := 0
		for _, one := range kinds {
			if one == kind {
				n++
			}
		}
		k.rows[kind].Passed["same end"] += n
	}
	return nil
}
