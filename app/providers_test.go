package app

import (
	"strings"
	"testing"

	"redgreen/backend/model"
)

// TestEveryProviderSaysWhatItLacks: with nothing set, no provider is called ready, and each names a command or variable.
func TestEveryProviderSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	c := &core{keys: keys{env: func(string) string { return "" }}}
	for _, p := range model.Known() {
		if p == "script" {
			continue
		}
		if said := c.lacks(p); !strings.Contains(said, "`") && !strings.Contains(said, "_API_KEY") && !strings.Contains(said, "AWS_") {
			t.Errorf("%s lacks %q", p, said)
		}
	}
}

// TestOtherServer: nobody is told to set what is set.
func TestOtherServer(t *testing.T) {
	t.Parallel()
	c := &core{keys: keys{env: func(string) string { return "" }}}
	if said := c.otherServer(); !strings.Contains(said, "set OPENAI_BASE_URL") {
		t.Error(said)
	}
	c.keys.env = func(name string) string {
		return map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1"}[name]
	}
	if said := c.otherServer(); strings.Contains(said, "set OPENAI_BASE_URL") || !strings.Contains(said, "OPENAI_BASE_URL names one") {
		t.Error(said)
	}
	c.settings.BaseURLs = map[string]string{"openai": "http://127.0.0.1:8000/v1"}
	if said := c.otherServer(); strings.Contains(said, "OPENAI_BASE_URL") {
		t.Error(said)
	}
}
