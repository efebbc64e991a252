package repair

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"redgreen/backend/model"
	"redgreen/backend/patch"
)

// talk plays the part of the house: it keeps the files, answers read_file and apply_patch for real, and calls judge for
// each candidate of try_patches.
type talk struct {
	t        *testing.T
	files    map[string]string
	coverage string
	judge    func(files map[string]string) string // "" nothing, else what is said behind the candidate's number
	refuse   func(files map[string]string) bool   // of finish
	reason   string                               // why
	messages []model.Message
	finished string
	steps    int
	broken   string                             // why edits cannot be tried, "" they can
	slow     func(files map[string]string) bool // needs more than the little time that a test has at first; may be nil
	untried  bool                               // the time is over before the first
	patient  int                                // candidates that had all of their time
}

func (k *talk) run() model.Reply {
	k.t.Helper()
	for k.steps = 1; k.steps < 40; k.steps++ {
		r, err := Model().Chat(k.t.Context(), model.Request{Messages: k.messages, Tools: []model.Spec{{Name: "try_patches"}}}, nil)
		if err != nil {
			k.t.Fatal(err)
		}
		if r.Message.Text == "" {
			k.t.Error("a reply says nothing")
		}
		if len(r.Message.Calls) == 0 {
			return r
		}
		results := model.Message{Role: model.Tool}
		for i := range r.Message.Calls {
			c := &r.Message.Calls[i]
			c.ID = fmt.Sprintf("call_%d_%d", k.steps, i)
			text, bad := k.call(*c)
			results.Results = append(results.Results, model.Result{CallID: c.ID, Name: c.Name, Text: text, Error: bad})
		}
		k.messages = append(k.messages, r.Message, results)
		if k.finished != "" {
			return r
		}
	}
	k.t.Fatal("no end after 40 replies")
	return model.Reply{}
}

func (k *talk) call(c model.Call) (text string, bad bool) {
	var a struct {
		Path, Patch, Summary string
		Candidates           []string
		Start                int `json:"start_line"`
		Quick                int `json:"quick_millis"`
	}
	if err := json.Unmarshal([]byte(c.Args), &a); err != nil {
		k.t.Fatal(err)
	}
	switch c.Name {
	case "trace_coverage":
		return "Lines that failing tests execute, as LINE:FAILING/PASSING, of 1 failing and 3 passing tests measured:\n" + k.coverage, false
	case "read_file":
		lines := strings.Split(strings.TrimSuffix(k.files[a.Path], "\n"), "\n")
		first := max(a.Start, 1)
		last := min(first+199, len(lines))
		out := fmt.Sprintf("Lines %d to %d of %d.\n", first, last, len(lines))
		for n := first; n <= last; n++ {
			out += fmt.Sprintf("%3d| %s\n", n, lines[n-1])
		}
		return out, false
	case "apply_patch":
		files, err := applied(k.files, a.Patch)
		if err != nil {
			k.t.Errorf("a patch that does not fit: %v\n%s", err, a.Patch)
			return err.Error(), true
		}
		k.files = files
		return "Applied.", false
	case "try_patches":
		if k.broken != "" {
			return "It could not be done.\n<untrusted-data 15adcd>\n" + k.broken + "\n</untrusted-data 15adcd>", true
		}
		if k.untried {
			return fmt.Sprintf("Tried 0 of %d candidates.\nnot tried: 1-%d\n", len(a.Candidates), len(a.Candidates)), false
		}
		out := ""
		for i, text := range a.Candidates {
			now := tried(k.t, k.files, text)
			if a.Quick > 0 {
				k.patient++
			} else if k.slow != nil && k.slow(now) {
				out += fmt.Sprintf("late: %d-%d\n", i+1, i+1)
				continue
			}
			if said := k.judge(now); said != "" {
				out += fmt.Sprintf("#%d %s\n", i+1, said)
			}
		}
		return fmt.Sprintf("Tried %d of %d candidates.\n%s", len(a.Candidates), len(a.Candidates), out), false
	case "finish":
		if k.refuse != nil && k.refuse(k.files) {
			return "Not finished: the proof does not hold.\nReasons:\n<untrusted-data 15adcd>\n" + k.reason + "\n</untrusted-data 15adcd>", true
		}
		k.finished = a.Summary
		return "The proof holds.", false
	}
	k.t.Errorf("call of %s", c.Name)
	return "", true
}

