package agent

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"redgreen/backend/patch"
	"redgreen/backend/session"
	"redgreen/backend/testrun"
	"redgreen/backend/tools"
)

// maxCriteria bounds a list of acceptance criteria; a longer one is no list that a person checks.
const maxCriteria = 30

// number gives criteria their ids, C1, C2 …, in their order. Empty texts are left out.
func number(texts []string) []session.Criterion {
	var out []session.Criterion
	for _, text := range texts {
		if text = strings.TrimSpace(tools.Visible(text)); text != "" && len(out) < maxCriteria {
			head, _ := tools.Cap(text, 1000)
			out = append(out, session.Criterion{ID: fmt.Sprint("C", len(out)+1), Text: head})
		}
	}
	return out
}

func criteriaText(items []session.Criterion) string {
	var b strings.Builder
	for _, c := range items {
		fmt.Fprintf(&b, "%s: %s\n", c.ID, c.Text)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// EditCriteria puts the person's list of acceptance criteria in place of the present one. A run that works gets it at its
// next step.
func (r *Run) EditCriteria(ctx context.Context, texts []string) error {
	items := number(texts)
	if len(items) == 0 {
		return errors.New("changing the acceptance criteria: the list is empty; write at least one, one a line")
	}
	switch st := r.log.State(); st.Outcome {
	case session.Running, session.Waiting, session.Review:
	default:
		return fmt.Errorf("changing the acceptance criteria: %w: the session has ended as %s", ErrState, st.Outcome)
	}
	return r.append(ctx, session.KindCriteria, session.Criteria{Step: r.log.State().Steps, By: "person", Items: items})
}

// criterionName is how a test names a criterion: "C1" in its text, test_c1_…, TestC1…; a variable c1 is none.
var criterionName = regexp.MustCompile(`\bC(\d{1,2})\b|_[cC](\d{1,2})(?:_|\b)|[a-z]C(\d{1,2})(?:[A-Z_]|\b)`)

// covered says which added lines of tests name which criterion; pure.
func covered(items []session.Criterion, p patch.Patch) []session.Criterion {
	places := map[string][]string{}
	for _, f := range p.Files {
		if !testrun.TestFile(f.Path) {
			continue
		}
		for _, h := range f.Hunks {
			n := h.NewStart
			for _, l := range h.Lines {
				if l.Op == patch.Insert {
					for _, m := range criterionName.FindAllStringSubmatch(l.Text, -1) {
						id := "C" + m[1] + m[2] + m[3]
						if at := fmt.Sprintf("%s:%d", f.Path, n); len(places[id]) == 0 || places[id][len(places[id])-1] != at {
							places[id] = append(places[id], at)
						}
					}
				}
				if l.Op != patch.Delete {
					n++
				}
			}
		}
	}
	out := make([]session.Criterion, len(items))
	for i, c := range items {
		out[i] = session.Criterion{ID: c.ID, Text: c.Text, Tests: places[c.ID]}
	}
	return out
}
