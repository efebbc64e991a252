package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/session"
)

func importFile(t *testing.T, name string) ([]session.Event, Source) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "testdata", "import", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	events, source, err := Import(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return events, source
}

// short is a session in a line for each event.
func short(t *testing.T, events []session.Event) (out []string) {
	t.Helper()
	for _, e := range events {
		data, err := session.Decode(e)
		if err != nil {
			t.Fatal(err)
		}
		line := string(e.Kind)
		switch d := data.(type) {
		case session.Started:
			line += fmt.Sprintf(" %s|%s|%s|%s", d.Folder, d.Branch, d.Model.Label, d.Task)
		case session.Message:
			line += " " + d.Text
		case session.ModelReplied:
			line += fmt.Sprintf(" %s|%s|%d", strings.ReplaceAll(d.Message.Text, "\n", "/"), d.Message.Thinking, d.Usage.Total())
		case session.ToolCalled:
			line += " " + d.CallID + " " + d.Tool + " " + d.Args
		case session.ToolFinished:
			line += fmt.Sprintf(" %s %s %v %s", d.CallID, d.Tool, d.OK, d.Summary)
		case session.Finished:
			line += fmt.Sprintf(" %s|%d|%d|%v|%s", d.Outcome, d.Steps, d.Tokens, d.Patch != "", d.Message)
		}
		out = append(out, line)
	}
	return out
}

