package session

import (
	"fmt"
	"strings"
	"testing"

	"redgreen/backend/model"
	"redgreen/backend/patch"
)

// doing makes the events of steps, each given as "TOOL ARGS → SUMMARY" or as what was said.
func doing(t *testing.T, steps ...string) []Event {
	t.Helper()
	l := create(t, openTemp(t), Started{Task: "t"})
	for i, s := range steps {
		n := i + 1
		add(t, l, KindStepStarted, StepStarted{n})
		act, summary, calls := strings.Cut(s, " → ")
		if !calls {
			add(t, l, KindModelReplied, ModelReplied{Step: n, Message: model.Message{Text: s}, Priced: true, Millis: 7})
			continue
		}
		tool, args, _ := strings.Cut(act, " ")
		add(t, l, KindModelReplied, ModelReplied{Step: n, Priced: true})
		add(t, l, KindToolCalled, ToolCalled{Step: n, CallID: "c", Tool: tool, Args: args})
		add(t, l, KindToolFinished, ToolFinished{Step: n, CallID: "c", Tool: tool, OK: true, Summary: summary})
	}
	events, err := l.s.Events(t.Context(), l.ID(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		a, b []string
		want string // pairs of step numbers, = same, ~ the same act with another result, | beside each other
	}{
		{"the same", []string{`read {"path":"a"} → 3 lines`, "hm"}, []string{`read {"path": "a"} → 3 lines`, "hm"}, "1=1 2=2"},
		{"another result", []string{`test {} → red`}, []string{`test {} → green`}, "1~1"},
		{"one more", []string{`read 1 → x`, `edit 2 → x`}, []string{`read 1 → x`, `read 7 → x`, `edit 2 → x`}, "1=1 -|2 2=3"},
		{"another way in the middle", []string{`read 1 → x`, `edit 2 → x`, `test 3 → x`}, []string{`read 1 → x`, `edit 9 → x`, `test 3 → x`}, "1=1 2|2 3=3"},
		{"nothing in common", []string{`a 1 → x`, `b 1 → x`}, []string{`c 1 → x`}, "1|1 2|-"},
		{"nothing", nil, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			num := func(s *Step) string {
				if s == nil {
					return "-"
				}
				return fmt.Sprint(s.Step)
			}
			for _, p := range Compare(doing(t, c.a...), doing(t, c.b...)) {
				sign := "|"
				if p.A != nil && p.B != nil && signatures([]Step{*p.A})[0] == signatures([]Step{*p.B})[0] {
					sign = "~"
				}
				if p.Same {
					sign = "="
				}
				got = append(got, num(p.A)+sign+num(p.B))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %v, want %s", got, c.want)
			}
		})
	}
}

func TestWhy(t *testing.T) {
	t.Parallel()
	hunk := func(lines ...string) patch.Patch {
		h := patch.Hunk{OldStart: 5, NewStart: 5}
		for _, l := range lines {
			h.Lines = append(h.Lines, patch.Line{Op: patch.Op(l[0]), Text: l[1:] + "\n"})
		}
		return patch.Patch{Files: []patch.File{{Path: "a.py", Status: patch.Modified, Hunks: []patch.Hunk{h}}}}
	}
	l := create(t, openTemp(t), Started{Task: "t"})
	for i, p := range []patch.Patch{
		hunk(" x", "-old", "+first"),
		hunk(" x", "-old", "+first", "+second"),
		hunk(" x", "-old", "+second"),                     // first is taken back …
		hunk(" x", "-old", "+second", "+first", "+first"), // … and comes again, twice
	} {
		n := i + 1
		add(t, l, KindStepStarted, StepStarted{n})
		add(t, l, KindModelReplied, ModelReplied{Step: n, Message: model.Message{Text: fmt.Sprint("because ", n)}})
		add(t, l, KindToolCalled, ToolCalled{Step: n, CallID: "r", Tool: "read_file", Args: `{"path":"a.py"}`})
		add(t, l, KindToolFinished, ToolFinished{Step: n, CallID: "r", Tool: "read_file", OK: true})
		add(t, l, KindToolCalled, ToolCalled{Step: n, CallID: "c", Tool: "apply_patch", Args: `{"path":"a.py"}`})
		add(t, l, KindPatchChanged, PatchChanged{Step: n, Patch: p})
		add(t, l, KindToolFinished, ToolFinished{Step: n, CallID: "c", Tool: "apply_patch", OK: true, Summary: fmt.Sprint("edit ", n)})
		add(t, l, KindToolCalled, ToolCalled{Step: n, CallID: "d", Tool: "apply_patch", Args: `{"path":"b.py"}`}) // another file, and a
		add(t, l, KindToolFinished, ToolFinished{Step: n, CallID: "d", Tool: "apply_patch", OK: true})            // summary that
		add(t, l, KindToolCalled, ToolCalled{Step: n, CallID: "f", Tool: "finish", Args: `{"summary":"a.py:6"}`}) // names it
		add(t, l, KindToolFinished, ToolFinished{Step: n, CallID: "f", Tool: "finish", OK: true})
	}
	add(t, l, KindPatchChanged, PatchChanged{Step: 4, Patch: hunk(" x", "-old", "+second", "+first", "+first", "+mine")})
	add(t, l, KindReviewAnswered, ReviewAnswered{Decision: "reject", By: "person", Comment: "so", Changed: "a diff"})
	events, err := l.s.Events(t.Context(), l.ID(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line    int
		removed bool
		step    int // 0: the line is not changed
	}{
		{6, false, 2}, {7, false, 4}, {8, false, 4}, {6, true, 1}, {5, false, 0}, {99, false, 0},
	} {
		o, ok := Why(events, "a.py", c.line, c.removed)
		if ok != (c.step > 0) || o.Step != c.step {
			t.Errorf("line %d (removed %v): step %d, %v; want %d", c.line, c.removed, o.Step, ok, c.step)
		}
		if ok && (o.By != "model" || o.Said != fmt.Sprint("because ", c.step) || o.Act == nil || o.Act.Summary != fmt.Sprint("edit ", c.step)) {
			t.Errorf("line %d: %+v, %+v", c.line, o, o.Act)
		}
	}
	if o, ok := Why(events, "a.py", 9, false); !ok || o.By != "person" || o.Said != "so" || o.Act != nil {
		t.Errorf("a line of the person's own: %+v, %v", o, ok)
	}
	if _, ok := Why(events, "b.py", 6, false); ok {
		t.Error("a file that is not in the patch has an origin")
	}
	if _, ok := Why(nil, "a.py", 6, false); ok {
		t.Error("a session without a patch has an origin")
	}
}
