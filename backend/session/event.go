// Package session is the append-only record of a task and everything derived from it.
//
// The events are the truth: status, cost, the live view, the saved view, recovery and export are folds over them. Every
// event is in SQLite before the next step begins. Big bodies are stored once by content hash; events keep the hash.
package session

import (
	"encoding/json"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/patch"
)

// Event is one thing that happened. Its JSON form is a documented contract.
type Event struct {
	Seq     int64           `json:"seq"` // 1, 2, 3 … within the session
	Session string          `json:"session"`
	Time    time.Time       `json:"time"`
	Kind    Kind            `json:"kind"`
	Data    json.RawMessage `json:"data"` // the payload type of the kind, see Kinds
}

// Kind names a kind of event.
type Kind string

// The kinds, each with its payload type.
const (
	KindStarted         Kind = "session.started"   // Started
	KindSandboxReady    Kind = "sandbox.ready"     // SandboxReady
	KindMessage         Kind = "message"           // Message: the task, a rejection's comment, a later message
	KindTestsStarted    Kind = "tests.started"     // TestsStarted: baseline, or the run of a proof
	KindBaseline        Kind = "baseline.finished" // TestsFinished
	KindStepStarted     Kind = "step.started"      // StepStarted
	KindModelRequested  Kind = "model.requested"   // ModelRequested
	KindModelReplied    Kind = "model.replied"     // ModelReplied
	KindModelFailed     Kind = "model.failed"      // ModelFailed: an attempt that is retried, or the end
	KindToolCalled      Kind = "tool.called"       // ToolCalled
	KindToolFinished    Kind = "tool.finished"     // ToolFinished
	KindPatchChanged    Kind = "patch.changed"     // PatchChanged: the whole change so far
	KindProofStarted    Kind = "proof.started"     // ProofStarted
	KindProofFinished   Kind = "proof.finished"    // ProofFinished
	KindCompacted       Kind = "context.compacted" // Compacted: old turns left the model's view
	KindCriteria        Kind = "criteria.written"  // Criteria: what the result is held to
	KindModelChosen     Kind = "model.chosen"      // ModelChosen: the person lets another model go on
	KindForked          Kind = "session.forked"    // Forked: what comes before is another session's
	KindQuestion        Kind = "question.asked"    // Question: the run waits for the person's answer, a Message
	KindReviewAsked     Kind = "review.asked"      // ReviewAsked
	KindReviewAnswered  Kind = "review.answered"   // ReviewAnswered
	KindPatchApplied    Kind = "patch.applied"     // PatchApplied
	KindPatchUndone     Kind = "patch.undone"      // PatchApplied
	KindApplyFailed     Kind = "apply.failed"      // Failed
	KindLimitReached    Kind = "limit.reached"     // LimitReached
	KindSessionFinished Kind = "session.finished"  // Finished
)

// Limits bound a task. Zero values mean the defaults: 30 steps, 1.00 USD, 20 minutes of work, no token limit, 12 refused
// edits, 2 MiB of tool output.
type Limits struct {
	Steps        int            `json:"steps"`
	MicroUSD     model.MicroUSD `json:"micro_usd"`
	Tokens       int64          `json:"tokens"`                  // all buckets, 0 none
	Wall         time.Duration  `json:"wall"`                    // nanoseconds; waiting for the person does not count
	EditFailures int            `json:"edit_failures,omitempty"` // refused edits in all
	Output       int64          `json:"output,omitempty"`        // bytes of tool output that the model is given in all
}

// Schema is the version of the events' JSON form. Fields and kinds are only ever added, which needs no other version; one
// counts up when an older program would misread what it knows. Files from before it was written have none, and are of 1.
const Schema = 1

