package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

// When a model counts as stuck. The same call with the same result on the same workspace is warned the third time and
// stops the run the fourth time; so is the same change of the workspace from one state to another, in whatever words.
const (
	warnRepeat = 3
	maxRepeats = 4
	// Edits that are refused in one way: after the third the file must be read again, after the fourth another form
	// must be used, the fifth stops the run.
	rereadAfter = 3
	reformAfter = 4
	maxOneShape = 5
	maxIgnored  = 4 // edits that were not run since the model did neither
	// sameFailure is how many changes may leave the same tests red before another approach is asked for.
	sameFailure = 3
)

// The words that a model reads beside a result.
const (
	repeatWarning = "You made this call before, with this result, on the same workspace. Do something else; the next repeat ends the run."
	backAndForth  = "The workspace went this way before: you change it back and forth. Do something else; the next repeat ends the run."
	reflectAsk    = "Before your next call say in two sentences why this failed and what you will change."
	otherApproach = "The same tests are still red after 3 changes. Leave this approach: question your assumption about the cause, look somewhere else, or take the change back."
	notRunPrefix  = "not run: " // of the summary of a call that this package refused
)

// attempt is one call of the model with the state of the workspace that it met; the trail of them is what tells a loop
// from work.
type attempt struct {
	session.ToolCalled
	at       string // hash of the change so far when it was called, "" none
	to       string // and after it
	done     bool
	ok       bool
	summary  string
	result   string // what the model saw, without what is added beside it; of a run which tests failed
	run      bool   // a test run
	red      bool   // a test run with failures
	failures string // the red tests of a run
}

// trail lists the attempts since the person last spoke; pure. Looking again after old output left the model's view is no
// repeat.
func trail(events []entry) []attempt {
	var out []attempt
	at := ""
	for _, e := range events {
		switch d := e.data.(type) {
		case session.PatchChanged:
			at = d.Hash
			if d.Patch.Empty() {
				at = ""
			}
			if n := len(out); n > 0 {
				out[n-1].to = at
			}
		case session.ToolCalled:
			d.Args = plain(d.Args)
			out = append(out, attempt{ToolCalled: d, at: at, to: at})
		case session.ToolFinished:
			if n := len(out); n > 0 && out[n-1].CallID == d.CallID {
				out[n-1].finish(d)
			}
		case session.Compacted:
			out = slices.DeleteFunc(out, func(a attempt) bool { return a.Tool == "read_file" || a.Tool == "search_code" })
		case session.ReviewAnswered, session.Message:
			out = nil
		}
	}
	return out
}

func (a *attempt) finish(d session.ToolFinished) {
	a.done, a.ok, a.summary = true, d.OK, d.Summary
	a.result = d.Text
	for _, said := range []string{repeatWarning, backAndForth} {
		a.result = strings.TrimPrefix(a.result, said+"\n")
	}
	for _, said := range []string{otherApproach, reflectAsk} {
		a.result = strings.TrimSuffix(a.result, "\n"+said)
	}
	if d.Tool == "read_file" && len(d.Seen) > 0 {
		a.result = fmt.Sprint(d.Summary, d.Seen) // given again, or said to stand above: the same to the model
	}
	if d.Run == nil {
		return
	}
	a.run, a.red = true, d.Run.Failed > 0 || d.Run.ExitCode != 0
	a.failures = strings.Join(red(*d.Run), "\n")
	a.result = fmt.Sprint(d.Run.ExitCode, d.Run.Passed, d.Run.Failed, d.Run.Skipped, d.Run.Reason, "\n", a.failures) // not its times
}

// plain writes arguments in one way: keys sorted, no blanks, nothing that is null. What is no JSON stays.
func plain(args string) string {
	var a map[string]any
	if json.Unmarshal([]byte(args), &a) != nil {
		return args
	}
	maps.DeleteFunc(a, func(_ string, v any) bool { return v == nil })
	text, err := json.Marshal(a)
	if err != nil { // cannot happen: it was JSON
		return args
	}
	return string(text)
}

// saidNo is the summary of a call that the person did not allow.
const saidNo = "the person said no"

// refusedHere says that this package did not let the call run.
func (a attempt) refusedHere() bool { return strings.HasPrefix(a.summary, notRunPrefix) }

