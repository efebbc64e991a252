package agent

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/model"
	"redgreen/backend/patch"
	"redgreen/backend/session"
	"redgreen/backend/tools"
)

// record makes events of payloads, for the pure functions.
func record(t *testing.T, payloads ...any) []entry {
	t.Helper()
	var out []session.Event
	for i, p := range payloads {
		raw, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		e := session.Event{Seq: int64(i + 1), Session: "s", Time: time.Unix(int64(i), 0).UTC(), Data: raw}
		for kind, zero := range session.Kinds() {
			if sameType(zero, p) && kind != session.KindPatchUndone {
				e.Kind = kind
			}
		}
		out = append(out, e)
	}
	entries, err := decode(out)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func sameType(a, b any) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }

var onePatch = patch.Patch{Files: []patch.File{{Path: "a", Status: patch.Added, After: "h"}}}

func reply(step int, text string, calls ...model.Call) session.ModelReplied {
	return session.ModelReplied{Step: step, Message: model.Message{Text: text, Calls: calls}}
}

func TestConversation(t *testing.T) {
	t.Parallel()
	a, b := model.Call{ID: "a", Name: "read_file", Args: "{}"}, model.Call{ID: "b", Name: "finish", Args: "{}"}
	started := session.Started{Task: "t"}
	first := session.ModelRequested{Step: 1, Added: []string{"task"}}
	for _, c := range []struct {
		name   string
		events []any
		want   []model.Message
	}{
		{"before the first request", []any{started, session.Message{Text: "t"}}, nil},
		{"first request failed, then again", []any{started, first, session.ModelFailed{Final: true}, session.ModelRequested{Added: []string{"again"}}},
			[]model.Message{{Role: model.User, Text: "task\n\nagain"}}},
		{"a step", []any{started, first, reply(1, "hm", a), session.ToolCalled{CallID: "a"}, session.ToolFinished{CallID: "a", Tool: "read_file", OK: true, Text: "r"}},
			[]model.Message{{Role: model.User, Text: "task"}, {Role: model.Assistant, Text: "hm", Calls: []model.Call{a}},
				{Role: model.Tool, Results: []model.Result{{CallID: "a", Name: "read_file", Text: "r"}}}}},
		{"results in the order of the calls", []any{started, first, reply(1, "", a, b), session.ToolFinished{CallID: "b", Tool: "finish", Text: "2"}, session.ToolFinished{CallID: "a", Tool: "read_file", OK: true, Text: "1"}},
			[]model.Message{{Role: model.User, Text: "task"}, {Role: model.Assistant, Calls: []model.Call{a, b}},
				{Role: model.Tool, Results: []model.Result{{CallID: "a", Name: "read_file", Text: "1"}, {CallID: "b", Name: "finish", Text: "2", Error: true}}}}},
		{"orphans", []any{started, first, reply(1, "", a, b), session.ToolCalled{CallID: "a"}},
			[]model.Message{{Role: model.User, Text: "task"}, {Role: model.Assistant, Calls: []model.Call{a, b}},
				{Role: model.Tool, Results: []model.Result{{CallID: "a", Name: "read_file", Text: interrupted, Error: true}, {CallID: "b", Name: "finish", Text: notRun, Error: true}}}}},
		{"an empty reply is not sent empty", []any{started, first, reply(1, "")},
			[]model.Message{{Role: model.User, Text: "task"}, {Role: model.Assistant, Text: "(empty reply)"}}},
		{"a message after results", []any{started, first, reply(1, "", a), session.ToolFinished{CallID: "a", Tool: "read_file", OK: true, Text: "1"}, session.ModelRequested{Added: []string{"x", "y"}}},
			[]model.Message{{Role: model.User, Text: "task"}, {Role: model.Assistant, Calls: []model.Call{a}},
				{Role: model.Tool, Results: []model.Result{{CallID: "a", Name: "read_file", Text: "1"}}}, {Role: model.User, Text: "x\n\ny"}}},
	} {
		got := rebuild(record(t, c.events...))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

func TestNews(t *testing.T) {
	t.Parallel()
	start := []any{session.Started{}, session.Message{Text: "the task"}}
	asked := append(start, session.ModelRequested{Added: []string{"first"}})
	for _, c := range []struct {
		name   string
		events []any
		want   []string // parts, one for each text
	}{
		{"the task is no news", start, nil},
		{"said before the first step", append(start[:2:2], session.Message{Text: "hurry"}), []string{"The person says:\nhurry"}},
		{"said since", append(asked[:3:3], session.Message{Text: "old"}, session.ModelRequested{}, reply(1, "", model.Call{ID: "a"}), session.Message{Text: "new\u202e"}), []string{"new[U+202E]"}},
		{"prose", append(asked[:3:3], reply(1, "I am done")), []string{nudgeProse}},
		{"cut reply", append(asked[:3:3], session.ModelReplied{Stop: model.StopLength}), []string{nudgeLength}},
		{"rejected", append(asked[:3:3], reply(1, "", model.Call{ID: "a"}), session.ReviewAnswered{Decision: "reject", Comment: "too long"}), []string{"too long"}},
		{"rejected without a word", append(asked[:3:3], reply(1, "", model.Call{ID: "a"}), session.ReviewAnswered{Decision: "reject"}), nil},
		{"first baseline", append(start[:2:2], session.TestsFinished{}), nil},
		{"baseline of a run that goes on", append(asked[:3:3], session.TestsFinished{}), []string{"interrupted"}},
	} {
		got := news(record(t, c.events...))
		if len(got) != len(c.want) {
			t.Errorf("%s: %q", c.name, got)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], c.want[i]) {
				t.Errorf("%s: %q, want %q in it", c.name, got[i], c.want[i])
			}
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	l := withDefaults(session.Limits{})
	if l.Steps != 30 || l.MicroUSD != 1_000_000 || l.Wall != 20*time.Minute || l.Tokens != 0 {
		t.Fatalf("defaults: %+v", l)
	}
	used := func(steps int, micro model.MicroUSD, tokens int64) session.State {
		return session.State{Steps: steps, MicroUSD: micro, Usage: model.Usage{Input: tokens}}
	}
	for _, c := range []struct {
		name   string
		limits session.Limits
		st     session.State
		spent  time.Duration
		tokens int64
		worst  model.MicroUSD
		priced bool
		want   string
	}{
		{"nothing used", l, used(0, 0, 0), 0, 5000, 100_000, true, ""},
		{"the last step", l, used(29, 0, 0), 0, 0, 0, true, ""},
		{"one step more", l, used(30, 0, 0), 0, 0, 0, true, "steps"},
		{"the last cent", l, used(1, 900_000, 0), 0, 0, 100_000, true, ""},
		{"one micro-dollar more", l, used(1, 900_000, 0), 0, 0, 100_001, true, "usd"},
		{"an unknown price cannot be held", l, used(1, 0, 0), 0, 0, 0, false, ""},
		{"local models are free", l, used(29, 0, 1e9), 0, 1e6, 0, true, ""},
		{"tokens", session.Limits{Steps: 9, MicroUSD: 1e6, Wall: 1e9, Tokens: 1000}, used(1, 0, 900), 0, 101, 0, true, "tokens"},
		{"tokens just fit", session.Limits{Steps: 9, MicroUSD: 1e6, Wall: 1e9, Tokens: 1000}, used(1, 0, 900), 0, 100, 0, true, ""},
		{"wall clock", l, used(1, 0, 0), 20 * time.Minute, 0, 0, true, "wall"},
	} {
		u := spent(c.st, nil)
		u.wall = c.spent
		got := check(withDefaults(c.limits), u, nextCall{c.tokens, c.worst, c.priced})
		if name := limitName(got); name != c.want {
			t.Errorf("%s: %q, want %q", c.name, name, c.want)
		}
		if got != nil && got.Message == "" {
			t.Errorf("%s: no words", c.name)
		}
	}
}

func limitName(l *limitError) string {
	if l == nil {
		return ""
	}
	return l.Limit
}

func TestCallIDsAreUnique(t *testing.T) {
	t.Parallel()
	m := callIDs(4, model.Message{Calls: []model.Call{{}, {ID: "x"}, {ID: "x"}, {ID: " "}, {ID: "old"}}}, record(t, session.ToolCalled{CallID: "old"}))
	var got []string
	for _, c := range m.Calls {
		got = append(got, c.ID)
	}
	if diff := cmp.Diff([]string{"call_4_1", "x", "call_4_3", "call_4_4", "call_4_5"}, got); diff != "" {
		t.Fatal(diff)
	}
}

func TestWhatMayBeDone(t *testing.T) {
	t.Parallel()
	p := session.State{Patch: onePatch, PatchHash: "h"}
	with := func(f func(*session.State)) session.State { s := p; f(&s); return s }
	for _, c := range []struct {
		name                  string
		st                    session.State
		approve, undo, resume bool
	}{
		{"review", with(func(s *session.State) { s.Outcome = session.Review }), true, false, false},
		{"review without a patch", session.State{Outcome: session.Review}, false, false, false},
		{"running", with(func(s *session.State) { s.Outcome, s.Proof = session.Running, "proven" }), false, false, true},
		{"limit, proven", with(func(s *session.State) { s.Outcome, s.Proof = session.Limit, "proven" }), true, false, false},
		{"limit, not proven", with(func(s *session.State) { s.Outcome, s.Proof = session.Limit, "not_proven" }), false, false, false},
		{"cancelled", with(func(s *session.State) { s.Outcome = session.Cancelled }), false, false, true},
		{"applied", with(func(s *session.State) {
			s.Outcome, s.Proof, s.Applied, s.Receipt = session.Proven, "proven", true, json.RawMessage("{}")
		}), false, true, false},
		{"undone", with(func(s *session.State) {
			s.Outcome, s.Proof, s.Receipt = session.Proven, "proven", json.RawMessage("{}")
		}), false, true, false},
	} {
		if CanApprove(c.st) != c.approve || CanUndo(c.st) != c.undo || CanResume(c.st) != c.resume {
			t.Errorf("%s: approve %v, undo %v, resume %v", c.name, CanApprove(c.st), CanUndo(c.st), CanResume(c.st))
		}
	}
}

func TestEditForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		m    model.Info
		want tools.Form
	}{
		{"a hosted model", model.Info{Provider: "openai"}, tools.Blocks},
		{"a local model", model.Info{Provider: "ollama", Local: true}, tools.Pairs},
		{"a recorded model", model.Info{Provider: "script", Local: true}, ""},
		{"a hosted model that breaks diffs", model.Info{Provider: "openai", EditForm: "old_new"}, tools.Pairs},
		{"one that writes whole files", model.Info{Provider: "openai", EditForm: "whole_file"}, tools.Pairs},
		{"a local model that manages diffs", model.Info{Provider: "ollama", Local: true, EditForm: "unified_diff"}, tools.Blocks},
		{"and blocks", model.Info{Provider: "ollama", Local: true, EditForm: "search_replace"}, tools.Blocks},
		{"a form of a newer version", model.Info{Provider: "openai", EditForm: "ast"}, tools.Blocks},
	} {
		if got := editForm(c.m); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// What the first message holds whole is told by the record, so that a session that goes on knows it too.
func TestShownFailures(t *testing.T) {
	t.Parallel()
	run := func(omitted int, tests ...session.Test) session.TestsFinished {
		return session.TestsFinished{Run: session.Run{Tests: tests, Omitted: omitted}}
	}
	red, green := session.Test{ID: "a", Status: "failed", Message: "boom"}, session.Test{ID: "b", Status: "passed"}
	later := session.Test{ID: "c", Status: "failed", Message: "later"}
	huge := session.Test{ID: "d", Status: "error", Message: strings.Repeat("x", maxFailing)}
	for _, c := range []struct {
		name   string
		events []entry
		want   map[string]string
	}{
		{"none ran", record(t), nil},
		{"the first run counts", record(t, run(0, red, green), run(0, later)), map[string]string{"a": "boom"}},
		{"more than fits", record(t, run(0, red, huge)), nil},
		{"tests were left out", record(t, run(1, red)), nil},
	} {
		if diff := cmp.Diff(c.want, shown(c.events)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// A search is held to time, not to steps, refused edits and output: they cost nothing, and it bounds itself what it tries.
func TestLimitsOfASearch(t *testing.T) {
	t.Parallel()
	l := withDefaults(session.Limits{})
	much := used{steps: 99, editFailures: 99, output: 99 << 20}
	if check(binding(model.Info{}, l), much, nextCall{}) == nil || checkTools(binding(model.Info{}, l), much) == nil {
		t.Error("a model is held to nothing")
	}
	search := binding(model.Info{Search: true}, l)
	if got := check(search, much, nextCall{}); got != nil {
		t.Errorf("a search with minutes left is stopped: %s", got.Message)
	}
	if much.wall = l.Wall; check(search, much, nextCall{}) == nil {
		t.Error("its time does not end")
	}
}
