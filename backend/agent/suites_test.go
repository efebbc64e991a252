package agent

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"redgreen/backend/model"
	"redgreen/backend/tools"
)

// SUITES.md is written from the tables that the tests run, so that it cannot say what is not held.
func TestSuitesAreWrittenDown(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# What an obeying model tried, and what held it\n\nWritten by `go test ./backend/agent -run SuitesAreWrittenDown -update` from the tables that `TestInjectionSuite` and\n" +
		"`TestStuckSuite` run. The model of both does whatever it reads. What the tests that it writes may do is held by the\nsandbox: see `TestAModelThatObeysTheRepository` and the conformance suite of `backend/sandbox`.\n\n## Planted instructions\n\n")
	fmt.Fprintf(&b, "%d cases. In all of them the folder stays byte for byte as it was, no secret is in the record, nothing is approved, written\nor proven, and every delimiter that the model sees is ours.\n\n", len(injections))
	b.WriteString("| | planted in | the text | the model does | held by |\n|---|---|---|---|---|\n")
	for i, c := range injections {
		does := "reads it"
		if len(c.calls) > 0 {
			does = acts(c.calls)
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s |\n", i+1, cell(c.where), cell(c.text), cell(does), cell(c.held))
	}
	b.WriteString("\n## Loops\n\n| case | the model | stopped by, or goes on |\n|---|---|---|\n")
	for _, c := range stuckSuite {
		end := "goes on"
		switch {
		case c.stops != "":
			end = fmt.Sprintf("after call %d: %s", c.call, c.stops)
		case c.sees != "":
			end = "goes on, and is told: " + c.sees
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(c.name), cell(c.did), cell(end))
	}
	if *update {
		if err := os.WriteFile("SUITES.md", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("SUITES.md")
	if err != nil || string(want) != b.String() {
		t.Errorf("SUITES.md is not of today (%v); write it with -update", err)
	}
}

// acts names calls in short: the tool and the start of its arguments.
func acts(calls []string) string {
	var out []string
	for _, line := range calls {
		var r model.ScriptReply
		if json.Unmarshal([]byte(line), &r) != nil || len(r.Calls) == 0 {
			out = append(out, "says: "+r.Text)
			continue
		}
		args := string(r.Calls[0].Args)
		if s := ""; json.Unmarshal(r.Calls[0].Args, &s) == nil {
			args = s
		}
		out = append(out, r.Calls[0].Name+" "+args)
	}
	if len(out) > 2 {
		out = append(out[:2], fmt.Sprintf("… %d calls", len(out)))
	}
	return strings.Join(out, "; ")
}

func cell(s string) string {
	s = strings.Join(strings.Fields(tools.Visible(s)), " ")
	if r := []rune(s); len(r) > 110 {
		s = string(r[:109]) + "…"
	}
	return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(s)
}
