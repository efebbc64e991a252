package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"redgreen/backend/session"
)

var keep = flag.String("keep", "", "a folder to which the exports of the recorded sessions are written")

// recorded reads a session of testdata/sessions.
func recorded(t testing.TB, name string) []session.Event {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "sessions", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var events []session.Event
	for line := range bytes.Lines(data) {
		var e session.Event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

func recordedNames(t testing.TB) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "sessions", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".jsonl"))
	}
	return names
}

func render(t testing.TB, as Form, events []session.Event) string {
	t.Helper()
	var b bytes.Buffer
	if err := Render(&b, as, events, "", nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRender(t *testing.T) {
	t.Parallel()
	for _, name := range recordedNames(t) {
		events := recorded(t, name)
		for _, as := range Forms() {
			out := render(t, as, events)
			if *keep != "" {
				if err := os.WriteFile(filepath.Join(*keep, name+as.Ext()), []byte(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if out != render(t, as, events) {
				t.Errorf("%s as %s differs from time to time", name, as)
			}
		}
	}
	page, text := render(t, HTML, recorded(t, "proven")), render(t, Markdown, recorded(t, "proven"))
	for _, want := range []string{"Proven", "test_customer_without_address_pays_home_vat", "if customer.address is None:", "I quoted the docstring from memory.", "deserves a second look", "container (", "hash of the files before"} {
		if !strings.Contains(strings.ToLower(page), strings.ToLower(want)) {
			t.Errorf("the page lacks %q", want)
		}
		if !strings.Contains(strings.ToLower(text), strings.ToLower(inline(want))) && !strings.Contains(text, want) {
			t.Errorf("the Markdown lacks %q", want)
		}
	}
	if err := Render(&bytes.Buffer{}, "pdf", recorded(t, "proven"), "", nil); err == nil || !strings.Contains(err.Error(), "jsonl") {
		t.Errorf("an unknown form: %v", err)
	}
	if err := Render(&bytes.Buffer{}, HTML, nil, "", nil); err == nil {
		t.Error("an empty session was rendered")
	}
}

// Every kind is either told or known to be told elsewhere: a new one must be given its words.
func TestEveryKindIsTold(t *testing.T) {
	t.Parallel()
	elsewhere := map[session.Kind]bool{session.KindStarted: true, session.KindTestsStarted: true, session.KindStepStarted: true, session.KindModelRequested: true, session.KindModelReplied: true,
		session.KindToolCalled: true, session.KindPatchChanged: true, session.KindProofStarted: true}
	for kind, zero := range session.Kinds() {
		a, ok := (&teller{task: "x", calls: map[string]session.ToolCalled{}}).payload(kind, zero)
		if a.Title == string(kind) {
			t.Errorf("%s has no words", kind)
		}
		if ok == elsewhere[kind] {
			t.Errorf("%s: told %v, told elsewhere %v", kind, ok, elsewhere[kind])
		}
	}
}

// fill puts a text into every string of a value, and one element into every list and pointer.
func fill(v reflect.Value, text string, depth int) {
	if depth > 8 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text, depth+1)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			var c certificate
			fill(reflect.ValueOf(&c).Elem(), text, 0)
			raw, err := json.Marshal(c)
			if err != nil {
				panic(err)
			}
			v.SetBytes(raw)
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), text, depth+1)
		}
	case reflect.Struct:
		if v.Type().PkgPath() == "time" {
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), text, depth+1)
			}
		}
	}
}

// hostileSession is a session of all kinds with a text in every field that holds one.
func hostileSession(t testing.TB, text string) []session.Event {
	t.Helper()
	var events []session.Event
	add := func(kind session.Kind, zero any) {
		p := reflect.New(reflect.TypeOf(zero))
		fill(p.Elem(), text, 0)
		raw, err := encode(p.Elem().Interface())
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, session.Event{Seq: int64(len(events) + 1), Session: text, Kind: kind, Data: raw})
	}
	add(session.KindStarted, session.Started{})
	for kind, zero := range session.Kinds() {
		if kind != session.KindStarted {
			add(kind, zero)
		}
	}
	events = append(events, session.Event{Seq: int64(len(events) + 1), Session: text, Kind: session.Kind(text), Data: json.RawMessage(`{"x":"</pre><script>"}`)})
	return events
}

