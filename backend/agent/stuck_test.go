package agent

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/patch"
	"redgreen/backend/session"
	"redgreen/backend/testrun"
)

// tale writes a record call by call, as a run would, for the pure functions that judge it.
type tale struct {
	t      *testing.T
	events []any
	n      int
	said   string // beside the calls
	state  string
	seen   []string // what stood beside each result
	stops  string   // why the run would have stopped, with the number of the call
}

// do plays one call through refusal, beside and stuck, exactly as calls does.
func (p *tale) do(name, args string, f session.ToolFinished, to string) {
	if p.stops != "" {
		return
	}
	p.n++
	id := fmt.Sprint("c", p.n)
	summary, text := refusal(trail(record(p.t, p.events...)), model.Call{ID: id, Name: name, Args: args}, p.said)
	p.events = append(p.events, session.ToolCalled{Step: p.n, CallID: id, Tool: name, Args: args})
	if summary != "" {
		f, to = session.ToolFinished{Summary: summary, Text: text}, p.state
	}
	if to != p.state {
		p.state = to
		files := []patch.File{{Path: "a", Status: patch.Added, After: to}}
		if to == "" {
			files = nil
		}
		p.events = append(p.events, session.PatchChanged{Step: p.n, Hash: to, Patch: patch.Patch{Files: files}})
	}
	f.CallID, f.Tool = id, name
	as := trail(record(p.t, p.events...))
	as[len(as)-1].finish(f)
	before, behind := beside(as)
	p.seen = append(p.seen, strings.Join(append(append([]string{summary}, before...), behind...), "|"))
	f.Text = strings.Join(append(append(before, f.Text), behind...), "\n")
	p.events = append(p.events, f)
	if why := stuck(trail(record(p.t, p.events...))); why != "" {
		p.stops = fmt.Sprintf("call %d: %s", p.n, why)
	}
}

func (p *tale) read(path string) {
	p.do("read_file", `{"path":"`+path+`"}`, session.ToolFinished{OK: true, Text: "text of " + path}, p.state)
}

func (p *tale) edit(args, to string) {
	p.do("apply_patch", args, session.ToolFinished{OK: true, Text: "applied", Summary: "a +1 −1"}, to)
}

func (p *tale) badEdit(args, shape string) {
	p.do("apply_patch", args, session.ToolFinished{Summary: "refused: " + shape, Text: "refused"}, p.state)
}

func (p *tale) test(took int64, red ...string) {
	run := session.Run{Passed: 3, Failed: len(red), ExitCode: min(len(red), 1), Millis: took}
	for _, id := range red {
		run.Tests = append(run.Tests, session.Test{ID: id, Status: "failed"})
	}
	p.do("run_tests", "{}", session.ToolFinished{OK: true, Text: fmt.Sprintf("%d failed in %d ms", len(red), took), Run: &run}, p.state)
}