func applied(files map[string]string, diff string) (map[string]string, error) {
	edits, err := patch.Parse(diff)
	if err != nil {
		return nil, err
	}
	p, _, err := patch.Resolve(edits, func(name string) (*patch.Content, error) {
		text, ok := files[name]
		if !ok {
			return nil, os.ErrNotExist
		}
		return &patch.Content{Data: []byte(text), Mode: 0o644}, nil
	})
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for n, text := range files {
		out[n] = text
	}
	for _, f := range p.Files {
		after, err := patch.Apply(f, &patch.Content{Data: []byte(files[f.Path]), Mode: 0o644})
		if err != nil {
			return nil, err
		}
		out[f.Path] = string(after.Data)
	}
	return out, nil
}

// tried makes a candidate's edits.
func tried(t *testing.T, files map[string]string, text string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for n, text := range files {
		out[n] = text
	}
	var name string
	var first, last int
	var put []string
	shift := map[string]int{} // lines that the groups before added; those of a file stand in order
	flush := func() {
		if name == "" {
			return
		}
		lines := strings.SplitAfter(out[name], "\n")
		by := shift[name]
		shift[name] += len(put) - (last - first + 1)
		first, last = first+by, last+by
		var b strings.Builder
		b.WriteString(strings.Join(lines[:first-1], ""))
		for _, l := range put {
			b.WriteString(l + "\n")
		}
		b.WriteString(strings.Join(lines[last:], ""))
		out[name] = b.String()
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "@@ ") {
			flush()
			put = nil
			at := strings.LastIndexByte(line, ' ')
			if name = line[len("@@ "):at]; name == "" {
				t.Fatal(line)
			}
			if _, err := fmt.Sscanf(line[at+1:], "%d-%d", &first, &last); err != nil {
				t.Fatal(line, err)
			}
			continue
		}
		put = append(put, strings.TrimPrefix(line, "|"))
	}
	flush()
	return out
}

const begin = "Task:\nThe first day is not counted.\n\nOn the untouched copy 3 tests pass, 1 fail, 0 are skipped.\nTheir output, trimmed:\n" +
	"1 failed.\n\nFAILED test_days.py::test_first\n  at test_days.py:4\n  assert 2 == 3\n"

const daysPy = "def days(first, last):\n    \"\"\"How many days a stay has.\"\"\"\n    if last < first:\n        return 0\n    return last - first\n"

// newTalk is a conversation over one file in which a text is right.
func newTalk(t *testing.T, right func(text string) bool) *talk {
	return &talk{t: t, files: map[string]string{"days.py": daysPy}, coverage: "days.py 3:1/3 5:1/2\n",
		messages: []model.Message{{Role: model.User, Text: begin}},
		judge: func(files map[string]string) string {
			if right(files["days.py"]) {
				return "passes all tests"
			}
			return ""
		}}
}

// TestFinds searches until a candidate passes, applies it and finishes.
func TestFinds(t *testing.T) {
	t.Parallel()
	const want = "last - first + 1"
	k := newTalk(t, func(text string) bool { return strings.Contains(text, want) })
	k.run()
	if !strings.Contains(k.files["days.py"], want) || !strings.Contains(k.finished, Label) {
		t.Errorf("%q in %d steps:\n%s", k.finished, k.steps, k.files["days.py"])
	}
	// the state is read from the conversation: another process says the same
	again, err := Model().Chat(t.Context(), model.Request{Messages: k.messages[:len(k.messages)-2], Tools: []model.Spec{{Name: "try_patches"}}}, nil)
	if err != nil || again.Message.Text != k.messages[len(k.messages)-2].Text {
		t.Errorf("read again it says %q, %v", again.Message.Text, err)
	}
}

