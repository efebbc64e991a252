package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redgreen/backend/eval"
)

// TestKeepRuns adds runs to a file as they end, and reads them the next time.
func TestKeepRuns(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	for i, bug := range []string{"one", "two", "three"} {
		told := 0
		o := eval.BuiltinOptions{Told: func(eval.Fixed) { told++ }}
		end, err := keepRuns(&o, name)
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Kept) != i || i > 0 && o.Kept[i-1].Bug != []string{"one", "two"}[i-1] {
			t.Errorf("the file gives %+v", o.Kept)
		}
		o.Told(eval.Fixed{Bug: bug, Part: "tuning", Verdict: eval.FixedRight, Tried: 3})
		if data, err := os.ReadFile(name); err != nil || !strings.Contains(string(data), bug) {
			t.Errorf("%s is not in the file before the end: %q, %v", bug, data, err)
		}
		if err := end(); err != nil || told != 1 {
			t.Errorf("told %d times, %v", told, err)
		}
	}
	if err := os.WriteFile(name, []byte(`{"bug":"one"}`+"\n"+`{"bug":"tw`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := keepRuns(&eval.BuiltinOptions{}, name); err == nil || !strings.Contains(err.Error(), "last line") {
		t.Errorf("a half-written line: %v", err)
	}
}
