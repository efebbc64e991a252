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
