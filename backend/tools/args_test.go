package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var sampleFields = []Field{
	{Name: "query", Type: Text, Required: true, Doc: `say "what"`}, {Name: "n", Type: Integer, Min: 1, Max: 30}, {Name: "paths", Type: Texts},
}

func TestParseArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, raw string
		want      Args
		err       string
	}{
		{"all", `{"query":"a","n":3,"paths":["x","y"]}`, Args{"query": "a", "n": 3, "paths": []string{"x", "y"}}, ""},
		{"null is absent", `{"query":"a","n":null}`, Args{"query": "a"}, ""},
		{"number as text", `{"query":"a","n":"7"}`, Args{"query": "a", "n": 7}, ""},
		{"number as float", `{"query":"a","n":7.0}`, Args{"query": "a", "n": 7}, ""},
		{"too many gets the most", `{"query":"a","n":1000}`, Args{"query": "a", "n": 30}, ""},
		{"lone text for a list", `{"query":"a","paths":"x"}`, Args{"query": "a", "paths": []string{"x"}}, ""},
		{"list in a text", `{"query":"a","paths":"[\"x\",\"y\"]"}`, Args{"query": "a", "paths": []string{"x", "y"}}, ""},
		{"empty text for a list", `{"query":"a","paths":""}`, Args{"query": "a", "paths": []string(nil)}, ""},
		{"missing", `{}`, nil, "query is missing"},
		{"nothing at all", ``, nil, "query is missing"},
		{"unknown", `{"query":"a","cmd":"rm"}`, nil, `no argument named "cmd"`},
		{"wrong type", `{"query":5}`, nil, "query must be a string"},
		{"fraction", `{"query":"a","n":1.5}`, nil, "n must be an integer"},
		{"huge", `{"query":"a","n":1e300}`, nil, "n must be an integer"},
		{"too small", `{"query":"a","n":0}`, nil, "must be at least 1"},
		{"mixed list", `{"query":"a","paths":["x",1]}`, nil, "paths must be an array of strings"},
		{"cut off", `{"query":"a`, nil, "not a JSON object"},
		{"not an object", `["a"]`, nil, "not a JSON object"},
		{"two objects", `{"query":"a"}{"query":"b"}`, nil, "text behind"},
		{"prose behind", `{"query":"a"} please`, nil, "text behind"},
	} {
		got, err := parse(c.raw, sampleFields)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", c.name, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestSchemaIsJSONAndStable(t *testing.T) {
	t.Parallel()
	const want = `{"type":"object","properties":{"query":{"type":"string","description":"say \"what\""},"n":{"type":"integer","description":"","minimum":1,"maximum":30},` +
		`"paths":{"type":"array","description":"","items":{"type":"string"}}},"required":["query"],"additionalProperties":false}`
	if got := string(schema(sampleFields)); got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	for _, tool := range All() {
		if !json.Valid(schema(tool.Fields)) {
			t.Errorf("the schema of %s is no JSON", tool.Name)
		}
	}
}

func FuzzParseArguments(f *testing.F) {
	f.Add(`{"query":"a","n":3,"paths":["x"]}`)
	f.Add(`{"query":null}`)
	f.Fuzz(func(t *testing.T, raw string) {
		args, err := parse(raw, sampleFields)
		if err == nil && !args.has("query") {
			t.Fatalf("accepted without query: %q", raw)
		}
	})
}
