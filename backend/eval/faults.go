package eval

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

// recordedFault is the run without a fault, on which tokens are measured.
const recordedFault = "none"

// fault is one deliberate fault of a model, and the one way in which its run may end.
type fault struct {
	name, does string
	replies    func(s sample) []model.ScriptReply
	outcome    session.Outcome
	proof      string // the certificate's state, "" none
	why        string // in the end's words
	limits     session.Limits
}

func (f fault) wants() string {
	w := string(f.outcome)
	if f.proof != "" {
		w += ", " + f.proof
	}
	if f.why != "" {
		w += ": " + f.why
	}
	return w
}

func (f fault) holds(r Row) bool {
	return r.Outcome == f.outcome && r.Proof == f.proof && strings.Contains(r.Why, f.why)
}

func call(text, name string, args any) model.ScriptReply {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err) // the literals below
	}
	return model.ScriptReply{Text: text, Calls: []model.ScriptCall{{Name: name, Args: raw}}}
}

type m = map[string]any

// finish is a call of finish.
func finish() model.ScriptReply {
	return call("It is done.", "finish", m{"summary": "I fixed it."})
}

// before puts replies in front of the recorded fix.
func before(list ...model.ScriptReply) func(s sample) []model.ScriptReply {
	return func(s sample) []model.ScriptReply { return slices.Concat(list, s.replies) }
}

// only plays these replies, the last of them again and again.
func only(list ...model.ScriptReply) func(s sample) []model.ScriptReply {
	return func(sample) []model.ScriptReply {
		return append(list, slices.Repeat(list[len(list)-1:], 40)...)
	}
}

// each plays n replies that a function makes.
func each(n int, make func(i int) model.ScriptReply) func(s sample) []model.ScriptReply {
	return func(sample) (out []model.ScriptReply) {
		for i := range n {
			out = append(out, make(i))
		}
		return out
	}
}

const scratch = "scratch_note.txt"

func write(old, text string) model.ScriptReply {
	return call("I change it.", "apply_patch", m{"path": scratch, "old": old, "new": text})
}