// Started opens a session.
type Started struct {
	Schema   int        `json:"schema,omitempty"` // see Schema
	Version  string     `json:"version"`          // of Redgreen
	Folder   string     `json:"folder"`
	Task     string     `json:"task"`
	Model    model.Info `json:"model"` // at the start; see ModelChosen
	Limits   Limits     `json:"limits"`
	Approval string     `json:"approval"` // ask, auto, never
	AskEdits bool       `json:"ask_edits,omitempty"`
	TestCmd  []string   `json:"test_cmd,omitempty"` // the person's own test command
	TestDir  string     `json:"test_dir,omitempty"` // the folder that it runs in, relative to Folder
	Branch   string     `json:"branch,omitempty"`
	Commit   string     `json:"commit,omitempty"`
	BaseHash string     `json:"base_hash"`
	// TaskKind is fix, feature, new, tests, refactor or explain; KindBy says who told it apart: person or text.
	TaskKind string `json:"task_kind,omitempty"`
	KindBy   string `json:"task_kind_by,omitempty"`
	// SandboxLimits are the person's limits of a test run (sandbox.Limits as JSON), so that a resumed session keeps them.
	SandboxLimits json.RawMessage `json:"sandbox_limits,omitempty"`
	// Guides are the paths of what the repository says to agents (AGENTS.md, ../CLAUDE.md, …), relative to Folder, that is given
	// to the model as data, and GuidesHash what it said when the person was shown it; NoGuides says that they left it out.
	Guides     []string `json:"guides,omitempty"`
	GuidesHash string   `json:"guides_hash,omitempty"`
	NoGuides   bool     `json:"no_guides,omitempty"`
}

// SandboxReady says what isolates the test runs.
type SandboxReady struct {
	Name     string   `json:"name"`
	Label    string   `json:"label"`
	Protects string   `json:"protects"`
	Warnings []string `json:"warnings,omitempty"`
}

// Message is something a person said.
type Message struct {
	Text   string        `json:"text"`
	Images []model.Image `json:"images,omitempty"` // their bytes are bodies, by hash, exactly as they were given
}

// TestsStarted announces a test run made by the system.
type TestsStarted struct {
	Command []string `json:"command"`
	Dir     string   `json:"dir,omitempty"`
	Why     string   `json:"why"` // baseline, tool, proof
}

// Test is one test's result, as in testrun.
type Test struct {
	ID      string `json:"id"`
	Status  string `json:"status"` // passed, failed, skipped, error
	Millis  int64  `json:"ms"`
	Message string `json:"message,omitempty"`
}

// Run summarises a test run; Log is the hash of the whole output's body, Tests its tests (failed ones first; Omitted
// says how many more there were where a suite is huge).
type Run struct {
	Runtime  string   `json:"runtime"`
	Command  []string `json:"command"`
	Passed   int      `json:"passed"`
	Failed   int      `json:"failed"` // failed and error
	Skipped  int      `json:"skipped"`
	Tests    []Test   `json:"tests,omitempty"`
	ExitCode int      `json:"exit_code"`
	Reason   string   `json:"reason,omitempty"` // timeout, memory …; or why it is no verdict (infrastructure)
	Millis   int64    `json:"ms"`
	Log      string   `json:"log,omitempty"`
	Omitted  int      `json:"omitted,omitempty"`
}

// TestsFinished is the baseline run, on a tree with the given hash (repo.Workspace.BaseHash).
type TestsFinished struct {
	Run      Run     `json:"run"`
	BaseHash string  `json:"base_hash,omitempty"`
	Copied   *Copied `json:"copied,omitempty"`
}

// Copied is how the workspace was made: Way is clone, kept_copy or copy; Anew counts the files of a kept copy that had
// changed since it was made.
type Copied struct {
	Way    string `json:"way"`
	Anew   int    `json:"anew,omitempty"`
	Millis int64  `json:"ms"`
}

// StepStarted opens a step: one model call and its tools.
type StepStarted struct {
	Step int `json:"step"`
}

