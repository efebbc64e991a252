package repair

import (
	"strings"
	"testing"

	"redgreen/backend/model"
)

// TestTwoTogether: where no single edit turns the failing test green, two of one place are tried together, also on one line.
func TestTwoTogether(t *testing.T) {
	t.Parallel()
	const bad = "package a\n\nfunc inner(all []int) []int {\n\tif len(all) < 1 {\n\t\treturn nil\n\t}\n\treturn all[0 : len(all)-2]\n}\n"
	for _, good := range []string{
		"\treturn all[1 : len(all)-1]\n",
		"\tif len(all) < 2 {\n\t\treturn nil\n\t}\n\treturn all[1 : len(all)-2]\n",
	} {
		k := &talk{t: t, files: map[string]string{"a.go": bad}, coverage: "a.go 4:1/1 5:0/1 7:1/1\n", judge: func(files map[string]string) string {
			if strings.Contains(squeezeAll(files["a.go"]), squeezeAll(good)) {
				return "passes all tests"
			}
			return ""
		}}
		k.messages = []model.Message{{Role: model.User, Text: "Task:\nIt keeps the first one.\n\nOn the untouched copy 3 tests pass, 1 fail, 0 are skipped.\nTheir output, trimmed:\nFAILED TestInner\n  got [1 2], want [2 3]\n"}}
		k.run()
		if k.finished == "" || !strings.Contains(squeezeAll(k.files["a.go"]), squeezeAll(good)) {
			t.Errorf("finished %q with\n%s", k.finished, k.files["a.go"])
		}
	}
}
