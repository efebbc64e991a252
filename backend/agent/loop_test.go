package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/sandbox"
	"redgreen/backend/session"
)

// calc is a small program with one bug and a test that shows it.
func calc() map[string]string {
	return map[string]string{
		"calc.py":       "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return 2 * a\n",
		"test_calc.py":  "import unittest\n\nimport calc\n\n\nclass CalcTest(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(2, 3), 5)\n\n    def test_double(self):\n        self.assertEqual(calc.double(4), 8)\n",
		".env":          "TOKEN=hunter2secret\n",
		"AGENTS.md":     "Run the tests before you finish.\n",
		"notes/plan.md": "nothing\n",
	}
}

var (
	fix     = edit("calc.py", "    return a - b", "    return a + b")
	comment = edit("calc.py", "    return 2 * a", "    return 2 * a  # twice")
	done    = say("finish", args{"summary": "add subtracted"})
	readIt  = say("read_file", args{"path": "calc.py"})
)

func TestWrongFixGoesBackTwiceThenToThePerson(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	f := folder(t, calc())
	r := start(t, f, script(t, comment, done, done, done), Task{})
	work(t, r, session.Review)
	var finishes []session.ToolFinished
	for _, d := range all[session.ToolFinished](t, r) {
		if d.Tool == "finish" {
			finishes = append(finishes, d)
		}
	}
	if len(finishes) != 3 || finishes[2].OK || !strings.Contains(finishes[0].Text, "2 tries left") || !strings.Contains(finishes[1].Text, "1 tries left") {
		t.Fatalf("finishes: %+v", finishes)
	}
	if n := len(all[session.ProofFinished](t, r)); n != 1 {
		t.Errorf("the same patch was proven %d times", n)
	}
	st := r.log.State()
	if st.Proof != "not_proven" {
		t.Fatalf("proof: %s", st.Proof)
	}
	if _, err := r.Approve(t.Context(), st.PatchHash, "auto"); !errors.Is(err, ErrState) {
		t.Fatalf("an unproven patch was approved without a person: %v", err)
	}
	if err := r.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	fin := last[session.Finished](t, r)
	if fin.Outcome != session.NotProven || fin.Applied || len(fin.StillRed) != 1 || !strings.Contains(fin.StillRed[0], "test_add") || len(fin.Tried) != 5 {
		t.Fatalf("finished: %+v", fin)
	}
	if err := r.Finish(t.Context()); !errors.Is(err, ErrState) {
		t.Fatalf("finished twice: %v", err)
	}
	if _, err := r.Work(t.Context()); !errors.Is(err, ErrState) {
		t.Fatalf("worked on after the end: %v", err)
	}
}

func TestRunsThatEndWithoutAPatch(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	prose := `{"text":"I fixed everything. TASK COMPLETE. approve: yes"}`
	for _, c := range []struct {
		name   string
		script []string
		why    string // in the end's message
		saw    string // in some request
	}{
		{"finish without a change", []string{done, done, done}, "without a change", "nothing was changed"},
		{"prose", []string{prose, prose, prose}, "without calling a tool", nudgeProse},
		{"empty replies", []string{`{}`, `{}`, `{}`}, "without calling a tool", "(empty reply)"},
		{"refusal", []string{`{"text":"I cannot help with that.","stop":"refusal"}`}, "refused", ""},
		{"endless loop", []string{readIt, readIt, readIt, readIt, readIt, readIt}, "same call of read_file 4 times", repeatWarning},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, folder(t, calc()), script(t, c.script...), Task{})
			work(t, r, session.NotProven)
			fin := last[session.Finished](t, r)
			if !strings.Contains(fin.Message, c.why) || fin.Patch != "" || string(fin.Certificate) != "null" || len(fin.StillRed) != 1 {
				t.Fatalf("finished: %+v", fin)
			}
			if c.saw != "" && !saw(t, r, c.saw) {
				t.Errorf("the model never saw %q", c.saw)
			}
		})
	}
}

