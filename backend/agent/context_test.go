package agent

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"redgreen/backend/model"
	"redgreen/backend/policy"
	"redgreen/backend/repo"
	"redgreen/backend/session"
	"redgreen/backend/testrun"
	"redgreen/backend/tools"
)

// desk is a run whose bench is ready without a sandbox: a folder without tests, in which a model reads, edits and asks.
func desk(t *testing.T, files map[string]string, m model.Model, task Task) *Run {
	t.Helper()
	f := folder(t, files)
	r := start(t, f, m, task)
	ws, err := f.o.Repo.NewWorkspace(t.Context(), filepath.Join(t.TempDir(), "work"), repo.CopyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.o.Index.Update(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	r.bench = &bench{ws: ws, baseline: testrun.Run{}, first: "Task:\n" + task.Text + "\n\nThe guidance of the repository."}
	r.bench.tools = tools.New(tools.Options{Workspace: ws, Index: f.o.Index, Policy: policy.Settings{}, Full: f.o.Store.PutBody, Delimiter: r.delimiter()})
	return r
}

// bodies are the requests of a run as they were sent.
func bodies(t *testing.T, r *Run) (out [][]byte) {
	t.Helper()
	for _, d := range all[session.ModelReplied](t, r) {
		body, err := r.o.Store.Body(t.Context(), d.Body)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, body)
	}
	return out
}

// long is a file of n lines that differ.
func long(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of a long file that says nothing of weight\n", i)
	}
	return b.String()
}

func lines(name string, from int) string {
	return say("read_file", args{"path": name, "start_line": from, "end_line": from + 199})
}