func TestHostileTextStaysText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"</style><script>alert(1)</script>", "</title></textarea><script src=//x>", `" onmouseover="alert(1)`, "' autofocus onfocus='alert(1)",
		"<img src=x onerror=alert(1)>", "--><script>alert(1)</script>", "javascript:alert(1)", "{{.Policy}}", "]]><svg onload=alert(1)>", "<!--", "\u202e</details>\x1b[2J\x00",
	} {
		events := hostileSession(t, text)
		page := render(t, HTML, events)
		body := strings.Replace(page, pageStyle, "", 1)
		if len(body) == len(page) {
			t.Fatal("the style was not written as it is: its hash no longer fits")
		}
		for _, bad := range []string{"<script", "<img", "<svg", "onerror=alert", `" on`, "' on", "<!--", "href=\"javascript", "\u202e", "\x1b", "\x00", "style="} {
			body := strings.ReplaceAll(body, "&lt;", "&lt; ")
			if at := strings.Index(body, bad); at >= 0 && !strings.Contains(bad, "=alert") {
				t.Errorf("%q: the page holds %q: …%s…", text, bad, body[max(at-80, 0):min(at+80, len(body))])
			}
		}
		for open, n := range map[string]int{"<style": 1, "<title": 1, "<meta": 5, "</html>": 1} {
			if got := strings.Count(page, open); got != n {
				t.Errorf("%q: %d of %q, want %d", text, got, open, n)
			}
		}
		if strings.Count(page, "<details") != strings.Count(page, "</details>") {
			t.Errorf("%q opens or closes a fold", text)
		}
		markdown := render(t, Markdown, events)
		for _, fence := range []string{"````", "```"} {
			markdown = outside(markdown, fence)
		}
		if at := strings.Index(markdown, "<script"); at >= 0 || strings.Contains(markdown, "<img") {
			t.Errorf("%q: HTML in the Markdown: %s", text, markdown[max(at-80, 0):])
		}
	}
}

// outside is a Markdown text without its fenced parts.
func outside(text, fence string) string {
	var b strings.Builder
	in := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, fence) && !strings.HasPrefix(line, fence+"`") {
			in = !in
			continue
		}
		if !in {
			b.WriteString(line)
		}
	}
	return b.String()
}

func TestHeadline(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 60)
	for _, c := range []struct{ task, title, rest string }{
		{"Fix it", "Fix it", ""},
		{"  Fix it.\nNow\nplease ", "Fix it.", "Now\nplease"},
		{"One is wrong. Two is too.\nThree.", "One is wrong.", "Two is too.\nThree."},
		{long, strings.TrimSpace(long[:139]) + " …", "… " + strings.TrimSpace(long[140:])},
		{strings.Repeat("x", 150), strings.Repeat("x", 140) + " …", "… " + strings.Repeat("x", 10)},
		{"", "", ""},
	} {
		if title, rest := headline(c.task); title != c.title || rest != c.rest {
			t.Errorf("%q: %q, %q", c.task, title, rest)
		}
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	show := func(line []piece) string {
		var b strings.Builder
		for _, p := range line {
			if p.Mark {
				b.WriteString("[" + p.Text + "]")
			} else {
				b.WriteString(p.Text)
			}
		}
		return b.String()
	}
	for _, c := range []struct{ before, after, was, is string }{
		{"return a - b", "return a + b", "return a [-] b", "return a [+] b"},
		{"x = total(order)", "x = total(order, tax)", "x = total(order)", "x = total(order[, tax])"},
		{"alpha beta", "gamma delta", "alpha beta", "gamma delta"},
		{"", "x", "", "x"},
		{"größe = 1", "größe = 2", "größe = [1]", "größe = [2]"},
	} {
		was, is := marks(c.before, c.after)
		if show(was) != c.was || show(is) != c.is {
			t.Errorf("%q, %q: %q, %q; want %q, %q", c.before, c.after, show(was), show(is), c.was, c.is)
		}
	}
}

