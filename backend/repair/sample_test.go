package repair

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redgreen/backend/model"
)

// TestSamples looks where the fixes of the samples stand among the candidates, with coverage that tells no test from another;
// of the one in Python, which has two places, the first of them.
func TestSamples(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file, task, id, message, want string
		others                              []string
		within                              int
	}{
		{"ledger", "amount/amount.go", "Small refunds are booked the wrong way round: a posting of -0.75 raises the balance instead of lowering it", "amount.TestParse/negative_cents",
			`Parse("-0.75") = 75 cents, want -75`, `if units < 0 || strings.HasPrefix(whole, "-") {`, []string{"report/report.go", "journal/journal.go"}, 600},
		{"cronline", "src/next.js", "should run on the first of the month and on every Monday, as in cron. It only runs when the first is a Monday.",
			"test/next.test.js > next > takes either the day or the weekday when both are given", "", ") || schedule.weekday",
			[]string{"src/describe.js", "src/parse.js"}, 200},
		{"invoice", "invoice/tax.py", "An order from a customer who left no address comes back with a 500 error. It should be invoiced with our own country's VAT", "tests/test_app.py::test_customer_without_address_pays_home_vat",
			"assert 500 == 201\n  File \"invoice/tax.py\", line 19, in place_of_supply\n  AttributeError: 'NoneType' object has no attribute 'country'", "    if customer.address is None:\n        return HOME\n",
			[]string{"invoice/app.py", "invoice/order.py", "invoice/store.py", "invoice/render.py", "invoice/totals.py", "invoice/money.py"}, 150},
	} {
		st := read([]model.Message{{Role: model.User, Text: "Task:\n" + tt.task + "\n\nOn the untouched copy 3 tests pass, 1 fail, 0 are skipped.\nTheir output, trimmed:\nFAILED " + tt.id + "\n  " + tt.message + "\n"}})
		l := st.top()
		l.traced, l.reds = true, 1
		files := append([]string{tt.file}, tt.others...)
		for _, f := range files {
			data, err := os.ReadFile(filepath.Join("../../testdata/repos", tt.name, f))
			if err != nil {
				t.Fatal(err)
			}
			r := &reading{lines: map[int]string{}}
			l.red[f] = map[int][2]int{}
			for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
				r.lines[i+1], r.total = line, i+1
				l.red[f][i+1] = [2]int{1, 1}
			}
			l.files[f] = r
		}
		s := st.search(files)
		at := 0
		for i, c := range s.all {
			if c.src.path == tt.file && strings.Contains(c.after(), tt.want) {
				at = i + 1
				if tt.name == "cronline" {
					s.broke[c] = []string{"test/next.test.js > next > keeps to the weekday when the day is open"}
					s.known()
					found := 0
					for j, f := range s.forms {
						if strings.Contains(f.after(), "schedule.any.has('day') || schedule.any.has('weekday')) return schedule.day.has(time.getUTCDate()) &&") {
							found = j + 1
							break
						}
					}
					t.Logf("under its condition: %d of %d", found, len(s.forms))
					if found == 0 {
						t.Error("the conditional form is missing")
					}
				}
				break
			}
		}
		t.Logf("%s: %d of %d", tt.name, at, len(s.all))
		if at == 0 || at > tt.within {
			t.Errorf("%s: the fix stands at %d of %d, want it among the first %d", tt.name, at, len(s.all), tt.within)
		}
	}
}