// TestLooksForABetterOne does not take at once what only takes something away; what is found then is held beside it.
func TestLooksForABetterOne(t *testing.T) {
	t.Parallel()
	for _, better := range []bool{true, false} {
		k := newTalk(t, nil)
		files := strings.Replace(daysPy, "    if last < first:\n        return 0\n", "", 1)
		first := 0
		tried := map[int]int{}
		k.judge = func(now map[string]string) string {
			if first == 0 {
				first = k.steps
			}
			switch text := now["days.py"]; {
			case text == files:
				tried[k.steps]++
				return "passes all tests"
			case better && k.steps > first && strings.Contains(text, "last - first") && !strings.Contains(text, "return last - first\n") && len(text) > len(daysPy):
				return "passes all tests"
			}
			return ""
		}
		k.files["days.py"] = daysPy + strings.Repeat("\n\ndef more(first, last, many):\n    one = first + 1\n    two = last - one\n    return max(many, two)\n", 4)
		files += strings.Repeat("\n\ndef more(first, last, many):\n    one = first + 1\n    two = last - one\n    return max(many, two)\n", 4)
		k.coverage = "days.py 3:1/3 5:1/2 9:1/2 10:1/2 11:1/2 15:1/2 16:1/2 17:1/2 21:1/2 22:1/2 23:1/2\n"
		k.run()
		if took := k.files["days.py"] != files; took != better {
			t.Errorf("better %v: it takes\n%s", better, k.files["days.py"])
		}
		if len(tried) != 2 || tried[first] != 1 {
			t.Errorf("better %v: the first one was tried %v", better, tried)
		}
	}
}

// TestLateEdits: edits with which a failing test takes long have all of its time once nothing else is left, a few of each line.
func TestLateEdits(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"the right one is slow": "last - first + 1", "none is": ""} {
		k := newTalk(t, func(text string) bool { return want != "" && strings.Contains(text, want) })
		k.slow = func(files map[string]string) bool {
			return strings.Contains(files["days.py"], "first") && !strings.Contains(files["days.py"], "return last - first\n")
		}
		r := k.run()
		if got := k.files["days.py"]; want != "" && !strings.Contains(got, want) || want == "" && got != daysPy {
			t.Errorf("%s: %s\n%s", name, r.Message.Text, got)
		}
		if k.patient == 0 || k.patient > 2*lateAtLine {
			t.Errorf("%s: %d edits had all of their time", name, k.patient)
		}
		if want == "" && !strings.Contains(r.Message.Text, "found no fix") {
			t.Errorf("%s: it ends with %q", name, r.Message.Text)
		}
	}
}

// TestResigns: where a limit ends the search it says what it suspects, tried and had left, and what a person can do.
func TestResigns(t *testing.T) {
	t.Parallel()
	k := newTalk(t, func(string) bool { return false })
	k.run()
	upTo := slices.IndexFunc(k.messages, func(m model.Message) bool {
		return slices.ContainsFunc(m.Results, func(r model.Result) bool { return r.Name == "trace_coverage" })
	})
	for name, tt := range map[string]struct {
		messages []model.Message
		wants    []string
	}{
		"before the first edit": {k.messages[:upTo], []string{"before the first edit"}},
		"within the search":     {k.messages[:upTo+3], []string{"I tried 0 edits", "had no turn", "I suspect 2 lines in 1 file"}},
		"at its end":            {k.messages, []string{"none makes all failing tests pass", "No single edit that I know was left"}},
	} {
		got := engine{}.Resign(tt.messages, "the time limit of 20m0s is used up; raise it with --timeout")
		for _, want := range append(tt.wants, "found no fix. The time limit of 20m0s is used up", "A failing test: test_days.py::test_first", "`ollama serve`") {
			if !strings.Contains(got, want) {
				t.Errorf("%s it does not say %q:\n%s", name, want, got)
			}
		}
	}
}

// TestTooSlowToTry: a search whose time ends twice before the first edit says so.
func TestTooSlowToTry(t *testing.T) {
	t.Parallel()
	k := newTalk(t, nil)
	k.untried = true
	if r := k.run(); !strings.Contains(r.Message.Text, "too slow for a search") {
		t.Errorf("it ends with %q", r.Message.Text)
	}
}

// TestStepsOn builds on an edit that helps in part.
func TestStepsOn(t *testing.T) {
	t.Parallel()
	k := newTalk(t, nil)
	k.messages[0].Text += "\nFAILED test_days.py::test_same\n  assert 0 == 1\n"
	k.judge = func(files map[string]string) string {
		text := files["days.py"]
		one, two := strings.Contains(text, "last <= first"), strings.Contains(text, "return last - first + 1")
		switch {
		case one && two:
			return "passes all tests"
		case two:
			return "passes 1 of 2 failing tests: test_days.py::test_first"
		}
		return ""
	}
	k.run()
	if text := k.files["days.py"]; !strings.Contains(text, "last <= first") || !strings.Contains(text, "+ 1") {
		t.Errorf("after %d steps:\n%s", k.steps, text)
	}
}

