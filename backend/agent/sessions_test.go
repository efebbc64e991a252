package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

// The sessions that the frontend's reducer is tested with: real runs, with what differs from run to run and from machine
// to machine replaced. `go test ./backend/agent -run RecordedSessions -update` makes them again.
var recordings = []struct {
	name    string
	outcome session.Outcome
	applied bool
	play    func(t *testing.T) (*fixture, *Run)
}{
	{"proven", session.Proven, true, func(t *testing.T) (*fixture, *Run) {
		f := staged(t, sample(t, "invoice"), "proven")
		r := start(t, f, recorded(t, "invoice"), Task{Text: taskOf(t, "invoice").Task})
		work(t, r, session.Review)
		approve(t, r)
		return f, r
	}},
	{"asked", session.Proven, true, asked},
	{"program", session.Proven, true, written},
	{"tests", session.NotProven, true, tested},
	{"refactor", session.NotProven, true, reshaped},
	{"explain", session.Answered, false, explained},
	{"not_proven", session.NotProven, false, func(t *testing.T) (*fixture, *Run) {
		f := staged(t, folder(t, calc()), "not_proven")
		m := script(t, `{"text":"I think that I am done."}`, say("bash", args{"command": "ls"}), comment, done, done, done)
		inner, calls := m.Provider, 0
		m.Provider = retrying{inner, &calls}
		r := start(t, f, m, Task{Text: "adding two numbers gives the wrong sum"})
		work(t, r, session.Review)
		if err := r.Reject(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		return f, r
	}},
	{"limit", session.Limit, false, func(t *testing.T) (*fixture, *Run) {
		f := staged(t, folder(t, calc()), "limit")
		r := start(t, f, script(t, readIt, fix, readIt), Task{Text: "adding two numbers gives the wrong sum", Limits: session.Limits{Steps: 2}})
		work(t, r, session.Limit)
		return f, r
	}},
	{"outage", session.Proven, true, func(t *testing.T) (*fixture, *Run) {
		f := staged(t, folder(t, calc()), "outage")
		r := start(t, f, script(t, readIt, `{"error":{"code":"unavailable","message":"the server is overloaded (529)"}}`), Task{Text: "adding two numbers gives the wrong sum"})
		work(t, r, session.Error)
		other := script(t, readIt, fix, done) // a script answers by the number of replies so far
		other.Name, other.Label = "another", "another recorded model"
		if err := r.ChooseModel(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		work(t, r, session.Review)
		approve(t, r)
		return f, r
	}},
	{"forked", session.Proven, true, func(t *testing.T) (*fixture, *Run) {
		f := staged(t, folder(t, calc()), "parent", "forked")
		r := start(t, f, script(t, readIt, comment, done, done, done), Task{Text: "adding two numbers gives the wrong sum"})
		work(t, r, session.Review)
		events, err := f.o.Store.Events(t.Context(), r.ID(), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		steps := session.Steps(events)
		l, err := f.o.Store.Fork(t.Context(), r.ID(), steps[1].Seq-1) // before the second step
		if err != nil {
			t.Fatal(err)
		}
		o := f.o
		o.Model = script(t, readIt, fix, done)
		fork, err := Open(t.Context(), o, l.ID())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = fork.Close() })
		if err := fork.Say(t.Context(), "change the sum, not the comment"); err != nil {
			t.Fatal(err)
		}
		work(t, fork, session.Review)
		approve(t, fork)
		return f, fork
	}},
	{"undone", session.Proven, false, func(t *testing.T) (*fixture, *Run) {
		f := staged(t, folder(t, calc()), "undone")
		r := start(t, f, script(t, fix, done, comment, say("run_tests", args{}), done), Task{Text: "adding two numbers gives the wrong sum"})
		work(t, r, session.Review)
		if err := r.Reject(t.Context(), "say in a comment what double does"); err != nil {
			t.Fatal(err)
		}
		if err := r.Say(t.Context(), "and be brief"); err != nil {
			t.Fatal(err)
		}
		work(t, r, session.Review)
		path := filepath.Join(f.root, "calc.py")
		was, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, bytes.ReplaceAll(was, []byte("return a - b"), []byte("return a - b  # mine")), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Approve(t.Context(), r.log.State().PatchHash, "person"); err == nil {
			t.Fatal("approved over a person's edit")
		}
		if err := os.WriteFile(path, was, 0o644); err != nil {
			t.Fatal(err)
		}
		approve(t, r)
		if _, err := Undo(t.Context(), f.o, r.ID()); err != nil {
			t.Fatal(err)
		}
		return f, r
	}},
}

// asked is a feature with its criteria, a question, and so much reading that room must be made.
func asked(t *testing.T) (*fixture, *Run) {
	files := calc()
	files["notes/long.txt"] = long(400)
	f := staged(t, folder(t, files), "asked")
	m := script(t, say("write_criteria", args{"criteria": []string{"triple(4) is 12", "double stays as it is"}}),
		say("ask_person", args{"question": "Should triple take text as well?"}),
		lines("notes/long.txt", 1), lines("notes/long.txt", 201), say("read_file", args{"path": "calc.py"}), say("read_file", args{"path": "test_calc.py"}),
		say("apply_patch", args{"path": "test_calc.py", "old": "    def test_double(self):", "new": "    def test_c1_triple(self):\n        self.assertEqual(calc.triple(4), 12)\n\n    def test_double(self):"}),
		say("apply_patch", args{"path": "calc.py", "old": "def double(a):", "new": "def triple(a):\n    return 3 * a\n\n\ndef double(a):"}), done)
	m.Window = 12_000
	r := start(t, f, m, Task{Text: "Add a function triple"})
	work(t, r, session.Waiting)
	if err := r.EditCriteria(t.Context(), []string{"triple(4) is 12", "triple of text is refused by nothing new"}); err != nil {
		t.Fatal(err)
	}
	if err := r.Say(t.Context(), "no, numbers only"); err != nil {
		t.Fatal(err)
	}
	work(t, r, session.Review)
	if n := len(all[session.Compacted](t, r)); n != 1 {
		t.Errorf("%d compactions", n)
	}
	review := last[session.ReviewAsked](t, r)
	if len(review.Criteria) != 2 || len(review.Criteria[0].Tests) != 1 || len(review.Criteria[1].Tests) != 0 {
		t.Errorf("criteria of the review: %+v", review.Criteria)
	}
	approve(t, r)
	return f, r
}

func approve(t *testing.T, r *Run) {
	t.Helper()
	if _, err := r.Approve(t.Context(), r.log.State().PatchHash, "person"); err != nil {
		t.Fatal(err)
	}
}

// retrying fails the first attempt of the first call, as an overloaded server does.
type retrying struct {
	model.Provider
	calls *int
}

func (p retrying) Chat(ctx context.Context, name string, req model.Request, onDelta func(model.Delta)) (model.Reply, error) {
	if *p.calls++; *p.calls == 1 {
		onDelta(model.Delta{Retry: &model.Retry{Attempt: 1, Wait: 2 * time.Second,
			Err: &model.Error{Code: model.Unavailable, Provider: "script", Message: "the server is overloaded (529)"}}})
	}
	return p.Provider.Chat(ctx, name, req, onDelta)
}

// staged gives a fixture a store with a clock of its own and fixed ids, one a session.
func staged(t *testing.T, f *fixture, names ...string) *fixture {
	t.Helper()
	f.cmd = nil
	var mu sync.Mutex
	at := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	now := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(250 * time.Millisecond)
		return at
	}
	store, err := session.Open(filepath.Join(f.state, "staged.db"), session.Options{Now: now, NewID: func() string {
		name := names[0]
		names = names[min(1, len(names)-1):]
		return "20250301-120000-" + name
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	f.o.Store, f.o.Now = store, now
	return f
}

// What differs from run to run.
var unstable = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`"(ms|baseline_ms|patched_ms)":\d+`), `"$1":40`},
	{regexp.MustCompile(`"(log|body|full)":"[0-9a-f]{64}"`), `"$1":"` + strings.Repeat("0", 64) + `"`},
	{regexp.MustCompile(`"id":"[^"]*","time":"[^"]*","patch"`), `"id":"receipt","time":"2025-03-01T12:05:00Z","patch"`},
}

