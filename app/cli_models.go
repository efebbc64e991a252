package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

func (c *command) modelsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "models",
		Short:   "List the models that can be called, and measure what one manages",
		Example: "  redgreen models list\n  redgreen models probe ollama/qwen3-coder",
	}
	var asJSON, recordedToo bool
	list := &cobra.Command{
		Use: "list", Short: "List the models that can be called now, and what each provider lacks", Args: noMore,
		Example: "  redgreen models list\n  redgreen models list --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			core, err := c.house()
			if err != nil {
				return err
			}
			models, err := core.models(cmd.Context())
			if err != nil {
				return err
			}
			if !recordedToo {
				models.Models = slices.DeleteFunc(models.Models, func(m ModelRow) bool { return m.Recorded })
			}
			if err := c.printModels(core.current(), models, asJSON); err != nil || asJSON {
				return err
			}
			for _, p := range models.Problems {
				if !slices.Contains(model.Known(), p.Provider) { // of the person's own prices
					fmt.Fprintln(c.err, printable(p.Message, 700))
				}
			}
			fmt.Fprintln(c.out)
			core.printProviders(c.out, c.width, models)
			return nil
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line: {ref, label, local, window, form, edit_form}")
	list.Flags().BoolVar(&recordedToo, "recorded", false, "also the recorded model that plays the sample's fix")
	var yes, probeJSON bool
	probe := &cobra.Command{
		Use: "probe PROVIDER/NAME", Short: "Measure which forms of calls and edits a model manages, and keep the choice",
		Long: "Asks the model twenty to thirty-six short stored questions, after saying what they can cost, and keeps in the\n" +
			"settings which form of tool calls (native, json, text) and of edits it manages best.",
		Example: "  redgreen models probe ollama/qwen3-coder\n  redgreen models probe openai/gpt-4.1 --yes --json",
		Args:    exactly("a PROVIDER/NAME", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			core, err := c.house()
			if err != nil {
				return err
			}
			plan, err := core.probePlan(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			fmt.Fprintln(c.err, planText(plan))
			if err := c.confirm(yes); err != nil {
				return err
			}
			result, err := core.probe(cmd.Context(), args[0], c.probeProgress())
			if err != nil {
				return err
			}
			if probeJSON {
				return json.NewEncoder(c.out).Encode(result)
			}
			return c.printProbe(result)
		},
	}
	probe.Flags().BoolVar(&yes, "yes", false, "do not ask")
	probe.Flags().BoolVar(&probeJSON, "json", false, "the whole result as one JSON object")
	cmd.AddCommand(list, probe)
	return cmd
}

// confirm asks a person; without one it wants to be told beforehand.
func (c *command) confirm(yes bool) error {
	if yes {
		return nil
	}
	if !c.tty {
		return errors.New("nobody can be asked here; add --yes to begin")
	}
	fmt.Fprint(c.err, "Begin? [y/N] ")
	line, err := c.lines().ReadString('\n')
	if err != nil {
		return err
	}
	if len(line) == 0 || line[0] != 'y' && line[0] != 'Y' {
		return &exit{code: exitNot}
	}
	return nil
}

// planText says what a probe costs at most.
func planText(p model.ProbePlan) string {
	cost := "its price is unknown"
	switch {
	case p.Local:
		cost = "it runs on this machine and costs nothing"
	case p.Priced:
		cost = fmt.Sprintf("at most $%.4f", float64(p.Worst)/1e6)
	}
	return fmt.Sprintf("%s: %d to %d short calls, about %d tokens of input; %s.", printable(p.Ref, 200), p.Calls, p.MostCalls, p.Tokens, cost)
}

// probeProgress draws the score of the present form on a terminal.
func (c *command) probeProgress() func(model.ProbeScore) {
	if !c.colour {
		return nil
	}
	return func(s model.ProbeScore) { fmt.Fprintf(c.err, "\r\x1b[K%s: %d of %d", s.Form, s.Passed, s.Of) }
}

func (c *command) printProbe(r model.ProbeResult) error {
	if c.colour {
		fmt.Fprint(c.err, "\r\x1b[K")
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	line := func(what string, s model.ProbeScore, chosen bool) {
		mark := ""
		if chosen {
			mark = "chosen"
		}
		fmt.Fprintf(w, "%s\t%s\t%d of %d\t%s\n", what, s.Form, s.Passed, s.Of, mark)
	}
	for _, s := range r.Tools {
		line("calls", s, s.Form == string(r.ToolForm))
	}
	for _, s := range r.Edits {
		line("edits", s, s.Form == r.EditForm)
	}
	for _, m := range r.Misses {
		fmt.Fprintf(w, "missed\t%s\t%s\t%s\n", m.Form, m.Case, printable(m.Why, 200))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	cost := "price unknown"
	if r.Priced {
		cost = fmt.Sprintf("$%.4f", float64(r.MicroUSD)/1e6)
	}
	fmt.Fprintf(c.out, "%d calls, %d tokens, %s, %.1f s\n", r.Calls, r.Usage.Total(), cost, float64(r.Millis)/1000)
	if r.ToolForm == model.Auto {
		return &exit{code: exitNot, err: errors.New("the model manages no form of calls: it cannot fix anything; choose another")}
	}
	return nil
}

func (c *command) printModels(s Settings, list ModelList, asJSON bool) error {
	t := table{columns: []column{{title: "MODEL", give: tail}, {title: "WHERE"}, {title: "CONTEXT"}, {title: "CALLS AND EDITS"}}}
	for _, m := range list.Models {
		known := s.Models[m.Ref]
		if asJSON {
			if err := json.NewEncoder(c.out).Encode(map[string]any{"ref": m.Ref, "label": m.Label, "local": m.Local, "here": m.Here, "window": m.Window,
				"form": known.Form, "edit_form": known.EditForm}); err != nil {
				return err
			}
			continue
		}
		window, where := "", "hosted"
		if m.Window > 0 && !m.Search {
			window = fmt.Sprintf("%s tokens", thousands(int64(m.Window)))
		}
		switch {
		case m.Local:
			where = "local"
		case m.Here:
			where = "local server"
		}
		if recorded(m.Ref) {
			where = m.Label
		}
		t.rows = append(t.rows, []string{printable(m.Ref, 200), where, cmp.Or(window, "–"), cmp.Or(strings.TrimSpace(string(known.Form)+" "+known.EditForm), "–")})
	}
	if len(t.rows) > 0 {
		t.print(c.out, c.width)
	}
	return nil
}

func (c *command) costCommand() *cobra.Command {
	var by string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "cost",
		Short: "Add up what all sessions cost, and what a fix costs",
		Long: "Adds up all saved sessions. A fix is a session whose patch you accepted; its cost counts what was spent on sessions\n" +
			"without one too.",
		Example: "  redgreen cost\n  redgreen cost --by model\n  redgreen cost --by all --json",
		Args:    noMore,
		RunE: func(cmd *cobra.Command, _ []string) error {
			key, ok := billKeys()[by]
			if !ok {
				return fmt.Errorf("--by is day, model, folder or all, not %q", by)
			}
			return c.withStore(func(_ *core, store *session.Store) error {
				states, err := store.List(cmd.Context(), "", 0)
				if err != nil {
					return err
				}
				if len(states) == 0 && !asJSON {
					fmt.Fprintln(c.err, noSessions)
					return nil
				}
				return c.printBills(session.Sum(session.Bills(states), key), by, asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&by, "by", "day", "add up by `WHAT`: day, model, folder or all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

// billKeys are the ways to add up: each keeps what tells the rows apart.
func billKeys() map[string]func(session.Bill) session.Bill {
	return map[string]func(session.Bill) session.Bill{
		"day":    func(b session.Bill) session.Bill { return session.Bill{Day: b.Day} },
		"model":  func(b session.Bill) session.Bill { return session.Bill{Model: b.Model} },
		"folder": func(b session.Bill) session.Bill { return session.Bill{Folder: b.Folder} },
		"all":    func(b session.Bill) session.Bill { return b },
	}
}

func (c *command) printBills(bills []session.Bill, by string, asJSON bool) error {
	t := table{}
	for _, title := range map[string][]string{"all": {"DAY", "MODEL", "FOLDER"}}[by] {
		t.columns = append(t.columns, column{title: title, give: map[string]give{"MODEL": tail, "FOLDER": head}[title]})
	}
	if len(t.columns) == 0 {
		t.columns = []column{{title: strings.ToUpper(by), give: map[string]give{"model": tail, "folder": head}[by]}}
	}
	names := len(t.columns)
	for _, title := range []string{"SESSIONS", "FIXES", "TOKENS", "COST", "A FIX"} {
		t.columns = append(t.columns, column{title: title, right: true})
	}
	add := func(name []string, row BillRow) {
		t.rows = append(t.rows, append(name, fmt.Sprint(row.Sessions), fmt.Sprint(row.Fixes), thousands(row.Usage.Total()), row.cost(), row.perFix()))
	}
	for _, b := range bills {
		row := newBillRow(b)
		if asJSON {
			if err := json.NewEncoder(c.out).Encode(row); err != nil {
				return err
			}
			continue
		}
		name := b.Model
		if recorded(name) {
			name = "recorded model"
		}
		cells := map[string][]string{"day": {b.Day}, "model": {name}, "folder": {b.Folder}, "all": {b.Day, name, b.Folder}}[by]
		for i := range cells {
			cells[i] = cmp.Or(printable(cells[i], 4096), "unknown")
		}
		add(cells, row)
	}
	if asJSON {
		return nil
	}
	whole := newBillRow(session.Sum(bills, func(session.Bill) session.Bill { return session.Bill{} })[0])
	if len(bills) > 1 {
		add(append([]string{"together"}, make([]string, names-1)...), whole)
	}
	t.print(c.out, c.width)
	fmt.Fprintln(c.out, "\n"+whole.perFixWords())
	return nil
}

// recorded tells the reference of a file of replies, which stands for a model in demos and tests.
func recorded(ref string) bool { return strings.HasPrefix(ref, "script/") }

// BillRow is a bill with what is computed of it.
type BillRow struct {
	session.Bill
	PerFix *model.MicroUSD `json:"per_fix"`        // null: no fix, or a price is unknown
	Rate   float64         `json:"tokens_per_sec"` // of output, over the whole time of the replies
}

func newBillRow(b session.Bill) BillRow {
	row := BillRow{Bill: b, Rate: b.TokensPerSecond()}
	if cost, known := b.PerFix(); known {
		row.PerFix = &cost
	}
	return row
}

// perFix is the column of what an accepted fix cost, "–" where that is not known.
func (r BillRow) perFix() string {
	switch {
	case r.PerFix == nil:
		return "–"
	case r.Local:
		return "local"
	}
	return fmt.Sprintf("$%.4f", float64(*r.PerFix)/1e6)
}

// perFixWords say what an accepted fix cost, or why that is not known.
func (r BillRow) perFixWords() string {
	switch {
	case r.Fixes == 0:
		return "No fix was accepted yet, so none has a cost."
	case r.PerFix == nil:
		return fmt.Sprintf("What an accepted fix costs is not known: %s a part of unknown price. Prices of your own can be given in prices.json.", countOf(r.Unpriced, "session")+map[bool]string{true: " has", false: " have"}[r.Unpriced == 1])
	case r.Local:
		return "All of it ran on this machine, so an accepted fix cost nothing but time."
	}
	return fmt.Sprintf("An accepted fix cost %s; what was spent on sessions without one counts too.", r.perFix())
}

// cost is never 0.00 for what is unknown; a local model costs time.
func (r BillRow) cost() string {
	switch {
	case r.Local && r.Usage.Total() == 0:
		return "local"
	case r.Local:
		return fmt.Sprintf("local, %.0f s, %.1f tokens/s", float64(r.Millis)/1000, r.Rate)
	case r.Unpriced > 0 && r.MicroUSD == 0:
		return "price unknown"
	case r.Unpriced > 0:
		return fmt.Sprintf("$%.4f and %s of unknown price", float64(r.MicroUSD)/1e6, countOf(r.Unpriced, "session"))
	}
	return fmt.Sprintf("$%.4f", float64(r.MicroUSD)/1e6)
}

// Bills adds up what all saved sessions cost, by "day", "model", "folder", or "all" three.
func (a *App) Bills(by string) ([]BillRow, error) {
	return guard(a.h, func() ([]BillRow, error) {
		key, ok := billKeys()[by]
		if !ok {
			return nil, fail(Invalid, fmt.Sprintf("costs cannot be added up by %q; choose day, model, folder or all", by))
		}
		store, err := a.h.core.sessions()
		if err != nil {
			return nil, err
		}
		states, err := store.List(a.h.context, "", 0)
		rows := []BillRow{}
		for _, b := range session.Sum(session.Bills(states), key) {
			rows = append(rows, newBillRow(b))
		}
		return rows, err
	})
}
