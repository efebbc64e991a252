package model

import (
	"math"
	"strings"
	"testing"
)

// sonnet has the prices of the vectors: 3 and 15 dollars a million tokens, cache reads at 0.1 and writes at 1.25 times.
func sonnet(t *testing.T) Model {
	t.Helper()
	prices, err := parsePrices([]byte(`{"rows": [{"provider": "p", "match": "m*", "input": 3, "output": 15,
		"cache_read": 0.3, "cache_write_5m": 3.75, "cache_write_1h": 6, "window": 200000}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return Model{price: findPrice(prices, "p", "m-1")}
}

func TestCostVectors(t *testing.T) {
	t.Parallel()
	m := sonnet(t)
	cases := []struct {
		name  string
		calls MicroUSD
		u     Usage
		want  MicroUSD
	}{
		{"60,000 in", 1, Usage{Known: true, Input: 60_000}, 180_000},
		{"40 calls", 40, Usage{Known: true, Input: 40_000, Output: 400}, 5_040_000},
		{"40 calls, 90 % read, 10 % written", 40, Usage{Known: true, CacheRead: 36_000, CacheWrite: 4_000, Output: 400}, 1_272_000},
		{"written for an hour", 1, Usage{Known: true, CacheWrite1h: 1_000_000}, 6_000_000},
		{"reasoning is a part of output", 1, Usage{Known: true, Output: 1_000_000, Reasoning: 900_000}, 15_000_000},
		{"rounded up, once", 1, Usage{Known: true, CacheRead: 1}, 1},
		{"rounded up, the sum", 1, Usage{Known: true, CacheRead: 5, Input: 1}, 5}, // 1.5 + 3 = 4.5
		{"nothing", 1, Usage{Known: true}, 0},
		{"a server's negative count", 1, Usage{Known: true, Input: -5, Output: 1}, 15},
		{"a server's absurd count", 1, Usage{Known: true, Input: math.MaxInt64, Output: math.MaxInt64}, math.MaxInt64},
	}
	for _, c := range cases {
		got, known := m.Cost(c.u)
		if !known || got*c.calls != c.want {
			t.Errorf("%s: %d micro-dollars (known %v), want %d", c.name, got*c.calls, known, c.want)
		}
	}
}

func TestCostUnknownIsNeverZero(t *testing.T) {
	t.Parallel()
	if _, known := (Model{}).Cost(Usage{Known: true, Input: 1}); known {
		t.Error("a model without a price has a known cost")
	}
	if _, known := sonnet(t).Cost(Usage{}); known {
		t.Error("usage that was not told has a known cost")
	}
	if _, known := (Model{}).WorstCost(1, 1); known {
		t.Error("a model without a price has a known worst cost")
	}
	local := Model{Info: Info{Local: true}}
	if cost, known := local.Cost(Usage{}); cost != 0 || !known {
		t.Errorf("a local model costs %d, known %v", cost, known)
	}
}

func TestWorstCostIsNeverLess(t *testing.T) {
	t.Parallel()
	m := sonnet(t)
	worst, _ := m.WorstCost(40_000, 400)
	if want := MicroUSD(40_000*3_750_000/1_000_000 + 400*15); worst != want {
		t.Errorf("worst %d, want %d", worst, want)
	}
	for _, u := range []Usage{{Input: 40_000, Output: 400}, {CacheWrite: 40_000, Output: 400}, {CacheRead: 39_999, Input: 1, Output: 400}} {
		u.Known = true
		if cost, _ := m.Cost(u); cost > worst {
			t.Errorf("%+v costs %d, more than the worst cost %d", u, cost, worst)
		}
	}
	zero, _ := m.WorstCost(0, 0)
	if zero != 8192*15 {
		t.Errorf("without an output limit: %d", zero)
	}
}

func TestFindPrice(t *testing.T) {
	t.Parallel()
	prices, err := parsePrices([]byte(`{"rows": [
		{"provider": "p", "match": "m*", "input": 1, "output": 1},
		{"provider": "p", "match": "m-mini*", "input": 2, "output": 1},
		{"provider": "p", "match": "m-mini-7", "input": 3, "output": 1},
		{"provider": "q", "match": "m*", "input": 4, "output": 1}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		provider, name string
		want           int64
	}{{"p", "m-large", 1}, {"p", "m-mini-2", 2}, {"p", "m-mini-7", 3}, {"p", "m-mini-70", 2}, {"q", "m-mini", 4}, {"p", "x", 0}, {"r", "m", 0}} {
		got := int64(0)
		if p := findPrice(prices, c.provider, c.name); p != nil {
			got = p.input / 1_000_000
		}
		if got != c.want {
			t.Errorf("%s/%s: row %d, want %d", c.provider, c.name, got, c.want)
		}
	}
	if p := prices[0]; p.cacheRead != 1_000_000 || p.cacheWrite != 1_250_000 || p.cacheWrite1h != 2_000_000 {
		t.Errorf("cache prices that were left out: %+v", p)
	}
}

func TestParsePricesRefuses(t *testing.T) {
	t.Parallel()
	for _, row := range []string{
		`{"provider": "p", "match": "m", "input": 1}`,
		`{"provider": "p", "match": "m", "output": 1}`,
		`{"provider": "p", "match": "*", "input": 1, "output": 1}`,
		`{"match": "m", "input": 1, "output": 1}`,
		`{"provider": "p", "match": "m", "input": -1, "output": 1}`,
		`{"provider": "p", "match": "m", "input": 1e3, "output": 1}`,
		`{"provider": "p", "match": "m", "input": 0.00000001, "output": 1}`,
		`{"provider": "p", "match": "m", "input": 10000000, "output": 1}`,
		`{"provider": "p", "match": "m", "input": "1/2", "output": 1}`,
		`nonsense`,
	} {
		if _, err := parsePrices([]byte(`{"rows": [` + row + `]}`)); err == nil || !strings.Contains(err.Error(), "price table") {
			t.Errorf("%s: %v", row, err)
		}
	}
}

func TestCountTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bytes int
		want  int64
	}{{0, 0}, {1, 1}, {3, 1}, {4, 2}, {7, 2}, {8, 3}, {3500, 1000}} {
		if got := Tokens(c.bytes); got != c.want {
			t.Errorf("Tokens(%d) = %d, want %d", c.bytes, got, c.want)
		}
	}
	req := Request{System: strings.Repeat("s", 35), Tools: []Spec{{Name: "abcdefg", Description: "12345678901234", Schema: []byte(`{"a":1}`)}},
		Messages: []Message{{Role: User, Text: "1234567"}, {Role: Assistant, Calls: []Call{{Name: "abc", Args: "defg"}}},
			{Role: Tool, Results: []Result{{Text: "1234567"}}}}}
	// 35+28+7+7+7 = 84 bytes are 24 tokens; 1 system + 1 tool + 3 messages + 1 call + 1 result are 7 marks.
	if got := CountTokens(req); got != 24+4*7 {
		t.Errorf("got %d, want %d", got, 24+4*7)
	}
}