func TestImportOfOtherTools(t *testing.T) {
	t.Parallel()
	cases := []struct {
		file   string
		source string
		want   []string
	}{
		{"mini.traj.json", "mini-swe-agent 1.13.0, calc-1", []string{
			"session.started /testbed||a-model in mini-swe-agent|add gives the wrong sum; repair it.",
			"message add gives the wrong sum; repair it.",
			"step.started", "model.replied THOUGHT: I look first.//```bash/cat calc.py/```||120", `tool.called call_1 bash {"command":"cat calc.py"}`,
			"tool.finished call_1 bash true <returncode>0</returncode>",
			"step.started", "model.replied I repair it.//```bash/sed -i 's/a - b/a + b/' calc.py && false/```||0", `tool.called call_2 bash {"command":"sed -i 's/a - b/a + b/' calc.py && false"}`,
			"tool.finished call_2 bash false <returncode>1</returncode>",
			"session.finished not_proven|2|120|true|Imported from mini-swe-agent. Nothing of it was proven here. It ended there with: Submitted",
		}},
		{"mini-1.1.traj.json", "mini-swe-agent 2.0.0", []string{
			"session.started ||another-model in mini-swe-agent|add gives the wrong sum.", "message add gives the wrong sum.",
			"step.started", "model.replied ||0", `tool.called c1 bash {"command": "ls"}`, "tool.finished c1 bash true calc.py",
			"session.finished not_proven|1|0|false|Imported from mini-swe-agent. Nothing of it was proven here. It ended there with: LimitsExceeded",
		}},
		{"claude.jsonl", "Claude Code 2.0.14, s-1", []string{
			"session.started /home/ada/calc|main|claude-test in Claude Code|add gives the wrong sum", "message add gives the wrong sum",
			"step.started", "model.replied I read it.|Where is it?|58", `tool.called toolu_1 Read {"file_path":"/home/ada/calc/calc.py"}`, "tool.finished toolu_1 Read true def add(a, b):",
			"step.started", "model.replied ||90", `tool.called toolu_2 Bash {"command":"python -m unittest"}`, "tool.finished toolu_2 Bash false 1 failed",
			"message never mind",
			"session.finished not_proven|2|148|false|Imported from Claude Code. Nothing of it was proven here.",
		}},
		{"codex.jsonl", "Codex 0.46.0, r-1", []string{
			"session.started /home/ada/calc|main|gpt-test in Codex|add gives the wrong sum", "message add gives the wrong sum",
			"step.started", "model.replied |**Looking**|230", `tool.called c1 shell {"command":["cat","calc.py"]}`, "tool.finished c1 shell true def add(a, b):",
			"step.started", "model.replied ||0", `tool.called c2 apply_patch {"input":"*** Begin Patch\n*** End Patch"}`, "tool.finished c2 apply_patch false refused",
			"step.started", "model.replied I could not.||0",
			"session.finished not_proven|3|230|false|Imported from Codex. Nothing of it was proven here.",
		}},
		// Parallel calls, whose results come between them or in another order; notes of every form; a last line that was cut.
		{"mini-odd.traj.json", "mini-swe-agent 2.1.0", []string{
			"session.started /testbed||another-model in mini-swe-agent|add gives the wrong sum.", "message add gives the wrong sum.",
			"step.started", "model.replied Both.||0", `tool.called c1 bash {"command": "cat calc.py"}`, `tool.called c2 bash {"command": "false"}`,
			"tool.finished c2 bash false ", "tool.finished c1 bash true def add",
			"message Please go on.",
			"session.finished not_proven|1|0|false|Imported from mini-swe-agent. Nothing of it was proven here. It ended there with: Submitted",
		}},
		{"claude-odd.jsonl", "Claude Code 2.1.3, s-2", []string{
			"session.started /home/ada/calc|HEAD|claude-test in Claude Code|add gives the wrong sum\n[image]", "message add gives the wrong sum\n[image]",
			"step.started", "model.replied API Error: 529||0",
			"step.started", "model.replied Both files.||160", `tool.called toolu_1 Read {"file_path":"calc.py"}`, `tool.called toolu_2 Read {"file_path":"test_calc.py"}`,
			"tool.finished toolu_1 Read true def add", "tool.finished toolu_2 Read false <tool_use_error>File does not exist.</tool_use_error>",
			"step.started", "model.replied It subtracts.||0", `tool.called srv_1 web_search {"query":"add"}`, "tool.finished srv_1 web_search true [web_search_result]",
			"session.finished not_proven|3|160|false|Imported from Claude Code. Nothing of it was proven here.",
		}},
		{"codex-odd.jsonl", "Codex 0.80.0, r-2", []string{
			"session.started /home/ada/calc||gpt-test in Codex|add gives the wrong sum\n[input_image]", "message add gives the wrong sum\n[input_image]",
			"step.started", "model.replied ||0", `tool.called c1 exec_command {"cmd":"cat calc.py"}`, `tool.called c2 exec_command {"cmd":"ls"}`,
			"tool.finished c2 exec_command true Exit code: 0", "tool.finished c1 exec_command true def add",
			"step.started", "model.replied without a time||0", `tool.called c3 local_shell {"type":"exec","command":["ls"]}`, "tool.finished c3 local_shell false Exit code: 2",
			"step.started", "model.replied It subtracts.||0",
			"session.finished not_proven|3|0|false|Imported from Codex. Nothing of it was proven here.",
		}},
	}
	for _, c := range cases {
		events, source := importFile(t, c.file)
		if diff := cmp.Diff(c.want, short(t, events)); diff != "" || source.String() != c.source {
			t.Errorf("%s (%s): %s", c.file, source, diff)
		}
		for _, as := range Forms() { // it can be shown, and read again
			out := render(t, as, events)
			if as == JSONL {
				again, _, err := Import(t.Context(), strings.NewReader(out))
				if err != nil || len(again) != len(events) {
					t.Errorf("%s: read again: %v", c.file, err)
				}
			}
		}
		store, err := session.Open(filepath.Join(t.TempDir(), "s.db"), session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		id, err := store.Insert(t.Context(), events, source.String())
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
		} else if err := store.Verify(t.Context(), id); err != nil {
			t.Errorf("%s: %v", c.file, err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestImportedCost: what a tool tells as the total is what a session cost, also where it prices no reply, or not all that it paid for.
func TestImportedCost(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{"mini-odd.traj.json": "0.1000 USD", "mini-1.1.traj.json": "0.5000 USD", "mini.traj.json": "0.0125 USD", "codex.jsonl": "price unknown"} {
		events, _ := importFile(t, file)
		if got := costWords(folded(t, events)); got != want {
			t.Errorf("%s cost %s, want %s", file, got, want)
		}
	}
	for total, want := range map[string]string{"-1": "price unknown", "1e9": "price unknown", "0": "0.0000 USD"} {
		text := `{"trajectory_format": "mini-swe-agent-1", "info": {"model_stats": {"instance_cost": ` + total + `}},
			"messages": [{"role": "user", "content": "add is wrong"}, {"role": "assistant", "content": "so it is"}]}`
		events, _, err := Import(t.Context(), strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := costWords(folded(t, events)); got != want {
			t.Errorf("a total of %s is %s, want %s", total, got, want)
		}
	}
}

// What we export we read again, with the same state, patch and certificate; the older shape with data too.
func TestImportOfOurOwn(t *testing.T) {
	t.Parallel()
	for _, name := range recordedNames(t) {
		events := recorded(t, name)
		nested, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "sessions", name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for shape, text := range map[string]string{"flat": render(t, JSONL, events), "nested": string(nested)} {
			got, source, err := Import(t.Context(), strings.NewReader(text))
			if err != nil || source.Tool != "redgreen" || source.Session != events[0].Session {
				t.Fatalf("%s, %s: %v, %v", name, shape, source, err)
			}
			if diff := cmp.Diff(folded(t, events), folded(t, got)); diff != "" {
				t.Errorf("%s, %s: the state differs: %s", name, shape, diff)
			}
		}
	}
}

func folded(t *testing.T, events []session.Event) session.State {
	t.Helper()
	var s session.State
	var err error
	for _, e := range events {
		if s, err = session.Fold(s, e); err != nil {
			t.Fatal(err)
		}
	}
	for _, raw := range []*json.RawMessage{&s.Certificate, &s.Receipt} { // keys have no order
		var v any
		if len(*raw) > 0 && json.Unmarshal(*raw, &v) == nil {
			*raw, _ = json.Marshal(v)
		}
	}
	return s
}

func TestImportNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	all := strings.SplitAfter(strings.TrimSpace(render(t, JSONL, recorded(t, "proven"))), "\n")
	join := func(lines ...string) string { return strings.Join(lines, "") }
	for name, c := range map[string]struct{ text, want string }{
		"empty":          {"", "neither"},
		"prose":          {"hello\n", "line 1"},
		"other JSON":     {`{"a":1}`, "neither"},
		"broken line":    {join(all[0], all[1], "{\"seq\":3,\n", all[2]), "line 3"},
		"cut line":       {join(all[0], all[1][:len(all[1])/2]), "line 2"},
		"lost line":      {join(all[0], all[2]), "line 2: event 3 stands where event 2"},
		"doubled line":   {join(all[0], all[1], all[1]), "line 3"},
		"headless":       {join(all[1:3]...), "event 2 stands where event 1"},
		"wrong first":    {strings.Replace(all[1], `"seq":2`, `"seq":1`, 1), "begins with session.started"},
		"two sessions":   {join(all[0], strings.Replace(all[1], `"session":"`, `"session":"x`, 1)), "line 2"},
		"newer":          {strings.Replace(all[0], `"version":"test"`, `"version":"test","schema":99`, 1), "newer Redgreen"},
		"wrong field":    {join(all[0], strings.Replace(all[1], `"text":"`, `"text":7,"x":"`, 1)), "line 2"},
		"no payload":     {join(all[0], `{"seq":2,"session":"`+recorded(t, "proven")[0].Session+`","time":"2026-01-02T03:04:05Z","kind":"message","data":null}`+"\n"), "line 2: the data of its message is no JSON object"},
		"a list as one":  {join(all[0], `{"seq":2,"session":"`+recorded(t, "proven")[0].Session+`","time":"2026-01-02T03:04:05Z","kind":"of.later","data":[]}`+"\n"), "line 2: the data of its of.later is no JSON object"},
		"no time":        {strings.Replace(all[0], `"time":`, `"when":`, 1), "time"},
		"mini without":   {`{"messages":[{"role":"system","content":"x"}]}`, "no task"},
		"mini wrong":     {`{"messages":[{"role":7}]}`, "mini-swe-agent"},
		"claude broken":  {`{"type":"user","uuid":"u","sessionId":"s","message":{"content":"x"}}` + "\n{\n{}\n", "line 2"},
		"claude content": {`{"type":"user","uuid":"u","sessionId":"s","message":{"content":7}}`, "line 1"},
		"codex no task":  {`{"type":"session_meta","payload":{"id":"x"}}`, "no task"},
		"codex broken":   {`{"type":"session_meta","payload":{"id":"x"}}` + "\n" + `{"type":"response_item"` + "\n", "line 2"},
		"invalid UTF-8":  {"\xff\xfe", "neither"},
		"a list":         {"[]", "neither"},
		"deep":           {strings.Repeat(`{"messages":`, 20000), "neither"},
	} {
		events, _, err := Import(t.Context(), strings.NewReader(c.text))
		if err == nil || events != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d events, error %v; want one with %q", name, len(events), err, c.want)
		}
	}
	unknown := join(all[0], strings.Replace(strings.Replace(all[1], `"kind":"message"`, `"kind":"from.later"`, 1), "\n", "", 1))
	if events, _, err := Import(t.Context(), strings.NewReader(unknown)); err != nil || len(events) != 2 {
		t.Errorf("an event of a newer version: %v", err)
	}
	long, err := json.Marshal(map[string]any{"messages": []any{map[string]any{"role": "user", "content": strings.Repeat("ä", textMost)}}})
	if err != nil {
		t.Fatal(err)
	}
	events, _, err := Import(t.Context(), bytes.NewReader(long))
	if err != nil || len(events[1].Data) > textMost+200 {
		t.Errorf("a long text was not cut: %v", err)
	}
}

// FuzzImport holds that no file panics, and that what is read folds.
func FuzzImport(f *testing.F) {
	for _, dir := range []string{"import", "sessions"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", dir, "*"))
		if err != nil || len(files) == 0 {
			f.Fatal(files, err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		events, _, err := Import(t.Context(), bytes.NewReader(data))
		if err != nil {
			return
		}
		var s session.State
		for _, e := range events {
			if s, err = session.Fold(s, e); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A text that is nested without end costs no more than one that is read: each level was read once more before, which took
// minutes.
// TestFlatOfAnything: a payload that is no object is given as it is, whatever wrote it.
func TestFlatOfAnything(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"null", "[1]", "7", `"x"`, "{}"} {
		line, err := Flat(session.Event{Seq: 1, Session: "s", Kind: session.KindMessage, Data: []byte(data)})
		if err != nil || !json.Valid(line) || data != "{}" && !strings.Contains(string(line), `"data":`+data) {
			t.Errorf("%s: %s, %v", data, line, err)
		}
	}
}

func TestImportBoundsNesting(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	deep := strings.Repeat("[", 9000) + `"x"` + strings.Repeat("]", 9000)
	line := `{"type":"response_item","payload":{"type":"message","role":"user","content":%s}}` + "\n"
	file := fmt.Sprintf(line, `[[{"text":"hi"}]]`) + strings.Repeat(fmt.Sprintf(line, deep), 20)
	events, _, err := Import(t.Context(), strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if first, err := session.Decode(events[0]); err != nil || first.(session.Started).Task != "hi" {
		t.Errorf("got %v, %v", first, err)
	}
	if took := time.Since(begin); took > 5*time.Minute { // unbounded: ten on a machine that does nothing else
		t.Errorf("it took %s", took)
	}
}

// asked is a context that ends after some looks at it, as a person's Ctrl-C in the middle of a long file.
type asked struct {
	context.Context
	looks int
}

func (a *asked) Err() error {
	if a.looks--; a.looks < 0 {
		return context.Canceled
	}
	return nil
}

func TestImportIsInterrupted(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"ours":   `{"seq":1,"kind":"task"}` + "\n",
		"claude": `{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"hi"}}` + "\n",
		"codex":  `{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}}` + "\n",
		"mini":   `{"messages":[{"role":"user","content":"hi"}]}`,
	}
	for name, text := range files {
		reads := &asked{Context: t.Context(), looks: 1 << 20}
		if _, err := io.ReadAll(within{reads, strings.NewReader(text)}); err != nil {
			t.Fatal(name, err)
		}
		looks := 1<<20 - reads.looks // what reading the file asks; the next is asked while it is parsed
		ctx := &asked{Context: t.Context(), looks: looks}
		if events, _, err := Import(ctx, strings.NewReader(text)); !errors.Is(err, context.Canceled) || events != nil {
			t.Errorf("%s: %d events, %v; want it interrupted while parsing", name, len(events), err)
		}
	}
}

// A line of tens of megabytes, such as a picture or a log in a result, costs little and is cut with a word.
func TestImportOfAHugeLine(t *testing.T) {
	t.Parallel()
	text, begin := strings.Repeat("0123456789abcdef ", 30<<20/17), time.Now()
	for name, file := range map[string]string{
		"claude": `{"type":"user","uuid":"u","sessionId":"s","message":{"content":"hi"}}` + "\n" +
			`{"type":"assistant","uuid":"a","message":{"id":"m","content":[{"type":"tool_use","id":"c","name":"Bash","input":{"command":"cat log"}}]}}` + "\n" +
			`{"type":"user","uuid":"v","message":{"content":[{"type":"tool_result","tool_use_id":"c","content":"` + text + `"}]}}` + "\n",
		"codex": `{"type":"response_item","payload":{"type":"message","role":"user","content":"hi"}}` + "\n" +
			`{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}}` + "\n" +
			`{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"` + text + `"}}` + "\n",
	} {
		events, _, err := Import(t.Context(), strings.NewReader(file))
		if err != nil {
			t.Fatal(name, err)
		}
		data, err := session.Decode(events[len(events)-2])
		f, ok := data.(session.ToolFinished)
		if err != nil || !ok || !f.Cut || len(f.Text) > textMost+200 || !strings.Contains(f.Text, "more bytes were left out at the import") || len(f.Summary) > 200 {
			t.Errorf("%s: %v, cut %v, %d bytes, summary of %d", name, err, f.Cut, len(f.Text), len(f.Summary))
		}
	}
	if took := time.Since(begin); took > 5*time.Minute {
		t.Errorf("it took %s", took)
	}
}
