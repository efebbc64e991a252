package session

import (
	"encoding/json"
	"strings"

	"redgreen/backend/model"
	"redgreen/backend/patch"
)

// Act is a tool call of a step with what it gave.
type Act struct {
	Tool    string `json:"tool"`
	Args    string `json:"args"`
	OK      bool   `json:"ok"`
	Summary string `json:"summary"`
}

// Step is one step of a session as lists show it: what the model said, and what it did.
type Step struct {
	Step     int            `json:"step"`
	Seq      int64          `json:"seq"` // of its first event
	Said     string         `json:"said,omitempty"`
	Acts     []Act          `json:"acts,omitempty"`
	Usage    model.Usage    `json:"usage"`
	MicroUSD model.MicroUSD `json:"micro_usd"`
	Priced   bool           `json:"priced"`
	Millis   int64          `json:"ms"` // of the model's reply
}

// Steps folds events into steps; pure. Events of a newer version are passed over.
func Steps(events []Event) []Step {
	var out []Step
	calls := map[string]int{} // index into the last step's acts
	for _, e := range events {
		data, err := Decode(e)
		if err != nil {
			continue
		}
		if d, ok := data.(StepStarted); ok {
			out, calls = append(out, Step{Step: d.Step, Seq: e.Seq, Priced: true}), map[string]int{}
			continue
		}
		if len(out) == 0 {
			continue
		}
		s := &out[len(out)-1]
		switch d := data.(type) {
		case ModelReplied:
			s.Said, s.Usage, s.MicroUSD, s.Priced, s.Millis = d.Message.Text, d.Usage, d.MicroUSD, d.Priced, d.Millis
		case ToolCalled:
			calls[d.CallID] = len(s.Acts)
			s.Acts = append(s.Acts, Act{Tool: d.Tool, Args: d.Args})
		case ToolFinished:
			if i, ok := calls[d.CallID]; ok {
				s.Acts[i].OK, s.Acts[i].Summary = d.OK, d.Summary
			}
		}
	}
	return out
}

// Pair puts a step of one session beside the step of another that did the same; one of them is nil where only one did it.
// Same says that the results were the same too.
type Pair struct {
	A    *Step `json:"a"`
	B    *Step `json:"b"`
	Same bool  `json:"same"`
}

// compareMost bounds the table of Compare: beyond it steps stand side by side by their number.
const compareMost = 4_000_000

// Compare lines up the steps of two sessions by what they did (tools and arguments), as a longest common subsequence
// (Wagner and Fischer 1974, "The String-to-String Correction Problem"); pure, quadratic in the number of steps. Steps
// between two common ones stand side by side in their order.
func Compare(a, b []Event) []Pair {
	x, y := Steps(a), Steps(b)
	if len(x)*len(y) > compareMost {
		return beside(x, y)
	}
	sx, sy := signatures(x), signatures(y)
	long := make([][]int32, len(x)+1) // long[i][j] is the length of the subsequence of x[i:] and y[j:]
	for i := range long {
		long[i] = make([]int32, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if sx[i] == sy[j] {
				long[i][j] = long[i+1][j+1] + 1
			} else {
				long[i][j] = max(long[i+1][j], long[i][j+1])
			}
		}
	}
	var out []Pair
	fromX, fromY := 0, 0
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case sx[i] == sy[j]:
			out = append(out, beside(x[fromX:i], y[fromY:j])...)
			out = append(out, Pair{&x[i], &y[j], sameActs(x[i].Acts, y[j].Acts)})
			i, j = i+1, j+1
			fromX, fromY = i, j
		case long[i+1][j] >= long[i][j+1]:
			i++
		default:
			j++
		}
	}
	return append(out, beside(x[fromX:], y[fromY:])...)
}

func beside(x, y []Step) []Pair {
	var out []Pair
	for i := range max(len(x), len(y)) {
		var p Pair
		if i < len(x) {
			p.A = &x[i]
		}
		if i < len(y) {
			p.B = &y[i]
		}
		out = append(out, p)
	}
	return out
}

