package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"redgreen/backend/proof"
	"redgreen/backend/session"
)

// Whole runs of the kinds of task that are no bug and no feature, recorded for the page and held here against what each kind
// promises.

func certificate(t *testing.T, r *Run) proof.Certificate {
	t.Helper()
	var c proof.Certificate
	if err := json.Unmarshal(last[session.ProofFinished](t, r).Certificate, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// results are what the model read of its calls of a tool.
func results(t *testing.T, r *Run, tool string) []session.ToolFinished {
	t.Helper()
	var out []session.ToolFinished
	for _, d := range all[session.ToolFinished](t, r) {
		if d.Tool == tool {
			out = append(out, d)
		}
	}
	return out
}

const wordsTest = `import unittest

import words


class WordsTest(unittest.TestCase):
    def test_c1_counts_each_word(self):
        self.assertEqual(words.count("Ada and ada"), {"ada": 2, "and": 1})

    def test_c2_nothing_has_no_words(self):
        self.assertEqual(words.count(""), {})

    def test_c3_signs_are_no_words(self):
        self.assertEqual(words.count("well, well."), {"well": 2})
`

// written is a new program in a folder with nothing but a README: criteria, tests from them, then three tries at one failure
// and another approach.
func written(t *testing.T) (*fixture, *Run) {
	f := staged(t, folder(t, map[string]string{"README.md": "# words\n\nCounts the words of a text.\n"}), "program")
	code := func(body string) string { return "import re\n\n\ndef count(text):\n" + body }
	try := func(old, body string) string {
		return edits("words.py", old, body)
	}
	m := script(t,
		say("write_criteria", args{"criteria": []string{"count gives each word of a text with how often it occurs, whatever its case", "a text without words gives nothing", "punctuation is no part of a word", "a file can be named on the command line"}}),
		say("apply_patch", args{"path": "test_words.py", "content": wordsTest}),
		say("apply_patch", args{"path": "words.py", "content": code("    out = {}\n    for word in text.split(\" \"):\n        out[word] = out.get(word, 0) + 1\n    return out\n")}),
		runs(),
		try("text.split(\" \")", "text.lower().split(\" \")"), runs(),
		try("text.lower().split(\" \")", "text.lower().strip().split(\" \")"), runs(),
		try("text.lower().strip().split(\" \")", "text.lower().strip(\".,\").split(\" \")"), runs(),
		try("    for word in text.lower().strip(\".,\").split(\" \"):\n", "    for word in re.findall(r\"[^\\W_]+\", text.lower()):\n"), runs(),
		say("finish", args{"summary": "words.count takes words by a pattern, not by blanks; naming a file is not done yet"}))
	r := start(t, f, m, Task{Text: "Write a program that counts the words of a text"})
	work(t, r, session.Review)
	if k := r.task.Kind; k != Program {
		t.Errorf("told as %s", k)
	}
	said := 0
	for _, d := range results(t, r, "run_tests") {
		if strings.Contains(d.Text, otherApproach) {
			said++
		}
	}
	if said != 1 {
		t.Errorf("another approach was asked for %d times\n%s", said, story(t, r))
	}
	c := certificate(t, r)
	covered := map[string]string{}
	for _, k := range c.Criteria {
		covered[k.ID] = strings.Join(k.Tests, " ")
	}
	if c.State != proof.Proven || len(c.Criteria) != 4 || !strings.Contains(covered["C1"], "test_c1_counts_each_word") || !strings.Contains(covered["C3"], "test_c3_signs") || covered["C4"] != "" {
		t.Errorf("%s, criteria %v, %v", c.State, covered, c.Reasons)
	}
	approve(t, r)
	return f, r
}

const rates = `import json


def convert(cents, fetch):
    """Give cents in the other money, by the rate that fetch gives as JSON; None where there is none."""
    try:
        rate = json.loads(fetch())["rate"]
    except (TimeoutError, PermissionError, ValueError, KeyError):
        return None
    if rate <= 0:
        return None
    return round(cents * rate)
`

const ratesTest = `import unittest

import rates


class RatesTest(unittest.TestCase):
    def test_converts(self):
        self.assertEqual(rates.convert(200, lambda: '{"rate": 1.5}'), 300)
`

const moreRates = `

class Bank:
    """Stands in for the bank's server: it answers, is late, talks nonsense or refuses."""

    def __init__(self, answer):
        self.answer = answer

    def __call__(self):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class BankTest(unittest.TestCase):
    def test_no_answer_gives_none(self):
        for answer in (TimeoutError(), PermissionError(), "{", "{}", '{"rate": 0}'):
            with self.subTest(answer=answer):
                self.assertIsNone(rates.convert(100, Bank(answer)))

    def test_fuzz_rate_of_one_changes_nothing(self):
        start, chance = time.monotonic(), random.Random(7)
        for _ in range(500):
            if time.monotonic() - start > 1:
                break
            cents = chance.randrange(-10**9, 10**9)
            self.assertEqual(rates.convert(cents, Bank('{"rate": 1}')), cents)

    def test_large_amount(self):
        self.assertIsNotNone(rates)
        rates.convert(10**12, Bank('{"rate": 2}'))
`

// tested adds tests to code that is right. One of them compares nothing: it stays green whatever line is broken, so the run is
// not finished until it can fail.
func tested(t *testing.T) (*fixture, *Run) {
	f := staged(t, folder(t, map[string]string{"rates.py": rates, "test_rates.py": ratesTest}), "tests")
	m := script(t, say("read_file", args{"path": "rates.py"}), say("read_file", args{"path": "test_rates.py"}),
		say("apply_patch", args{"path": "test_rates.py", "content": strings.Replace(ratesTest, "import unittest\n", "import random\nimport time\nimport unittest\n", 1) + moreRates}),
		runs(), say("finish", args{"summary": "the bank is late, talks nonsense, refuses; a rate of one changes nothing"}),
		edits("test_rates.py", "        self.assertIsNotNone(rates)\n        rates.convert(10**12, Bank('{\"rate\": 2}'))\n", "        self.assertEqual(rates.convert(10**12, Bank('{\"rate\": 2}')), 2 * 10**12)\n"),
		runs(), say("finish", args{"summary": "the large amount is compared now"}))
	r := start(t, f, m, Task{Text: "Add tests for convert"})
	work(t, r, session.Review)
	if k := r.task.Kind; k != Tests {
		t.Errorf("told as %s", k)
	}
	if d := results(t, r, "finish"); len(d) != 2 || d[0].OK || !strings.Contains(d[0].Text, "test_large_amount") || !d[1].OK {
		t.Errorf("finishes: %+v", d)
	}
	c := certificate(t, r)
	seen := 0
	for _, b := range c.Breaks {
		seen += len(b.Tests)
	}
	if c.State != proof.NotProven || c.Checked == "" || seen != 3 || len(c.Unbroken) > 0 || last[session.ReviewAsked](t, r).Label != c.Checked {
		t.Errorf("%s, checked %q, %+v, left %v, because %v", c.State, c.Checked, c.Breaks, c.Unbroken, c.Reasons)
	}
	approve(t, r)
	return f, r
}

const prices = `def gross(cents, rate):
    return cents + (cents * rate + 50) // 100


def discounted(cents, rate):
    return cents - (cents * rate + 50) // 100
`

const pricesTest = `import unittest

import prices


class PricesTest(unittest.TestCase):
    def test_gross(self):
        self.assertEqual(prices.gross(1050, 19), 1250)
`

// reshaped is a refactoring: the suite is seen green, what has no test is pinned, a step that changes what a test sees is taken
// back, and an expected value that is changed with it is refused.
func reshaped(t *testing.T) (*fixture, *Run) {
	f := staged(t, folder(t, map[string]string{"prices.py": prices, "test_prices.py": pricesTest}), "refactor")
	share := "def share(cents, rate):\n    return (cents * rate + 50) // 100\n\n\n"
	m := script(t, say("read_file", args{"path": "prices.py"}), runs(),
		edit("test_prices.py", "        self.assertEqual(prices.gross(1050, 19), 1250)\n", "        self.assertEqual(prices.gross(1050, 19), 1250)\n\n    def test_discounted(self):\n        self.assertEqual(prices.discounted(1050, 19), 850)\n"),
		runs(),
		edits("prices.py", "def gross(cents, rate):\n    return cents + (cents * rate + 50) // 100\n", share+"def gross(cents, rate):\n    return cents + share(cents, rate)\n"), runs(),
		edits("prices.py", "    return cents - (cents * rate + 50) // 100\n", "    return cents - share(cents, -rate)\n"), runs(),
		edits("test_prices.py", "prices.gross(1050, 19), 1250", "prices.gross(1050, 19), 1251"),
		say("finish", args{"summary": "the rounding stands once"}),
		edits("test_prices.py", "prices.gross(1050, 19), 1251", "prices.gross(1050, 19), 1250"),
		edits("prices.py", "    return cents - share(cents, -rate)\n", "    return cents - share(cents, rate)\n"), runs(),
		say("finish", args{"summary": "the rounding stands once"}))
	r := start(t, f, m, Task{Text: "Extract the rounding that gross and discounted share"})
	work(t, r, session.Review)
	if k := r.task.Kind; k != Refactor {
		t.Errorf("told as %s", k)
	}
	if d := results(t, r, "finish"); len(d) != 2 || d[0].OK || !strings.Contains(d[0].Text, "broken by the patch") || !d[1].OK {
		t.Errorf("finishes: %+v", d)
	}
	c := certificate(t, r)
	if c.State != proof.NotProven || !strings.HasPrefix(c.Checked, "No change of behaviour: 1 test passed before and does so now") || len(c.Broken)+len(c.Integrity) > 0 {
		t.Errorf("%s, checked %q, because %v", c.State, c.Checked, c.Reasons)
	}
	approve(t, r)
	return f, r
}

// explained is an answer, from what was searched and read; nothing is changed.
func explained(t *testing.T) (*fixture, *Run) {
	f := staged(t, folder(t, map[string]string{"prices.py": prices, "test_prices.py": pricesTest}), "explain")
	m := script(t, say("search_code", args{"query": "discounted"}), say("read_file", args{"path": "prices.py"}),
		say("finish", args{"summary": "Both round half up: `gross` (prices.py:2) adds 50 before it divides by 100, and so does `discounted` (prices.py:6)."}))
	r := start(t, f, m, Task{Text: "How are prices rounded?"})
	work(t, r, session.Answered)
	if k := r.task.Kind; k != Explain {
		t.Errorf("told as %s", k)
	}
	if st := r.log.State(); !st.Patch.Empty() || st.Certificate != nil && string(st.Certificate) != "null" {
		t.Errorf("an explanation has a patch or a certificate: %s", st.Certificate)
	}
	return f, r
}