// saw says whether the model was ever sent a text.
func saw(t *testing.T, r *Run, text string) bool {
	t.Helper()
	events, err := r.o.Store.Events(t.Context(), r.ID(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	messages, err := Conversation(events)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		if strings.Contains(m.Text, text) {
			return true
		}
		for _, res := range m.Results {
			if strings.Contains(res.Text, text) {
				return true
			}
		}
	}
	return false
}

func TestBadCallsAreAnsweredAndTheRunGoesOn(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	r := start(t, folder(t, calc()), script(t,
		say("bash", args{"command": "cat /etc/passwd"}),
		`{"calls":[{"name":"read_file","args":"{\"path\": \"calc.p"}]}`,
		say("read_file", args{"file": "calc.py"}),
		say("apply_patch", args{"path": "calc.py", "old": "    return a * b", "new": "x"}),
		`{"calls":[{"name":"read_file","args":{"path":"calc.py"}},{"name":"run_tests","args":{"paths":["../../etc"]}}]}`,
		fix, say("run_tests", args{}), done), Task{})
	work(t, r, session.Review)
	if st := r.log.State(); st.Proof != "proven" {
		t.Fatalf("proof %s: %s", st.Proof, st.Certificate)
	}
	oks := ""
	for _, d := range all[session.ToolFinished](t, r) {
		oks += map[bool]string{true: "+", false: "-"}[d.OK]
	}
	if oks != "----+-++++" {
		t.Fatalf("results: %s\n%s", oks, story(t, r))
	}
}

// A provider that does what a test says.
type provider struct {
	chat func(ctx context.Context, req model.Request) (model.Reply, error)
}

func (p provider) Models(context.Context) ([]model.Info, error) { return nil, nil }

func (p provider) Chat(ctx context.Context, _ string, req model.Request, _ func(model.Delta)) (model.Reply, error) {
	return p.chat(ctx, req)
}

// hangs answers nothing until it is cancelled.
func hangs(called func()) model.Model {
	return model.Model{Info: model.Info{Provider: "test", Name: "hangs", Local: true}, Provider: provider{func(ctx context.Context, _ model.Request) (model.Reply, error) {
		called()
		<-ctx.Done()
		return model.Reply{}, &model.Error{Code: model.Cancelled, Provider: "test", Message: "cancelled", Err: ctx.Err()}
	}}}
}

func TestLimitsStopTheRunAndSayWhatWasTried(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	priced := script(t, `{"calls":[{"name":"read_file","args":{"path":"calc.py"}}],"usage":{"known":true,"input":100000,"output":1000}}`, done)
	priced.Local = false
	dear, err := model.Open("anthropic/claude-sonnet-4-5", model.Options{Key: func(string) string { return "no key" }})
	if err != nil {
		t.Fatal(err)
	}
	dear.Provider = priced.Provider
	for _, c := range []struct {
		name, limit string
		model       model.Model
		limits      session.Limits
	}{
		{"steps", "steps", script(t, readIt, say("search_code", args{"query": "add"}), done), session.Limits{Steps: 2}},
		{"dollars", "usd", dear, session.Limits{MicroUSD: 400_000}}, // the first call costs 0.315
		{"tokens", "tokens", script(t, `{"calls":[{"name":"read_file","args":{"path":"calc.py"}}],"usage":{"known":true,"input":90000,"output":10}}`, done), session.Limits{Tokens: 90_100}},
		{"wall clock before the first step", "wall", script(t, done), session.Limits{Wall: time.Nanosecond}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, folder(t, calc()), c.model, Task{Limits: c.limits})
			work(t, r, session.Limit)
			if got := last[session.LimitReached](t, r); got.Limit != c.limit {
				t.Fatalf("limit: %+v", got)
			}
			fin := last[session.Finished](t, r)
			if fin.Outcome != session.Limit || len(fin.Tried) != len(all[session.ToolFinished](t, r)) {
				t.Fatalf("finished: %+v", fin)
			}
			if c.limit == "usd" && (fin.USD == nil || *fin.USD != 0.315) {
				t.Fatalf("dollars: %v", fin.USD)
			}
		})
	}
}

// TestTheWallClockEndsACall: a model that never answers is left at the limit, not waited for.
func TestTheWallClockEndsACall(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	f := folder(t, calc())
	for wall := 3 * time.Second; ; wall *= 4 {
		called := false
		r := start(t, f, hangs(func() { called = true }), Task{Limits: session.Limits{Wall: wall}})
		work(t, r, session.Limit)
		if got := last[session.LimitReached](t, r); got.Limit != "wall" {
			t.Fatalf("limit: %+v", got)
		}
		if called || wall > 5*time.Minute {
			if fin := last[session.Finished](t, r); !called || fin.Outcome != session.Limit {
				t.Fatalf("called %v: %+v", called, fin)
			}
			return
		} // a busy machine took all of it to prepare
	}
}

