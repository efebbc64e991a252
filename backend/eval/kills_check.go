package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"redgreen/backend/patch"
	"redgreen/backend/proof"
	"redgreen/backend/repo"
	"redgreen/backend/session"
)

// watched is what the parent knows of a session from the lives before.
type watched struct {
	home    string
	acked   []acked
	replies int // that were stored when the last child began
}

// lockWait is how long the lock of a session may outlive its killed owner. A process that the owner was just forking holds
// it too, from the fork until it runs its program: on a busy machine some milliseconds.
const lockWait = 5 * time.Second

// freed reports whether a session counts as interrupted, at the latest lockWait after the kill where it is expected to.
func freed(h *KillHouse, st session.State, expected bool) bool {
	for end := time.Now().Add(lockWait); ; time.Sleep(20 * time.Millisecond) {
		if is := h.Interrupted(st); is || !expected || time.Now().After(end) {
			return is
		}
	}
}

// look checks what a killed child left.
func (k *killer) look(ctx context.Context, w *watched, kind string, l life, where string) error {
	missed := map[string]bool{}
	miss := func(check, format string, args ...any) {
		missed[check] = true
		k.miss("%s: %s: %s", check, where, fmt.Sprintf(format, args...))
	}
	w.acked = append(w.acked, l.acked...)
	journal := interruptedWrite(w.home)
	h, err := k.o.Open(w.home, killFolder(w.home), KillHooks{})
	if err != nil {
		miss("opens", "%v", err)
		k.count(kind, missed)
		return nil
	}
	states, err := h.Agent.Store.List(ctx, "", 0)
	if err != nil {
		miss("opens", "%v", err)
	}
	var events []session.Event
	var st session.State
	if len(states) > 0 {
		st = states[0]
		if events, err = h.Agent.Store.Events(ctx, st.ID, 0, 0); err != nil {
			miss("opens", "%v", err)
		}
		if err := h.Agent.Store.Verify(ctx, st.ID); err != nil {
			miss("chain", "%v", err)
		}
		k.checkFold(events, st, miss)
	}
	for _, a := range w.acked {
		if int(a.Seq) > len(events) || events[a.Seq-1].Kind != a.Kind {
			miss("stored", "event %d (%s) was acknowledged and is not there", a.Seq, a.Kind)
		}
	}
	for _, n := range l.asked {
		if n <= w.replies {
			miss("no call twice", "reply %d was known, and the model was asked for it again", n)
		}
	}
	w.replies = replies(events)
	if said := h.Agent.Repo.Recovered(); journal != (said != "") {
		miss("told", "a write was interrupted: %v; said: %q", journal, said)
	}
	if running := st.ID != "" && st.Outcome == session.Running; running != (st.ID != "" && freed(h, st, running)) {
		miss("told", "the session is %s, and interrupted is %v", st.Outcome, !running)
	}
	k.checkFolder(w.home, events, h.Agent.Repo, miss)
	if err := h.Sweep(); err != nil {
		miss("nothing left", "sweeping: %v", err)
	}
	if err := h.Close(); err != nil {
		miss("opens", "closing: %v", err)
	}
	for _, left := range k.swept(h, w.home) {
		miss("nothing left", "%s", left)
	}
	k.count(kind, missed)
	return nil
}

// swept lists what is left after the sweep of a start, at the latest one that comes lockWait after the kill: until then a process that
// the owner was just forking may live and keep the owner's lock.
func (k *killer) swept(h *KillHouse, home string) []string {
	left := leftovers(h, home)
	for end := time.Now().Add(lockWait); len(left) > 0 && time.Now().Before(end); left = leftovers(h, home) {
		time.Sleep(20 * time.Millisecond)
		again, err := k.o.Open(home, killFolder(home), KillHooks{})
		if err == nil {
			err = errors.Join(again.Sweep(), again.Close())
		}
		if err != nil {
			return append(left, err.Error())
		}
	}
	return left
}

// checkFold folds the whole record and holds it against the state that the store gives.
func (k *killer) checkFold(events []session.Event, st session.State, miss func(check, format string, args ...any)) {
	var folded session.State
	for _, e := range events {
		var err error
		if folded, err = session.Fold(folded, e); err != nil {
			miss("opens", "%v", err)
			return
		}
	}
	a, _ := json.Marshal(folded) // states are plain data
	folded.Name, folded.Pinned, folded.Source, folded.Parent = st.Name, st.Pinned, st.Source, st.Parent
	b, _ := json.Marshal(st)
	if !bytes.Equal(a, b) {
		miss("opens", "the state is not the fold of the events:\n%s\n%s", a, b)
	}
}

// checkFolder wants the folder wholly before or wholly after the patch, as the record says, and written once at most.
func (k *killer) checkFolder(home string, events []session.Event, r *repo.Repo, miss func(check, format string, args ...any)) {
	tree, err := killTree(killFolder(home))
	if err != nil {
		miss("folder", "%v", err)
		return
	}
	before, after := maps.Equal(tree, k.before()), len(k.clean.written) > 0 && maps.Equal(tree, k.clean.written)
	if !before && !after {
		miss("folder", "neither before nor after the patch: %s", unlike(k.before(), tree))
	}
	approved, applied, undone := 0, 0, 0
	keys := map[string]bool{}
	for _, e := range events {
		switch e.Kind {
		case session.KindReviewAnswered:
			approved++
			continue
		case session.KindPatchApplied:
			applied++
		case session.KindPatchUndone:
			undone++
		default:
			continue
		}
		var d session.PatchApplied
		_ = json.Unmarshal(e.Data, &d) // what is no event has no key
		if _, done := r.Written(d.Key); !done || keys[d.Key] {
			miss("folder", "event %d records the act %q, which was done: %v, and was recorded before: %v", e.Seq, d.Key, done, keys[d.Key])
		}
		keys[d.Key] = true
	}
	receipts, err := r.Receipts()
	if err != nil || len(receipts) > 2 || applied > 1 || undone > 1 {
		miss("folder", "%d writes (recorded: %d applied, %d undone): %v", len(receipts), applied, undone, err)
	}
	switch {
	case approved == 0 && !before:
		miss("folder", "written before it was approved")
	case undone == 1 && !before, applied == 1 && undone == 0 && len(receipts) == 1 && !after:
		miss("folder", "not as the record says (%d applied, %d undone)", applied, undone)
	}
}

