package app

import (
	"fmt"
	"io"
	"strings"

	"redgreen/backend/model"
)

// lacks says for each provider what it lacks where it gave no model and nothing failed: "" nothing, it can be called by name.
func (c *core) lacks(provider string) string {
	has := func(name string) bool { return c.keys.get(name) != "" }
	base := c.current().BaseURLs[provider]
	if base == "" {
		base = c.keys.env(strings.ToUpper(provider) + "_BASE_URL")
	}
	env := model.KeyName(provider)
	key := fmt.Sprintf("no key: set the environment variable %s before starting, or save the key in the settings", env)
	switch provider {
	case "ollama":
		return "no model yet: fetch one with `ollama pull qwen3-coder`"
	case "azure":
		if base == "" && c.keys.env("AZURE_OPENAI_ENDPOINT") == "" {
			return "not set up: set AZURE_OPENAI_ENDPOINT=https://RESOURCE.openai.azure.com and " + env
		}
	case "bedrock":
		if !has(env) && !(has("AWS_ACCESS_KEY_ID") && has("AWS_SECRET_ACCESS_KEY")) && base == "" {
			return "no key: set " + env + ", or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, before starting"
		}
		return ""
	case "llamacpp":
		return "no server: start it with `llama-server -m MODEL.gguf --jinja -c 32768`"
	case "lmstudio":
		return "no server: start it with `lms server start`"
	}
	if model.NeedsKey(provider) && base == "" && !has(env) {
		return key
	}
	return ""
}

// providerState says in a line what can be called of a provider now, or what it lacks.
func (c *core) providerState(provider string, list ModelList) string {
	n := 0
	for _, m := range list.Models {
		if m.Provider == provider {
			n++
		}
	}
	if n > 0 {
		return countOf(n, "model") + ", listed above"
	}
	for _, p := range list.Problems {
		if p.Provider == provider {
			return p.Message
		}
	}
	if lacks := c.lacks(provider); lacks != "" {
		return lacks
	}
	return "ready; its models are not listed, name one as " + provider + "/NAME"
}

// printProviders is one line for each provider of a model: ready, or what it lacks.
func (c *core) printProviders(w io.Writer, width int, list ModelList) {
	t := table{columns: []column{{title: "PROVIDER"}, {title: "STATE", give: lines}}}
	for _, name := range model.Known() {
		if name == "script" { // written replies, for the sample and tests
			continue
		}
		t.rows = append(t.rows, []string{name, printable(c.providerState(name, list), 700)})
	}
	t.rows = append(t.rows, []string{"builtin", "ready; needs no model and no key, looks for small fixes"}, []string{"others", c.otherServer()})
	t.print(w, width)
}

// otherServer says how a server is called that speaks as OpenAI's does.
func (c *core) otherServer() string {
	switch {
	case c.current().BaseURLs["openai"] != "":
		return "any OpenAI-compatible server: the settings name one, called as openai/NAME"
	case c.keys.env("OPENAI_BASE_URL") != "":
		return "any OpenAI-compatible server: OPENAI_BASE_URL names one, called as openai/NAME"
	}
	return "any OpenAI-compatible server: set OPENAI_BASE_URL (and OPENAI_API_KEY), then openai/NAME"
}
