package app

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

func TestTable(t *testing.T) {
	t.Parallel()
	list := table{columns: []column{{title: "NAME", give: head}, {title: "N", right: true}, {title: "STATE", give: lines}},
		rows: [][]string{{"/home/me/src/shöp", "7", "ready"}, {"b", "1,000", "no key: set the variable before you start"}}}
	var out strings.Builder
	list.print(&out, 0)
	if d := cmp.Diff("NAME                   N  STATE\n/home/me/src/shöp      7  ready\nb                  1,000  no key: set the variable before you start\n", out.String()); d != "" {
		t.Error(d)
	}
	for width := 35; width < 70; width++ {
		out.Reset()
		list.print(&out, width)
		if text := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(text, "shöp 7 ready") || !strings.HasSuffix(text, "start") {
			t.Errorf("at %d: %s", width, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > width {
				t.Errorf("wider than %d: %q", width, line)
			}
		}
	}
	under := table{columns: []column{{title: "A"}}, rows: [][]string{{"x"}}, under: []string{strings.Repeat("long ", 20)}}
	out.Reset()
	under.print(&out, 30)
	if d := cmp.Diff("A\nx\n    long long long long long …\n", out.String()); d != "" {
		t.Error(d)
	}
}

func TestBillsAsATable(t *testing.T) {
	t.Parallel()
	bill := func(day string, sessions, fixes int, usd float64, unpriced int, local bool) session.Bill {
		return session.Bill{Day: day, Model: "openai/gpt", Folder: "/home/me/shop", Local: local, Sessions: sessions, Fixes: fixes,
			Usage: model.Usage{Output: 1200}, MicroUSD: model.MicroUSD(usd * 1e6), Unpriced: unpriced}
	}
	for name, c := range map[string]struct {
		bills []session.Bill
		by    string
		want  string
	}{
		"two days": {[]session.Bill{bill("2026-11-30", 3, 2, 0.5, 0, false), bill("2026-11-29", 1, 0, 0.25, 0, false)}, "day",
			"DAY         SESSIONS  FIXES  TOKENS     COST    A FIX\n" +
				"2026-11-30         3      2   1,200  $0.5000  $0.2500\n" +
				"2026-11-29         1      0   1,200  $0.2500        –\n" +
				"together           4      2   2,400  $0.7500  $0.3750\n\n" +
				"An accepted fix cost $0.3750; what was spent on sessions without one counts too.\n"},
		"no fix": {[]session.Bill{bill("2026-11-30", 1, 0, 0.5, 0, false)}, "model",
			"MODEL       SESSIONS  FIXES  TOKENS     COST  A FIX\nopenai/gpt         1      0   1,200  $0.5000      –\n\nNo fix was accepted yet, so none has a cost.\n"},
		"unknown": {[]session.Bill{bill("2026-11-30", 2, 1, 0.5, 1, false)}, "folder",
			"FOLDER         SESSIONS  FIXES  TOKENS                                    COST  A FIX\n" +
				"/home/me/shop         2      1   1,200  $0.5000 and 1 session of unknown price      –\n\n" +
				"What an accepted fix costs is not known: 1 session has a part of unknown price. Prices of your own can be given in prices.json.\n"},
	} {
		var out strings.Builder
		if err := (&command{out: &out}).printBills(c.bills, c.by, false); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, out.String()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
