package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

// trajectory is another tool's session in plain terms.
type trajectory struct {
	source         Source
	folder, branch string
	model          string
	turns          []turn
	ended          string // in the tool's own words
	patch          string
	usd            *float64
}

// turn is what one side said: a person's text, a model's text with its calls, or the results of calls.
type turn struct {
	at             time.Time
	model          bool
	id             string // of the message, where the tool gives one
	text, thinking string
	calls          []model.Call
	results        []model.Result
	usage          model.Usage
	usd            *float64
}

// reply is the model's turn that is still being read, a new one if there is none; id "" goes on with any that is the last.
// Results of the first calls of a turn may stand before its others.
func (t *trajectory) reply(id string, at time.Time) *turn {
	for i := len(t.turns) - 1; i >= 0; i-- {
		last := &t.turns[i]
		if last.model && (id == "" || last.id == id) {
			return last
		}
		if id == "" || last.model || len(last.results) == 0 {
			break
		}
	}
	t.turns = append(t.turns, turn{at: at, model: true, id: id})
	return &t.turns[len(t.turns)-1]
}

func (t *trajectory) person(text string, at time.Time) {
	if strings.TrimSpace(text) != "" {
		t.turns = append(t.turns, turn{at: at, text: text})
	}
}

func (t *trajectory) result(r model.Result, at time.Time) {
	t.turns = append(t.turns, turn{at: at, results: []model.Result{r}})
}

// record makes events of a trajectory.
func record(t trajectory, err error) ([]session.Event, Source, error) {
	if err != nil {
		return nil, t.source, err
	}
	e := emitter{id: "imported", calls: map[string]string{}}
	task := ""
	for _, turn := range t.turns {
		if !turn.model && turn.text != "" {
			task = turn.text
			break
		}
	}
	if task == "" || len(t.turns) > recordMost {
		return nil, t.source, errors.New("the record holds no task of a person, or far too much of everything")
	}
	if e.at = t.turns[0].at; e.at.Year() < 1970 {
		e.at = time.Unix(0, 0).UTC() // the tool kept no times
	}
	e.add(session.KindStarted, session.Started{Version: t.source.Version, Schema: session.Schema, Folder: t.folder, Task: bounded(task), Branch: t.branch,
		Model: model.Info{Provider: t.source.Tool, Name: t.model, Label: strings.TrimSpace(t.model + " in " + t.source.Tool)}, Approval: "never"})
	for _, turn := range t.turns {
		e.turn(turn)
	}
	e.finish(t)
	return e.events, t.source, e.err
}

// emitter makes events of turns.
type emitter struct {
	id     string
	at     time.Time
	step   int
	tokens int64
	calls  map[string]string // the tool of each call
	events []session.Event
	err    error
}

func (e *emitter) add(kind session.Kind, data any) {
	raw, err := encode(data)
	if err != nil {
		e.err = errors.Join(e.err, err)
		return
	}
	e.events = append(e.events, session.Event{Seq: int64(len(e.events) + 1), Session: e.id, Time: e.at, Kind: kind, Data: raw})
}

func (e *emitter) turn(t turn) {
	if t.at.After(e.at) {
		e.at = t.at
	}
	switch {
	case t.model:
		e.step++
		e.add(session.KindStepStarted, session.StepStarted{Step: e.step})
		stop := model.StopEnd
		for i := range t.calls {
			t.calls[i].Args, stop = bounded(t.calls[i].Args), model.StopCalls
			if t.calls[i].ID == "" {
				t.calls[i].ID = fmt.Sprintf("call_%d_%d", e.step, i+1)
			}
		}
		reply := session.ModelReplied{Step: e.step, Stop: stop, Usage: t.usage,
			Message: model.Message{Role: model.Assistant, Text: bounded(t.text), Thinking: bounded(t.thinking), Calls: t.calls}}
		if usd := price(t.usd); usd != nil {
			reply.MicroUSD, reply.Priced = model.MicroUSD(*usd*1e6), true
		}
		e.tokens += t.usage.Total()
		e.add(session.KindModelReplied, reply)
		for _, c := range t.calls {
			e.calls[c.ID] = c.Name
			e.add(session.KindToolCalled, session.ToolCalled{Step: e.step, CallID: c.ID, Tool: c.Name, Args: c.Args, Verdict: "allow"})
		}
	case len(t.results) > 0:
		for _, r := range t.results {
			text := bounded(r.Text)
			summary, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
			if runes := []rune(summary); len(runes) > 120 {
				summary = string(runes[:119]) + "…"
			}
			e.add(session.KindToolFinished, session.ToolFinished{Step: e.step, CallID: r.CallID, Tool: e.calls[r.CallID], OK: !r.Error, Summary: summary, Text: text, Cut: len(text) < len(r.Text)})
		}
	default:
		e.add(session.KindMessage, session.Message{Text: bounded(t.text)})
	}
}

// price is a price as a tool gave it, nil for what cannot be one.
func price(usd *float64) *float64 {
	if usd == nil || *usd < 0 || *usd >= 1e6 {
		return nil
	}
	return usd
}

// finish closes the record with what may honestly be said: an explanation was answered; a change was not proven here.
func (e *emitter) finish(t trajectory) {
	f := session.Finished{Outcome: session.Answered, Steps: e.step, Tokens: e.tokens, USD: price(t.usd), Patch: bounded(t.patch), Certificate: json.RawMessage("null"),
		Message: "Imported from " + t.source.Tool + "."}
	if len(e.calls) > 0 {
		f.Outcome = session.NotProven
		f.Message += " Nothing of it was proven here."
	}
	if t.ended != "" {
		f.Message += " It ended there with: " + bounded(t.ended)
	}
	e.add(session.KindSessionFinished, f)
}

// bounded cuts a text that is longer than any that a person reads.
func bounded(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= textMost {
		return s
	}
	at := textMost
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	return s[:at] + fmt.Sprintf("\n… %d more bytes were left out at the import", len(s)-at)
}

// texts is the text of a message's content in any of its forms: a string, an object or a list with texts in it. What is no
// text (an image, say) is named in brackets.
func texts(raw json.RawMessage) string { return textsWithin(raw, nestMost) }

// nestMost is how deep texts are looked for: tools nest them three deep, and each level is read anew.
const nestMost = 8

func textsWithin(raw json.RawMessage, depth int) string {
	if depth == 0 {
		return ""
	}
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	var one struct {
		Type    string          `json:"type"`
		Text    string          `json:"text"`
		Content json.RawMessage `json:"content"`
		Output  json.RawMessage `json:"output"`
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		var parts []string
		for _, part := range list {
			if text := textsWithin(part, depth-1); text != "" {
				parts = append(parts, text)
			}
		}
		return strings.Join(parts, "\n")
	}
	if json.Unmarshal(raw, &one) != nil {
		return ""
	}
	switch {
	case one.Text != "":
		return one.Text
	case len(one.Content) > 0:
		return textsWithin(one.Content, depth-1)
	case len(one.Output) > 0:
		return textsWithin(one.Output, depth-1)
	case one.Type != "" && !strings.HasSuffix(one.Type, "text"):
		return "[" + one.Type + "]"
	}
	return ""
}
