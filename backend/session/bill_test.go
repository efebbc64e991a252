package session

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/model"
)

func TestBills(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 11, n, 12, 0, 0, 0, time.Local) }
	sonnet, qwen := model.Info{Provider: "anthropic", Name: "s"}, model.Info{Provider: "ollama", Name: "q", Local: true}
	states := []State{
		{Created: day(28), Model: sonnet, Folder: "/a", Applied: true, Priced: true, MicroUSD: 1_000_001, Steps: 4, Usage: model.Usage{Known: true, Input: 10, CacheRead: 90, Output: 5}},
		{Created: day(28), Model: sonnet, Folder: "/a", Priced: true, MicroUSD: 1_000_000, Steps: 2, Usage: model.Usage{Known: true, Input: 10, Output: 5}},
		{Created: day(28), Model: sonnet, Folder: "/b", Applied: true, Priced: true, MicroUSD: 3_000_000},
		{Created: day(29), Model: qwen, Folder: "/a", Applied: true, Priced: true, ModelMillis: 2000, Usage: model.Usage{Known: true, Output: 100}},
		{Created: day(29), Model: model.Info{Provider: "openai", Name: "x"}, Folder: "/a", Applied: true},
	}
	bills := Bills(states)
	want := []Bill{
		{Day: "2026-11-29", Model: "ollama/q", Folder: "/a", Local: true, Sessions: 1, Fixes: 1, Usage: model.Usage{Known: true, Output: 100}, Millis: 2000},
		{Day: "2026-11-29", Model: "openai/x", Folder: "/a", Sessions: 1, Fixes: 1, Unpriced: 1},
		{Day: "2026-11-28", Model: "anthropic/s", Folder: "/b", Sessions: 1, Fixes: 1, MicroUSD: 3_000_000},
		{Day: "2026-11-28", Model: "anthropic/s", Folder: "/a", Sessions: 2, Fixes: 1, Steps: 6, MicroUSD: 2_000_001, Usage: model.Usage{Known: true, Input: 20, CacheRead: 90, Output: 10}},
	}
	if diff := cmp.Diff(want, bills); diff != "" {
		t.Error(diff)
	}
	by := Sum(bills, func(b Bill) Bill { return Bill{Model: b.Model} })
	if len(by) != 3 || by[0].Model != "anthropic/s" || by[0].MicroUSD != 5_000_001 || by[0].Sessions != 3 {
		t.Errorf("%+v", by)
	}
	if cost, known := by[0].PerFix(); !known || cost != 2_500_001 {
		t.Errorf("a fix costs %d, known %v", cost, known)
	}
	all := Sum(bills, func(Bill) Bill { return Bill{} })
	if _, known := all[0].PerFix(); known || all[0].Unpriced != 1 || all[0].Sessions != 5 {
		t.Errorf("with an unknown price: %+v", all[0])
	}
	if _, known := (Bill{Sessions: 1, MicroUSD: 5}).PerFix(); known {
		t.Error("a fix without one has a cost")
	}
	if got := bills[0].TokensPerSecond(); got != 50 {
		t.Errorf("%v tokens a second", got)
	}
}