// failedEdit is an edit that was refused for what it says; a person's no and a cancel are none.
func (a attempt) failedEdit() bool {
	return a.Tool == "apply_patch" && a.done && !a.ok && !a.refusedHere() &&
		(strings.HasPrefix(a.summary, "refused") || a.summary == "invalid arguments")
}

// failed is what asks for a reflection: a refused edit, or a red run over a change. Red before any change is how a fix
// begins.
func (a attempt) failed() bool { return a.failedEdit() || a.red && a.at != "" }

func (a attempt) same(b attempt) bool { return a.Tool == b.Tool && a.Args == b.Args && a.at == b.at }

// repeats counts how often the last attempt was made with this outcome on this workspace, itself included; a repeat that
// was not even run counts as one with the outcome of before.
func repeats(as []attempt) int {
	n, last := 0, as[len(as)-1]
	for _, a := range as {
		if a.same(last) && (a.result == last.result || a.refusedHere() || last.refusedHere()) {
			n++
		}
	}
	return n
}

// crossings counts how often the workspace went from the state that the last attempt met to the one it left.
func crossings(as []attempt) int {
	n, last := 0, as[len(as)-1]
	if last.at == last.to {
		return 0
	}
	for _, a := range as {
		if a.at == last.at && a.to == last.to {
			n++
		}
	}
	return n
}

// beside is what stands before and behind the result of the last attempt; pure.
func beside(as []attempt) (before, behind []string) {
	last := as[len(as)-1]
	switch {
	case crossings(as) == warnRepeat:
		before = append(before, backAndForth)
	case repeats(as) == warnRepeat:
		before = append(before, repeatWarning)
	}
	if n := stillFailing(as); n > 0 && n%sameFailure == 0 {
		behind = append(behind, otherApproach)
	}
	if last.failed() && !last.refusedHere() {
		behind = append(behind, reflectAsk)
	}
	return before, behind
}

// stillFailing counts the different changes in a row after which the last run's tests were red, the same ones each time.
func stillFailing(as []attempt) int {
	last := as[len(as)-1]
	if !last.red || last.at == "" {
		return 0
	}
	seen := map[string]bool{}
	for _, a := range slices.Backward(as[:len(as)-1]) {
		if !a.run {
			continue
		}
		if !a.red || a.failures != last.failures || a.at == "" {
			break
		}
		seen[a.at] = true
	}
	if seen[last.at] {
		return 0 // said already
	}
	return len(seen) + 1
}

// stuck says why the run must stop after the last attempt, "" that it may go on; pure.
func stuck(as []attempt) string {
	if len(as) == 0 {
		return ""
	}
	last := as[len(as)-1]
	if crossings(as) >= maxRepeats {
		return fmt.Sprintf("the model changed the workspace back and forth between the same two states, %d times", maxRepeats)
	}
	if repeats(as) >= maxRepeats {
		return fmt.Sprintf("the model made the same call of %s %d times with nothing changed in between", last.Tool, maxRepeats)
	}
	l := ladder(as)
	if last.Tool == "apply_patch" && l.n >= rereadAfter && l.notRun >= maxIgnored {
		return fmt.Sprintf("the model's edits were refused %d times in the same way (%s), and it did not do what it was asked to do first", l.n, l.shape)
	}
	if last.failedEdit() && l.n >= maxOneShape {
		return fmt.Sprintf("the model's edits were refused %d times in the same way (%s), also after reading the file again and in another form", l.n, l.shape)
	}
	return ""
}

// rungs is where the edits that are refused in one way stand.
type rungs struct {
	shape  string // of the last refused edit
	file   string // that it names, "" none
	n      int    // refused in this way since an edit landed
	form   string // of the last one
	reread bool   // the file was read since
	notRun int    // edits that were not run since an edit landed
}

var digits = regexp.MustCompile(`\d+`)

// ladder counts the edits that were refused as the last one was, since an edit landed.
func ladder(as []attempt) rungs {
	var l rungs
	for _, a := range slices.Backward(as) {
		if a.Tool == "apply_patch" && a.ok {
			break
		}
		if a.Tool == "apply_patch" && a.refusedHere() {
			l.notRun++
		}
		if !a.failedEdit() {
			continue
		}
		shape := digits.ReplaceAllString(strings.TrimPrefix(a.summary, "refused: "), "#")
		if l.shape == "" {
			l.shape, l.form = shape, form(a.Args)
			if _, file, ok := strings.Cut(a.summary, " in "); ok && !strings.Contains(file, " ") {
				l.file = file
			}
		}
		if shape == l.shape {
			l.n++
		}
	}
	l.reread = readSince(as, l.file)
	return l
}