// A key that an edit spreads over the lines of a hunk leaves in no form, though the store keeps the patch exact.
func TestExportsHoldNoSecretOfAPatch(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("MIIEowIBAAKCAQEA7x", 3)
	for _, op := range []string{"+", "-", " "} {
		key := []map[string]string{{"op": op, "text": "-----BEGIN " + "PRIVATE KEY-----\n"}, {"op": op, "text": line + "\n"}, {"op": op, "text": line + "\n"}, {"op": op, "text": "-----END " + "PRIVATE KEY-----\n"}}
		data, err := json.Marshal(map[string]any{"step": 1, "patch": map[string]any{"files": []any{map[string]any{"path": "k.pem", "status": "added", "hunks": []any{map[string]any{"new_start": 1, "new_lines": 4, "lines": key}}}}}})
		if err != nil {
			t.Fatal(err)
		}
		events := append(recorded(t, "proven")[:3:3], session.Event{Seq: 4, Kind: session.KindPatchChanged, Data: data})
		for _, as := range Forms() {
			if out := render(t, as, events); strings.Contains(out, line) || !strings.Contains(out, "secret removed") && as == JSONL {
				t.Errorf("%s with %q holds the key", as, op)
			}
		}
	}
}

// BenchmarkRender draws a session of 10,000 events whose results have 2 kB each.
func BenchmarkRender(b *testing.B) {
	events := recorded(b, "proven")[:5:5]
	text := strings.Repeat("tests/test_app.py::test_customer PASSED of the whole run\n", 36)
	for step := 1; len(events) < 10_000; step++ {
		for _, p := range []struct {
			kind session.Kind
			data any
		}{{session.KindStepStarted, session.StepStarted{Step: step}}, {session.KindToolCalled, session.ToolCalled{Step: step, CallID: "c", Tool: "run_tests", Args: `{"paths":["a"]}`}},
			{session.KindToolFinished, session.ToolFinished{Step: step, CallID: "c", Tool: "run_tests", OK: true, Text: text}}} {
			raw, err := encode(p.data)
			if err != nil {
				b.Fatal(err)
			}
			events = append(events, session.Event{Seq: int64(len(events) + 1), Session: events[0].Session, Time: events[0].Time, Kind: p.kind, Data: raw})
		}
	}
	for _, as := range Forms() {
		b.Run(string(as), func(b *testing.B) {
			for b.Loop() {
				var out bytes.Buffer
				if err := Render(&out, as, events, "", nil); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(out.Len())/1e6, "MB")
			}
		})
	}
}

// A record that somebody made up shows as what it is, whatever it says of itself.
func TestImportedProofIsNoProof(t *testing.T) {
	t.Parallel()
	for _, as := range []Form{Markdown, HTML} {
		var made, taken bytes.Buffer
		if err := errors.Join(Render(&made, as, recorded(t, "proven"), "", nil), Render(&taken, as, recorded(t, "proven"), "redgreen 9, <x>", nil)); err != nil {
			t.Fatal(err)
		}
		for _, claim := range []string{"cert good", "outcome good", "The system ran them", "\n**Proven**", "Certificate: proven\n"} {
			if strings.Contains(taken.String(), claim) {
				t.Errorf("%s: an imported session says %q", as, claim)
			}
		}
		if !strings.Contains(taken.String(), "Nothing in this record was checked here") || strings.Contains(made.String(), "checked here") || strings.Contains(taken.String(), "<x>") {
			t.Errorf("%s: it does not say where it is from", as)
		}
	}
}

// TestInline escapes what Markdown would obey, and leaves the rest as it is.
func TestInline(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"tests/test_cart.py::test_total-2 (1.5 s), done!", "tests/test_cart.py::test_total-2 (1.5 s), done!"},
		{"app.PriceTest > rounds", "app.PriceTest > rounds"},
		{"__init__", `\_\_init\_\_`},
		{"_a_", `\_a\_`},
		{"a*b*", `a\*b\*`},
		{"# head", `\# head`},
		{"- item", `\- item`},
		{"12. item", `12\. item`},
		{"1) item", `1\) item`},
		{"===", `\===`},
		{"> quote", `\> quote`},
		{"![x](y)", `!\[x\](y)`},
		{"<b>&amp;", "&lt;b>&amp;amp;"},
		{"see https://x.y or www.x.y", `see https\://x.y or www\.x.y`},
		{"ask @you about #12", `ask \@you about \#12`},
		{"a | b `c` ~~d~~", "a \\| b \\`c\\` \\~\\~d\\~\\~"},
	} {
		if got := inline(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
