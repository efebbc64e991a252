package session

import (
	"cmp"
	"slices"

	"redgreen/backend/model"
)

// Bill is what the sessions of one day, one model and one folder took and gave.
type Bill struct {
	Day      string         `json:"day"`    // 2006-01-02, in the local time of the caller's clock
	Model    string         `json:"model"`  // PROVIDER/NAME
	Folder   string         `json:"folder"` // absolute
	Local    bool           `json:"local"`
	Sessions int            `json:"sessions"`
	Fixes    int            `json:"fixes"` // sessions whose patch a person accepted and did not take back
	Steps    int            `json:"steps"`
	Usage    model.Usage    `json:"usage"`
	MicroUSD model.MicroUSD `json:"micro_usd"`
	Unpriced int            `json:"unpriced"` // sessions of which a part has no known price: MicroUSD is too small
	Millis   int64          `json:"ms"`       // that the model's replies took
}

// PerFix is the cost of an accepted fix: all that was spent, on sessions without one too, over the accepted ones. known is
// false without a fix, or where a price is unknown.
func (b Bill) PerFix() (cost model.MicroUSD, known bool) {
	if b.Fixes == 0 || b.Unpriced > 0 {
		return 0, false
	}
	n := model.MicroUSD(b.Fixes)
	return (b.MicroUSD + n - 1) / n, true
}

// TokensPerSecond is the rate of output over the whole time of the replies, 0 unknown.
func (b Bill) TokensPerSecond() float64 {
	if b.Millis == 0 {
		return 0
	}
	return float64(b.Usage.Output) * 1000 / float64(b.Millis)
}

// Bills adds sessions up by day, model and folder, newest day first; pure.
func Bills(states []State) []Bill {
	return group(states, func(b Bill) Bill { return b })
}

// Sum adds bills up by what key keeps of each: key clears the fields that do not matter. Newest day first, then dearest.
func Sum(bills []Bill, key func(Bill) Bill) []Bill {
	type id struct{ day, model, folder string }
	at := map[id]int{}
	var out []Bill
	for _, b := range bills {
		k := key(Bill{Day: b.Day, Model: b.Model, Folder: b.Folder, Local: b.Local})
		i, ok := at[id{k.Day, k.Model, k.Folder}]
		if !ok {
			i = len(out)
			at[id{k.Day, k.Model, k.Folder}], out = i, append(out, Bill{Day: k.Day, Model: k.Model, Folder: k.Folder, Local: b.Local})
		}
		out[i] = out[i].plus(b)
	}
	slices.SortStableFunc(out, func(a, b Bill) int {
		return cmp.Or(cmp.Compare(b.Day, a.Day), cmp.Compare(b.MicroUSD, a.MicroUSD), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Folder, b.Folder))
	})
	return out
}

func group(states []State, key func(Bill) Bill) []Bill {
	bills := make([]Bill, 0, len(states))
	for _, s := range states {
		b := Bill{Day: s.Created.Local().Format("2006-01-02"), Model: s.Model.Ref(), Folder: s.Folder, Local: s.Model.Local, Sessions: 1, Steps: s.Steps,
			Usage: s.Usage, MicroUSD: s.MicroUSD, Millis: s.ModelMillis}
		if s.Applied {
			b.Fixes = 1
		}
		if !s.Priced {
			b.Unpriced = 1
		}
		bills = append(bills, b)
	}
	return Sum(bills, key)
}

func (b Bill) plus(c Bill) Bill {
	b.Local = b.Local && c.Local
	b.Sessions += c.Sessions
	b.Fixes += c.Fixes
	b.Steps += c.Steps
	b.Usage = addUsage(b.Usage, c.Usage)
	b.MicroUSD += c.MicroUSD
	b.Unpriced += c.Unpriced
	b.Millis += c.Millis
	return b
}
