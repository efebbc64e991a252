// Package repair is a provider whose model is a search: it finds small edits that turn failing tests green, with no
// language model, no key and no network.
//
// It stands where a language model stands and is held to the same: it reads the conversation, says what it suspects and
// why, and acts by the tools alone, so that its sessions are recorded, resumed, limited and proven like any other. What it
// knows it reads from the conversation anew for each reply; it keeps nothing.
//
// The method is that of generate and validate. Lines are suspected by the tests that execute them, with Ochiai's formula
// (Abreu, Zoeteweij, van Gemund, 2007), and by the frames of the failures. Edits come from the syntax tree: the operators
// of PraPR (Ghanbari, Benton, Zhang, 2019), the templates that PAR (Kim and others, 2013) found in people's fixes and TBar
// (Liu and others, 2019) collected, and pieces of the same repository, as in GenProg (Le Goues and others, 2012) and ssFix
// (Xin, Reiss, 2017). They are ranked by suspicion, by how often people make such an edit when they fix a bug (counted, see
// priors.json), and by how natural the result is among the repository's tokens (Hindle and others, 2012). Many are tried in one
// start of the sandbox.
package repair

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"redgreen/backend/model"
)

// The engine's name as PROVIDER/NAME, and as people read it.
const (
	Provider = "builtin"
	Name     = "repair"
	Ref      = Provider + "/" + Name
	Label    = "built-in engine (no language model)"
)

// window is the context that the engine takes, in tokens: it only reads, so that nothing need ever be left out.
const window = 1 << 30

// Info describes the engine.
func Info() model.Info {
	return model.Info{Provider: Provider, Name: Name, Label: Label, Local: true, Search: true, Window: window, Images: model.No}
}

// Model is the engine as a model to give to an agent.
func Model() model.Model { return model.Model{Info: Info(), Provider: engine{}} }

type engine struct{}

// Models lists the one that there is.
func (engine) Models(context.Context) ([]model.Info, error) { return []model.Info{Info()}, nil }

// Chat gives the next act of the search. It costs nothing and never waits.
func (engine) Chat(ctx context.Context, _ string, req model.Request, onDelta func(model.Delta)) (model.Reply, error) {
	if err := ctx.Err(); err != nil {
		return model.Reply{}, &model.Error{Code: model.Cancelled, Provider: Provider, Message: "cancelled", Err: err}
	}
	if !slices.ContainsFunc(req.Tools, func(t model.Spec) bool { return t.Name == "try_patches" }) {
		return reply("I am the "+Label+": I search for edits that make failing tests pass, and answer nothing else.", nil, model.StopGaveUp), nil
	}
	text, calls, err := guarded(func() (string, []model.Call) { return read(req.Messages).act() })
	if err != nil {
		return model.Reply{}, err
	}
	stop := model.StopCalls
	if len(calls) == 0 {
		stop = model.StopGaveUp
	}
	r := reply(text, calls, stop)
	if onDelta != nil {
		onDelta(model.Delta{Text: text})
	}
	return r, nil
}

// guarded turns a fault of the engine's own over some odd code into an error of this one session: what else the program does goes on.
func guarded(act func() (string, []model.Call)) (text string, calls []model.Call, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = &model.Error{Code: model.Internal, Provider: Provider, Err: fmt.Errorf("%v\n%s", fault, debug.Stack()),
				Message: fmt.Sprintf("the built-in engine failed over this code, which is a fault of its own (%v); nothing was changed. Choose a model, or report the session", fault)}
		}
	}()
	text, calls = act()
	return text, calls, nil
}

func reply(text string, calls []model.Call, stop model.Stop) model.Reply {
	return model.Reply{Message: model.Message{Role: model.Assistant, Text: text, Calls: calls}, Stop: stop, Usage: model.Usage{Known: true}}
}

// called is a call with its arguments; ids are given by who records it.
func called(name string, args any) model.Call {
	data, err := json.Marshal(args)
	if err != nil { // cannot happen: plain data
		data = []byte("{}")
	}
	return model.Call{Name: name, Args: string(data)}
}

// The bounds of the search.
const (
	maxFiles    = 8      // read and edited
	maxReadLine = 4000   // of one file
	readLines   = 200    // in one call of read_file
	maxTried    = 30_000 // candidates in all; mostly the time of the task ends before
	firstBatch  = 200    // candidates; each later batch is twice as large
	maxOneBatch = 1200
	// batchSeconds is for slow machines and slow tests; on a quiet one a batch ends by its size long before.
	batchSeconds = 180

	lateAtLine = 24      // edits of a line that have all of a test's time where a little was not enough
	maxLate    = 400     // and in all
	noQuick    = 600_000 // milliseconds: a failing test has all of its time at once

	maxLevels       = 4 // edits that build on each other
	maxLevelBatches = 3 // on top of an edit that helps in part
	singleBatches   = 3 // of single edits before that, where all failures may have one cause
)

// act decides what comes next: say something and call tools, or give up (no calls).
func (st *state) act() (string, []model.Call) {
	l := st.top()
	if st.unlike >= maxUnlike {
		return st.stopUnsteady()
	}
	if !l.traced {
		if len(st.levels) > 1 { // a session that goes on between the two
			return "Now I look at which lines the tests run that still fail.", []model.Call{called("trace_coverage", map[string]any{"kept": l.kept})}
		}
		return st.begin()
	}
	if n := len(l.batches); n > 0 && l.batches[n-1].failed && !slices.ContainsFunc(l.batches, func(b batch) bool { return len(b.pass) > 0 }) {
		return st.giveUp("My edits could not be tried: " + l.batches[n-1].why)
	}
	if n := len(l.batches); n > 1 && l.batches[n-1].none() && l.batches[n-2].none() {
		return st.giveUp(fmt.Sprintf("The tests are too slow for a search: in %d seconds not one edit could be tried.", batchSeconds))
	}
	if !st.reaches() {
		return "The tests that still fail run no line that they did not run before. I take the edit back and go on with single edits first.", takeBack(l.step)
	}
	wanted := st.wanted()
	if calls := st.readOn(wanted); len(calls) > 0 {
		return st.suspicion(wanted), calls
	}
	s := st.search(wanted)
	if len(s.all) == 0 && len(st.levels) == 1 {
		return st.giveUp("Nothing points to a place in code for which I know an edit; I edit Python, Go, JavaScript, TypeScript and Java." + st.unread(wanted))
	}
	return s.next()
}

// begin looks at the baseline.
func (st *state) begin() (string, []model.Call) {
	if len(st.failing) == 0 {
		return st.giveUp("No test fails on the untouched copy, and I cannot write one: I only search for edits that make failing tests pass.")
	}
	var names []string
	for _, f := range st.failing[:min(len(st.failing), 3)] {
		names = append(names, f.id)
	}
	more := ""
	if n := len(st.failing) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	what := plural(len(st.failing), "test")
	return fmt.Sprintf("I am the %s: I search for small edits that make the failing tests pass and break no other. %s %s: %s%s. First I measure which lines failing tests run.",
		Label, what, map[bool]string{true: "fails", false: "fail"}[len(st.failing) == 1], strings.Join(names, ", "), more), []model.Call{called("trace_coverage", struct{}{})}
}
