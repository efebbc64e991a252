package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/repair"
)

// ModelRow is a model that can be chosen.
type ModelRow struct {
	model.Info
	Ref      string `json:"ref"`
	Recorded bool   `json:"recorded"` // plays written replies; only for the sample
}

// ModelList is what can be chosen now. Default is the one to start with, "" when there is none.
type ModelList struct {
	Models   []ModelRow   `json:"models"`
	Problems []ProblemRow `json:"problems"`
	Default  string       `json:"default"`
}

// ProblemRow says why a provider gave no models.
type ProblemRow struct {
	Provider string     `json:"provider"`
	Code     model.Code `json:"code"`
	Message  string     `json:"message"`
}

// models lists what can be called: local models first, then hosted ones, then what needs no set-up: the built-in engine,
// and the recorded one last.
func (c *core) models(ctx context.Context) (ModelList, error) {
	sample, err := c.sample(false)
	if err != nil {
		return ModelList{}, err
	}
	found, problems := model.Available(ctx, c.modelOptions())
	list := ModelList{Models: []ModelRow{}, Problems: []ProblemRow{}}
	for _, m := range found {
		list.Models = append(list.Models, ModelRow{Info: m, Ref: m.Ref()})
	}
	for _, p := range problems {
		list.Problems = append(list.Problems, ProblemRow{Provider: p.Provider, Code: p.Code, Message: p.Message})
	}
	list.Models = append(list.Models, ModelRow{Info: repair.Info(), Ref: repair.Ref})
	list.Models = append(list.Models, ModelRow{
		Info: model.Info{Provider: "script", Name: strings.TrimPrefix(sample.ref, "script/"), Label: recordedLabel, Local: true},
		Ref:  sample.ref, Recorded: true,
	})
	list.Default = list.Models[0].Ref
	for _, m := range list.Models {
		if m.Ref == c.current().Model {
			list.Default = m.Ref
		}
	}
	return list, nil
}

// chooseModel opens the model named by ref, or the default for a folder when ref is "". The recorded model only knows
// the sample, so it is refused elsewhere.
func (c *core) chooseModel(ctx context.Context, ref, root string) (model.Model, error) {
	sample, err := c.sample(false)
	if err != nil {
		return model.Model{}, err
	}
	if ref == "" {
		list, err := c.models(ctx)
		if err != nil {
			return model.Model{}, err
		}
		ref = list.Default
	}
	if ref == sample.ref && root != sample.Path {
		return model.Model{}, fail(Invalid, "the recorded model only plays the fix of the bundled sample; choose another model for this folder")
	}
	m, err := c.openModel(ref)
	if err != nil {
		return model.Model{}, err
	}
	if err := c.keyFound(m.Info); err != nil {
		return model.Model{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, describeWithin)
	defer cancel()
	// What cannot be asked for its window cannot be called either, and it is better said before a session begins.
	m.Info, err = m.Describe(ctx)
	return m, err
}

// openModel opens the model named by ref: a provider's, or the built-in engine.
func (c *core) openModel(ref string) (model.Model, error) {
	if ref == repair.Ref {
		return repair.Model(), nil
	}
	if provider, name, _ := strings.Cut(ref, "/"); name == "" || !slices.Contains(model.Known(), provider) {
		return model.Model{}, fail(Invalid, fmt.Sprintf("%q names no model: write PROVIDER/NAME with one of %s, or %s for the built-in engine; `redgreen models list` says what can be called",
			ref, strings.Join(model.Known(), ", "), repair.Ref))
	}
	return model.Open(ref, c.modelOptions())
}

// keyFound says what to do where a provider's own server needs a key and none is set, before anything is started.
func (c *core) keyFound(m model.Info) error {
	env, needs := keyNames()[m.Provider]
	if !needs || !model.NeedsKey(m.Provider) || c.keys.get(env) != "" || c.current().BaseURLs[m.Provider] != "" || c.keys.env(strings.ToUpper(m.Provider)+"_BASE_URL") != "" {
		return nil
	}
	if m.Provider == "bedrock" && c.keys.get("AWS_ACCESS_KEY_ID") != "" && c.keys.get("AWS_SECRET_ACCESS_KEY") != "" {
		return nil
	}
	return fail(Denied, fmt.Sprintf("%s needs a key and none is set; set %s in the environment, or save the key in the window's settings", m.Ref(), env))
}

// describeWithin bounds the question for a model's context window.
const describeWithin = 10 * time.Second
