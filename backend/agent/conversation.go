package agent

import (
	"slices"

	"redgreen/backend/model"
	"redgreen/backend/session"
	"redgreen/backend/tools"
)

// What stands for results that are not in the record.
const (
	interrupted = "Interrupted: the outcome of this call is unknown. Look before you repeat it."
	notRun      = "Not run: the run ended before this call."
)

// Conversation rebuilds the messages of the next request from a session's events; pure, and append-only between two
// compactions as long as no call is left without its result. A call whose result is not in the record gets one that says so, since providers
// reject a call without a result.
func Conversation(events []session.Event) ([]model.Message, error) {
	entries, err := decode(events)
	if err != nil {
		return nil, err
	}
	return rebuild(entries), nil
}

func rebuild(events []entry) []model.Message {
	var c conversation
	for _, e := range events {
		switch d := e.data.(type) {
		case session.ModelRequested:
			c.settle()
			for _, text := range d.Added {
				c.say(text)
			}
			c.show(d.Images)
		case session.ModelReplied:
			c.settle()
			c.reply(d.Message)
		case session.Compacted:
			c.settle()
			c.compact(d)
		case session.ModelChosen: // signed thinking is of use to the model that wrote it alone
			for i := range c.messages {
				c.messages[i].Opaque = nil
			}
		case session.ToolCalled:
			c.begun[d.CallID] = true
		case session.ToolFinished:
			c.results[d.CallID] = model.Result{CallID: d.CallID, Name: d.Tool, Text: d.Text, Error: !d.OK}
		}
	}
	c.settle()
	return c.messages
}

type conversation struct {
	messages []model.Message
	first    string       // the first message, once a compaction added to it
	calls    []model.Call // of the last reply, not yet answered
	begun    map[string]bool
	results  map[string]model.Result
}

func (c *conversation) say(text string) {
	if n := len(c.messages); n > 0 && c.messages[n-1].Role == model.User {
		c.messages[n-1].Text += "\n\n" + text
		return
	}
	c.messages = append(c.messages, model.Message{Role: model.User, Text: text})
}

// show adds pictures to what was said last.
func (c *conversation) show(images []model.Image) {
	if n := len(c.messages); n > 0 && len(images) > 0 {
		last := &c.messages[n-1]
		last.Images = slices.Concat(last.Images, images)
	}
}

func (c *conversation) reply(m model.Message) {
	m.Role = model.Assistant
	if m.Text == "" && len(m.Calls) == 0 {
		m.Text, m.Opaque = "(empty reply)", nil // providers refuse an empty turn
	}
	c.messages = append(c.messages, m)
	c.calls, c.begun, c.results = m.Calls, map[string]bool{}, map[string]model.Result{}
}

// compact leaves the first message, which stays the prefix byte for byte, with what stands for the old turns behind it,
// and the last replies with what followed them. Pictures stay: no text can stand for them.
func (c *conversation) compact(d session.Compacted) {
	if len(c.messages) == 0 {
		return
	}
	if c.first == "" {
		c.first = c.messages[0].Text
	}
	from, kept := len(c.messages), 0
	for i := len(c.messages) - 1; i > 0 && kept < d.Kept; i-- {
		if c.messages[i].Role == model.Assistant {
			from, kept = i, kept+1
		}
	}
	top := model.Message{Role: model.User, Text: c.first + "\n\n" + d.Text}
	for _, m := range c.messages[:from] {
		top.Images = append(top.Images, m.Images...)
	}
	c.messages = append([]model.Message{top}, c.messages[from:]...)
}

// settle answers the calls of the last reply in their order.
func (c *conversation) settle() {
	if len(c.calls) == 0 {
		return
	}
	m := model.Message{Role: model.Tool}
	for _, call := range c.calls {
		res, ok := c.results[call.ID]
		if !ok {
			res = model.Result{CallID: call.ID, Name: call.Name, Text: notRun, Error: true}
			if c.begun[call.ID] {
				res.Text = interrupted
			}
		}
		m.Results = append(m.Results, res)
	}
	c.messages, c.calls = append(c.messages, m), nil
}

// The words for a reply that called no tool.
const (
	nudgeProse  = "You called no tool, so nothing happened: text never ends a run. Go on with a tool call; when your change is complete, call finish."
	nudgeLength = "Your reply was cut at the limit of its length before it called a tool. Be brief, and call one tool."
)

// news are the texts that the model has not seen yet, beside tool results: what happened since its last request, in the
// words it will see; pure.
func news(events []entry) []string {
	var out []string
	asked := false
	for _, e := range events {
		switch d := e.data.(type) {
		case session.ModelRequested:
			out, asked = nil, true
		case session.ModelReplied:
			if len(d.Message.Calls) == 0 {
				nudge := nudgeProse
				if d.Stop == model.StopLength {
					nudge = nudgeLength
				}
				out = append(out, nudge)
			}
		case session.Message:
			if e.Seq > 2 { // the second event is the task, a part of the first message
				out = append(out, "The person says:\n"+tools.Visible(d.Text))
			}
		case session.ReviewAnswered:
			out = append(out, answered(d)...)
		case session.Criteria:
			if d.By == "person" {
				out = append(out, "The person changed the acceptance criteria. They are now:\n"+criteriaText(d.Items))
			}
		case session.TestsFinished:
			if asked {
				out = append(out, "The run was interrupted and goes on. The workspace holds your changes so far; the tests of the untouched copy ran again.")
			}
		}
	}
	return out
}

// answered says a person's decision to the model; nothing where it ends the session.
func answered(d session.ReviewAnswered) []string {
	changed := ""
	if d.Changed != "" {
		changed = "The person changed your patch. The workspace holds it as they left it: keep that, and read files again before you change them. From yours to theirs:\n" +
			tools.Visible(d.Changed)
	}
	switch {
	case d.Decision == "again" && changed != "":
		return []string{changed}
	case d.Decision == "again":
		return []string{"The person changed files in the folder meanwhile. The workspace is a new copy of it with your change made anew beside theirs; read files again before you change them."}
	case d.Decision == "reject" && (d.Comment != "" || changed != ""):
		says := "The person rejected the patch."
		if d.Comment != "" {
			says = "The person rejected the patch and says:\n" + tools.Visible(d.Comment)
		}
		if changed != "" {
			return []string{says + "\n" + changed + "\nGo on from there, then call finish again."}
		}
		return []string{says + "\nYour changes are still in the workspace. Change them accordingly, then call finish again."}
	}
	return nil
}