// ModelRequested is written before a model call.
type ModelRequested struct {
	Step   int    `json:"step"`
	Tokens int64  `json:"tokens"`         // our estimate of the input
	Window int    `json:"window"`         // context of the model, 0 unknown
	Body   string `json:"body,omitempty"` // the messages as JSON, by hash
	// Added are the texts that the model sees for the first time in this call beside tool results, exactly as it sees
	// them: the first message, what a person said since, a nudge.
	Added  []string      `json:"added,omitempty"`
	Images []model.Image `json:"images,omitempty"` // pictures that the model sees for the first time in this call
}

// ModelReplied is a whole answer. Message holds what the next request repeats.
type ModelReplied struct {
	Step     int            `json:"step"`
	Message  model.Message  `json:"message"`
	Stop     model.Stop     `json:"stop"`
	Usage    model.Usage    `json:"usage"`
	MicroUSD model.MicroUSD `json:"micro_usd"`
	Priced   bool           `json:"priced"` // false: price unknown
	Millis   int64          `json:"ms"`
	Body     string         `json:"body,omitempty"` // the exact request bytes, by hash; in place of a picture's stands its hash
	// Reflects is the failed call (a refused edit, a red run) on which this reply's text was asked to reflect.
	Reflects string        `json:"reflects,omitempty"`
	Prefix   *model.Prefix `json:"prefix,omitempty"` // hashes of the request's parts, as a prompt cache sees them
	Miss     string        `json:"miss,omitempty"`   // why the provider's prompt cache was not read, "" it was, or is not told of
}

// ModelFailed is a failed attempt. Final says that no other follows.
type ModelFailed struct {
	Step       int    `json:"step"`
	Code       string `json:"code"`
	Message    string `json:"message"`
	Attempt    int    `json:"attempt"`
	WaitMillis int64  `json:"wait_ms,omitempty"`
	Final      bool   `json:"final,omitempty"`
}

// ToolCalled is written before a tool runs.
type ToolCalled struct {
	Step    int    `json:"step"`
	CallID  string `json:"call_id"`
	Tool    string `json:"tool"`
	Args    string `json:"args"`
	Verdict string `json:"verdict"` // allow, ask, deny
}

// ToolFinished is what a tool gave. Text is exactly what the model sees.
type ToolFinished struct {
	Step    int    `json:"step"`
	CallID  string `json:"call_id"`
	Tool    string `json:"tool"`
	OK      bool   `json:"ok"`
	Summary string `json:"summary"` // one line for people: "14 passed, 1 failed"
	Text    string `json:"text"`
	Cut     bool   `json:"cut,omitempty"`
	Full    string `json:"full,omitempty"` // the uncut output, by hash, where it was cut
	Run     *Run   `json:"run,omitempty"`  // of run_tests
	Seen    []Seen `json:"seen,omitempty"` // files as the model knows them after the call
	Part    *Part  `json:"part,omitempty"` // of a finish that proved one step of a larger change
	Millis  int64  `json:"ms"`
}

// Part is one proven part of a larger change: the change from the base up to its end holds by a certificate of its own.
type Part struct {
	Number    int      `json:"number"`     // from 1
	Summary   string   `json:"summary"`    // the model's own words
	PatchHash string   `json:"patch_hash"` // of the change up to its end
	Gained    []string `json:"gained"`     // tests that turned green since the part before
}

// Seen is a file as the model saw it; Hash is of its whole content.
type Seen struct {
	Path string `json:"path"`
	Hash string `json:"hash"`
}

// PatchChanged is the whole change from the base to the workspace after an edit.
type PatchChanged struct {
	Step  int          `json:"step"`
	Patch patch.Patch  `json:"patch"`
	Hash  string       `json:"hash"`
	Stat  patch.Stat   `json:"stat"`
	Notes []patch.Note `json:"notes,omitempty"` // corrections that were made to the model's edit
}

// ProofStarted announces the system's own proof of the patch.
type ProofStarted struct {
	PatchHash string `json:"patch_hash"`
}

