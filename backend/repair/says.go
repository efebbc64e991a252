package repair

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// What the engine says is read by people who do not know how it searches: short sentences, edits by what they do.

// kindWords say in words what an edit of each kind does; held complete by TestKindWords.
func kindWords() map[string]string {
	return map[string]string{
		"argument": "another argument", "assignment": "another assignment", "boundary": "a bound taken in or left out", "comparison": "another comparison",
		"condition": "another condition", "constant": "another constant", "delete": "a statement taken out", "drop condition": "a condition taken out",
		"drop operand": "a part of an expression taken out", "expression": "another expression", "field": "another field", "function": "another function",
		"base case": "an early end of a recursion", "copy": "a copy in place of the value itself", "default": "a default for what is missing",
		"exception": "another exception", "extra else": "an else taken out", "missing await": "an await put in", "missing close": "an end put to what was begun",
		"missing else": "an else put in", "missing import": "an import put in", "reset": "a value set back to its begin", "unused result": "a result put to use", "update": "a new value for a variable",
		"guard": "an early return for a special case", "initial value": "another first value", "jump": "a break or continue", "logic": "and in place of or",
		"missing call": "a call around a value", "missing operand": "a part of an expression put in", "missing return": "a return put in",
		"missing statement": "a statement put in", "move": "a statement moved", "narrow": "a stricter condition", "negate": "a condition turned around",
		"format": "another way to write a value", "missing case": "a case put in", "missing check": "an error looked at", "missing element": "a field given a value", "only if": "a statement in some cases only",
		"off by one": "one more or one less", "operator": "another operator", "pattern": "another pattern or flag of one", "return": "another result", "sibling": "a similar method", "slice": "another part of a list or text",
		"split condition": "a condition taken apart", "swap": "two values swapped", "swap arguments": "two arguments swapped", "type": "another type",
		"under a condition": "an edit in some cases only", "unwrap": "a call or operator taken off", "variable": "another variable", "widen": "a looser condition",
	}
}

func kindWord(kind string) string { return cmp.Or(kindWords()[kind], kind) }

// plural is "1 test", "2 tests".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// counted names the kinds that are tried most often.
func counted(kinds map[string]int) string {
	const most = 4
	names := slices.SortedFunc(maps.Keys(kinds), func(a, b string) int { return cmp.Or(kinds[b]-kinds[a], strings.Compare(a, b)) })
	var out []string
	for _, n := range names[:min(len(names), most)] {
		out = append(out, fmt.Sprintf("%s (%d)", kindWord(n), kinds[n]))
	}
	if n := len(names) - len(out); n > 0 {
		out = append(out, fmt.Sprintf("and %s", plural(n, "other kind")))
	}
	return strings.Join(out, ", ")
}

// at says what an edit does and where.
func (c *candidate) at() string {
	return fmt.Sprintf("%s at %s:%d", kindWord(c.kind), c.src.path, c.line)
}

var doInPart = regexp.MustCompile(`(\d+) do in part`)

// came says what came of a batch.
func (b batch) came() string {
	m := doInPart.FindStringSubmatch(b.head)
	if b.failed || m == nil {
		return b.head
	}
	whole, part := "none makes", ""
	if n := len(b.pass); n == 1 {
		whole = "1 makes"
	} else if n > 1 {
		whole = fmt.Sprintf("%d make", n)
	}
	switch m[1] {
	case "0":
	case "1":
		part = ", 1 makes some of them pass"
	default:
		part = fmt.Sprintf(", %s make some of them pass", m[1])
	}
	return fmt.Sprintf("Of %s %s all failing tests pass without breaking another%s.", plural(b.count(), "edit"), whole, part)
}

// places are the most suspected lines, neighbours that the same tests run as one.
func places(top []suspect, most int) string {
	var out []string
	for i := 0; i < len(top) && len(out) < most; i++ {
		s, last := top[i], top[i].line
		for i+1 < len(top) && top[i+1].path == s.path && top[i+1].why == s.why && top[i+1].line == last+1 {
			i, last = i+1, last+1
		}
		at := fmt.Sprintf("%s:%d", s.path, s.line)
		if last > s.line {
			at += fmt.Sprintf("–%d", last)
		}
		out = append(out, at+" ("+s.why+")")
	}
	return strings.Join(out, ", ")
}

// runBy says which tests run a line.
func runBy(failing, passing int) string {
	if passing == 0 {
		return "run only by failing tests"
	}
	return fmt.Sprintf("run by %d failing and %s", failing, plural(passing, "passing test"))
}
