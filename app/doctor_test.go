package app

import (
	"strings"
	"testing"

	"redgreen/backend/sandbox"
)

// What the doctor says first must not be taken back by a line below it.
func TestTheDoctorsAnswerNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	for name, lacks := range map[string]bool{"toolchain: go in tools": true, "plugins: maven": true, "runtime krun": false} {
		got := answerWords(sandbox.Report{Chosen: "runc", Checks: []sandbox.Check{{Name: "toolchain: java", OK: true}, {Name: name, Detail: "it is not there"}}}, "/folder")
		if strings.Contains(got, "But what they need is missing: it is not there") != lacks {
			t.Errorf("%s: %s", name, got)
		}
	}
}
