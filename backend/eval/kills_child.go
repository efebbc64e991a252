package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"redgreen/backend/agent"
	"redgreen/backend/model"
	"redgreen/backend/session"
)

// killFolder is the folder that the session of a home works on.
func killFolder(home string) string { return filepath.Join(home, "folder") }

// The task of the kill test: a bug in one file, whose fix changes that file, another one, and makes a third in a folder
// of its own, so that a write has something to be torn between.
//
// The tests are a shell's, since the time of the whole is mostly that of its test runs.
var killFiles = map[string]string{
	"add.sh": "add() {\n\techo $(($1 - $2))\n}\n\ndouble() {\n\techo $((2 * $1))\n}\n",
	"check.sh": ". ./add.sh\necho 1..2\ncheck() {\n\tif [ \"$2\" = \"$3\" ]; then echo \"ok $1\"; else echo \"not ok $1\"; bad=1; fi\n}\n" +
		"check \"1 - add\" \"$(add 2 3)\" 5\ncheck \"2 - double\" \"$(double 4)\" 8\nexit ${bad:-0}\n",
	"NOTES.md": "# Notes\n\nadd is broken.\n",
}

func layKillFolder(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for name, text := range killFiles {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// killReplies is the recorded model: two calls in one reply, a run of the tests, a new file, and the end.
func killReplies() []model.ScriptReply {
	read := call("I read the function.", "read_file", m{"path": "add.sh"})
	fix := call("I add.", "apply_patch", m{"path": "add.sh", "old": "$(($1 - $2))", "new": "$(($1 + $2))"})
	fix.Calls = append(fix.Calls, call("", "read_file", m{"path": "NOTES.md"}).Calls...)
	notes := call("The notes follow.", "apply_patch", m{"path": "NOTES.md", "old": "add is broken.", "new": "add adds."})
	notes.Calls = append(notes.Calls, call("", "apply_patch", m{"path": "doc/add.md", "old": "", "new": "add(a, b) is a + b\n"}).Calls...)
	return []model.ScriptReply{read, fix, notes, call("Do they pass?", "run_tests", m{}), finish()}
}

// asking says which call of the session it is before it makes one.
type asking struct {
	model.Provider
	say func(killLine)
}

func (a asking) Chat(ctx context.Context, name string, req model.Request, onDelta func(model.Delta)) (model.Reply, error) {
	n := 1
	for _, m := range req.Messages {
		if m.Role == model.Assistant {
			n++
		}
	}
	a.say(killLine{Ask: n})
	return a.Provider.Chat(ctx, name, req, onDelta)
}

func die() {
	_ = unix.Kill(os.Getpid(), unix.SIGKILL)
	select {}
}

// KillChild is one life of the kill test: it goes on with the session of the job's home, from wherever it is, until it was
// proven, written and taken back, and says on out what it is told.
func KillChild(ctx context.Context, job KillJob, open func(home, folder string, h KillHooks) (*KillHouse, error), out io.Writer) (err error) {
	say := func(l killLine) {
		raw, _ := json.Marshal(l) // plain data
		_, _ = out.Write(append(raw, '\n'))
	}
	var begun, steps atomic.Int64
	phase := ""
	hooks := KillHooks{
		Now: func() time.Time {
			if n := begun.Add(1); job.Kind == KillMidWrite && int(n) == job.N {
				go func() {
					for until := time.Now().Add(time.Duration(job.Micros) * time.Microsecond); time.Now().Before(until); { // a sleep is too coarse
					}
					die()
				}()
			}
			return time.Now()
		},
		Step: func(string, string) error {
			if phase != "" && phase == job.Kind && int(steps.Add(1)) == job.N {
				die()
			}
			return nil
		},
	}
	h, err := open(job.Home, killFolder(job.Home), hooks)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	stored := 0
	stop := h.Agent.Store.Subscribe(func(n session.Notice) {
		say(killLine{Ack: &acked{n.Seq, n.Kind}})
		if stored++; job.Kind == KillBoundary && stored == job.N {
			die()
		}
	})
	defer stop()
	h.Agent.Model = scripted(asking{model.NewScript(killReplies()), say})
	h.Agent.Model.Window = 100_000
	r, err := killRun(ctx, h)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	release, err := h.Own(r.ID())
	if err != nil {
		return err
	}
	defer release()
	return throughJob(ctx, h, r, &phase)
}

// killRun opens the one session of the house, or begins it.
func killRun(ctx context.Context, h *KillHouse) (*agent.Run, error) {
	states, err := h.Agent.Store.List(ctx, "", 0)
	if err != nil {
		return nil, err
	}
	if len(states) > 0 {
		return agent.Open(ctx, h.Agent, states[0].ID)
	}
	return agent.New(ctx, h.Agent, agent.Task{Text: "adding two numbers gives the wrong sum", Kind: agent.Fix, TestCmd: []string{"sh", "check.sh"}})
}

// throughJob takes a session from where it is through work, approval and undo.
func throughJob(ctx context.Context, h *KillHouse, r *agent.Run, phase *string) error {
	for {
		st, err := h.Agent.Store.State(ctx, r.ID())
		if err != nil {
			return err
		}
		switch {
		case st.Receipt != nil && !st.Applied:
			return nil
		case st.Applied && st.Outcome == session.Proven:
			*phase = KillUndo
			_, err = agent.Undo(ctx, h.Agent, r.ID())
		case st.Outcome == session.Review && agent.CanApprove(st):
			*phase = KillApply
			_, err = r.Approve(ctx, st.PatchHash, "person")
		case agent.CanResume(st):
			*phase = ""
			_, err = r.Work(ctx)
		default:
			return fmt.Errorf("the session is %s (applied %v) and does not go on", st.Outcome, st.Applied)
		}
		if err != nil {
			return err
		}
	}
}
