package agent

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"redgreen/backend/lang"
	"redgreen/backend/patch"
	"redgreen/backend/proof"
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

// covered says which added lines of tests name which criterion; pure.
func covered(items []session.Criterion, p patch.Patch) []session.Criterion {
	places := named(p)
	out := make([]session.Criterion, len(items))
	for i, c := range items {
		out[i] = session.Criterion{ID: c.ID, Text: c.Text, Tests: texts(places[c.ID])}
	}
	return out
}

func texts(places []place) []string {
	var out []string
	for _, p := range places {
		out = append(out, p.String())
	}
	return out
}

// covering gives the criteria for the certificate: each with the tests that name it in a line that the patch adds and pass
// with the patch. after reads a file of the patched tree.
func covering(items []session.Criterion, p patch.Patch, base, patched testrun.Run, after func(path string) ([]byte, error)) []proof.Criterion {
	t := testsAt{after: after, files: map[string][]lang.Definition{}, parser: lang.NewParser()}
	defer t.parser.Close()
	old := oldTests(base, patched)
	places, byName := named(p), map[string][]string{}
	for _, one := range patched.Tests {
		if one.Status != testrun.Passed {
			continue
		}
		t.passed = append(t.passed, one.ID)
		if !old(one.ID) {
			for _, id := range namesIn(ownName(one.ID)) {
				byName[id] = append(byName[id], one.ID)
			}
		}
	}
	for _, f := range p.Files {
		if id := fileOf(f.Path); id != "" && f.Status == patch.Added {
			byName[id] = append(byName[id], t.in(f.Path)...)
		}
	}
	out := []proof.Criterion{}
	for _, c := range items {
		tests := slices.Clone(byName[c.ID])
		for _, at := range places[c.ID] {
			tests = append(tests, t.at(at)...)
		}
		slices.Sort(tests)
		out = append(out, proof.Criterion{ID: c.ID, Text: c.Text, Tests: append([]string{}, slices.Compact(tests)...), Places: append([]string{}, texts(places[c.ID])...)})
	}
	return out
}

// testsAt finds the tests that a line of the patched tree belongs to.
type testsAt struct {
	passed []string // ids
	after  func(path string) ([]byte, error)
	parser *lang.Parser
	files  map[string][]lang.Definition
}

// at gives the passing tests of the innermost definition around a line, its leading comment included. Where tests of several
// files have that name, those whose id names the file.
func (t *testsAt) at(p place) []string {
	inner := lang.Definition{}
	for _, d := range t.definitions(p.path) {
		if d.DocLine <= p.line && p.line <= d.EndLine && (inner.Name == "" || d.EndLine-d.DocLine <= inner.EndLine-inner.DocLine) {
			inner = d
		}
	}
	if inner.Name == "" {
		return nil
	}
	whole := regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(inner.Name) + `(\W|$)`)
	stem := strings.TrimSuffix(path.Base(p.path), path.Ext(p.path))
	var all, here []string
	for _, id := range t.passed {
		if whole.MatchString(id) {
			if all = append(all, id); strings.Contains(id, stem) {
				here = append(here, id)
			}
		}
	}
	if len(here) > 0 {
		return here
	}
	return all
}

// in gives the passing tests of a file.
func (t *testsAt) in(path string) []string {
	var all []string
	for _, id := range t.passed {
		if testrun.Covers(path, id) {
			all = append(all, id)
		}
	}
	for _, d := range t.definitions(path) {
		all = append(all, t.at(place{path, d.StartLine})...)
	}
	return all
}

func (t *testsAt) definitions(path string) []lang.Definition {
	if defs, ok := t.files[path]; ok {
		return defs
	}
	var defs []lang.Definition
	if l, ok := lang.ByPath(path); ok {
		if text, err := t.after(path); err == nil {
			defs, _, _ = t.parser.Definitions(l, text) // what cannot be parsed names no test
		}
	}
	t.files[path] = defs
	return defs
}

// Held are the acceptance criteria of a session with what its certificate shows of each. One that the person changed after it
// was issued is covered by nothing; a certificate of before criteria stood in it leaves the places that the review told.
func Held(st session.State, c proof.Certificate) []proof.Criterion {
	var out []proof.Criterion
	for _, now := range st.Criteria {
		row := proof.Criterion{ID: now.ID, Text: now.Text, Places: now.Tests}
		for _, shown := range c.Criteria {
			if shown.ID == now.ID && shown.Text == now.Text {
				row = shown
			}
		}
		out = append(out, row)
	}
	return out
}
