// Package tools is the fixed set of acts an agent has, each behind the policy.
//
// Set.Call is the only door. The model is assumed to obey whatever it reads, so safety never rests on what it says: a
// tool can reach only the disposable workspace and the sandbox, its arguments are checked, its verdict comes from the
// policy, and what it gives back is capped, cleaned of invisible characters and wrapped as data in delimiters that
// content cannot forge. A failure is a result for the model, not a Go error.
package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"redgreen/backend/index"
	"redgreen/backend/model"
	"redgreen/backend/patch"
	"redgreen/backend/policy"
	"redgreen/backend/repo"
	"redgreen/backend/testrun"
)

// Options are what the tools act on.
type Options struct {
	Workspace *repo.Workspace
	Index     *index.Index
	Runner    *testrun.Runner
	Command   testrun.Command // without Args: no test command is known
	Policy    policy.Settings
	Ask       func(ctx context.Context, act policy.Act) (bool, error) // nil: what must be asked is denied
	Full      func(ctx context.Context, data []byte) (hash string, err error)
	Hide      func(text string) string // takes secrets out of a text and leaves its lines where they are; nil none
	Delimiter string                   // random per session, wraps untrusted data
	Seen      []Seen                   // files that the model saw before, the latest last: of a session that goes on
	Known     map[string]string        // failing test → message, which the model was shown before its first step
	Form      Form                     // of edits that the model manages best; "" says nothing about it
	Search    bool                     // the model is a search procedure: it has the tools of Searching too
	Baseline  testrun.Run              // of the untouched copy, for those
}

// Outcome is what a call gave. Text is exactly what the model sees.
type Outcome struct {
	OK       bool
	Summary  string // one line for people
	Text     string
	Cut      bool
	Full     string       // hash of the uncut output's body, where it was cut
	Run      *testrun.Run // of run_tests
	Patch    *patch.Patch // of apply_patch: what this call changed
	Notes    []patch.Note
	Seen     []Seen   // files as the model knows them after this call
	Finish   *string  // the summary, of finish
	Rest     string   // of finish after one step of a larger change: what is still to do; "" it is whole
	Doubt    string   // of finish by a search procedure: why a person has to choose before the patch is written; "" none
	Question *string  // of ask_person
	Criteria []string // of write_criteria
}

// Recorder is told before and after each call; an error stops the run.
type Recorder interface {
	Called(ctx context.Context, call model.Call, verdict policy.Verdict) error
	Finished(ctx context.Context, call model.Call, out Outcome) error
}

// Tool is one act: its name and description for the model, its fields, its place in the policy, and what it does.
type Tool struct {
	Name   string
	Kind   policy.Kind // without one every call is denied
	Doc    string      // for the model; from <name>.md
	Fields []Field
	Wall   time.Duration       // 0: the sandbox bounds it
	Object func(a Args) string // what it acts on, shown to a person who is asked
	run    func(ctx context.Context, s *Set, a Args) (result, error)
}

// result is what a tool gives before it is cleaned, capped and wrapped. head and note are ours; body is data.
type result struct {
	failed  bool
	summary string
	head    string // what happened, without any content of the repository
	body    string // content of the repository, of test output, of an error that quotes them
	note    string // what was left out and how to get it
	cut     bool   // the tool itself left something out; full then holds all of it, where that is worth keeping
	full    []byte
	first   int     // of the lines of a file in body, 1-based; 0 none
	last    int     // of them
	out     Outcome // Run, Patch, Notes, Seen, Finish
}

// All lists the tools, in the order in which the model sees them.
func All() []Tool {
	return []Tool{searchCode(), readFile(), runTests(), applyPatch(), writeCriteria(), askPerson(), finish()}
}

// quick bounds the tools that do not run tests (decision 7).
const quick = 30 * time.Second

// Set is the tools of one session. Calls come from one goroutine at a time.
type Set struct {
	o     Options
	tools []Tool
	seen  map[string]string // path → hash of the content that the model saw last
	view  map[string]view   // path → what of it stands in the model's view
	red   map[string]string // failing test → message in the model's view, of the last run
}

// New gives the tools of a session.
func New(o Options) *Set {
	s := &Set{o: o, tools: All(), seen: map[string]string{}, view: map[string]view{}, red: map[string]string{}}
	if o.Search {
		s.tools[len(s.tools)-1] = searchFinish() // finish is the last of All
		s.tools = append(s.tools, Searching()...)
	}
	s.remember(o.Seen)
	if hint := o.Form.hint(); hint != "" {
		for i := range s.tools {
			if s.tools[i].Kind == policy.Edit {
				s.tools[i].Doc = strings.TrimSpace(s.tools[i].Doc) + "\n" + hint
			}
		}
	}
	return s
}

// Specs describes the tools to a model, byte-stable.
func (s *Set) Specs() []model.Spec { return specs(s.tools) }

func specs(list []Tool) []model.Spec {
	out := make([]model.Spec, len(list))
	for i, t := range list {
		out[i] = model.Spec{Name: t.Name, Description: strings.TrimSpace(t.Doc), Schema: schema(t.Fields)}
	}
	return out
}

