package tools

import (
	"context"
	_ "embed" // the description
	"strings"

	"redgreen/backend/policy"
)

//go:embed finish.md
var finishDoc string

func finish() Tool {
	return Tool{
		Name: "finish", Kind: policy.Finish, Doc: finishDoc,
		Fields: []Field{
			{Name: "summary", Type: Text, Required: true, Doc: "what was wrong and what you changed, two or three sentences for a person"},
			{Name: "rest", Type: Text, Doc: "only after one step of a larger change: what is still to do; you go on with it"},
		},
		Object: func(a Args) string { return a.text("summary") },
		run: func(_ context.Context, _ *Set, a Args) (result, error) {
			summary := strings.TrimSpace(Visible(a.text("summary")))
			return result{summary: summary, head: "Finished. The system runs the proof now.",
				out: Outcome{Finish: &summary, Rest: strings.TrimSpace(Visible(a.text("rest"))), Doubt: strings.TrimSpace(Visible(a.text("doubt")))}}, nil
		},
	}
}

// searchFinish is finish for a search procedure, which knows when its choice is one of several that the tests let through.
func searchFinish() Tool {
	t := finish()
	t.Fields = append(t.Fields, Field{Name: "doubt", Type: Text, Doc: "why a person has to choose before the patch is written, two or three sentences; it is never written without one then"})
	return t
}