// readSince says whether a file, any where it is "", was read after the last refused edit.
func readSince(as []attempt, file string) bool {
	for _, a := range slices.Backward(as) {
		if a.failedEdit() {
			return false
		}
		if a.Tool == "read_file" && a.ok && (file == "" || pathOf(a.Args) == file) {
			return true
		}
	}
	return false
}

func pathOf(args string) string {
	var a struct{ Path string }
	if json.Unmarshal([]byte(args), &a) != nil {
		return ""
	}
	return path.Clean(strings.TrimPrefix(a.Path, "/workspace/"))
}

// form names the form of an edit: the names of its arguments, and what a patch text looks like.
func form(args string) string {
	var a map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &a) != nil {
		return "no JSON"
	}
	var names []string
	for name, v := range a {
		if s := string(v); s != "null" && s != `""` {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	switch {
	case strings.Contains(string(a["patch"]), "<<<<"):
		names = append(names, "blocks")
	case strings.Contains(string(a["patch"]), "@@"):
		names = append(names, "diff")
	}
	return strings.Join(names, "+")
}

// refused says why a call must not run now, by the whole record: a second question, or what refusal says; pure.
func refused(events []entry, call model.Call, said string) (summary, text string) {
	asked, theirs := false, false
	for _, e := range events {
		switch d := e.data.(type) {
		case session.Question:
			asked = true
		case session.Criteria:
			theirs = d.By == "person"
		}
	}
	switch {
	case call.Name == "ask_person" && asked:
		return notRunPrefix + "a second question", "Not run: one question was asked already. Decide yourself, and say in finish what you assumed."
	case call.Name == "write_criteria" && theirs:
		return notRunPrefix + "the criteria are the person's", "Not run: the person wrote the present acceptance criteria, and only they change them. Say in finish what you could not do."
	}
	return refusal(trail(events), call, said)
}

// refusal says why a call must not run as the model makes it now, with the text said beside it: a blind repeat of what
// just failed, or an edit that was refused too often in one way. The first text is for people, "" that it may run; pure.
func refusal(as []attempt, call model.Call, said string) (summary, text string) {
	call.Args = plain(call.Args)
	if slices.ContainsFunc(as, func(a attempt) bool { return a.summary == saidNo && a.Tool == call.Name && a.Args == call.Args }) {
		return notRunPrefix + "the person said no to it", "Not run: the person said no to this very call, and is not asked again. Try another way, or finish."
	}
	if call.Name == "apply_patch" {
		l := ladder(as)
		if l.file == "" || strings.Contains(call.Args, l.file) {
			switch {
			case l.n == rereadAfter && !l.reread:
				return notRunPrefix + "read the file again first", fmt.Sprintf(
					"Not run: edits were refused %d times in the same way (%s). Read the lines that you want to change with read_file first, then quote them from there.", l.n, l.shape)
			case l.n == reformAfter && form(call.Args) == l.form:
				return notRunPrefix + "use another form of edit", fmt.Sprintf(
					"Not run: edits were refused %d times in the same way (%s). Use another form of apply_patch than this one; the next refusal ends the run.", l.n, l.shape)
			}
		}
	}
	return blind(as, call, said)
}

// blind finds a call that failed just so on this very workspace. A refused edit is refused again whatever is said, unless
// something was read in between; a red run may run again if the reply says why.
func blind(as []attempt, call model.Call, said string) (summary, text string) {
	for _, a := range slices.Backward(as) {
		if a.Tool == "apply_patch" && a.ok || a.Tool == "read_file" && a.ok && call.Name == "apply_patch" {
			return "", ""
		}
		if !a.failed() || a.Tool != call.Name || a.Args != call.Args {
			continue
		}
		if a.Tool == "apply_patch" || strings.TrimSpace(said) == "" {
			return notRunPrefix + "a blind repeat", "Not run: this very call failed before and nothing changed since. " + reflectAsk
		}
		return "", ""
	}
	return "", ""
}
