package app

import (
	"strings"
	"testing"

	"redgreen/backend/session"
)

// Two long steps are shown where they differ, and short ones as they are.
func TestCompareShowsTheDifference(t *testing.T) {
	t.Parallel()
	step := func(n int, tool, args, summary string) *session.Step {
		return &session.Step{Step: n, Acts: []session.Act{{Tool: tool, OK: summary != "refused", Args: args, Summary: summary}}}
	}
	edit := func(after string) string { return `{"path":"a.py","old":"return a\n","new":"` + after + `\n"}` }
	long := strings.Repeat("über ", 40)
	for name, c := range map[string]struct {
		p    session.Pair
		want []string
	}{
		"same":       {session.Pair{A: step(1, "run_tests", "{}", "done"), B: step(2, "run_tests", "{}", "done"), Same: true}, []string{"    1  Ran the tests  done"}},
		"short":      {session.Pair{A: step(1, "run_tests", "{}", "1 passed"), B: step(1, "run_tests", "{}", "1 failed")}, []string{"-   1  Ran the tests  1 passed", "+   1  Ran the tests  1 failed"}},
		"only one":   {session.Pair{B: step(3, "apply_patch", edit("return b"), "a.py +1 −1")}, []string{"+   3  Changed  a.py +1 −1"}},
		"refused":    {session.Pair{A: step(3, "apply_patch", edit("return b"), "refused"), B: step(3, "apply_patch", edit("return b"), "a.py +1 −1")}, []string{"-   3  Could not change  refused", "+   3  Changed  a.py +1 −1"}},
		"two edits":  {session.Pair{A: step(3, "apply_patch", edit("return b"), "a.py +1 −1"), B: step(3, "apply_patch", edit("return c"), "a.py +1 −1")}, []string{"-   3  Changed  a.py +1 −1: -return a ⏎ +return b", "+   3  Changed  a.py +1 −1: -return a ⏎ +return c"}},
		"two words":  {session.Pair{A: step(3, "search_code", `{"query":"vat","max_hits":3}`, "3 hits"), B: step(3, "search_code", `{"query":"tax"}`, "3 hits")}, []string{"-   3  Searched  3 hits: max hits 3, query vat", "+   3  Searched  3 hits: query tax"}},
		"no form":    {session.Pair{A: step(3, "search_code", `vat`, ""), B: step(3, "search_code", `{}`, "")}, []string{"-   3  Searched: vat", "+   3  Searched"}},
		"unknown":    {session.Pair{A: step(3, "bash", `{"command":"ls"}`, "refused")}, []string{"-   3  Asked for bash  refused"}},
		"said":       {session.Pair{A: &session.Step{Step: 1, Said: "I am\ndone."}}, []string{"-   1  I am done."}},
		"far in":     {session.Pair{A: step(4, "apply_patch", edit(long+"a + b"), "+1"), B: step(5, "apply_patch", edit(long+"a - b"), "+1")}, []string{`a + b`, `a - b`}},
		"one longer": {session.Pair{A: step(4, "finish", "{}", long+"end"), B: step(5, "finish", "{}", long+"and more")}, []string{"end", "and more"}},
	} {
		var out strings.Builder
		(&command{out: &out}).printPair(c.p)
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) != len(c.want) {
			t.Errorf("%s: %q", name, lines)
			continue
		}
		for i, line := range lines {
			whole := strings.HasPrefix(c.want[i], "-") || strings.HasPrefix(c.want[i], "+") || strings.HasPrefix(c.want[i], " ")
			if whole && line != c.want[i] || !strings.HasSuffix(line, c.want[i]) || len([]rune(line)) > stepWidth+7 {
				t.Errorf("%s: %q, want %q", name, line, c.want[i])
			}
		}
	}
}
