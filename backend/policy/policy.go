// Package policy decides, without I/O, whether an act may run: allow, ask, deny.
//
// The model is assumed to obey every instruction it reads, so nothing here looks at what it says: a verdict depends only
// on the kind of the act and what the person has set. Inside the sandbox and the disposable workspace nothing can be
// lost, so no question is asked there; what leaves it is always asked. A person who has to answer often stops reading
// the questions, so only those that matter are left.
package policy

// Verdict is the answer to an act.
type Verdict string

// The verdicts.
const (
	Allow Verdict = "allow"
	Ask   Verdict = "ask"
	Deny  Verdict = "deny"
)

// Kind is a kind of act.
type Kind string

// The kinds of act. A tool without one is denied.
const (
	Search   Kind = "search"         // look into the index
	Read     Kind = "read"           // read a file of the workspace
	Test     Kind = "run_tests"      // run the fixed test command in the sandbox
	Edit     Kind = "edit_workspace" // change the disposable copy
	Finish   Kind = "finish"         // end the run
	Question Kind = "ask_person"     // wait for the person's answer
	Criteria Kind = "write_criteria" // say what the result is held to
	Try      Kind = "try_patches"    // run the tests on changed throw-away copies in the sandbox
	Trace    Kind = "trace_coverage" // measure in the sandbox what the tests execute
	Apply    Kind = "apply"          // write into the person's folder
	Depend   Kind = "dependency"     // let a change of what the folder depends on into it
	Network  Kind = "network"        // reach the network from the sandbox
)

// Act is what is to be done: its kind and its object, shown to the person when asked.
type Act struct {
	Kind   Kind
	Object string
}

// Settings are the person's own choices.
type Settings struct {
	AskEdits bool // ask before each edit of the workspace
}

// Decide gives the verdict on an act. It is a pure function: the same act and settings always get the same verdict,
// whatever was answered before. A kind that has no rule, the empty one too, is denied.
func Decide(act Act, s Settings) Verdict {
	switch act.Kind {
	case Search, Read, Test, Try, Trace, Finish, Question, Criteria:
		return Allow
	case Edit:
		if s.AskEdits {
			return Ask
		}
		return Allow
	case Apply, Depend, Network: // git is not among them: there is no such act, and what has no rule is denied
		return Ask
	}
	return Deny
}
