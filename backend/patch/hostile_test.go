package patch

import (
	"strings"
	"testing"
	"time"
)

// TestHostileSizes holds what a model or a repository could send against a bound of time: every step must stay far from
// quadratic.
func TestHostileSizes(t *testing.T) {
	const mib = 1 << 20
	same := strings.Repeat("x\n", mib/2)
	letters := strings.Repeat("a", mib)
	blanks := strings.Repeat("\n", mib)
	numbered := strings.Join(goText(40000), "")
	resolve := func(before string, e Edit) func() {
		return func() { _, _, _ = Resolve([]Edit{e}, everyFile(content(before))) }
	}
	parse := func(text string) func() {
		return func() {
			if edits, err := Parse(text); err == nil {
				_, _, _ = Resolve(edits, everyFile(content(same)))
			}
		}
	}
	diff := func(a, b string) func() {
		return func() { _, _ = Diff([]Pair{{Path: "f", Before: content(a), After: content(b)}}) }
	}
	const head = "--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n"
	for name, run := range map[string]func(){
		"old text of one letter":        resolve(letters, Replace("f", letters[:mib/2], "b")),
		"old text of equal lines":       resolve(same, Replace("f", same[:mib/2]+"y\n", "b")),
		"block of equal lines":          resolve(same, Edit{Path: "f", Form: SearchReplace, Blocks: []Block{{Old: same[:mib/2], New: "b"}}}),
		"equal lines, indented":         resolve(same, Edit{Path: "f", Form: SearchReplace, Blocks: []Block{{Old: " " + strings.ReplaceAll(same[:mib/2], "\n", "\n "), New: "b"}}}),
		"nearest in a large file":       resolve(numbered, Replace("f", strings.Repeat("func f1(a, b int) string {\n", 500), "b")),
		"blank lines":                   parse(head + blanks + "x\n"),
		"blank lines and signs":         parse(head + strings.Repeat("\n+\n", mib/4)),
		"many hunks":                    parse("--- a/f\n+++ b/f\n" + strings.Repeat("@@ @@\n-x\n+y\n", 20000)),
		"many cut hunks":                parse("--- a/f\n+++ b/f\n" + strings.Repeat("@@ -1,9 +1,9 @@\n", 50000)),
		"many files":                    parse(strings.Repeat("diff --git a/f b/f\n", 50000)),
		"many fences":                   parse(strings.Repeat("```\n", mib/4)),
		"many open blocks":              parse(strings.Repeat("f\n<<<<<<< SEARCH\n", 50000)),
		"many blocks":                   parse(strings.Repeat("f\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n", 5000)),
		"long lines":                    parse(head + " " + letters + "\n-" + letters + "\n+b\n"),
		"header of blanks":              parse("diff --git " + strings.Repeat("a ", mib/4) + "\n"),
		"diff of nothing alike":         diff(same, strings.Repeat("y\n", mib/2)),
		"diff of lines that all differ": diff(numbered, strings.ReplaceAll(numbered, " ", "  ")),
		"diff of two letters":           diff(strings.Repeat("a\nb\n", mib/4), strings.Repeat("b\na\na\n", mib/6)),
		"diff of a reversed file":       diff(reversed(numbered), numbered),
		"merge":                         func() { _, _, _ = Merge([]byte(same), []byte(numbered), []byte(blanks)) },
	} {
		t.Run(name, func(t *testing.T) {
			var took time.Duration
			for range 3 { // a machine may be busy for a moment
				start := time.Now()
				run()
				// Bound of a slow and busy machine; the slowest takes about a tenth of it on a quiet one.
				if took = time.Since(start); took <= 20*time.Second {
					t.Logf("took %v", took)
					return
				}
			}
			t.Errorf("took %v", took)
		})
	}
}

func reversed(text string) string {
	lines := splitLines(text)
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	return strings.Join(lines, "")
}