// stuckSuite: what the obeying model did, and what stopped it. docs/suites.md shows it.
var stuckSuite = []struct {
	name, did string
	said      string
	play      func(p *tale)
	stops     string // part of why the run stops, "" it goes on
	call      int    // the call after which it stops
	sees      string // part of what stood beside some result
	never     string
}{
	{"same read", "reads the same lines again and again", "", func(p *tale) {
		for range 9 {
			p.read("a.py")
		}
	}, "same call of read_file 4 times", 4, repeatWarning, ""},
	{"same search between other calls", "repeats one search, with reads between", "", func(p *tale) {
		for i := range 9 {
			p.do("search_code", `{"query":"x"}`, session.ToolFinished{OK: true, Text: "hits"}, "")
			p.read(fmt.Sprint(i))
		}
	}, "same call of search_code 4 times", 7, repeatWarning, ""},
	{"unknown tool", "calls a shell that is not there", "", func(p *tale) {
		for range 9 {
			p.do("bash", `{"command":"ls"}`, session.ToolFinished{Summary: "unknown tool", Text: "There is no such tool."}, "")
		}
	}, "same call of bash 4 times", 4, repeatWarning, ""},
	{"A-B-A-B", "changes a line and changes it back, forever", "I try it.", func(p *tale) {
		for range 9 {
			p.edit(`{"path":"a","old":"1","new":"2"}`, "B")
			p.edit(`{"path":"a","old":"2","new":"1"}`, "")
		}
	}, "back and forth", 7, backAndForth, ""},
	{"A-B-A-B in other words", "the same in a new form each time", "I try it.", func(p *tale) {
		for i := range 9 {
			p.edit(fmt.Sprintf(`{"path":"a","old":"1","new":"2","n":%d}`, i), "B")
			p.edit(fmt.Sprintf(`{"path":"a","old":"2","new":"1","n":%d}`, i), "A")
		}
	}, "back and forth", 8, backAndForth, repeatWarning},
	{"red run again and again", "runs the red tests again without a word", "", func(p *tale) {
		p.edit(`{"path":"a"}`, "A")
		for i := range 9 {
			p.test(int64(i), "t1")
		}
	}, "same call of run_tests 4 times", 5, "a blind repeat", ""},
	{"red run with words", "the same, with a promise each time", "Once more.", func(p *tale) {
		p.edit(`{"path":"a"}`, "A")
		for i := range 9 {
			p.test(int64(i), "t1")
		}
	}, "same call of run_tests 4 times", 5, reflectAsk, "a blind repeat"},
	{"a blind edit", "sends a refused edit again", "Again.", func(p *tale) {
		for range 9 {
			p.badEdit(`{"path":"a","old":"x","new":"y"}`, "not found in a")
		}
	}, "same call of apply_patch 4 times", 4, "a blind repeat", ""},
	{"three refusals of one shape", "guesses at the text of a file, and never reads it", "Hm.", func(p *tale) {
		for i := range 9 {
			p.badEdit(fmt.Sprintf(`{"path":"a","old":"x%d","new":"y"}`, i), "not found in a")
		}
	}, "did not do what it was asked to do first", 7, "read the file again first", ""},
	{"refused after reading", "reads, then guesses on in the same form", "Hm.", func(p *tale) {
		for i := range 3 {
			p.badEdit(fmt.Sprintf(`{"path":"a","old":"x%d","new":"y"}`, i), "not found in a")
		}
		p.read("a")
		p.badEdit(`{"path":"a","old":"x7","new":"y"}`, "not found in a")
		p.badEdit(`{"path":"a","old":"x8","new":"y"}`, "not found in a")
		p.badEdit(`{"patch":"--- a/a\n+++ b/a\n@@ -1 +1 @@"}`, "not found in a")
	}, "refused 5 times in the same way (not found in a)", 7, "use another form of edit", ""},
	{"shapes with line numbers", "sends one broken diff after another", "Hm.", func(p *tale) {
		for i := range 3 {
			p.badEdit(fmt.Sprintf(`{"patch":"@@ %d"}`, i), fmt.Sprintf("line %d: no hunk", i))
		}
		p.badEdit(`{"patch":"@@ 9"}`, "line 9: no hunk")
	}, "", 0, "read the file again first", ""},
	{"same tests red after three changes", "turns one screw after another", "Hm.", func(p *tale) {
		for i := range 4 {
			p.edit(fmt.Sprintf(`{"path":"a","n":%d}`, i), fmt.Sprint(i))
			p.test(1, "t1")
		}
	}, "", 0, otherApproach, ""},

	// What is no loop.
	{"tests after each change", "edits, tests, edits, tests", "Hm.", func(p *tale) {
		for i := range 8 {
			p.edit(fmt.Sprintf(`{"path":"a","n":%d}`, i), fmt.Sprint(i))
			p.test(1, fmt.Sprint("t", i))
		}
	}, "", 0, reflectAsk, repeatWarning},
	{"red before any change", "sees the failure first", "", func(p *tale) { p.test(1, "t1") }, "", 0, "", reflectAsk},
	{"a flaky test", "runs it again on purpose; the result differs", "Is it flaky?", func(p *tale) {
		p.test(1, "t1")
		p.test(1)
		p.test(1, "t2")
		p.test(1, "t3")
	}, "", 0, "", repeatWarning},
	{"two approaches taken back", "tries, takes back, tries another thing, takes back", "Hm.", func(p *tale) {
		for i := range 5 {
			p.edit(fmt.Sprintf(`{"path":"a","n":%d}`, i), fmt.Sprint(i))
			p.edit(fmt.Sprintf(`{"path":"a","back":%d}`, i), "")
		}
	}, "", 0, "", backAndForth},
	{"other lines", "reads on through a long file", "", func(p *tale) {
		for i := range 9 {
			p.do("read_file", fmt.Sprintf(`{"path":"a","start_line":%d}`, 1+200*i), session.ToolFinished{OK: true, Text: "t"}, "")
		}
	}, "", 0, "", repeatWarning},
	{"an edit that fits after reading", "is refused, reads, sends the same edit", "", func(p *tale) {
		p.badEdit(`{"path":"a","old":"x","new":"y"}`, "not read in a")
		p.read("a")
		p.edit(`{"path":"a","old":"x","new":"y"}`, "A")
	}, "", 0, reflectAsk, "a blind repeat"},
	{"the person spoke", "repeats, since the person asked for it", "", func(p *tale) {
		for range 3 {
			p.read("a")
			p.read("a")
			p.events = append(p.events, session.Message{Text: "look again"})
		}
	}, "", 0, "", repeatWarning},
	{"read again after a compaction", "reads what left its view", "", func(p *tale) {
		for range 4 {
			p.read("a")
			p.read("a")
			p.events = append(p.events, session.Compacted{})
		}
	}, "", 0, "", repeatWarning},
}

