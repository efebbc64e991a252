// Package backend is the house that Redgreen is built as: its rooms, its doors, its words. It holds no code.
//
// A person opens a repository folder and describes a bug; they get a small diff together with the proof that it works: a
// test that was red before the diff and is green after it, and nothing else broken. Nothing in the folder changes until
// they click Approve.
//
// # Rooms
//
// A room imports only what its row allows; app/house_test.go holds this table against the code.
//
//	patch    parses, makes, selects, inverts and applies diffs and edits  (imports no room)
//	lang     what we know of each language, as one table                  (none)
//	model    talks to models of any provider, prices usage                (none)
//	repair   the built-in engine: searches for a fix as a model would     lang model patch
//	policy   decides, without I/O, whether an act may run                 (none)
//	sandbox  runs one argument list with no network and bounded means     (none)
//	repo     the opened folder, its secrets, its disposable copies        patch
//	session  the append-only record of a task, and all derived from it    model patch
//	index    builds and updates the chunk and keyword index               repo lang
//	search   parses a query, asks the index, fuses and ranks              index lang model
//	testrun  finds test commands, runs them, reads their output           lang sandbox
//	proof    compares runs and issues the certificate                     patch testrun
//	tools    the fixed set of acts an agent has, behind the policy        all above but session
//	agent    turns one task into one proven patch                         all above
//	eval     runs the shipped agent over tasks with known answers         all above
//
// One room is planned and not there yet: deliver (puts an approved patch on a branch). app/ alone knows the window: bound methods, settings, error codes, wiring, subcommands.
//
// # Two doors
//
// tools.Set.Call is the only way an agent acts: look up, validate, policy, ask, run, cap, record. A tool without a policy
// action is denied.
//
// repo.Repo.Apply is the only code that writes into the person's folder: hashes checked again at that moment, all files
// or none, the inverse kept for an undo that can itself be undone.
//
// # One source of truth
//
// The session's event log. Status, cost, the live view, the saved view, recovery and export are folds over the same
// events, and the conversation with the model is rebuilt from them. Streamed text is the one lossy stream. Big bodies
// lie beside the log by content hash; an event holds the hash and the exact text that the model saw. The window gets
// small notices and pulls what it draws.
//
// # One bug fix
//
//	open      app.OpenFolder → repo.Open → index.Update in the background
//	task      app.StartTask → agent.New → agent.Run.Work in its own goroutine; the session id returns at once
//	prepare   workspace, baseline test run on the untouched copy, first message
//	loop      limits → model → record → tools through the one door → record; edits land in the workspace
//	finish    a tool call; the system then proves the patch itself; a refusal goes back to the model
//	review    the person sees diff and certificate; approve, or reject with a comment that goes back
//	approve   repo.Apply; undo stays available
//
// # Words
//
//	diff         text between two states            patch      a diff meant to be applied
//	hunk         one place of a patch               chunk      an indexed piece of code
//	snippet      a ranked search result             workspace  the disposable copy
//	task         what the person asked              session    its record
//	step         one model call and its tools       verdict    allow, ask, deny
//	call, result a tool's request and answer        runtime    a kind of sandbox; rung, as found here
//	baseline     the test run before the patch      certificate the proof attached to a patch
//
// # Where a new thing goes
//
//	language         backend/lang/<name>.go, lang.All             golden symbols in testdata/lang
//	test runner      a row in lang, a reader in testrun           recorded output in testdata/testrun
//	model provider   backend/model/<name>.go, its list            the provider conformance suite
//	tool             backend/tools/<name>.go and .md, tools.All   schema, policy, cap, cancel tests
//	sandbox runtime  backend/sandbox/<name>.go, its list          the sandbox conformance suite
//	session event    a kind and payload in session, session.Kinds the page's reducer stops compiling
//	UI call          a method on app.App                          one line in frontend/src/api
//	setting          app.Settings                                 its round-trip test
package backend
