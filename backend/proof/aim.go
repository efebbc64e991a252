package proof

import (
	"fmt"
	"slices"
	"strings"
)

// unturned reports that all there is against a patch is that no test turned from red to green.
func unturned(c Certificate, e evidence) bool {
	j := judgement{evidence: e, comparison: compare(e.base, e.patched), c: &c}
	return c.State == NotProven && len(c.Reasons) == 1 && c.Reasons[0] == j.sayNoGreen() &&
		len(c.Broken)+len(c.Integrity)+len(c.Infrastructure) == 0 && e.patched.Reason == "" && c.StillGreen > 0 && len(j.preExisting) == len(c.PreExisting)
}

// check says what holds of a patch that is not there to turn a test green. Where it holds, that no test did is no reason
// against it.
func (c *Certificate) check(aim Aim, e evidence) {
	if c.State == Proven && len(c.Unbroken) > 0 {
		c.NotCovered = append(c.NotCovered, c.sayUnbroken())
	}
	if aim == Fixes || !unturned(*c, e) {
		return
	}
	fresh := 0
	for _, b := range c.Breaks {
		fresh += len(b.Tests)
	}
	fresh += len(c.Unbroken)
	switch {
	case aim == SameWork:
		c.Checked = fmt.Sprintf("No change of behaviour: %s before and %s so now, and no test was weakened. This says as much as these tests cover.",
			does(c.StillGreen, "passed", "passed"), verb(c.StillGreen, "does", "do"))
		c.Reasons = []string{"A refactoring turns no test from red to green."}
	case fresh == 0:
		c.Reasons = []string{"The patch brings no test with a name of its own. A case inside a test that was there cannot be seen to fail by itself: give it a test, or a subtest, of its own."}
	case len(c.Unbroken) > 0:
		c.Reasons = []string{c.sayUnbroken()}
	default:
		c.Checked = fmt.Sprintf("%s, and %s when a line of the code that it runs was changed on purpose. %s of before still %s.",
			freshPass(fresh), verb(fresh, "failed", "each failed"), plural(c.StillGreen, "test"), verb(c.StillGreen, "does", "do"))
		c.Reasons = []string{"Tests for code that is right turn from red to green only when the code is broken."}
	}
}

// sayUnbroken names the new tests that nothing made fail.
func (c Certificate) sayUnbroken() string {
	return fmt.Sprintf("%s not seen to fail, whatever line of the code was changed on purpose: %s. A test that cannot fail shows nothing: let it compare what the code gives with what it should give.",
		does(len(c.Unbroken), "was", "were"), strings.Join(slices.Clone(c.Unbroken), ", "))
}

func freshPass(n int) string {
	return fmt.Sprintf("%s %s", plural(n, "new test"), verb(n, "passes", "pass"))
}
