package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/patch"
)

// ProbePlan says what a probe of a model would cost, before it is started.
func (a *App) ProbePlan(ref string) (model.ProbePlan, error) {
	return guard(a.h, func() (model.ProbePlan, error) { return a.h.core.probePlan(a.h.context, ref) })
}

// Probe measures which forms of calls and edits a model manages, keeps the choice in the settings, and gives what it
// found. It takes twenty to thirty-six calls of the model; the topic "probe" tells of each.
func (a *App) Probe(ref string) (model.ProbeResult, error) {
	return guard(a.h, func() (model.ProbeResult, error) {
		ctx, done, err := a.h.probing.begin(a.h.context, ref, "this model is being measured already")
		if err != nil {
			return model.ProbeResult{}, err
		}
		defer done()
		return a.h.core.probe(ctx, ref, func(s model.ProbeScore) {
			a.h.runs.send("probe", map[string]any{"ref": ref, "score": s})
		})
	})
}

// CancelProbe stops a probe; nothing of it is kept.
func (a *App) CancelProbe(ref string) error {
	return a.h.act(func() error {
		if !a.h.probing.cancel(ref) {
			return fail(Conflict, "this model is not being measured")
		}
		return nil
	})
}

// SaveModel keeps what the person chose for one model; the zero value forgets it.
func (a *App) SaveModel(ref string, m ModelSetting) (Settings, error) {
	return guard(a.h, func() (Settings, error) { return a.h.core.saveModel(ref, m) })
}

func (c *core) saveModel(ref string, m ModelSetting) (Settings, error) {
	if _, err := model.Open(ref, model.Options{Key: c.keys.get, Env: c.keys.env, BaseURL: c.current().BaseURLs}); err != nil {
		return c.current(), err
	}
	switch m.Form {
	case model.Auto, model.Native, model.JSON, model.Text:
	default:
		return c.current(), fail(Invalid, fmt.Sprintf("%q is no form of calls; choose native, json or text", m.Form))
	}
	switch patch.Form(m.EditForm) {
	case "", patch.UnifiedDiff, patch.SearchReplace, patch.OldNew, patch.WholeFile:
	default:
		return c.current(), fail(Invalid, fmt.Sprintf("%q is no form of edits; choose unified_diff, search_replace, old_new or whole_file", m.EditForm))
	}
	if m.Window < 0 {
		return c.current(), fail(Invalid, "a context window has no negative size; 0 leaves it to the provider")
	}
	return c.change(func(s Settings) Settings {
		models := map[string]ModelSetting{}
		for k, v := range s.Models {
			models[k] = v
		}
		models[ref] = m
		if m == (ModelSetting{}) {
			delete(models, ref)
		}
		s.Models = models
		return s
	})
}

// probed opens the model to probe, as a task would but for what an earlier probe found.
func (c *core) probed(ctx context.Context, ref string) (model.Model, error) {
	m, err := c.chooseModel(ctx, ref, "")
	return m.WithForm(model.Auto), err
}

func (c *core) probePlan(ctx context.Context, ref string) (model.ProbePlan, error) {
	m, err := c.probed(ctx, ref)
	if err != nil {
		return model.ProbePlan{}, err
	}
	return model.PlanProbe(m)
}

func (c *core) probe(ctx context.Context, ref string, told func(model.ProbeScore)) (model.ProbeResult, error) {
	m, err := c.probed(ctx, ref)
	if err != nil {
		return model.ProbeResult{}, err
	}
	r, err := model.Probe(ctx, m, time.Now, probeApply, told)
	if err != nil {
		return r, err
	}
	kept := c.current().Models[m.Ref()]
	kept.Form, kept.EditForm, kept.Probe = r.ToolForm, r.EditForm, &r
	_, err = c.saveModel(m.Ref(), kept)
	return r, err
}

// probeApply holds an edit of a probe against its file, as strictly as in a task.
func probeApply(form, name, text, args string) (string, error) {
	var a struct{ Patch, Path, Old, New, Content string }
	if err := json.Unmarshal([]byte(args), &a); err != nil {
		return "", fmt.Errorf("reading the arguments: %w", err)
	}
	var edits []patch.Edit
	var err error
	switch patch.Form(form) {
	case patch.OldNew:
		edits = []patch.Edit{patch.Replace(path.Clean(a.Path), a.Old, a.New)}
	case patch.WholeFile:
		edits = []patch.Edit{patch.Whole(path.Clean(a.Path), a.Content)}
	case patch.UnifiedDiff, patch.SearchReplace:
		if edits, err = patch.Parse(a.Patch); err != nil {
			return "", err
		}
		if edits[0].Form != patch.Form(form) {
			return "", fmt.Errorf("it wrote %s in place of %s", edits[0].Form, form)
		}
	}
	before := &patch.Content{Data: []byte(text), Mode: 0o644}
	p, _, err := patch.Resolve(edits, func(asked string) (*patch.Content, error) {
		if asked != name {
			return nil, fmt.Errorf("reading %s: %w", asked, fs.ErrNotExist)
		}
		return before, nil
	})
	if err != nil {
		return "", err
	}
	if len(p.Files) != 1 || p.Files[0].Path != name {
		return "", fmt.Errorf("it changed another file")
	}
	after, err := patch.Apply(p.Files[0], before)
	if err != nil {
		return "", err
	}
	if after == nil {
		return "", fmt.Errorf("it deleted the file")
	}
	return string(after.Data), nil
}