func (k *killer) before() map[string]string {
	out := map[string]string{}
	for name, text := range killFiles {
		out[name] = "-rw-r--r-- " + text
	}
	return out
}

// killTree is a folder's files with their modes.
func killTree(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path) // below it
		out[filepath.ToSlash(rel)] = info.Mode().String() + " " + string(text)
		return err
	})
	return out, err
}

// unlike names the files in which two trees differ.
func unlike(a, b map[string]string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if b[name] != a[name] {
			out = append(out, fmt.Sprintf("%s is %q", name, b[name]))
		}
	}
	for name := range a {
		if _, ok := b[name]; !ok {
			out = append(out, name+" is gone")
		}
	}
	return strings.Join(out, ", ")
}

func replies(events []session.Event) int {
	n := 0
	for _, e := range events {
		if e.Kind == session.KindModelReplied {
			n++
		}
	}
	return n
}

// interruptedWrite reports the journal of a write below a home, before a house is opened there.
func interruptedWrite(home string) bool {
	found := false
	_ = filepath.WalkDir(home, func(_ string, d fs.DirEntry, err error) error { // what cannot be read is no journal
		found = found || err == nil && !d.IsDir() && (d.Name() == "journal" || d.Name() == "committed")
		return nil
	})
	return found
}

// leftovers lists what a dead process left in spite of the sweep: files of a home, mounts, processes.
func leftovers(h *KillHouse, home string) []string {
	var out []string
	for _, dir := range h.Leftovers {
		entries, _ := os.ReadDir(dir) // none is fine
		for _, e := range entries {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	temps, _ := filepath.Glob(filepath.Join(killFolder(home), "*redgreen*"))
	hidden, _ := filepath.Glob(filepath.Join(killFolder(home), ".redgreen*"))
	out = append(append(out, temps...), hidden...)
	if mounts, err := os.ReadFile("/proc/self/mountinfo"); err == nil && bytes.Contains(mounts, []byte(home+"/")) {
		out = append(out, "a mount below "+home)
	}
	procs, _ := os.ReadDir("/proc")
	for _, p := range procs {
		pid, err := strconv.Atoi(p.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		args, _ := os.ReadFile(filepath.Join("/proc", p.Name(), "cmdline"))
		if bytes.Contains(args, []byte(home+"/")) {
			out = append(out, fmt.Sprintf("process %d: %q", pid, bytes.ReplaceAll(args, []byte{0}, []byte(" "))))
		}
	}
	return out
}

// end is what a session came to.
type end struct {
	outcome session.Outcome
	patch   string
	cert    string // its hash
	said    string // the certificate
	replies int
	steps   int
	tree    map[string]string
	written map[string]string // the folder with the patch
}

// endOf reads the end of a home's session.
func (k *killer) endOf(ctx context.Context, home string) (e end, err error) {
	h, err := k.o.Open(home, killFolder(home), KillHooks{})
	if err != nil {
		return e, err
	}
	closed := false
	defer func() {
		if !closed {
			err = errors.Join(err, h.Close())
		}
	}()
	states, err := h.Agent.Store.List(ctx, "", 0)
	if err != nil || len(states) != 1 {
		return e, fmt.Errorf("%d sessions: %w", len(states), err)
	}
	st := states[0]
	events, err := h.Agent.Store.Events(ctx, st.ID, 0, 0)
	if err != nil {
		return e, err
	}
	e = end{outcome: st.Outcome, patch: st.PatchHash, replies: replies(events), steps: st.Steps, cert: proof.Hash(st.Certificate), said: string(st.Certificate), written: k.before()}
	for _, f := range st.Patch.Files { // what the folder held between the write and the undo
		var before *patch.Content
		if text, ok := killFiles[f.Path]; ok {
			before = &patch.Content{Data: []byte(text), Mode: 0o644}
		}
		after, err := patch.Apply(f, before)
		if err != nil {
			return e, err
		}
		e.written[f.Path] = "-rw-r--r-- " + string(after.Data)
	}
	if e.tree, err = killTree(killFolder(home)); err != nil {
		return e, err
	}
	closed = true
	if err := h.Close(); err != nil {
		return e, err
	}
	if left := leftovers(h, home); len(left) > 0 {
		return e, fmt.Errorf("left at the end: %s", strings.Join(left, ", "))
	}
	return e, nil
}

// differs says how another session's end is not this one.
func (e end) differs(other end) string {
	switch {
	case e.outcome != other.outcome:
		return fmt.Sprintf("as %s, not %s", other.outcome, e.outcome)
	case e.patch != other.patch:
		return "with another patch"
	case e.cert != other.cert:
		return "with another certificate: " + other.said + " instead of " + e.said
	case e.replies != other.replies:
		return fmt.Sprintf("after %d replies of the model, not %d", other.replies, e.replies)
	case e.steps != other.steps:
		return fmt.Sprintf("after %d steps, not %d", other.steps, e.steps)
	}
	return unlike(e.tree, other.tree)
}