func steady(f *fixture, text []byte) []byte {
	scripts, err := filepath.Abs(repos)
	if err != nil {
		panic(err) // the working folder is gone
	}
	text = bytes.ReplaceAll(text, []byte(f.root), []byte("/home/ada/"+filepath.Base(f.root)))
	text = bytes.ReplaceAll(text, []byte(scripts+"/"), nil)
	for _, u := range unstable {
		text = u.pattern.ReplaceAll(text, []byte(u.with))
	}
	return text
}

func TestRecordedSessions(t *testing.T) {
	covered := map[session.Kind]bool{}
	for _, rec := range recordings {
		path := filepath.Join("../../testdata/sessions", rec.name+".jsonl")
		if *update {
			t.Run("record "+rec.name, func(t *testing.T) {
				needSandbox(t)
				f, r := rec.play(t)
				var b bytes.Buffer
				if err := f.o.Store.Export(t.Context(), r.ID(), &b); err != nil {
					t.Fatal(err)
				}
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, steady(f, b.Bytes()), 0o644); err != nil {
					t.Fatal(err)
				}
			})
		}
		events := load(t, path)
		var st session.State
		for _, e := range events {
			covered[e.Kind] = true
			var err error
			if st, err = session.Fold(st, e); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
		}
		if st.Outcome != rec.outcome || st.Applied != rec.applied || st.ID != "20250301-120000-"+rec.name || st.Patch.Empty() != (rec.outcome == session.Answered) {
			t.Errorf("%s folds to %s, applied %v, %s", path, st.Outcome, st.Applied, st.ID)
		}
		sameFold(t, strings.TrimSuffix(path, ".jsonl")+".state.json", st)
		if !st.Patch.Empty() && st.Patch.Hash() != st.PatchHash {
			t.Errorf("%s: the patch is not the one of its hash", path)
		}
		if _, err := Conversation(events); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for kind := range session.Kinds() {
		if !covered[kind] {
			t.Errorf("no recorded session has a %s", kind)
		}
	}
}