// ProofFinished carries the certificate (proof.Certificate as JSON) and the run with the patch.
type ProofFinished struct {
	State       string          `json:"state"` // proven, not_proven, stale, unverifiable
	Certificate json.RawMessage `json:"certificate"`
	Run         Run             `json:"run"`
}

// Compacted replaces the old turns in the model's view, never in the record: Text stands behind the first message from
// here on, and of the turns before it only the last Kept replies with their results stay. Text is rendered from the
// events; only Reasoning in it is a summary, made by How: model, or extract (first sentences, by rule).
type Compacted struct {
	Step      int            `json:"step"` // the next step
	From      int64          `json:"from"` // tokens of the request before, our estimate
	To        int64          `json:"to"`   // and after
	Window    int            `json:"window"`
	Kept      int            `json:"kept"`
	Text      string         `json:"text"`
	Reasoning string         `json:"reasoning,omitempty"`
	How       string         `json:"how"`
	Usage     model.Usage    `json:"usage"` // of the summary
	MicroUSD  model.MicroUSD `json:"micro_usd"`
	Priced    bool           `json:"priced"` // false: price unknown
}

// Criterion is one thing that the result is held to: an input and its output, an error, a side effect, compatibility.
type Criterion struct {
	ID    string   `json:"id"` // C1, C2 …; tests name it
	Text  string   `json:"text"`
	Tests []string `json:"tests,omitempty"` // places in the patch's tests that name it, FILE:LINE; in a review
}

// ModelChosen is the person's choice of another model for the rest of a session, after an outage, say. What came before
// stays the earlier model's.
type ModelChosen struct {
	Model model.Info `json:"model"`
	By    string     `json:"by"` // person
}

// Forked says that the events before it are those of another session, up to and including Seq.
type Forked struct {
	From string `json:"from"` // its id
	Seq  int64  `json:"seq"`
}

// Criteria is the whole list, as it holds from now on.
type Criteria struct {
	Step  int         `json:"step"`
	By    string      `json:"by"` // model, person
	Items []Criterion `json:"items"`
}

// Question is what the model wants to know before it goes on.
type Question struct {
	Step int    `json:"step"`
	Text string `json:"text"`
}

// Mark is a changed place that deserves a second look, whatever the proof says.
type Mark struct {
	File string `json:"file"`
	Line int    `json:"line"` // in the new text; in the old one for what was removed
	Kind string `json:"kind"` // authentication, authorisation, money, privacy, migration, infrastructure, ci, build, dependency
	Why  string `json:"why"`
}

// ReviewAsked hands the patch to the person.
type ReviewAsked struct {
	PatchHash string `json:"patch_hash"`
	Summary   string `json:"summary"` // the model's own words, from finish
	// Label says in a sentence what was checked where red→green is not what the task is about (tests, a refactoring).
	Label string `json:"label,omitempty"`
	// Doubt says why a person has to choose before it is written: other patches pass the same tests and do something else.
	Doubt    string      `json:"doubt,omitempty"`
	Criteria []Criterion `json:"criteria,omitempty"`
	Scrutiny []Mark      `json:"scrutiny,omitempty"`
}

// ReviewAnswered is the decision.
type ReviewAnswered struct {
	Decision string        `json:"decision"` // approve, reject, again: prove it on the folder as it is now
	By       string        `json:"by"`       // person, auto
	Comment  string        `json:"comment,omitempty"`
	Images   []model.Image `json:"images,omitempty"`  // that go with the comment, as with a Message
	Changed  string        `json:"changed,omitempty"` // what the person changed of the patch by leaving out or editing, as a diff
}

// PatchApplied is a write into the folder or its undo. Receipt is repo.Receipt as JSON. Key names the act, so that it is
// never done a second time: SESSION/step-N/write-N/HASH, the step that the patch was left by, which write of the
// session it is, and what is written. Records of an older version have none.
type PatchApplied struct {
	Files   []string        `json:"files"`
	Receipt json.RawMessage `json:"receipt"`
	Key     string          `json:"key,omitempty"`
}

