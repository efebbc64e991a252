package index

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"HTTPServer":              "httpserver=http+server",
		"parseHTTPRequest":        "parsehttprequest=parse+http+request",
		"userIDs":                 "userids=user+ids",
		"URLs":                    "urls",
		"snake_case_name":         "snake_case_name=snake+case+name",
		"__init__":                "init",
		"MAX_RETRY_COUNT":         "max_retry_count=max+retry+count",
		"kebab-case":              "kebab-case=kebab+case",
		"--dry-run":               "dry-run=dry+run",
		"a - b":                   "a b",
		"n-1":                     "n 1",
		"sha256sum":               "sha256sum=sha+256+sum",
		"utf8":                    "utf8=utf+8",
		"Base64Encoder":           "base64encoder=base+64+encoder",
		"iOS":                     "ios=i+os",
		"getElementById":          "getelementbyid=get+element+by+id",
		"XMLHttpRequest":          "xmlhttprequest=xml+http+request",
		"foo.bar(baz, 3)":         "foo bar baz 3",
		"$scope @decorator #priv": "scope decorator priv",
		"größeÄndern":             "größeändern=größe+ändern",
		"日本語 текстВнутри":         "日本語 текствнутри=текст+внутри",
		"\xff\xfeab\xff":          "ab",
		"":                        "",
		"___":                     "",
	} {
		var got []string
		for _, w := range Words(text) {
			s := w.Whole
			if len(w.Parts) > 0 {
				s += "=" + strings.Join(w.Parts, "+")
			}
			got = append(got, s)
		}
		if d := cmp.Diff(want, strings.Join(got, " ")); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

func TestProse(t *testing.T) {
	t.Parallel()
	v := newVocabulary(StopWords())
	for text, want := range map[string]string{
		"The connections are closed when failing": "close connect fail",
		"Doing this thesis":                       "thesi",
		"parseRequests returns errors":            "error pars request return",
	} {
		p := v.prose(text)
		var said []string
		for _, c := range p.counts {
			said = append(said, v.texts()[c.term])
		}
		slices.Sort(said)
		got := strings.Join(said, " ")
		if got != want || p.length != len(strings.Fields(want)) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"HTTPServer_2x-y", "日本", "\xff_a-", "aA1_-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, w := range Words(s) {
			if w.Whole == "" || len(w.Whole) > maxTerm || !utf8.ValidString(w.Whole) || strings.ContainsAny(w.Whole, " \n\t") || len(w.Parts) == 1 {
				t.Fatalf("%q gave %+v", s, w)
			}
			for _, p := range w.Parts {
				if p == "" || strings.Trim(p, "_-") != p || !utf8.ValidString(p) {
					t.Fatalf("%q gave %+v", s, w)
				}
			}
		}
	})
}
