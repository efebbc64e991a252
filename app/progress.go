package app

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"redgreen/backend/testrun"
)

// TestsState is how far a session's run of tests is, as testrun.Progress says; what is not known is 0.
type TestsState struct {
	Session string  `json:"session"`
	Done    int     `json:"done"`
	Total   int     `json:"total"`
	About   bool    `json:"about"` // the total is that of the run before
	Part    int     `json:"part"`
	Parts   int     `json:"parts"`
	Ms      int64   `json:"ms"`
	LastMs  int64   `json:"last_ms"` // what the same run took the last time
	Rate    float64 `json:"rate"`    // tests a second
	LeftMs  int64   `json:"left_ms"`
	Over    bool    `json:"over"`
}

func testsState(id string, p testrun.Progress) TestsState {
	return TestsState{Session: id, Done: p.Done, Total: p.Total, About: p.About, Part: p.Part, Parts: p.Parts, Ms: p.Elapsed.Milliseconds(),
		LastMs: p.Last.Milliseconds(), Rate: p.Rate, LeftMs: p.Left.Milliseconds(), Over: p.Over}
}

// testsWords say how far a run of tests is; "" where there is nothing to say.
func testsWords(p testrun.Progress) string {
	var parts []string
	if p.Parts > 1 {
		parts = append(parts, fmt.Sprintf("part %d of %d", p.Part, p.Parts))
	}
	switch {
	case p.Total > 0 && p.About:
		parts = append(parts, fmt.Sprintf("%d of about %s", p.Done, countOf(p.Total, "test")))
	case p.Total > 0:
		parts = append(parts, fmt.Sprintf("%d of %s", p.Done, countOf(p.Total, "test")))
	case p.Done > 0:
		parts = append(parts, countOf(p.Done, "test"))
	}
	if p.Rate > 0 {
		digits := 0
		if p.Rate < 10 {
			digits = 1
		}
		parts = append(parts, fmt.Sprintf("%.*f a second", digits, p.Rate))
	}
	switch {
	case p.Left > 0:
		parts = append(parts, (p.Left+999*time.Millisecond).Truncate(time.Second).String()+" left")
	case p.Done == 0 && p.Last > 0:
		parts = append(parts, "took "+millis(p.Last.Milliseconds())+" the last time")
	}
	return strings.Join(parts, ", ")
}

// meter draws how far a run of tests is on a terminal, and nothing elsewhere.
func (c *command) meter() *testrun.Meter {
	if !c.colour {
		return nil
	}
	return testrun.NewMeter(c.drawTests)
}

// drawTests draws how far a run of tests is in place of what was drawn before.
func (c *command) drawTests(p testrun.Progress) {
	if p.Over {
		fmt.Fprint(c.err, clearLine)
		return
	}
	waits, _ := c.waits.Load().(string)
	line := fmt.Sprintf("   %s… %d s", cmp.Or(waits, "Running the tests"), int(p.Elapsed.Seconds()))
	if words := testsWords(p); words != "" {
		line += " · " + words
	}
	fmt.Fprint(c.err, clearLine+cut(line, cmp.Or(c.width, 80)-1, tail))
}

// clearLine goes back to the beginning of a terminal's line and empties it.
const clearLine = "\r\x1b[K"