// A run of today tells the same story as the recorded ones: the same events in the same order. Played again from its own
// record, without the model, it comes to the same state, patch and certificate.
func TestRecordedSessionsAreOfToday(t *testing.T) {
	needSandbox(t)
	for _, rec := range recordings {
		if rec.name == "proven" {
			continue // the test of the samples makes this run
		}
		t.Run(rec.name, func(t *testing.T) {
			t.Parallel()
			f, r := rec.play(t)
			sameStory(t, r, rec.name)
			replayed(t, f, r)
		})
	}
}

// sameFold holds the state that a recorded session folds to against the one kept beside it, which the page's reducer is held
// against too.
func sameFold(t *testing.T, path string, st session.State) {
	t.Helper()
	got, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the session folds to today (%v); write it with -update and look at the change", path, err)
	}
}

// sameStory holds a run's kinds of events against a recorded session.
func sameStory(t *testing.T, r *Run, name string) {
	t.Helper()
	got, err := r.o.Store.Events(t.Context(), r.ID(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := load(t, filepath.Join("../../testdata/sessions", name+".jsonl"))
	if kinds(got) != kinds(want) {
		t.Errorf("events now:\n%s\nrecorded as %s (make it again with -update):\n%s", kinds(got), name, kinds(want))
	}
}

func kinds(events []session.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintln(&b, e.Kind)
	}
	return b.String()
}

func load(t *testing.T, path string) []session.Event {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []session.Event
	for line := range bytes.Lines(data) {
		var e session.Event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, e)
	}
	return out
}
