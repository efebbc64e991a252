package session

import (
	"encoding/json"
	"errors"
	"strings"

	"redgreen/backend/model"
)

// Replies gives what the model answered in a session as a recorded model plays it: so a session runs again without a
// network and without a key. A call that failed for good fails again. Pure.
func Replies(events []Event) ([]model.ScriptReply, error) {
	var out []model.ScriptReply
	for _, e := range events {
		data, err := Decode(e)
		if err != nil && !errors.Is(err, ErrUnknownKind) {
			return nil, err
		}
		switch d := data.(type) {
		case ModelReplied:
			usage := d.Usage
			r := model.ScriptReply{Text: d.Message.Text, Thinking: d.Message.Thinking, Usage: &usage, Stop: d.Stop}
			for _, c := range d.Message.Calls {
				r.Calls = append(r.Calls, model.ScriptCall{Name: c.Name, Args: scriptArgs(c.Args)})
			}
			out = append(out, r)
		case ModelFailed:
			if d.Final {
				out = append(out, model.ScriptReply{Error: &model.ScriptError{Code: model.Code(d.Code), Message: d.Message}})
			}
		}
	}
	return out, nil
}

// scriptArgs are a call's arguments as a script has them: as they are, or as a string where they are no JSON object.
func scriptArgs(args string) json.RawMessage {
	if json.Valid([]byte(args)) && strings.HasPrefix(strings.TrimSpace(args), "{") {
		return json.RawMessage(args)
	}
	raw, _ := json.Marshal(args) // a string
	return raw
}