// TestProbesEarly goes on from an edit that helps in part at once where the other tests come further with it, and takes it
// back where they do not.
func TestProbesEarly(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		then  string // coverage on top of the edit
		early bool
	}{
		"they come further": {"days.py 3:1/3 4:1/0 5:1/3\n", true},
		"they do not":       {"days.py 3:1/3 5:1/3\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, nil)
			k.messages[0].Text += "\nFAILED test_days.py::test_same\n  assert 0 == 1\n"
			batches, first := 0, 0
			k.judge = func(files map[string]string) string {
				text := files["days.py"]
				k.coverage = tt.then
				one, two := strings.Contains(text, "last <= first"), strings.Contains(text, "return last - first + 1")
				switch {
				case one && two:
					return "passes all tests"
				case two && !strings.Contains(k.files["days.py"], "+ 1"):
					return "passes 1 of 2 failing tests: test_days.py::test_first"
				}
				return ""
			}
			k.run()
			if text := k.files["days.py"]; !strings.Contains(text, "last <= first") || !strings.Contains(text, "+ 1") {
				t.Errorf("after %d steps:\n%s", k.steps, text)
			}
			for _, m := range k.messages {
				for _, c := range m.Calls {
					switch {
					case c.Name == "try_patches" && first == 0:
						batches++
					case c.Name == "apply_patch" && first == 0:
						first = batches
					}
				}
			}
			taken := slices.ContainsFunc(k.messages, func(m model.Message) bool { return strings.Contains(m.Text, "I take the edit back") })
			if first != 1 || taken == tt.early {
				t.Errorf("the first step comes after %d batches, taken back: %v", first, taken)
			}
		})
	}
}

// TestMoved maps lines behind a diff to those before it.
func TestMoved(t *testing.T) {
	t.Parallel()
	diff := "--- a/x.py\n+++ b/x.py\n@@ -3,3 +3,4 @@\n a\n-b\n+c\n+d\n e\n"
	was := moved(diff, "x.py")
	for line, want := range map[int]int{1: 1, 3: 3, 4: 0, 5: 0, 6: 5, 9: 8} {
		if got := was(line); got != want {
			t.Errorf("line %d was %d, want %d", line, got, want)
		}
	}
	if got := moved(diff, "y.py")(6); got != 6 {
		t.Errorf("of another file line 6 was %d", got)
	}
}

// TestTakesTheNext proposes another candidate when the proof refuses one, and nothing of the first stays.
func TestTakesTheNext(t *testing.T) {
	t.Parallel()
	k := newTalk(t, func(text string) bool {
		return strings.Contains(text, "first + 1") || strings.Contains(text, "last + first")
	})
	refused := 0
	k.refuse = func(map[string]string) bool { refused++; return refused == 1 }
	k.run()
	both := strings.Contains(k.files["days.py"], "first + 1") && strings.Contains(k.files["days.py"], "last + first")
	if refused != 2 || both || k.files["days.py"] == daysPy {
		t.Errorf("%d proofs:\n%s", refused, k.files["days.py"])
	}
	said := k.messages[len(k.messages)-2].Text
	if strings.Contains(said, "smallest") || !strings.Contains(said, "1 of them was not taken. The next in my order") || !strings.Contains(k.finished, "It is the next in the engine's order") {
		t.Errorf("of the second it says %q, and to the person %q", said, k.finished)
	}
}