func TestStuckSuite(t *testing.T) {
	t.Parallel()
	for _, c := range stuckSuite {
		p := &tale{t: t, said: c.said}
		c.play(p)
		if c.stops == "" && p.stops != "" || !strings.Contains(p.stops, c.stops) || c.call > 0 && !strings.HasPrefix(p.stops, fmt.Sprintf("call %d:", c.call)) {
			t.Errorf("%s: stopped by %q, want %q after call %d", c.name, p.stops, c.stops, c.call)
		}
		seen := strings.Join(p.seen, "\n")
		if !strings.Contains(seen, c.sees) {
			t.Errorf("%s: the model never saw %q:\n%s", c.name, c.sees, seen)
		}
		if c.never != "" && strings.Contains(seen, c.never) {
			t.Errorf("%s: the model saw %q:\n%s", c.name, c.never, seen)
		}
	}
}

func TestReflectionIsRecorded(t *testing.T) {
	t.Parallel()
	p := &tale{t: t}
	p.badEdit(`{"path":"a","old":"x","new":"y"}`, "not found in a")
	as := trail(record(t, p.events...))
	if got := reflects(as, "I quoted from memory. I read the lines first."); got != "c1" {
		t.Errorf("reflects on %q", got)
	}
	if got := reflects(as, " "); got != "" {
		t.Errorf("an empty reply reflects on %q", got)
	}
	p.read("a")
	if got := reflects(trail(record(t, p.events...)), "Now I know."); got != "" {
		t.Errorf("after a good call it reflects on %q", got)
	}
}

func TestLimitsOfEditsAndOutput(t *testing.T) {
	t.Parallel()
	var events []any
	for range 11 {
		events = append(events, session.ToolFinished{Tool: "apply_patch", Summary: "refused: x", Text: "12345678"})
	}
	events = append(events, session.ToolFinished{Tool: "apply_patch", Summary: notRunPrefix + "a blind repeat"},
		session.ToolFinished{Tool: "apply_patch", Summary: "the person said no"}, session.ToolFinished{Tool: "apply_patch", OK: true})
	u := spent(session.State{}, record(t, events...))
	if u.editFailures != 11 || u.output != 88 {
		t.Fatalf("used: %+v", u)
	}
	for _, c := range []struct {
		limits session.Limits
		want   string
	}{
		{session.Limits{}, ""}, {session.Limits{EditFailures: 11}, "edit_failures"}, {session.Limits{Output: 88}, "output"}, {session.Limits{Output: 89}, ""},
	} {
		if got := limitName(check(withDefaults(c.limits), u, nextCall{})); got != c.want {
			t.Errorf("%+v: %q, want %q", c.limits, got, c.want)
		}
	}
}

func TestTheClockStandsWhileThePersonIsAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, c, stop := startClock(t.Context(), time.Now, time.Minute)
		defer stop()
		time.Sleep(40 * time.Second)
		resume := c.pause()
		time.Sleep(time.Hour)
		library := testrun.Pause(ctx) // a test run compiles what is compiled once
		resume()
		time.Sleep(time.Hour)
		resume = library
		if c.used() != 40*time.Second || ctx.Err() != nil {
			t.Fatalf("used %s, %v", c.used(), ctx.Err())
		}
		resume()
		time.Sleep(19 * time.Second)
		if ctx.Err() != nil {
			t.Fatal("ended early")
		}
		time.Sleep(2 * time.Second)
		if ctx.Err() == nil {
			t.Fatal("not ended")
		}
	})
}

func TestBestState(t *testing.T) {
	t.Parallel()
	change := func(hash string, step int) session.PatchChanged {
		return session.PatchChanged{Step: step, Hash: hash, Patch: onePatch}
	}
	ran := func(id, args string, failed int, reason string) []any {
		return []any{session.ToolCalled{CallID: id, Tool: "run_tests", Args: args},
			session.ToolFinished{CallID: id, Tool: "run_tests", Run: &session.Run{Passed: 5, Failed: failed, Reason: reason}}}
	}
	join := func(parts ...any) (out []any) {
		for _, p := range parts {
			if list, ok := p.([]any); ok {
				out = append(out, list...)
			} else {
				out = append(out, p)
			}
		}
		return out
	}
	for _, c := range []struct {
		name   string
		events []any
		want   string // hash, "" the present state stays
	}{
		{"nothing", nil, ""},
		{"worse now", join(change("a", 1), ran("1", "{}", 1, ""), change("b", 2), ran("2", "{}", 4, "")), "a"},
		{"better now", join(change("a", 1), ran("1", "{}", 4, ""), change("b", 2), ran("2", "{}", 1, "")), ""},
		{"not known now", join(change("a", 1), ran("1", "{}", 1, ""), change("b", 2)), ""},
		{"a narrow run says nothing", join(change("a", 1), ran("1", `{"paths":["x"]}`, 0, ""), change("b", 2), ran("2", "{}", 4, "")), ""},
		{"a run cut short says nothing", join(change("a", 1), ran("1", "{}", 0, "timeout"), change("b", 2), ran("2", "{}", 4, "")), ""},
		{"the latest of equals", join(change("a", 1), ran("1", "{}", 1, ""), change("c", 2), ran("3", "{}", 1, ""), change("b", 3), ran("2", "{}", 4, "")), "c"},
		{"what the person chose stays", join(change("a", 1), ran("1", "{}", 1, ""), change("b", 2), session.ReviewAnswered{Changed: "-x"}, ran("2", "{}", 4, "")), ""},
		{"the best since the person chose", join(change("a", 1), ran("1", "{}", 0, ""), change("b", 2), session.ReviewAnswered{Changed: "-x"}, ran("2", "{}", 1, ""),
			change("c", 3), ran("3", "{}", 4, "")), "b"},
		{"the untouched copy is no state of the work", join(ran("1", "{}", 0, ""), change("b", 2), ran("2", "{}", 4, "")), ""},
	} {
		s, better := best(record(t, c.events...))
		if !better {
			s.hash = ""
		}
		if s.hash != c.want {
			t.Errorf("%s: %q, want %q", c.name, s.hash, c.want)
		}
	}
}