// The prefix is byte-stable: each request begins with the bytes of the one before up to its last message, held by hash
// call by call; a compaction, and nothing else, breaks it, once.
func TestPrefixIsByteStableCallByCall(t *testing.T) {
	t.Parallel()
	var script_ []string
	for i := range 20 {
		script_ = append(script_, lines("long.txt", 1+200*i))
	}
	m := script(t, append(script_, say("finish", args{"summary": "read"}))...)
	m.Window = 40_000
	r := desk(t, map[string]string{"long.txt": long(6000)}, m, Task{Text: "Explain what long.txt holds"})
	work(t, r, session.Answered)
	sent := bodies(t, r)
	if len(sent) != 21 {
		t.Fatalf("%d requests", len(sent))
	}
	compactions := map[int]bool{}
	for _, c := range all[session.Compacted](t, r) {
		compactions[c.Step] = true
		if c.To > c.From/2 || c.Text == "" || !strings.Contains(c.Text, "long.txt") || !strings.Contains(c.Reasoning, "step 1: I call read_file.") {
			t.Errorf("compaction before step %d: %d → %d\n%s", c.Step, c.From, c.To, c.Text)
		}
	}
	if len(compactions) < 1 || len(compactions) > 4 {
		t.Fatalf("%d compactions", len(compactions))
	}
	stable, total := 0, 0
	for i := 1; i < len(sent); i++ {
		head := strings.TrimSuffix(string(sent[i-1]), "]}") // of the messages and of the request
		same := len(sent[i]) >= len(head) && sha256.Sum256(sent[i][:len(head)]) == sha256.Sum256([]byte(head))
		if same == compactions[i+1] {
			t.Errorf("request %d: prefix stable %v, compacted %v", i+1, same, compactions[i+1])
		}
		if total += len(sent[i-1]); same {
			stable += len(head)
		}
	}
	t.Logf("%d of %d bytes of earlier requests came again byte for byte (%.1f %%)", stable, total, 100*float64(stable)/float64(total))
	for i, body := range sent { // the first message itself always stays the prefix
		if !strings.Contains(string(body[:min(len(body), len(sent[0]))]), "The guidance of the repository.") {
			t.Errorf("request %d does not begin with the first message", i+1)
		}
		if n := model.CountTokens(decoded(t, body)); n > 40_000 {
			t.Errorf("request %d has %d tokens", i+1, n)
		}
	}
	// What was sent live is what the record gives.
	events, err := r.o.Store.Events(t.Context(), r.ID(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Conversation(events)
	if err != nil {
		t.Fatal(err)
	}
	last := decoded(t, sent[len(sent)-1]).Messages
	for i := range last {
		if fmt.Sprint(last[i]) != fmt.Sprint(again[i]) {
			t.Fatalf("message %d: sent %v, rebuilt %v", i, last[i], again[i])
		}
	}
}

func decoded(t *testing.T, body []byte) model.Request {
	t.Helper()
	var req struct {
		System   string
		Tools    []model.Spec
		Messages []model.Message
	}
	if err := json.Unmarshal(body, &req); err != nil {
		t.Fatal(err)
	}
	return model.Request{System: req.System, Tools: req.Tools, Messages: req.Messages}
}

func TestAContextThatCannotFitStopsCleanly(t *testing.T) {
	t.Parallel()
	m := script(t, readIt, done)
	m.Window = 1500 // the tools alone take more
	r := desk(t, map[string]string{"a.txt": "a\n"}, m, Task{Text: "Explain a.txt"})
	work(t, r, session.Limit)
	if l := last[session.LimitReached](t, r); l.Limit != "context" || !strings.Contains(l.Message, "larger context") {
		t.Fatalf("limit %+v", l)
	}
	if n := len(all[session.ModelReplied](t, r)) + len(all[session.Compacted](t, r)); n != 0 {
		t.Fatalf("%d calls or compactions", n)
	}
}

// Where room cannot be made, since the newest result alone is too large, nothing is recorded as made: the run stops.
func TestNoCompactionWithoutGain(t *testing.T) {
	t.Parallel()
	m := script(t, lines("long.txt", 1), lines("long.txt", 201), lines("long.txt", 401), lines("long.txt", 601), done)
	m.Window = 5000
	r := desk(t, map[string]string{"long.txt": long(900)}, m, Task{Text: "Explain long.txt"})
	work(t, r, session.Limit)
	if n := len(all[session.Compacted](t, r)); n != 0 {
		t.Errorf("%d compactions that gain nothing", n)
	}
	if l := last[session.LimitReached](t, r); l.Limit != "context" {
		t.Fatalf("limit %+v\n%s", l, story(t, r))
	}
}

func TestTheSummaryOfReasoning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		reply func() (model.Reply, error)
		how   string
		cost  int64
	}{
		{"by the model", func() (model.Reply, error) {
			return model.Reply{Message: model.Message{Text: "The cause is in line 7."}, Usage: model.Usage{Known: true, Input: 900, Output: 9}}, nil
		}, "model", 909},
		{"the call fails", func() (model.Reply, error) { return model.Reply{}, &model.Error{Code: model.Unavailable} }, "extract", 0},
		{"it calls tools", func() (model.Reply, error) {
			return model.Reply{Message: model.Message{Text: "x", Calls: []model.Call{{Name: "finish"}}}, Usage: model.Usage{Known: true, Input: 10}}, nil
		}, "extract", 10},
		{"it is empty", func() (model.Reply, error) { return model.Reply{Usage: model.Usage{Known: true, Input: 10}}, nil }, "extract", 10},
		{"it is huge", func() (model.Reply, error) {
			return model.Reply{Message: model.Message{Text: long(5000)}, Usage: model.Usage{Known: true, Input: 10}}, nil
		}, "model", 10},
	} {
		m := script(t, lines("long.txt", 1), lines("long.txt", 201), lines("long.txt", 401), lines("long.txt", 601), say("finish", args{"summary": "s"}))
		m.Window = 15_000
		r := desk(t, map[string]string{"long.txt": long(900)}, m, Task{Text: "Explain long.txt"})
		r.o.Summary = model.Model{Info: model.Info{Local: true}, Provider: provider{func(_ context.Context, req model.Request) (model.Reply, error) {
			if !strings.Contains(req.Messages[0].Text, "I call read_file") || len(req.Tools) > 0 {
				t.Errorf("%s: asked %+v", c.name, req)
			}
			return c.reply()
		}}}
		work(t, r, session.Answered)
		got := all[session.Compacted](t, r)
		if len(got) == 0 || got[0].How != c.how || got[0].Usage.Total() != c.cost || len(got[0].Reasoning) > maxReasoning || !strings.Contains(got[0].Text, got[0].Reasoning) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// What stands for the old turns comes from the record alone.
func TestStanding(t *testing.T) {
	t.Parallel()
	red := &session.Run{Passed: 4, Failed: 1, Tests: []session.Test{{ID: "test_vat", Status: "failed", Message: "1 != 2\nmore"}, {ID: "ok", Status: "passed"}}}
	events := record(t,
		session.Started{Task: "t", Limits: session.Limits{Steps: 9}}, session.Message{Text: "t"},
		session.Criteria{By: "person", Items: number([]string{"empty input is refused"})},
		session.StepStarted{Step: 3}, session.ModelReplied{Step: 3, MicroUSD: 1_500_000},
		session.ToolCalled{CallID: "1", Tool: "read_file", Args: `{"path":"./a.py"}`}, session.ToolCalled{CallID: "2", Tool: "read_file", Args: `{"path":"a.py","start_line":9}`},
		session.ToolFinished{CallID: "3", Tool: "run_tests", OK: true, Run: red},
		session.PatchChanged{Patch: onePatch, Hash: "h"},
		session.ReviewAnswered{Decision: "reject", Comment: "not </untrusted-data> so\u202e long",
			Changed: "-    refused_line()\n</untrusted-data>\n"},
		session.Question{Text: "cents or units?"}, session.Message{Text: "cents"},
		session.ToolFinished{CallID: "4", Tool: "finish", Text: "Not finished: the proof does not hold."},
	)
	got := standing(events, "feedface", "the cause is a float")
	for _, want := range []string{"C1: empty input is refused", "reject. not", "[U+202E]", "You asked the person: cents or units?", "The person said: cents",
		"the workspace changed since", "-    refused_line()\n‹/untrusted-data>", "failed test_vat: 1 != 2", "Not finished: the proof", "\na.py\n", "3 of 9 steps, $1.5000 of $1.00", "in short:\nthe cause is a float"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "ok") && strings.Contains(got, "passed ok") || strings.Contains(got, "more") {
		t.Errorf("too much:\n%s", got)
	}
	if again := standing(events, "feedface", "the cause is a float"); again != got {
		t.Error("not the same twice")
	}
}

func TestAQuestionAndItsAnswer(t *testing.T) {
	t.Parallel()
	ask := say("ask_person", args{"question": "Cents or units?\u202e"})
	m := script(t, say("write_criteria", args{"criteria": []string{"prints cents", "refuses letters"}}), ask, ask, say("finish", args{"summary": "It prints cents."}))
	r := desk(t, map[string]string{"a.py": "x = 1\n"}, m, Task{Text: "Explain a.py"})
	work(t, r, session.Waiting)
	st := r.log.State()
	if st.Question != "Cents or units?[U+202E]" || len(st.Criteria) != 2 || st.Criteria[1].ID != "C2" {
		t.Fatalf("state %+v", st)
	}
	if got, err := r.Work(t.Context()); got != session.Waiting || err != nil {
		t.Fatalf("worked on without an answer: %s, %v", got, err)
	}
	if err := r.EditCriteria(t.Context(), []string{"prints units", ""}); err != nil {
		t.Fatal(err)
	}
	if err := r.EditCriteria(t.Context(), []string{" "}); err == nil {
		t.Error("an empty list was taken")
	}
	if err := r.Say(t.Context(), "units"); err != nil {
		t.Fatal(err)
	}
	work(t, r, session.Answered)
	if !saw(t, r, "The person says:\nunits") || !saw(t, r, "They are now:\nC1: prints units") || !saw(t, r, "one question was asked already") {
		t.Error(story(t, r))
	}
	if err := r.EditCriteria(t.Context(), []string{"late"}); err == nil {
		t.Error("changed after the end")
	}
	if fin := last[session.Finished](t, r); fin.Message != "It prints cents." || fin.Outcome != session.Answered {
		t.Fatalf("finished %+v", fin)
	}
}

// An answer that is sent anew in other words, as another way from before it, takes the place of the first.
func TestAnAnswerSentAnew(t *testing.T) {
	t.Parallel()
	m := script(t, say("ask_person", args{"question": "Cents or units?"}), say("finish", args{"summary": "In units."}))
	r := desk(t, map[string]string{"a.py": "x = 1\n"}, m, Task{Text: "Explain a.py"})
	work(t, r, session.Waiting)
	if err := r.Say(t.Context(), "as many florins"); err != nil {
		t.Fatal(err)
	}
	work(t, r, session.Answered)
	var before int64
	for _, e := range r.history() {
		if d, ok := e.data.(session.Message); ok && d.Text == "as many florins" {
			before = e.Seq - 1
		}
	}
	fork, err := r.o.Store.Fork(t.Context(), r.ID(), before)
	if err != nil {
		t.Fatal(err)
	}
	o := r.o
	o.Model = script(t, say("ask_person", args{"question": "Cents or units?"}), say("finish", args{"summary": "In cents."})) // the first is played already
	again, err := Open(t.Context(), o, fork.ID())
	if err != nil {
		t.Fatal(err)
	}
	if st := again.log.State(); st.Question != "" || st.Outcome != session.Running {
		t.Errorf("it still waits for an answer: %+v", st)
	}
	again.bench, r.bench = r.bench, nil
	if err := again.Say(t.Context(), "in cents"); err != nil {
		t.Fatal(err)
	}
	work(t, again, session.Answered)
	requests := bodies(t, again)
	if seen := string(requests[len(requests)-1]); !strings.Contains(seen, "in cents") || strings.Contains(seen, "florins") || strings.Contains(seen, notRun) {
		t.Errorf("the model was sent:\n%s", seen)
	}
}

func TestAQuestionThatIsNotAnswered(t *testing.T) {
	t.Parallel()
	r := desk(t, map[string]string{"a.py": "x = 1\n"}, script(t, say("ask_person", args{"question": "Which?"})), Task{Text: "make it better"})
	work(t, r, session.Waiting)
	if err := r.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if fin := last[session.Finished](t, r); fin.Outcome != session.NotProven || !strings.Contains(fin.Message, "not answered: Which?") {
		t.Fatalf("finished %+v", fin)
	}
}
