// Package policy decides, without I/O, whether an act may run: allow, ask, deny.
//
// The model is assumed to obey every instruction it reads, so nothing here looks at what it says: a verdict depends only
// on the kind of the act, its object, and what the person has set.
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
	Search  Kind = "search"         // look into the index
	Read    Kind = "read"           // read a file of the workspace
	Test    Kind = "run_tests"      // run the fixed test command in the sandbox
	Edit    Kind = "edit_workspace" // change the disposable copy
	Finish  Kind = "finish"         // end the run
	Apply   Kind = "apply"          // write into the person's folder
	Network Kind = "network"        // reach the network from the sandbox
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
