package search

import (
	"io/fs"
	"math"
	"strings"
	"testing"
)

// TestReciprocalRanks holds the worked figures: ranks 1 and 3 give 0.0323, rank 1 in one list only 0.0164.
func TestReciprocalRanks(t *testing.T) {
	t.Parallel()
	_, _, ix := maths(t)
	found, err := ix.Symbols(t.Context(), "Mean", 1)
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	mean := found[0].ID
	others, err := ix.Keywords(t.Context(), "counter report add", 2)
	if err != nil || len(others) != 2 {
		t.Fatal(others, err)
	}
	both := []list{{name: "a", ids: []int64{mean}}, {name: "b", ids: []int64{others[0].ID, others[1].ID, mean}}}
	got, err := fuse(t.Context(), ix, Query{Kind: Words}, both)
	if err != nil {
		t.Fatal(err)
	}
	if got[0].chunk.ID != mean || math.Abs(got[0].score-0.0323) > 0.00005 || len(got[0].why) != 2 || got[0].why[1].Rank != 3 {
		t.Errorf("ranks 1 and 3: %+v", got[0])
	}
	if math.Abs(got[1].score-0.0164) > 0.00005 {
		t.Errorf("rank 1 in one list: %g", got[1].score)
	}
}

// TestShownLists: a list that another has in it is seen in a hit's parts and counts nothing.
func TestShownLists(t *testing.T) {
	t.Parallel()
	_, _, ix := maths(t)
	found, err := ix.Keywords(t.Context(), "mean counter", 2)
	if err != nil || len(found) != 2 {
		t.Fatal(found, err)
	}
	a, b := found[0].ID, found[1].ID
	got, err := fuse(t.Context(), ix, Query{Kind: Words}, []list{{name: listWords, ids: []int64{a}}, {name: listVectors, ids: []int64{b, a}, shown: true}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].score != reciprocal(1) || len(got[0].why) != 2 || got[0].why[1] != (Part{listVectors, 2, 0}) {
		t.Errorf("%+v", got)
	}
}

func TestSaidKinds(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]struct {
		kind Kind
		text string
	}{
		"callers: Mean":          {Callers, "Mean"},
		"who calls Mean()?":      {Callers, "Mean()"},
		"where is Mean called":   {Callers, "Mean"},
		"references to Mean":     {References, "Mean"},
		"where is Mean used?":    {References, "Mean"},
		"refs: Counter.Add":      {References, "Counter.Add"},
		"where is Mean":          {Words, "where is Mean"},
		"uses of the mean value": {Words, "uses of the mean value"},
		"text: mean(":            {Exact, "mean("},
		"regex: m.an":            {Expression, "m.an"},
		"symbol: Add":            {Identifier, "Add"},
		"path: use.go":           {PathQuery, "use.go"},
		"words: Mean":            {Words, "Mean"},
		"Fix: the mean is wrong": {Words, "Fix: the mean is wrong"},
	} {
		q, err := Parse(query)
		if err != nil || q.Kind != want.kind || q.Text != want.text {
			t.Errorf("%q: %s %q %v, want %s %q", query, q.Kind, q.Text, err, want.kind, want.text)
		}
	}
	for query, want := range map[string]string{"regex: (": "text: …", "/(/": "leave the slashes out", "regex: x*": "every line", "regex:": "regex: parse", "symbol: ": "symbol: parse"} {
		if _, err := Parse(query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// A kind that was said is not answered by another kind's hits.
func TestSaidSymbolWithoutHit(t *testing.T) {
	t.Parallel()
	_, r, ix := maths(t)
	told := ""
	o := Options{Read: r.Read, Told: func(s string) { told = s }}
	if hits := mustSearch(t, ix, "symbol: mean_of_nothing", o); len(hits) != 0 || !strings.Contains(told, `"words: mean_of_nothing"`) {
		t.Errorf("%s\n%s", told, show(hits))
	}
	told = ""
	if hits := mustSearch(t, ix, "symbol: Mean", o); len(hits) == 0 || hits[0].Symbol != "Mean" || told != "" {
		t.Error(told, show(hits))
	}
}

// A constant is found by its name on its own line, whatever else is in its block, and as it is now.
func TestConstantOfABlock(t *testing.T) {
	t.Parallel()
	r, ix := openRepo(t, folder(t, map[string]string{"a.py": "# how often\nMAX_RETRIES = 3\nBACKOFF = 2\n", "b.py": "def f():\n    return BACKOFF\n"}))
	now := []byte("MAX_RETRIES = 3\nSLOW = 1\nBACKOFF = 9\n")
	read := func(path string) ([]byte, error) {
		if path == "a.py" {
			return now, nil
		}
		return r.Read(path)
	}
	for _, c := range []struct {
		query string
		o     Options
		want  int
	}{
		{"symbol: BACKOFF", Options{Read: r.Read}, 3}, {"BACKOFF", Options{Read: r.Read}, 3}, {"backoff", Options{Read: r.Read}, 3}, {"symbol: MAX_RETRIES", Options{Read: r.Read}, 2},
		{"symbol: BACKOFF", Options{Read: read, Changed: []string{"a.py"}}, 3}, {"symbol: SLOW", Options{Read: read, Changed: []string{"a.py"}}, 2},
	} {
		hits := mustSearch(t, ix, c.query, c.o)
		name := strings.ToUpper(strings.TrimPrefix(c.query, "symbol: "))
		if len(hits) == 0 || hits[0].Path != "a.py" || hits[0].Symbol != name || hits[0].Kind != "constant" || hits[0].BestLine != c.want {
			t.Errorf("%s: want line %d\n%s", c.query, c.want, show(hits))
		}
	}
}

// A constant of a class is found with the class's name too, in the folder and as it is now.
func TestConstantOfAClass(t *testing.T) {
	t.Parallel()
	r, ix := openRepo(t, folder(t, map[string]string{"Cart.cs": "class Cart {\n    const int Least = 1;\n    const int Most = 9;\n    void F() { }\n}\n"}))
	read := func(string) ([]byte, error) {
		return []byte("class Cart {\n    void F() { }\n\n    const int Most = 9;\n}\n"), nil
	}
	for _, c := range []struct {
		query string
		o     Options
		want  int
	}{
		{"symbol: Most", Options{Read: r.Read}, 3}, {"symbol: Cart.Most", Options{Read: r.Read}, 3},
		{"symbol: Most", Options{Read: read, Changed: []string{"Cart.cs"}}, 4}, {"symbol: Cart.Most", Options{Read: read, Changed: []string{"Cart.cs"}}, 4},
	} {
		hits := mustSearch(t, ix, c.query, c.o)
		if len(hits) == 0 || hits[0].Symbol != "Cart.Most" || hits[0].BestLine != c.want {
			t.Errorf("%s: want line %d\n%s", c.query, c.want, show(hits))
		}
	}
}

// A kind that is nearly one is told of; a word of the text that is none is not.
func TestMistypedKind(t *testing.T) {
	t.Parallel()
	_, r, ix := maths(t)
	for query, want := range map[string]string{
		"symbl: Mean": "symbol: …", "refrences: Mean": "references: …", "Symbol: Mean": "symbol: …", "calers:Mean": "callers: …", "regexp: Mea.": "regex: …",
		"paths: maths": "path: …", "refrence: Mean": "references: …", "symbol: Mean": "", "panic: Mean": "", "error: mean of numbers": "", "test: mean": "", "symbols::Mean": "",
		"fix: the mean": "", "https://example.org/mean": "", "symbl:": "", "maths: Mean": "",
	} {
		told := ""
		mustSearch(t, ix, query, Options{N: 1, Read: r.Read, Told: func(s string) {
			if strings.Contains(s, "is no kind of query") {
				told = s
			}
		}})
		if !strings.Contains(told, want) || want == "" && told != "" {
			t.Errorf("%q: told %q, want %q", query, told, want)
		}
	}
}

// Where a place fits or does not, what is not shown is told of; of words there is always more.
func TestMoreThanShown(t *testing.T) {
	t.Parallel()
	_, r, ix := maths(t)
	for query, want := range map[string]string{`"Mean"`: "more places fit than the 1 shown", "refs: Mean": "more places fit than the 1 shown", "the mean of numbers": ""} {
		told := ""
		o := Options{N: 1, Read: r.Read, Told: func(s string) { told = s }}
		if hits := mustSearch(t, ix, query, o); len(hits) != 1 || told != want {
			t.Errorf("%s: %q, want %q\n%s", query, told, want, show(hits))
		}
	}
}

// In a folder of one definition every word is one that most chunks have.
func TestWordsOfOneDefinition(t *testing.T) {
	t.Parallel()
	r, ix := openRepo(t, folder(t, map[string]string{"a.py": "def discount(x): return round(x)\n"}))
	if hits := mustSearch(t, ix, "discount rounded", Options{Read: r.Read}); len(hits) != 1 || hits[0].Symbol != "discount" {
		t.Error(show(hits))
	}
}

// What the agent changed and made is found as it is now, and what it took away is not.
func TestChangedTexts(t *testing.T) {
	t.Parallel()
	_, r, ix := maths(t)
	fresh := map[string]string{"new.go": "package maths\n\nfunc Median(xs []float64) float64 {\n\treturn Mean(xs) // nearly\n}\n", "maths/use.go": "package maths\n", "maths/maths_test.go": ""}
	read := func(path string) ([]byte, error) {
		if text, ok := fresh[path]; ok && text == "" {
			return nil, fs.ErrNotExist
		} else if ok {
			return []byte(text), nil
		}
		return r.Read(path)
	}
	o := Options{Read: read, Changed: []string{"new.go", "maths/use.go", "maths/maths_test.go"}}
	for _, query := range []string{`"// nearly"`, "/Me\\w+n.xs. \\/\\//", "callers: Mean", "symbol: Median"} {
		hits := mustSearch(t, ix, query, o)
		if len(hits) != 1 || hits[0].Path != "new.go" || hits[0].Symbol != "Median" {
			t.Errorf("%s:\n%s", query, show(hits))
		}
	}
}

func TestCallersAndReferences(t *testing.T) {
	t.Parallel()
	_, r, ix := maths(t)
	hits := mustSearch(t, ix, "who calls Mean", Options{Read: r.Read})
	for _, h := range hits {
		if h.Symbol == "Mean" {
			t.Errorf("the definition calls itself: %s", show(hits))
		}
	}
	if len(hits) != 2 {
		t.Errorf("callers:\n%s", show(hits))
	}
	hits = mustSearch(t, ix, "references to Mean", Options{Read: r.Read})
	if len(hits) != 3 || hits[0].Symbol != "Mean" {
		t.Errorf("references:\n%s", show(hits))
	}
}

func TestProse(t *testing.T) {
	t.Parallel()
	got := Prose("Fix the mean (see https://example.org/issues/12)\n\nMore.\n\nSigned-off-by: A B <a@b>\nCo-authored-by: C")
	if want := "Fix the mean (see  \n\nMore.\n\n\n"; got != want {
		t.Errorf("%q", got)
	}
}
