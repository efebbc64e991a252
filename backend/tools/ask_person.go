package tools

import (
	"context"
	_ "embed" // the descriptions
	"errors"
	"fmt"
	"strings"

	"redgreen/backend/policy"
)

//go:embed ask_person.md
var askPersonDoc string

//go:embed write_criteria.md
var writeCriteriaDoc string

// askPerson stops the run until the person answers.
func askPerson() Tool {
	return Tool{
		Name: "ask_person", Kind: policy.Question, Doc: askPersonDoc,
		Fields: []Field{{Name: "question", Type: Text, Required: true, Doc: "with the choices that you see and what each would mean"}},
		Object: func(a Args) string { return a.text("question") },
		run: func(_ context.Context, _ *Set, a Args) (result, error) {
			q, _ := Cap(strings.TrimSpace(Visible(a.text("question"))), 2000)
			if q == "" {
				return result{}, errors.New("the question is empty")
			}
			return result{summary: q, head: "Your question is shown to the person. Their answer follows.", out: Outcome{Question: &q}}, nil
		},
	}
}

// writeCriteria says what the result is held to.
func writeCriteria() Tool {
	return Tool{
		Name: "write_criteria", Kind: policy.Criteria, Doc: writeCriteriaDoc,
		Fields: []Field{{Name: "criteria", Type: Texts, Required: true, Doc: "the whole list, one checkable sentence each"}},
		Object: func(a Args) string { return strings.Join(a.texts("criteria"), "\n") },
		run: func(_ context.Context, _ *Set, a Args) (result, error) {
			list := a.texts("criteria")
			if strings.TrimSpace(strings.Join(list, "")) == "" {
				return result{}, errors.New("the list is empty: write at least one criterion")
			}
			return result{summary: fmt.Sprintf("criteria: %d", len(list)),
				head: "Noted as C1, C2 … in this order, and shown to the person, who may change them. Name them in your tests.", out: Outcome{Criteria: list}}, nil
		},
	}
}
