package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"redgreen/backend/model"
)

// TestProbeApply holds right and wrong edits of each form against the file, as the probe does.
func TestProbeApply(t *testing.T) {
	t.Parallel()
	text := "a\nb\nc\n"
	for _, c := range []struct{ name, form, args, want string }{
		{"old and new", "old_new", `{"path":"x.py","old":"b","new":"B"}`, "a\nB\nc\n"},
		{"old that is not there", "old_new", `{"path":"x.py","old":"q","new":"B"}`, ""},
		{"another file", "old_new", `{"path":"y.py","old":"b","new":"B"}`, ""},
		{"whole", "whole_file", `{"path":"./x.py","content":"a\nB\nc\n"}`, "a\nB\nc\n"},
		{"whole of another file", "whole_file", `{"path":"y.py","content":"a\n"}`, ""},
		{"blocks", "search_replace", `{"patch":"x.py\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n"}`, "a\nB\nc\n"},
		{"diff", "unified_diff", `{"patch":"--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"}`, "a\nB\nc\n"},
		{"diff, asked for blocks", "search_replace", `{"patch":"--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"}`, ""},
		{"no edit", "unified_diff", `{"patch":"I change b."}`, ""},
		{"no JSON", "old_new", `{`, ""},
	} {
		got, err := probeApply(c.form, "x.py", text, c.args)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

// TestProbeIsKept: the command says what a probe costs, probes a server that manages nothing but JSON in text, and keeps
// what it found; the model is then asked in that form.
func TestProbeIsKept(t *testing.T) {
	t.Parallel()
	calls := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method == http.MethodGet {
			io.WriteString(w, `{"data":[{"id":"m"}],"default_generation_settings":{"n_ctx":8192}}`)
			return
		}
		calls++
		w.Header().Set("Content-Type", "text/event-stream")
		step, _ := json.Marshal(answer(string(body)))
		fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%s},\"finish_reason\":\"stop\"}]}\n\n", step)
	}))
	defer srv.Close()
	home := t.TempDir()
	var out, errs strings.Builder
	env := func(name string) string {
		return map[string]string{"REDGREEN_HOME": home, "LLAMACPP_BASE_URL": srv.URL + "/v1", "OLLAMA_HOST": "127.0.0.1:9"}[name]
	}
	c := &command{assets: Assets{Sample: os.DirFS("..")}, env: env, in: strings.NewReader(""), out: &out, err: &errs}
	if code := c.run(t.Context(), []string{"models", "probe", "llamacpp/m"}); code != exitError || calls != 0 || !strings.Contains(errs.String(), "20 to 36 short calls") ||
		!strings.Contains(errs.String(), "costs nothing") || !strings.Contains(errs.String(), "--yes") {
		t.Fatalf("exit %d after %d calls: %s", code, calls, errs.String())
	}
	c.core = nil
	if code := c.run(t.Context(), []string{"models", "probe", "llamacpp/m", "--yes", "--json"}); code != exitOK {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	var r model.ProbeResult
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil || r.ToolForm != model.JSON || r.EditForm != "whole_file" {
		t.Fatalf("%v: %s", err, out.String())
	}
	core, err := newCore(c.assets, env, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer core.Close()
	kept := core.current().Models["llamacpp/m"]
	if kept.Form != model.JSON || kept.EditForm != "whole_file" || kept.Probe == nil || kept.Probe.Calls != r.Calls {
		t.Errorf("kept %+v", kept)
	}
	m, err := model.Open("llamacpp/m", core.modelOptions())
	if err != nil || m.Form() != model.JSON || m.EditForm != "whole_file" {
		t.Errorf("%+v, %v", m.Info, err)
	}
}

// answer is a model that knows the JSON form, and edits by writing the whole file only.
func answer(body string) string {
	if strings.Contains(body, `"tools":[`) || !strings.Contains(body, "Every reply is one JSON object") {
		return "I do it."
	}
	step := func(tool, args string) string { return `{"thought":"so","tool":"` + tool + `","args":` + args + `}` }
	for _, c := range []struct{ ask, tool, args string }{
		{"Find where the total is computed", "read_file", `{"path":"src/shop/total.py"}`},
		{"src/shop/cart.py", "read_file", `{"path":"src/shop/cart.py"}`},
		{"lib/dates.rb", "read_file", `{"path":"lib/dates.rb","start":120,"count":40}`},
		{"round discount", "search_code", `{"query":"round discount"}`},
		{"Search for exactly", "search_code", `{"query":"name=\"a\\b\" and 'c'"}`},
		{"tests/test_cart.py", "run_tests", `{"paths":["tests/test_cart.py","tests/test_dates.py"]}`},
		{"Run all tests", "run_tests", `{}`},
		{"Replaces a file", "apply_patch", `{"path":"stats.py","content":"def average(values):\n    if not values:\n        return 0.0\n    return sum(values) / len(values)\n\n\ndef largest(values):\n    return max(values)\n"}`},
	} {
		if strings.Contains(body, c.ask) {
			return step(c.tool, c.args)
		}
	}
	return "I do not know."
}

func TestSaveModelRefuses(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	core, err := newCore(Assets{}, func(name string) string { return map[string]string{"REDGREEN_HOME": home}[name] }, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer core.Close()
	for _, c := range []struct {
		ref string
		m   ModelSetting
		ok  bool
	}{
		{"openai/m", ModelSetting{Form: model.Text, EditForm: "old_new", Window: 8192}, true},
		{"openai/m", ModelSetting{Form: "xml"}, false},
		{"openai/m", ModelSetting{EditForm: "ed"}, false},
		{"openai/m", ModelSetting{Window: -1}, false},
		{"nobody/m", ModelSetting{}, false},
	} {
		if _, err := core.saveModel(c.ref, c.m); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if got := core.current().Models["openai/m"]; got.Window != 8192 {
		t.Errorf("%+v", got)
	}
	if s, err := core.saveModel("openai/m", ModelSetting{}); err != nil || len(s.Models) != 0 {
		t.Errorf("%+v, %v", s.Models, err)
	}
}