// Failed is an error as the window shows it.
type Failed struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// LimitReached says which limit stopped the run.
type LimitReached struct {
	Limit   string `json:"limit"` // steps, usd, tokens, wall, edit_failures, output, context
	Message string `json:"message"`
}

// Finished closes a session.
type Finished struct {
	Outcome     Outcome         `json:"outcome"`
	Message     string          `json:"message,omitempty"`
	Patch       string          `json:"patch"` // unified diff, "" none
	Certificate json.RawMessage `json:"certificate"`
	Steps       int             `json:"steps"`
	USD         *float64        `json:"usd"` // null: price unknown
	Tokens      int64           `json:"tokens"`
	Applied     bool            `json:"applied"`
	Tried       []string        `json:"tried,omitempty"`     // one line for each act, when a limit or error ended the run
	StillRed    []string        `json:"still_red,omitempty"` // tests that fail with the best state so far
}

// Outcome is how a session ended; Running, Review and Waiting (for an answer) are states of one that has not. Answered is
// the end of a task that asked for an explanation and got one.
type Outcome string

// The outcomes.
const (
	Proven    Outcome = "proven"
	NotProven Outcome = "not_proven"
	Limit     Outcome = "limit"
	Cancelled Outcome = "cancelled"
	Error     Outcome = "error"
	Running   Outcome = "running"
	Review    Outcome = "review"
	Waiting   Outcome = "waiting"
	Answered  Outcome = "answered"
)

// State is the fold over the events that lists and views need.
type State struct {
	ID          string          `json:"id"`
	Folder      string          `json:"folder"`
	Task        string          `json:"task"`
	Model       model.Info      `json:"model"`
	Limits      Limits          `json:"limits"`
	Created     time.Time       `json:"created"`
	Updated     time.Time       `json:"updated"`
	BaseHash    string          `json:"base_hash,omitempty"` // of the tree that the last baseline ran on
	Seq         int64           `json:"seq"`
	Outcome     Outcome         `json:"outcome"`
	Steps       int             `json:"steps"`
	MicroUSD    model.MicroUSD  `json:"micro_usd"`
	Priced      bool            `json:"priced"` // false as soon as one reply's price is unknown
	Usage       model.Usage     `json:"usage"`
	ModelMillis int64           `json:"model_ms"` // that the model's replies took
	Context     int64           `json:"context"`  // tokens of the last request
	Sandbox     SandboxReady    `json:"sandbox"`
	Patch       patch.Patch     `json:"patch"`
	PatchHash   string          `json:"patch_hash"`
	Proof       string          `json:"proof"` // state of the last certificate, "" none; not for an older patch
	Certificate json.RawMessage `json:"certificate,omitempty"`
	Summary     string          `json:"summary,omitempty"`
	TaskKind    string          `json:"task_kind,omitempty"`
	Question    string          `json:"question,omitempty"` // that waits for an answer
	Criteria    []Criterion     `json:"criteria,omitempty"` // as last written
	Parts       []Part          `json:"parts,omitempty"`    // of a change that was proven part by part, in their order
	Label       string          `json:"label,omitempty"`    // of the last review
	Doubt       string          `json:"doubt,omitempty"`    // of the last review
	Applied     bool            `json:"applied"`            // the patch is in the folder now
	Receipt     json.RawMessage `json:"receipt,omitempty"`  // of the last write
	// The fields below are not folded: they stand beside the events.
	Name   string `json:"name,omitempty"`   // that the person gave it, "" the task stands for it
	Pinned bool   `json:"pinned,omitempty"` // kept, whatever its age
	Source string `json:"source,omitempty"` // where it was imported from, "" it was made here
	Parent string `json:"parent,omitempty"` // the session that it was forked from
}