// signatures are what steps did; a step that did nothing differs from every other.
func signatures(steps []Step) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		var b strings.Builder
		for _, a := range s.Acts {
			b.WriteString(a.Tool + "\x00" + plainArgs(a.Args) + "\x00")
		}
		if out[i] = b.String(); out[i] == "" {
			out[i] = "\x01" + s.Said
		}
	}
	return out
}

// plainArgs is JSON in one form: sorted keys, no blanks.
func plainArgs(args string) string {
	var v any
	if json.Unmarshal([]byte(args), &v) != nil {
		return args
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return args
	}
	return string(raw)
}

func sameActs(a, b []Act) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].OK != b[i].OK || a[i].Summary != b[i].Summary {
			return false
		}
	}
	return true
}

// Origin is the edit that made a changed line.
type Origin struct {
	Seq  int64  `json:"seq"` // of the patch.changed event
	Step int    `json:"step"`
	Said string `json:"said"` // by the model in that step, or by the person with their own change
	By   string `json:"by"`   // model, or person: the change was made in the review
	Act  *Act   `json:"act"`  // the call that made the edit, nil where a person did or it is not recorded
}

// Why finds the step that made a changed line of a session's last patch; pure. line is a line number of the patched file
// or, with removed, of the file before. ok is false where the patch does not change that line.
func Why(events []Event, path string, line int, removed bool) (o Origin, ok bool) {
	var at []int // of the changes among the events
	var patches []PatchChanged
	for i, e := range events {
		if data, err := Decode(e); err == nil {
			if d, is := data.(PatchChanged); is {
				at, patches = append(at, i), append(patches, d)
			}
		}
	}
	if len(patches) == 0 {
		return Origin{}, false
	}
	last := patches[len(patches)-1].Patch
	op, text, nth, ok := changedLine(last, path, line, removed)
	if !ok {
		return Origin{}, false
	}
	first := len(patches) - 1
	for first > 0 && count(patches[first-1].Patch, path, op, text) >= nth {
		first--
	}
	o = Origin{Seq: events[at[first]].Seq, Step: patches[first].Step, By: "model"}
	if d, is := chosenAfter(events[at[first]+1:]); is {
		o.By, o.Said = d.By, d.Comment
		return o, true
	}
	if before := Steps(events[:at[first]]); len(before) > 0 { // its last act is the edit, without what came of it
		n := len(before) - 1
		s := Steps(events)[n]
		o.Said, o.Act = s.Said, editOf(s.Acts[:len(before[n].Acts)])
	}
	return o, true
}

// chosenAfter is the person's own change of a patch in the review: its answer is recorded right behind the new patch.
func chosenAfter(events []Event) (d ReviewAnswered, ok bool) {
	if len(events) == 0 {
		return d, false
	}
	data, err := Decode(events[0])
	if err != nil {
		return d, false
	}
	d, ok = data.(ReviewAnswered)
	return d, ok && d.Changed != ""
}

// editOf is the last edit among the acts of a step.
func editOf(acts []Act) *Act {
	for i := len(acts) - 1; i >= 0; i-- {
		if acts[i].Tool == "apply_patch" {
			return &acts[i]
		}
	}
	return nil
}

// changedLine is the text of a changed line and how many equal ones of the file's change stand before it, itself counted.
func changedLine(p patch.Patch, path string, line int, removed bool) (op patch.Op, text string, nth int, ok bool) {
	want := patch.Insert
	if removed {
		want = patch.Delete
	}
	seen := map[string]int{}
	for _, f := range p.Files {
		if f.Path != path && f.OldPath != path {
			continue
		}
		for _, h := range f.Hunks {
			before, after := h.OldStart, h.NewStart
			for _, l := range h.Lines {
				at := after
				if removed {
					at = before
				}
				if l.Op == want {
					seen[l.Text]++
					if at == line {
						return want, l.Text, seen[l.Text], true
					}
				}
				if l.Op != patch.Insert {
					before++
				}
				if l.Op != patch.Delete {
					after++
				}
			}
		}
	}
	return want, "", 0, false
}

func count(p patch.Patch, path string, op patch.Op, text string) (n int) {
	for _, f := range p.Files {
		if f.Path != path && f.OldPath != path {
			continue
		}
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op == op && l.Text == text {
					n++
				}
			}
		}
	}
	return n
}
