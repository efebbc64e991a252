package model

import (
	"context"
	_ "embed" // the cases
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// probeJSON holds the cases of a probe: eight calls, and three edits in each of four forms.
//
//go:embed probe.json
var probeJSON []byte

const (
	// A form that misses at most one of the eight calls is taken, and no other is tried.
	enoughCalls = 7
	// No answer of a probe needs more tokens, thinking included; a whole file has about 150.
	probeOutput = 2048
)

type (
	probeCases struct {
		Tools     []Spec          `json:"tools"`
		Calls     []probeCall     `json:"calls"`
		EditForms []string        `json:"edit_forms"` // names of patch.Form; of equals the first is taken
		EditTools map[string]Spec `json:"edit_tools"`
		Edits     []probeEdit     `json:"edits"`
	}
	probeCall struct {
		Name   string         `json:"name"`
		Ask    string         `json:"ask"`
		Before []Message      `json:"before"`
		Call   string         `json:"call"`
		Args   map[string]any `json:"args"`
	}
	probeEdit struct {
		Name string `json:"name"`
		Ask  string `json:"ask"`
		Path string `json:"path"`
		Text string `json:"text"`
		Want string `json:"want"`
	}
)

// ProbePlan says what a probe will cost, before it runs. Calls is the number where the provider's own form of calls is
// managed, MostCalls where all have to be tried; Tokens and Worst are for the most.
type ProbePlan struct {
	Ref       string   `json:"ref"`
	Calls     int      `json:"calls"`
	MostCalls int      `json:"most_calls"`
	Tokens    int64    `json:"tokens"` // of input, estimated
	Worst     MicroUSD `json:"worst"`
	Priced    bool     `json:"priced"` // false: price unknown
	Local     bool     `json:"local"`
}

// ProbeScore is how many cases a model managed in a form.
type ProbeScore struct {
	Form   string `json:"form"`
	Passed int    `json:"passed"`
	Of     int    `json:"of"`
}

// ProbeMiss is a case that a model did not manage, and why.
type ProbeMiss struct {
	Form string `json:"form"`
	Case string `json:"case"`
	Why  string `json:"why"`
}

// ProbeResult is what a probe found. ToolForm and EditForm (unified_diff, search_replace, old_new or whole_file) are the
// forms that the model manages best; "" that it manages none.
type ProbeResult struct {
	Ref      string       `json:"ref"`
	ToolForm Form         `json:"tool_form"`
	EditForm string       `json:"edit_form"`
	Tools    []ProbeScore `json:"tools"`
	Edits    []ProbeScore `json:"edits"`
	Misses   []ProbeMiss  `json:"misses"`
	Calls    int          `json:"calls"`
	Usage    Usage        `json:"usage"`
	MicroUSD MicroUSD     `json:"micro_usd"`
	Priced   bool         `json:"priced"`
	Millis   int64        `json:"ms"`
	Time     time.Time    `json:"time"`
}

// ProbeApply makes the text that an edit in a form gives of a file's present text; args are those of the model's call.
type ProbeApply func(form, path, text, args string) (string, error)

func probeCasesOf() (probeCases, error) {
	var c probeCases
	if err := json.Unmarshal(probeJSON, &c); err != nil {
		return c, fmt.Errorf("reading the cases of the probe: %w", err)
	}
	return c, nil
}

// PlanProbe says what a probe of the model will cost.
func PlanProbe(m Model) (ProbePlan, error) {
	c, err := probeCasesOf()
	if err != nil {
		return ProbePlan{}, err
	}
	edits := len(c.EditForms) * len(c.Edits)
	p := ProbePlan{Ref: m.Ref(), Calls: len(c.Calls) + edits, MostCalls: len(Forms())*len(c.Calls) + edits, Priced: true, Local: m.Local}
	add := func(req Request, times int64) {
		n := CountTokens(req)
		worst, known := m.WorstCost(n, probeOutput)
		p.Tokens += times * n
		p.Worst += MicroUSD(times) * worst
		p.Priced = p.Priced && known
	}
	for _, call := range c.Calls {
		add(c.callRequest(call), int64(len(Forms())))
	}
	for _, form := range c.EditForms {
		for _, e := range c.Edits {
			add(c.editRequest(form, e), 1)
		}
	}
	return p, nil
}

// probe is a probe that runs.
type probe struct {
	m     Model
	c     probeCases
	out   ProbeResult
	apply ProbeApply
	told  func(done ProbeScore)
}

// Probe measures on stored cases which form of calls and which form of edits the model manages. told (may be nil) is
// called on the calling goroutine after each case, with the score of its form so far. A model that cannot be called ends
// it; answers that are wrong do not.
func Probe(ctx context.Context, m Model, now func() time.Time, apply ProbeApply, told func(ProbeScore)) (ProbeResult, error) {
	c, err := probeCasesOf()
	if err != nil {
		return ProbeResult{}, err
	}
	if told == nil {
		told = func(ProbeScore) {}
	}
	start := now()
	p := probe{m: m, c: c, apply: apply, told: told, out: ProbeResult{Ref: m.Ref(), Priced: true, Time: start, Misses: []ProbeMiss{}, Edits: []ProbeScore{}}}
	if err := p.tools(ctx); err != nil {
		return p.out, err
	}
	if err := p.edits(ctx); err != nil {
		return p.out, err
	}
	p.out.Millis = now().Sub(start).Milliseconds()
	return p.out, nil
}

// tools tries the forms of calls until one is managed, and takes the best.
func (p *probe) tools(ctx context.Context) error {
	best := 0
	for _, form := range Forms() {
		score := ProbeScore{Form: string(form), Of: len(p.c.Calls)}
		for _, call := range p.c.Calls {
			reply, err := p.chat(ctx, form, p.c.callRequest(call))
			if err != nil && noTools(err) {
				p.miss(score.Form, call.Name, err.Error())
				break
			}
			why, err := wrongCall(call, reply, err)
			if err != nil {
				return err
			}
			if why == "" {
				score.Passed++
			} else {
				p.miss(score.Form, call.Name, why)
			}
			p.told(score)
		}
		p.out.Tools = append(p.out.Tools, score)
		if score.Passed > best {
			best, p.out.ToolForm = score.Passed, form
		}
		if best >= enoughCalls {
			break
		}
	}
	return nil
}

// edits tries every form of edits, in the form of calls that was taken.
func (p *probe) edits(ctx context.Context) error {
	best := 0
	for _, form := range p.c.EditForms {
		score := ProbeScore{Form: form, Of: len(p.c.Edits)}
		for _, e := range p.c.Edits {
			if p.out.ToolForm == Auto {
				break // it calls nothing
			}
			reply, err := p.chat(ctx, p.out.ToolForm, p.c.editRequest(form, e))
			why, err := p.wrongEdit(form, e, reply, err)
			if err != nil {
				return err
			}
			if why == "" {
				score.Passed++
			} else {
				p.miss(form, e.Name, why)
			}
			p.told(score)
		}
		p.out.Edits = append(p.out.Edits, score)
		if score.Passed > best {
			best, p.out.EditForm = score.Passed, form
		}
	}
	return nil
}

func (p *probe) miss(form, name, why string) {
	r := remote{}
	p.out.Misses = append(p.out.Misses, ProbeMiss{form, name, r.clean(why)})
}

// chat asks in a form and adds up what it cost.
func (p *probe) chat(ctx context.Context, form Form, req Request) (Reply, error) {
	reply, err := p.m.WithForm(form).Chat(ctx, req, nil)
	if err != nil {
		return reply, err
	}
	p.out.Calls++
	cost, priced := p.m.Cost(reply.Usage)
	p.out.MicroUSD += cost
	p.out.Priced = p.out.Priced && priced
	u := &p.out.Usage
	u.Known = u.Known || reply.Usage.Known
	u.Input += reply.Usage.Input
	u.CacheRead += reply.Usage.CacheRead
	u.CacheWrite += reply.Usage.CacheWrite
	u.CacheWrite1h += reply.Usage.CacheWrite1h
	u.Output += reply.Usage.Output
	u.Reasoning += reply.Usage.Reasoning
	return reply, nil
}

// answered sorts errors: those of the answer are a miss, others end the probe.
func answered(err error) (why string, fatal error) {
	if err == nil {
		return "", nil
	}
	if e := asError("model", err); e.Code == Invalid || e.Code == Internal {
		return e.Message, nil
	}
	return "", err
}

// oneCall gives the first call of a reply, or why there is none.
func oneCall(name string, r Reply) (call Call, why string) {
	switch {
	case len(r.Message.Calls) == 0 && r.Stop == StopLength:
		return Call{}, "it wrote until the limit of its length and called nothing"
	case len(r.Message.Calls) == 0:
		return Call{}, "it called no tool"
	case r.Message.Calls[0].Name != name:
		return Call{}, "it called " + r.Message.Calls[0].Name
	}
	return r.Message.Calls[0], ""
}

func wrongCall(want probeCall, r Reply, err error) (why string, fatal error) {
	if err != nil {
		return answered(err)
	}
	call, why := oneCall(want.Call, r)
	if why != "" {
		return why, nil
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(call.Args), &got); err != nil {
		return "its arguments are no JSON object: " + call.Args, nil
	}
	for key, v := range want.Args {
		if !reflect.DeepEqual(got[key], v) {
			return fmt.Sprintf("its argument %s is %v", key, got[key]), nil
		}
	}
	return "", nil
}

func (p *probe) wrongEdit(form string, e probeEdit, r Reply, err error) (why string, fatal error) {
	if err != nil {
		return answered(err)
	}
	call, why := oneCall("apply_patch", r)
	if why != "" {
		return why, nil
	}
	got, err := p.apply(form, e.Path, e.Text, call.Args)
	if err != nil {
		return err.Error(), nil
	}
	if got != e.Want {
		return "the file is not what was asked for", nil
	}
	return "", nil
}

const probeSystem = "You are a programmer at work. Do what you are asked with one call of a tool, at once and without more words."

func (c probeCases) callRequest(call probeCall) Request {
	return Request{System: probeSystem, Tools: c.Tools, MaxOutput: probeOutput,
		Messages: append([]Message{{Role: User, Text: call.Ask}}, slices.Clone(call.Before)...)}
}

func (c probeCases) editRequest(form string, e probeEdit) Request {
	return Request{System: probeSystem, Tools: []Spec{c.EditTools[form]}, MaxOutput: probeOutput,
		Messages: []Message{{Role: User, Text: e.Ask + "\n\nThe file " + e.Path + " is:\n" + e.Text}}}
}
