package model

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
)

// pricesJSON is the dated price table. Each row names where its figures stand and on which day they were read there.
//
//go:embed prices.json
var pricesJSON []byte

// price is one row of the table; money in micro-dollars for a million tokens, so that all arithmetic is in integers.
type price struct {
	provider, match string
	prefix          bool
	rates
	window int // context in tokens, 0 unknown

	above int64 // prompts of more tokens than this pay dear for the whole call, 0 none
	dear  rates
}

// rates are what a million tokens of each bucket cost.
type rates struct{ input, output, cacheRead, cacheWrite, cacheWrite1h int64 }

// contextWindow is the model's context, 0 unknown.
func (p *price) contextWindow() int {
	if p == nil {
		return 0
	}
	return p.window
}

// priceTable is the form of prices.json and of the person's own table, in US dollars for a million tokens.
//
// Match is a model's name, which also stands for its dated snapshots (NAME-20251101, NAME-2025-11-01), or the beginning
// of names where it ends in "*"; a name comes before a beginning, a longer beginning before a shorter one. A row without
// input and output prices is refused; cache prices that are left out are taken as 1, 1.25 and 2 times the input price.
type priceTable struct {
	Date string `json:"date"` // when the figures were read
	Unit string `json:"unit"` // in words, for the reader
	Rows []struct {
		Provider string `json:"provider"`
		Match    string `json:"match"`
		priceRates
		Window int `json:"window"`
		Above  *struct {
			Tokens int64 `json:"tokens"`
			priceRates
		} `json:"above"` // the rates of longer prompts
		Source string `json:"source"`
	} `json:"rows"`
}

type priceRates struct {
	Input        json.Number `json:"input"`
	Output       json.Number `json:"output"`
	CacheRead    json.Number `json:"cache_read"`
	CacheWrite5m json.Number `json:"cache_write_5m"`
	CacheWrite1h json.Number `json:"cache_write_1h"`
}

// read turns the dollars of a row into rates.
func (r priceRates) read() (rates, error) {
	var out rates
	for _, f := range []struct {
		to   *int64
		from json.Number
		or   int64 // hundredths of the input price where it is left out, 0 required
	}{{&out.input, r.Input, 0}, {&out.output, r.Output, 0}, {&out.cacheRead, r.CacheRead, 100},
		{&out.cacheWrite, r.CacheWrite5m, 125}, {&out.cacheWrite1h, r.CacheWrite1h, 200}} {
		if f.from == "" && f.or > 0 {
			*f.to = (out.input*f.or + 99) / 100
			continue
		}
		var err error
		if *f.to, err = perMillion(f.from); err != nil {
			return rates{}, err
		}
	}
	return out, nil
}

// parsePrices reads a price table.
func parsePrices(data []byte) ([]price, error) {
	var table priceTable
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields() // a misspelt name would leave out a price without a word
	err := d.Decode(&table)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return nil, fmt.Errorf("reading price table: %q cannot be %s", wrong.Field, wrong.Value)
	case err != nil:
		return nil, fmt.Errorf("reading price table: %w", err)
	case len(table.Rows) == 0:
		return nil, errors.New("reading price table: it has no rows")
	}
	var prices []price
	for i, r := range table.Rows {
		match, prefix := strings.CutSuffix(r.Match, "*")
		p := price{provider: r.Provider, match: match, prefix: prefix, window: r.Window}
		if p.provider == "" || match == "" {
			return nil, fmt.Errorf("reading price table: row %d names no provider or no model", i+1)
		}
		var err error
		if p.rates, err = r.read(); err == nil && r.Above != nil {
			p.above = r.Above.Tokens
			p.dear, err = r.Above.read()
		}
		if err != nil {
			return nil, fmt.Errorf("reading price table: row %d (%s/%s): %w", i+1, r.Provider, r.Match, err)
		}
		prices = append(prices, p)
	}
	return prices, nil
}

// perMillion turns dollars for a million tokens into micro-dollars for a million tokens, exactly or not at all.
func perMillion(n json.Number) (int64, error) {
	if len(n) == 0 || len(n) > 12 || strings.ContainsAny(string(n), "eE/") {
		return 0, fmt.Errorf("%q is no price in dollars for a million tokens", n)
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return 0, fmt.Errorf("%q is no price in dollars for a million tokens", n)
	}
	r.Mul(r, big.NewRat(1_000_000, 1))
	if !r.IsInt() || r.Sign() < 0 || r.Cmp(big.NewRat(1_000_000_000_000, 1)) > 0 {
		return 0, fmt.Errorf("%s is out of range, 0 to 1000000 with at most six decimals", n)
	}
	return r.Num().Int64(), nil
}

