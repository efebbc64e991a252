package testrun

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

// TestTryPython tries candidates of each fate in one run of the real sandbox.
func TestTryPython(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	dir := b.sampleDir(t, "invoice")
	c := mustFind(t, dir)
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	const guard = "    if customer.address is None:\n        return HOME\n    return customer.address.country"
	both := changed(t, dir, "invoice/tax.py", "    return customer.address.country", guard)
	both["invoice/render.py"] = changed(t, dir, "invoice/render.py", "    return [customer.name, address.street",
		"    if address is None:\n        return [customer.name]\n    return [customer.name, address.street")["invoice/render.py"]
	slow := Candidate{"invoice/render.py": both["invoice/render.py"], "invoice/tax.py": changed(t, dir, "invoice/tax.py", "    return customer.address.country",
		"    import time\n    end = time.process_time() + 0.3\n    while not hasattr(place_of_supply, \"late\") and time.process_time() < end:\n        pass\n    place_of_supply.late = True\n"+guard)["invoice/tax.py"]}
	endless := changed(t, dir, "invoice/tax.py", "    return customer.address.country", "    while True:\n        pass")
	candidates := []Candidate{
		changed(t, dir, "invoice/tax.py", `HOME = "IE"`, `HOME = "DE"`),
		changed(t, dir, "invoice/tax.py", "    return customer.address.country", guard),
		endless,
		changed(t, dir, "invoice/tax.py", "    return customer.address.country", "    return ("),
		changed(t, dir, "invoice/tax.py", "    return customer.address.country", "    import os\n    os._exit(3)"),
		slow,
		both,
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: time.Second, Wall: time.Minute, Enough: 3})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	for i, want := range []func(Trial) bool{
		func(t Trial) bool { return t.Tried && t.Built && len(t.Fixed) == 0 && !t.Whole },
		func(t Trial) bool { return slices.Equal(t.Fixed, red[:1]) && t.Whole && !t.All && len(t.Broken) == 0 },
		func(t Trial) bool { return t.Late && len(t.Hung) == 0 }, // another passes
		func(t Trial) bool { return t.Tried && !t.Built },
		func(t Trial) bool { return t.Crashed && len(t.Fixed) == 0 },
		func(t Trial) bool { return t.Late },
		func(t Trial) bool { return t.Passes() },
	} {
		if !want(trials[i]) {
			t.Errorf("candidate %d: %+v", i, trials[i])
		}
	}
	candidates = []Candidate{endless, changed(t, dir, "invoice/tax.py", "    return customer.address.country", "    return sum(range(10 ** 12))"), slow} // no signal reaches the second
	trials, problem, err = b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: time.Second, Wall: 4 * time.Minute, Enough: 3})
	if err != nil || problem != "" || len(trials[0].Hung) == 0 || len(trials[1].Hung) == 0 || !trials[2].Passes() {
		t.Errorf("where no other passes: %s %v %+v", problem, err, trials)
	}
	// of many that never end few have all of their time, and each of the others costs little
	candidates = nil
	for n := range 12 {
		candidates = append(candidates, changed(t, dir, "invoice/tax.py", "    return customer.address.country", "    n = "+strconv.Itoa(n)+"\n    while True:\n        pass"))
	}
	trials, problem, err = b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: time.Second, Quick: 50 * time.Millisecond, Wall: 4 * time.Minute, Enough: 3})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	hung, late := 0, 0
	for _, trial := range trials {
		if trial.Late {
			late++
		} else if len(trial.Hung) > 0 {
			hung++
		}
	}
	if hung < 6 || hung+late != len(trials) {
		t.Errorf("of %d endless edits %d had all of their time, %d are late: %+v", len(trials), hung, late, trials)
	}
	s, err := b.runner.Trace(t.Context(), dir, c, red, green, []string{"invoice/tax.py", "invoice/render.py"}, time.Second, time.Minute)
	if err != nil || s.Problem != "" {
		t.Fatal(s.Problem, err)
	}
	if s.Reds != len(red) || s.Red["invoice/tax.py"][19] != len(red) || s.Green["invoice/tax.py"][19] == 0 || s.Red["invoice/render.py"][19] != 0 {
		t.Errorf("spectrum: %+v", s)
	}
}

// TestHang lets a test that never ends fail, and the others go on.
func TestHang(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	for name, test := range map[string]string{
		"pytest":   "import pytest\n\n\ndef test_loop():\n    a = [2, 1]\n    going = True\n    while going:\n        for i in range(len(a) - 1):\n            if a[i] > a[i + 1]:\n                going = True\n\n\ndef test_good():\n    pass\n",
		"unittest": "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_loop(self):\n        while True:\n            pass\n\n    def test_other(self):\n        pass\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := b.folder(t, func(dir string) {
				if err := os.WriteFile(filepath.Join(dir, "test_x.py"), []byte(test), 0o644); err != nil {
					t.Fatal(err)
				}
			})
			o := b.runner.options
			o.Hang = time.Minute
			r := New(o).Hasty(time.Second)
			c := Command{Runner: name, Args: map[string][]string{"pytest": {"python3", "-m", "pytest"}, "unittest": {"python3", "-m", "unittest", "discover"}}[name]}
			run, err := r.Run(t.Context(), dir, c, nil)
			if err != nil {
				t.Fatal(err)
			}
			passed, failed, _ := run.Counts()
			if passed != 1 || failed != 1 || run.Infrastructure || !slices.ContainsFunc(run.Tests, func(t Test) bool { return strings.Contains(t.Message, TooLong+", more than 1 s") }) {
				t.Errorf("%d passed, %d failed, %s: %+v", passed, failed, run.Reason, run.Tests)
			}
		})
	}
}

// TestTryPythonEncoded: a version of a file in another encoding has the letters that the file has.
func TestTryPythonEncoded(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	dir := b.files(t, map[string]string{
		"price.py": "# -*- coding: latin-1 -*-\r\ndef total(each, n):\r\n\treturn each + n\r\n\r\n\r\ndef name():\r\n\treturn 'caf\xe9'\r\n",
		"test_price.py": `import unittest
import price


class Price(unittest.TestCase):
    def test_total(self):
        self.assertEqual(price.total(4, 3), 12)

    def test_name(self):
        self.assertEqual(price.name(), "caf\u00e9")
`})
	c := Command{Runner: "unittest", Args: []string{"python3", "-m", "unittest"}}
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	if len(red) != 1 || len(green) != 1 {
		t.Fatalf("red %q, green %q: %s", red, green, base.Reason)
	}
	text := changed(t, dir, "price.py", "each + n", "each * n")["price.py"]
	fix := Candidate{"price.py": strings.Replace(text, "\xe9", "é", 1)} // as it is decoded
	trials, problem, err := b.runner.Try(t.Context(), dir, c, []Candidate{fix}, TryOptions{Red: red, Green: green, Test: time.Second, Wall: time.Minute, Enough: 1})
	if err != nil || problem != "" || !trials[0].Passes() {
		t.Errorf("%+v, %q, %v", trials, problem, err)
	}
}