// TestStopsAtUnsteadyTests ends where tests do not do the same each time, leaves nothing of what happened to pass and says
// nowhere in the end that it makes them pass; what a proof refuses for another reason does not end the search.
func TestStopsAtUnsteadyTests(t *testing.T) {
	t.Parallel()
	for reason, most := range map[string]int{
		"No test went from red to green: 1 test failed before and still does: test_days.py::test_first.":                       2,
		"1 test gives different results when run again, so it is no proof that they pass: a.\nNo test went reliably from red.": 2,
		"1 test that passed before fails now: No test went from red to green: x":                                               4,
	} {
		k := newTalk(t, func(text string) bool {
			return strings.Contains(text, "first + 1") || strings.Contains(text, "last + first") || strings.Contains(text, "first + last")
		})
		k.reason = reason
		proofs := 0
		k.refuse = func(map[string]string) bool { proofs++; return proofs < 4 }
		r := k.run()
		if proofs != most {
			t.Errorf("%d proofs of %q, want %d", proofs, reason, most)
		}
		if most == 2 && (r.Stop != model.StopGaveUp || k.files["days.py"] != daysPy || !strings.Contains(r.Message.Text, "do not do the same each time")) {
			t.Errorf("%q: stop %q, files %q, says %q", reason, r.Stop, k.files, r.Message.Text)
		}
	}
}

// TestGivesUp says what it suspects, the failing test, and how to set up a model.
func TestGivesUp(t *testing.T) {
	t.Parallel()
	k := newTalk(t, func(string) bool { return false })
	r := k.run()
	for _, want := range []string{"found no fix", "test_days.py::test_first", "days.py:5", "ollama serve"} {
		if !strings.Contains(r.Message.Text, want) {
			t.Errorf("it does not say %q:\n%s", want, r.Message.Text)
		}
	}
	if r.Stop != model.StopGaveUp || k.files["days.py"] != daysPy {
		t.Errorf("stop %q, files %q", r.Stop, k.files)
	}
	green := newTalk(t, nil)
	green.messages[0].Text = "Task:\nIt is slow.\n\nOn the untouched copy 3 tests pass, 0 fail, 0 are skipped."
	if r := green.run(); r.Stop != model.StopGaveUp || !strings.Contains(r.Message.Text, "No test fails") {
		t.Errorf("without a failing test: %+v", r)
	}
}

// TestInvert takes a diff back to the byte.
func TestInvert(t *testing.T) {
	t.Parallel()
	s := parse("days.py", daysPy)
	all := candidates([]*source{s}, map[string]map[int]float64{"days.py": {3: 1, 4: 1, 5: 1}}, hints{}, priors(), learn([]*source{s}))
	if len(all) < 50 {
		t.Fatalf("%d candidates", len(all))
	}
	for _, c := range all {
		diff := c.diff()
		if diff == "" {
			continue // the same text
		}
		there, err := applied(map[string]string{"days.py": daysPy}, diff)
		if err != nil {
			t.Fatal(err)
		}
		back, err := applied(there, invert(diff))
		if err != nil || back["days.py"] != daysPy || invert(invert(diff)) == diff && !slices.Equal([]string{c.after()}, []string{there["days.py"]}) {
			t.Fatalf("%v\n%s\n%s", err, diff, invert(diff))
		}
		if got := tried(t, map[string]string{"days.py": daysPy}, c.lines())["days.py"]; strings.TrimRight(got, "\n") != strings.TrimRight(c.after(), "\n") {
			t.Fatalf("as lines it is\n%s\nas text\n%s", got, c.after())
		}
	}
}

// TestCannotTry ends at once, with the reason, where no edit can be tried, and counts none as tried.
func TestCannotTry(t *testing.T) {
	t.Parallel()
	k := newTalk(t, func(string) bool { return true })
	k.broken = "making a folder for the test reports: no space left on device"
	r := k.run()
	if r.Stop != model.StopGaveUp || !strings.Contains(r.Message.Text, "could not be tried: "+k.broken+"\n") || k.steps > 4 {
		t.Errorf("after %d steps: %s", k.steps, r.Message.Text)
	}
}

// TestUnmeasuredFrames: where no lines were measured, since the test program died, the whole function that a failure names is
// suspected, and the rest of its file a little.
func TestUnmeasuredFrames(t *testing.T) {
	t.Parallel()
	s := parse("a.go", "package a\n\nfunc g(n int) int {\n\treturn n\n}\n\nfunc f(all []int) int {\n\tlast := len(all)\n\treturn all[last]\n}\n")
	lines := map[int]float64{9: 1.2}
	s.aroundFrames(lines)
	if lines[9] != 1.2 || lines[8] != aroundFrame || lines[4] != besideFrame {
		t.Errorf("%v", lines)
	}
}