// snapshot is what the name of a dated version of a model adds to the model's name.
var snapshot = regexp.MustCompile(`^-20\d\d-?\d\d-?\d\d$`)

// findPrice gives the row for a model, nil none; of equal matches the first.
func findPrice(prices []price, provider, name string) *price {
	var best *price
	for i := range prices {
		p := &prices[i]
		rest, ok := strings.CutPrefix(name, p.match)
		switch {
		case p.provider != provider || !ok:
		case !p.prefix && (rest == "" || snapshot.MatchString(rest)):
			return p
		case p.prefix && (best == nil || len(p.match) > len(best.match)):
			best = p
		}
	}
	return best
}

// free says whether the model runs on this machine, where it is asked now.
func (m Model) free() bool {
	if m.second.inUse() {
		return m.second.local
	}
	return m.Local
}

// rate is the model's price: the table's, or else what the provider told of it when it was described.
func (m Model) rate() *price {
	if m.second.inUse() {
		return m.second.price
	}
	if m.price != nil {
		return m.price
	}
	if p, ok := m.Provider.(interface{ price(model string) *price }); ok {
		return p.price(m.Name)
	}
	return nil
}

// perToken turns dollars a token, as OpenRouter tells them, into micro-dollars for a million tokens, rounded up.
func perToken(n json.Number) (int64, bool) {
	r, ok := rat(n)
	if !ok {
		return 0, false
	}
	r.Mul(r, big.NewRat(1_000_000_000_000, 1))
	return ceil(r), true
}

// dollars turns dollars into micro-dollars, rounded up; nil for what is no amount.
func dollars(n json.Number) *MicroUSD {
	r, ok := rat(n)
	if !ok {
		return nil
	}
	m := MicroUSD(ceil(r.Mul(r, big.NewRat(1_000_000, 1))))
	return &m
}

// rat reads an amount that a server tells: from 0 to a million, in few digits.
func rat(n json.Number) (*big.Rat, bool) {
	if n == "" || len(n) > 40 || strings.Contains(string(n), "/") {
		return nil, false
	}
	f, err := n.Float64() // bounds the exponent before the exact form is made
	if err != nil || f < 0 || f > 1_000_000 {
		return nil, false
	}
	if f < 1e-15 {
		return new(big.Rat), true
	}
	return new(big.Rat).SetString(string(n))
}

func ceil(r *big.Rat) int64 {
	q, rest := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q.Int64()
}

// Cost prices usage; known is false for a model without a price ("price unknown", never 0.00) and for usage that the
// provider did not tell. Local models cost 0. It is rounded up once, on the whole.
func (m Model) Cost(u Usage) (cost MicroUSD, known bool) {
	if m.free() {
		return 0, true
	}
	if u.Billed != nil {
		return *u.Billed, true
	}
	p := m.rate()
	if p == nil || !u.Known {
		return 0, false
	}
	r := p.at(u.Total() - u.Output)
	return sum(u.Input, r.input, u.CacheRead, r.cacheRead, u.CacheWrite, r.cacheWrite,
		u.CacheWrite1h, r.cacheWrite1h, u.Output, r.output), true
}

// at gives the rates for a prompt of this many tokens.
func (p *price) at(prompt int64) rates {
	if p.above > 0 && prompt > p.above {
		return p.dear
	}
	return p.rates
}

// WorstCost is the most that a call with this many input tokens and this output limit can cost: no token is read from
// the cache and all of them are written to it for five minutes, where that is dearer (we never ask for an hour).
// maxOutput 0 is the default of Request.MaxOutput.
func (m Model) WorstCost(input int64, maxOutput int) (cost MicroUSD, known bool) {
	if m.free() {
		return 0, true
	}
	p := m.rate()
	if p == nil {
		return 0, false
	}
	r := p.at(input)
	return sum(input, max(r.input, r.cacheWrite), int64(outputLimit(maxOutput)), r.output), true
}

// sum adds tokens × micro-dollars a million over pairs and rounds up. A server may claim any number of tokens, so
// negative ones count as none and the sum stops at the largest amount instead of overflowing into a small one.
func sum(pairs ...int64) MicroUSD {
	total := new(big.Int)
	for i := 0; i < len(pairs); i += 2 {
		total.Add(total, new(big.Int).Mul(big.NewInt(max(pairs[i], 0)), big.NewInt(pairs[i+1])))
	}
	total.Add(total, big.NewInt(999_999)).Quo(total, big.NewInt(1_000_000))
	if !total.IsInt64() {
		return math.MaxInt64
	}
	return MicroUSD(total.Int64())
}
