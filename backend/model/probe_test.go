package model

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// talent is a model that manages some forms of calls and of edits, and answers right in them.
type talent struct {
	native, tags, json bool
	edits              map[string]bool
	fails              error
}

func (a talent) Models(context.Context) ([]Info, error) { return nil, nil }

func (a talent) Chat(_ context.Context, _ string, req Request, _ func(Delta)) (Reply, error) {
	if a.fails != nil {
		return Reply{}, a.fails
	}
	call := a.answer(req)
	r := Reply{Message: Message{Role: Assistant}, Stop: StopEnd, Usage: Usage{Known: true, Input: 100, Output: 10}}
	switch {
	case len(req.Tools) > 0 && !a.native:
		return r, &Error{Invalid, "p", "m does not support tools", nil}
	case len(req.Tools) > 0:
		r.Message.Calls, r.Stop = []Call{call}, StopCalls
	case strings.Contains(req.System, "Every reply is one JSON object"):
		r.Message.Text = "I do."
		if a.json {
			r.Message.Text = stepJSON("I do.", call)
		}
	default:
		r.Message.Text = "I do."
		if a.tags {
			r.Message.Text += "\n" + callText(call)
		}
	}
	return r, nil
}

// answer looks the right call up.
func (a talent) answer(req Request) Call {
	cases, err := probeCasesOf()
	if err != nil {
		panic(err)
	}
	ask := req.Messages[0].Text
	for _, c := range cases.Calls {
		if c.Ask == ask {
			raw, _ := json.Marshal(c.Args)
			return Call{ID: "1", Name: c.Call, Args: string(raw)}
		}
	}
	for _, e := range cases.Edits {
		if !strings.HasPrefix(ask, e.Ask) {
			continue
		}
		for form, tool := range cases.EditTools {
			described := strings.Contains(req.System, tool.Description) || len(req.Tools) > 0 && req.Tools[0].Description == tool.Description
			if described {
				args, _ := json.Marshal(map[string]string{"path": e.Path, "content": e.Want, "patch": form, "old": e.Text, "new": e.Want})
				if !a.edits[form] {
					args = []byte(`{"path":"x","content":"","patch":"no"}`)
				}
				return Call{ID: "1", Name: "apply_patch", Args: string(args)}
			}
		}
	}
	panic("an unknown case: " + ask)
}

func TestProbe(t *testing.T) {
	t.Parallel()
	apply := func(form, path, text, args string) (string, error) {
		var a map[string]string
		if err := json.Unmarshal([]byte(args), &a); err != nil {
			return "", err
		}
		if a["patch"] != form {
			return "", errors.New("no such text")
		}
		return a["content"], nil
	}
	for _, c := range []struct {
		name   string
		a      talent
		tool   Form
		edit   string
		tools  []ProbeScore
		calls  int
		misses int
	}{
		{"all", talent{native: true, edits: map[string]bool{"search_replace": true, "old_new": true, "unified_diff": true, "whole_file": true}},
			Native, "search_replace", []ProbeScore{{"native", 8, 8}}, 20, 0},
		{"no tools, JSON, no diffs", talent{json: true, edits: map[string]bool{"old_new": true, "whole_file": true}},
			JSON, "old_new", []ProbeScore{{"native", 0, 8}, {"json", 8, 8}}, 20, 1 + 6},
		{"tags, whole files", talent{tags: true, edits: map[string]bool{"whole_file": true}},
			Text, "whole_file", []ProbeScore{{"native", 0, 8}, {"json", 0, 8}, {"text", 8, 8}}, 28, 1 + 8 + 9},
		{"nothing", talent{}, "", "", []ProbeScore{{"native", 0, 8}, {"json", 0, 8}, {"text", 0, 8}}, 16, 1 + 8 + 8},
	} {
		m := Model{Info: Info{Provider: "p", Name: "m"}, Provider: c.a, price: sonnet(t).price}
		told := 0
		at := time.Unix(0, 0)
		r, err := Probe(t.Context(), m, func() time.Time { at = at.Add(time.Second); return at }, apply, func(ProbeScore) { told++ })
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if r.ToolForm != c.tool || r.EditForm != c.edit || r.Calls != c.calls || len(r.Misses) != c.misses || r.Millis != 1000 || told == 0 {
			t.Errorf("%s: %+v", c.name, r)
		}
		if diff := cmp.Diff(c.tools, r.Tools); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if want := MicroUSD(c.calls * 450); r.MicroUSD != want || !r.Priced || r.Usage.Input != int64(100*c.calls) {
			t.Errorf("%s: %d micro-dollars, want %d; %+v", c.name, r.MicroUSD, want, r.Usage)
		}
	}
}

func TestProbeEndsWhenTheModelCannotBeCalled(t *testing.T) {
	t.Parallel()
	for _, code := range []Code{Unavailable, Denied, NotFound, Limit, Cancelled} {
		want := &Error{code, "p", "no", nil}
		_, err := Probe(t.Context(), Model{Provider: talent{fails: want}}, time.Now, nil, nil)
		if !errors.Is(err, want) {
			t.Errorf("%s: %v", code, err)
		}
	}
}

// TestPlanProbe: twenty cases, and the plan is never less than what a probe can cost.
func TestPlanProbe(t *testing.T) {
	t.Parallel()
	p, err := PlanProbe(Model{Info: Info{Provider: "p", Name: "m"}, price: sonnet(t).price})
	if err != nil || p.Calls != 20 || p.MostCalls != 36 || !p.Priced || p.Worst < 36*probeOutput*15 {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err = PlanProbe(Model{}); err != nil || p.Priced {
		t.Errorf("without a price: %+v, %v", p, err)
	}
	if p, err = PlanProbe(Model{Info: Info{Local: true}}); err != nil || !p.Priced || p.Worst != 0 {
		t.Errorf("local: %+v, %v", p, err)
	}
	c, err := probeCasesOf()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range c.Edits {
		if e.Text == e.Want {
			t.Errorf("%s changes nothing", e.Name)
		}
	}
}