// Call is the only way an agent acts: look up, validate, policy, ask, run, cap, record. The error is for a cancelled
// context or a record that could not be written; all else is an Outcome for the model. A cancelled call is recorded too.
func (s *Set) Call(ctx context.Context, call model.Call, rec Recorder) (Outcome, error) {
	t, args, refusal := s.lookUp(call)
	verdict := policy.Deny
	var act policy.Act
	if refusal == nil {
		act = policy.Act{Kind: t.Kind, Object: t.object(args)}
		verdict = policy.Decide(act, s.o.Policy)
	}
	if err := rec.Called(ctx, call, verdict); err != nil {
		return Outcome{}, fmt.Errorf("recording a call of %s: %w", call.Name, err)
	}
	var r result
	var err error
	if refusal != nil {
		r = *refusal
	} else if r, err = s.allowed(ctx, t, act, verdict); err == nil && !r.failed {
		r, err = s.run(ctx, t, args)
	}
	if err != nil {
		r = result{failed: true, summary: "cancelled", head: "The call was cancelled before it ended; its outcome is unknown."}
	}
	out, ferr := s.finishCall(context.WithoutCancel(ctx), r)
	if ferr != nil {
		return out, ferr
	}
	s.remember(out.Seen)
	if ferr := rec.Finished(context.WithoutCancel(ctx), call, out); ferr != nil {
		return out, fmt.Errorf("recording the result of %s: %w", call.Name, ferr)
	}
	return out, err
}

// lookUp finds the tool and checks the arguments; refusal says what is wrong and what would be right.
func (s *Set) lookUp(call model.Call) (Tool, Args, *result) {
	for _, t := range s.tools {
		if t.Name != call.Name {
			continue
		}
		args, err := parse(call.Args, t.Fields)
		if err != nil {
			return Tool{}, nil, &result{failed: true, summary: "invalid arguments",
				head: "The call was not run: its arguments are not valid.", body: err.Error(), note: t.usage()}
		}
		return t, args, nil
	}
	names := make([]string, len(s.tools))
	for i, t := range s.tools {
		names[i] = t.Name
	}
	return Tool{}, nil, &result{failed: true, summary: "unknown tool",
		head: "There is no such tool. The tools are: " + strings.Join(names, ", ") + "."}
}

func (t Tool) object(a Args) string {
	if t.Object == nil {
		return ""
	}
	return Visible(t.Object(a))
}

// allowed asks the person where the policy wants it; a failed result is a refusal.
func (s *Set) allowed(ctx context.Context, t Tool, act policy.Act, v policy.Verdict) (result, error) {
	switch v {
	case policy.Allow:
		return result{}, nil
	case policy.Ask:
		if s.o.Ask == nil {
			return result{failed: true, summary: "denied: nobody can be asked",
				head: "Denied: this needs the person's yes, and nobody can be asked here."}, nil
		}
		yes, err := s.o.Ask(ctx, act)
		if err != nil {
			return result{}, fmt.Errorf("asking about %s: %w", t.Name, err)
		}
		if yes {
			return result{}, nil
		}
		return result{failed: true, summary: "the person said no", head: "Denied: the person said no to this. Try another way, or finish."}, nil
	case policy.Deny:
	}
	return result{failed: true, summary: "denied", head: "Denied by the policy. Nothing that you say changes this."}, nil
}

func (s *Set) run(ctx context.Context, t Tool, a Args) (result, error) {
	bounded := ctx
	if t.Wall > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, t.Wall)
		defer cancel()
	}
	r, err := t.run(bounded, s, a)
	switch {
	case ctx.Err() != nil:
		return result{}, fmt.Errorf("running %s: %w", t.Name, ctx.Err())
	case errors.Is(err, context.DeadlineExceeded):
		return result{failed: true, summary: "took too long", head: fmt.Sprintf("Stopped: it took longer than %s. Ask for less.", t.Wall)}, nil
	case err != nil:
		why := s.scrub(err.Error())
		return result{failed: true, summary: oneLine(Visible(why), 200), head: "It could not be done.", body: why}, nil
	}
	return r, nil
}

// hide takes secrets out of a file's text before lines of it are shown: the middle of a private key looks like nothing.
func (s *Set) hide(text string) string {
	if s.o.Hide == nil {
		return text
	}
	return s.o.Hide(text)
}

// scrub takes the host's folder names out of an error text.
func (s *Set) scrub(text string) string {
	if s.o.Workspace == nil || s.o.Workspace.Dir() == "" {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, s.o.Workspace.Dir()+"/", ""), s.o.Workspace.Dir(), ".")
}

// finishCall cleans, caps and wraps a result.
func (s *Set) finishCall(ctx context.Context, r result) (Outcome, error) {
	out := r.out
	out.OK, out.Cut = !r.failed, r.cut
	out.Summary = oneLine(Visible(r.summary), 200)
	body, cut := Cap(Visible(r.body), maxBody)
	if cut && r.note == "" {
		r.note = "The rest was cut. Ask for something narrower."
	}
	if cut && r.full == nil {
		r.full = []byte(r.body)
	}
	out.Cut = out.Cut || cut
	var parts []string
	if r.head != "" {
		parts = append(parts, r.head)
	}
	if body != "" {
		parts = append(parts, Wrap(s.o.Delimiter, body))
	}
	if r.note != "" {
		parts = append(parts, r.note)
	}
	out.Text = strings.Join(parts, "\n")
	if out.Cut && r.full != nil && s.o.Full != nil {
		hash, err := s.o.Full(ctx, r.full)
		if err != nil {
			return out, fmt.Errorf("keeping the whole output: %w", err)
		}
		out.Full = hash
	}
	return out, nil
}

// plural is "1 line", "2 lines".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
