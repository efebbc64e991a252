package app

import (
	"strings"
	"testing"

	"redgreen/backend/session"
)

// Two long steps are shown where they differ, and short ones as they are.
func TestCompareShowsTheDifference(t *testing.T) {
	t.Parallel()
	step := func(n int, args, summary string) *session.Step {
		return &session.Step{Step: n, Acts: []session.Act{{Tool: "apply_patch", Args: args, Summary: summary}}}
	}
	long := `{"path":"` + strings.Repeat("deep/", 60) + `a.py","new":"` + strings.Repeat("über ", 40)
	for name, c := range map[string]struct {
		p    session.Pair
		want []string
	}{
		"same":       {session.Pair{A: step(1, "{}", "done"), B: step(2, "{}", "done"), Same: true}, []string{"    1  apply_patch {} → done"}},
		"short":      {session.Pair{A: step(1, "{}", "1 passed"), B: step(1, "{}", "1 failed")}, []string{"-   1  apply_patch {} → 1 passed", "+   1  apply_patch {} → 1 failed"}},
		"only one":   {session.Pair{B: step(3, "{}", "")}, []string{"+   3  apply_patch {}"}},
		"far in":     {session.Pair{A: step(4, long+`a + b"}`, "+1"), B: step(5, long+`a - b"}`, "+1")}, []string{`a + b"} → +1`, `a - b"} → +1`}},
		"one longer": {session.Pair{A: step(4, long, "+1"), B: step(5, long+"and more", "+1")}, []string{"→ +1", "and more → +1"}},
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