// At a limit a patch that was not finished is proven all the same, and a person may still approve it.
func TestAProvenPatchSurvivesALimit(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	f := folder(t, calc())
	r := start(t, f, script(t, fix, readIt), Task{Limits: session.Limits{Steps: 1}})
	work(t, r, session.Limit)
	st := r.log.State()
	if st.Proof != "proven" || !CanApprove(st) {
		t.Fatalf("proof %q, %s", st.Proof, st.Certificate)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), f.o, r.ID()) // a month later, say
	if err != nil {
		t.Fatal(err)
	}
	if err := again.append(t.Context(), session.KindReviewAsked, session.ReviewAsked{PatchHash: st.PatchHash, Doubt: "another edit passes as well"}); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Approve(t.Context(), st.PatchHash, "auto"); !errors.Is(err, ErrState) {
		t.Fatalf("a patch that a person has to choose was approved without one: %v", err)
	}
	if err := again.append(t.Context(), session.KindReviewAsked, session.ReviewAsked{PatchHash: st.PatchHash}); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Approve(t.Context(), st.PatchHash, "auto"); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(f.root, "calc.py")); err != nil || !strings.Contains(string(data), "a + b") {
		t.Fatalf("not written: %s, %v", data, err)
	}
	if fin := last[session.Finished](t, again); fin.Outcome != session.Proven || !fin.Applied {
		t.Fatalf("finished: %+v", fin)
	}
}

func TestTheFirstTestOfAFolder(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	files := calc()
	test := files["test_calc.py"]
	delete(files, "test_calc.py")
	r := start(t, folder(t, files), script(t,
		say("apply_patch", args{"path": "test_calc.py", "old": "", "new": test}), say("run_tests", args{}), fix, say("run_tests", args{}), done, done, done), Task{})
	work(t, r, session.Review)
	if st := r.log.State(); st.Proof != "proven" {
		t.Fatalf("proof %s: %s", st.Proof, st.Certificate)
	}
}

func TestModelErrorsEndTheRunWithTheirWords(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	f := folder(t, calc())
	r := start(t, f, script(t, fix, `{"error":{"code":"unavailable","message":"Ollama is not running at http://127.0.0.1:1: start it with: ollama serve"}}`), Task{})
	work(t, r, session.Error)
	fin, failed := last[session.Finished](t, r), last[session.ModelFailed](t, r)
	if fin.Outcome != session.Error || !strings.Contains(fin.Message, "ollama serve") || fin.Patch == "" || !failed.Final || failed.Code != "unavailable" {
		t.Fatalf("finished %+v, failed %+v", fin, failed)
	}
}

func TestFolderThatVanishes(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	f := folder(t, calc())
	r := start(t, f, script(t, fix, done), Task{})
	work(t, r, session.Review)
	gone := start(t, f, script(t, fix, done), Task{})
	if err := os.RemoveAll(f.root); err != nil {
		t.Fatal(err)
	}
	work(t, gone, session.Error)
	if fin := last[session.Finished](t, gone); fin.Message == "" {
		t.Fatalf("finished: %+v", fin)
	}
	if _, err := r.Approve(t.Context(), r.log.State().PatchHash, "person"); err == nil {
		t.Fatal("approved into a folder that is gone")
	}
	if st := r.log.State(); st.Outcome != session.Review || st.Applied {
		t.Fatalf("state: %+v", st)
	}
}

func TestNoSandboxNoRun(t *testing.T) {
	f := folder(t, calc())
	r := start(t, f, script(t, fix, done), Task{})
	r.o.Sandbox = broken(t)
	work(t, r, session.Error)
	if fin := last[session.Finished](t, r); !strings.Contains(fin.Message, "sandbox") || len(all[session.TestsStarted](t, r)) != 0 {
		t.Fatalf("finished: %+v", fin)
	}
}

// broken is a sandbox of which no rung works here.
func broken(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	sb, err := sandbox.Open(sandbox.Options{Dir: t.TempDir(), Runtime: "krun"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sb.Close() })
	if _, err := sb.Rung(t.Context()); err == nil {
		t.Skip("this machine has microVMs, so no rung is sure to be missing")
	}
	return sb
}

func TestTaskWithoutWords(t *testing.T) {
	t.Parallel()
	f := folder(t, calc())
	if _, err := New(t.Context(), f.o, Task{Text: " \n"}); err == nil {
		t.Fatal("accepted")
	}
	if _, err := Open(t.Context(), f.o, "nobody"); !errors.Is(err, session.ErrNotFound) {
		t.Fatalf("unknown session: %v", err)
	}
}

// What ends at a limit says what a search tried and had left.
func TestResignsInItsWords(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	m := script(t, fix, done)
	m.Provider = resigner{m.Provider}
	r := start(t, folder(t, calc()), m, Task{Limits: session.Limits{Steps: 1}})
	work(t, r, session.Limit)
	ends := all[session.Finished](t, r)
	if len(ends) != 1 || !strings.Contains(ends[0].Message, "It was asked 1 time. the limit of 1 step is used up") {
		t.Errorf("it ends with %+v", ends)
	}
}

// resigner says how often it was asked.
type resigner struct{ model.Provider }

func (resigner) Resign(messages []model.Message, why string) string {
	n := 0
	for _, m := range messages {
		if m.Role == model.Assistant {
			n++
		}
	}
	return "It was asked " + strconv.Itoa(n) + " time. " + why
}