// faults are the cases of the harness. The first four kinds are faults that a run must survive; the others must stop it,
// for their own reason.
var faults = []fault{
	{name: recordedFault, does: "nothing wrong: the recorded fix", replies: before(), outcome: session.Review, proof: "proven"},
	{name: "bad edit forms", does: "a diff without context, one in a fence with prose, a block without its end, then the fix", replies: before(
		call("A diff.", "apply_patch", m{"patch": "--- a/nowhere.py\n+++ b/nowhere.py\n@@ -1,3 +1,3 @@\n-no such line\n+another\n"}),
		call("In a fence.", "apply_patch", m{"patch": "Here is the fix:\n```diff\n@@ @@\n```\nDone."}),
		call("A block.", "apply_patch", m{"patch": "nowhere.py\n<<<<<<< SEARCH\nx\n=======\ny\n"}),
	), outcome: session.Review, proof: "proven"},
	{name: "wrong arguments", does: "broken JSON, a wrong type, a missing and an unknown argument, then the fix", replies: before(
		model.ScriptReply{Text: "Broken.", Calls: []model.ScriptCall{{Name: "read_file", Args: json.RawMessage(`"{\"path\": \"a"`)}}},
		call("A list.", "read_file", m{"path": []string{"a", "b"}}), call("Nothing.", "search_code", m{}), call("More.", "run_tests", m{"cmd": "make"}),
	), outcome: session.Review, proof: "proven"},
	{name: "unknown tools", does: "bash, str_replace_editor and functions.read_file, then the fix", replies: before(
		call("A shell.", "bash", m{"command": "ls"}), call("An editor.", "str_replace_editor", m{"command": "view", "path": "."}), call("A prefix.", "functions.read_file", m{"path": "."}),
	), outcome: session.Review, proof: "proven"},
	{name: "prose, then calls", does: "describes the fix twice, is told that text does nothing, then makes it", replies: before(
		model.ScriptReply{Text: "The fix is to handle the missing case. I have applied it and all tests pass."}, model.ScriptReply{Text: "TASK COMPLETE"},
	), outcome: session.Review, proof: "proven"},
	{name: "empty replies, then calls", does: "two empty replies, then the fix", replies: before(model.ScriptReply{}, model.ScriptReply{}), outcome: session.Review, proof: "proven"},
	{name: "finish too early", does: "claims to be done before anything was changed, then makes the fix", replies: before(finish()), outcome: session.Review, proof: "proven"},
	{name: "asks for another task", does: "asks the person a question that nobody answers", replies: before(call("I ask.", "ask_person", m{"question": "Shall I rewrite all of it?"})),
		outcome: session.Waiting},
	{name: "prose for ever", does: "only talks", replies: only(model.ScriptReply{Text: "I fixed everything. approve: yes"}), outcome: session.NotProven, why: "without calling a tool"},
	{name: "empty for ever", does: "only empty replies", replies: only(model.ScriptReply{}), outcome: session.NotProven, why: "without calling a tool"},
	{name: "cut replies", does: "every reply runs into its length", replies: only(model.ScriptReply{Text: "I think, therefore", Stop: model.StopLength}), outcome: session.NotProven, why: "without calling a tool"},
	{name: "refusal", does: "refuses", replies: only(model.ScriptReply{Text: "I cannot help with that.", Stop: model.StopRefusal}), outcome: session.NotProven, why: "refused"},
	{name: "endless reading", does: "reads the same folder for ever", replies: only(call("I look.", "read_file", m{"path": "."})), outcome: session.NotProven, why: "same call of read_file 4 times"},
	{name: "endless testing", does: "runs the same red tests for ever", replies: only(call("Once more.", "run_tests", m{})), outcome: session.NotProven, why: "same call of run_tests 4 times"},
	{name: "back and forth", does: "changes a line and changes it back, for ever", replies: each(40, func(i int) model.ScriptReply {
		switch {
		case i == 0:
			return write("", "one\n")
		case i%2 == 1:
			return write("one", "two")
		}
		return write("two", "one")
	}), outcome: session.NotProven, proof: "not_proven", why: "back and forth"},
	{name: "guessing at a file", does: "quotes lines that are not there, in one form, for ever", replies: each(40, func(i int) model.ScriptReply {
		if i%4 == 3 {
			return call("I look.", "read_file", m{"path": "README.md", "start_line": i})
		}
		return call("I guess.", "apply_patch", m{"path": "README.md", "old": fmt.Sprintf("no such line %d", i), "new": "x"})
	}), outcome: session.NotProven, why: "in the same way"},
	{name: "finish for ever", does: "claims to be done, and changes nothing", replies: only(finish()), outcome: session.NotProven, why: "without a change"},
	{name: "a change that proves nothing", does: "writes a note, and claims to be done", replies: only(write("", "fixed\n"), finish()), outcome: session.Review, proof: "not_proven"},
	{name: "giant reply", does: "400 KB of words in one reply, more than its context holds, then the fix", replies: before(
		model.ScriptReply{Text: strings.Repeat("I think about it. ", 24_000), Calls: []model.ScriptCall{{Name: "read_file", Args: json.RawMessage(`{"path":"."}`)}}},
	), outcome: session.Review, proof: "proven"},
	{name: "giant file", does: "writes a file of 300 KB in one call, reads in it, then makes the fix", replies: func(s sample) []model.ScriptReply {
		big := call("A big file.", "apply_patch", m{"path": "big_note.txt", "old": "", "new": strings.Repeat("a line of a big file that says nothing\n", 8000)})
		out := []model.ScriptReply{big}
		for i := range 3 {
			out = append(out, call("On.", "read_file", m{"path": "big_note.txt", "start_line": 1 + 200*i}))
		}
		return append(out, s.replies...)
	}, outcome: session.Review, proof: "proven"},
	{name: "outage", does: "the provider fails for good", replies: only(model.ScriptReply{Error: &model.ScriptError{Code: model.Unavailable, Message: "the server is overloaded (529)"}}),
		outcome: session.Error, why: "overloaded"},
	{name: "steps", does: "looks at one new thing after another", replies: each(40, func(i int) model.ScriptReply {
		return call("I look.", "search_code", m{"query": fmt.Sprintf("thing %d", i)})
	}), outcome: session.Limit, why: "the limit of 6 steps", limits: session.Limits{Steps: 6}},
}
