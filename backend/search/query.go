package search

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"redgreen/backend/index"
	"redgreen/backend/lang"
)

// Kind is what a query turned out to be.
type Kind string

// The kinds of queries.
const (
	Words      Kind = "words"      // a behaviour in words, an error message
	Identifier Kind = "identifier" // one name: parse_args, Class.method, ns::fn
	PathQuery  Kind = "path"       // a path, its end, a file name
	Trace      Kind = "trace"      // has frames: file and line
	Exact      Kind = "exact"      // "…"
	Expression Kind = "expression" // /…/
	References Kind = "references" // the places that say a name
	Callers    Kind = "callers"    // the places that call it
)

// Query is a parsed query.
type Query struct {
	Kind    Kind
	Text    string         // what is looked up as keywords
	Names   []string       // identifiers in it
	Paths   []string       // paths and file names in it
	Frames  []Frame        // innermost first
	Literal string         // Exact
	Regexp  *regexp.Regexp // Expression

	aboutTests bool // the person asks for tests
	strict     bool // the kind was said: nothing of another kind is an answer

	hint string // what the person may have meant, "" there is no doubt
}

// whole reports a query that a place fits or does not, so that what is left out is of the same worth as what is shown. Of words
// there is always more that fits less.
func (q Query) whole() bool {
	switch q.Kind {
	case Exact, Expression, References, Callers:
		return true
	}
	return q.strict
}

const (
	// maxQuery is more than any pasted trace needs; the rest is not looked at.
	maxQuery = 20_000
	// fewWords is up to where the word test in a query means that tests are looked for; a report of a bug speaks of tests
	// too.
	fewWords = 8
	// maxNames bounds the symbols and paths that one query looks up.
	maxNames = 8
)

// Parse finds out what a query is.
func Parse(query string) (Query, error) {
	text := strings.TrimSpace(strings.ToValidUTF8(query, " "))
	if len(text) > maxQuery {
		text = strings.ToValidUTF8(text[:maxQuery], "")
	}
	if text == "" {
		return Query{}, fmt.Errorf("%w: give words, a name, a path, a pasted error, an \"exact text\" or an /expression/", ErrEmpty)
	}
	if q, ok, err := said(text); ok || err != nil {
		return q, err
	}
	if lit, ok := quoted(text); ok {
		return Query{Kind: Exact, Text: lit, Literal: lit}, nil
	}
	if expr, ok := slashed(text); ok {
		return expression(expr, "leave the slashes out to search for words")
	}
	q := parseWords(text)
	q.hint = mistyped(text)
	return q, nil
}

func expression(expr, instead string) (Query, error) {
	re, err := regexp.Compile("(?m)" + expr)
	if bad, ok := errors.AsType[*syntax.Error](err); ok {
		return Query{}, fmt.Errorf("%w: the expression %s has an error: %s; %s", ErrQuery, expr, bad.Code, instead)
	} else if err != nil {
		return Query{}, fmt.Errorf("%w: the expression %s: %v; %s", ErrQuery, expr, err, instead)
	}
	if re.MatchString("") {
		return Query{}, fmt.Errorf("%w: the expression %s matches the empty text, so it would match every line; make it say something", ErrQuery, expr)
	}
	return Query{Kind: Expression, Text: expr, Regexp: re}, nil
}

var (
	// saidKind is a query that says its kind: "callers: f".
	saidKind = regexp.MustCompile(`(?s)^(words|text|regex|symbol|path|refs|references|callers):\s*(.*)$`)
	// aboutUses asks for the uses of one name in plain English.
	aboutUses = regexp.MustCompile(`(?i)^(?:(callers of|who calls|what calls|calls to)|(?:references to|refs to|uses of|usages of|who uses|what uses|where is)) +([\w.:#>-]+(?:\(\))?)( +(?:used|called))? *\??$`)
)

// said reads a query that says its kind.
func said(text string) (Query, bool, error) {
	if m := aboutUses.FindStringSubmatch(text); m != nil && (m[3] != "" || !strings.HasPrefix(strings.ToLower(text), "where is")) {
		kind := References
		if m[1] != "" || strings.Contains(m[3], "called") {
			kind = Callers
		}
		return Query{Kind: kind, Text: m[2], Names: []string{m[2]}}, true, nil
	}
	m := saidKind.FindStringSubmatch(text)
	if m == nil {
		return Query{}, false, nil
	}
	rest := strings.TrimSpace(m[2])
	if rest == "" {
		return Query{}, true, fmt.Errorf("%w: say after %q what to look for, as in %q", ErrEmpty, m[1]+":", m[1]+": parse")
	}
	switch m[1] {
	case "text":
		return Query{Kind: Exact, Text: rest, Literal: rest}, true, nil
	case "regex":
		q, err := expression(rest, `say "text: …" for the characters as they stand, or "words: …"`)
		return q, true, err
	case "symbol":
		return Query{Kind: Identifier, Text: rest, Names: []string{rest}, strict: true}, true, nil
	case "path":
		return Query{Kind: PathQuery, Text: rest, Paths: []string{rest}, strict: true}, true, nil
	case "refs", "references":
		return Query{Kind: References, Text: rest, Names: []string{rest}}, true, nil
	case "callers":
		return Query{Kind: Callers, Text: rest, Names: []string{rest}}, true, nil
	}
	q := parseWords(rest)
	q.Kind = Words
	return q, true, nil
}

// likeKind is a text that begins as a query does that says its kind; ns::name does not.
var likeKind = regexp.MustCompile(`(?s)^([A-Za-z]{4,12}):([^:\s]|[ \t]+\S)`)

// mistyped tells of a text that begins with nearly the name of a kind ("symbl: f"), which is looked for as it stands.
func mistyped(text string) string {
	m := likeKind.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	typed := strings.ToLower(m[1])
	for _, kind := range []string{"words", "text", "regex", "symbol", "path", "refs", "references", "callers"} {
		if off := edits(typed, kind); off == 0 || off == 1 && len(typed) > 4 || off == 2 && len(typed) > 6 {
			return fmt.Sprintf("%q is no kind of query, so these are the words of it; %q says one", m[1]+":", kind+": …")
		}
	}
	return ""
}

// edits is how many letters must be put in, taken out or changed to make one word of another (Levenshtein's distance).
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// quoted reports a query that is one quoted text.
func quoted(s string) (string, bool) {
	if len(s) < 3 || s[0] != '"' || s[len(s)-1] != '"' || strings.TrimSpace(s[1:len(s)-1]) == "" || strings.Contains(s[1:len(s)-1], `" "`) {
		return "", false
	}
	return s[1 : len(s)-1], true
}

// slashed reports an expression between slashes; "/usr/lib/" is a path.
func slashed(s string) (string, bool) {
	if len(s) < 3 || s[0] != '/' || s[len(s)-1] != '/' || strings.ContainsAny(s, "\n") {
		return "", false
	}
	in := s[1 : len(s)-1]
	if strings.Contains(in, "/") && regexp.QuoteMeta(in) == strings.ReplaceAll(in, ".", `\.`) {
		return "", false
	}
	return in, true
}

func parseWords(text string) Query {
	q := Query{Kind: Words, Text: text, Frames: frames(text)}
	words := index.Words(text)
	for _, w := range words {
		if len(words) <= fewWords && (w.Whole == "test" || w.Whole == "tests" || slices.Contains(w.Parts, "test")) {
			q.aboutTests = true
		}
	}
	single := !strings.ContainsAny(text, " \t\n")
	for _, token := range strings.Fields(text) {
		switch token = trimToken(token); {
		case token == "":
		case pathLike(token):
			q.Paths = appendNew(q.Paths, strings.TrimPrefix(token, "./"))
		case nameLike(token, single):
			q.Names = appendNew(q.Names, token)
		}
	}
	switch {
	case len(q.Frames) > 0:
		q.Kind = Trace
	case single && len(q.Paths) == 1:
		q.Kind = PathQuery
	case single && len(q.Names) == 1:
		q.Kind = Identifier
	}
	return q
}

// trimToken takes the punctuation of a sentence away; the () of a call stays.
func trimToken(s string) string {
	s = strings.TrimLeft(s, "`'\"([{<*")
	s = strings.TrimRight(s, "`'\".,:;!?*=>]}")
	if !strings.HasSuffix(s, "()") {
		s = strings.TrimRight(s, ")`'\".,:;!?*=>]}([{")
	}
	return s
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	if len(list) >= maxNames {
		return list
	}
	return append(list, s)
}

// dataExtension reports the extension of a file that is not in a language of the table.
func dataExtension(ext string) bool {
	switch ext {
	case ".md", ".rst", ".txt", ".json", ".yaml", ".yml", ".toml", ".cfg", ".ini", ".html", ".css", ".sql", ".sh", ".xml",
		".mod", ".lock", ".proto", ".svelte", ".vue":
		return true
	}
	return false
}

// pathLike reports a token that is a path or a file name; a URL is none.
func pathLike(s string) bool {
	if strings.Contains(s, "://") || strings.ContainsAny(s, "=(|") {
		return false
	}
	base := path.Base(strings.ReplaceAll(s, `\`, "/"))
	ext := strings.ToLower(path.Ext(base))
	if _, ok := lang.ByPath(base); ok && ext != base || dataExtension(ext) && ext != base {
		return true
	}
	return strings.Count(s, "/") >= 1 && len(strings.Trim(s, "/.")) > 2 && wordy(strings.ReplaceAll(s, "/", "_"))
}

func wordy(s string) bool {
	for _, r := range s {
		if !(r == '_' || r == '-' || r == '.' || r == '@' || r == '+' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') {
			return false
		}
	}
	return true
}

// nameLike reports a token that is a name of code. Alone any word may be one; among words it must look like one: several
// parts, a dot or a call.
func nameLike(s string, single bool) bool {
	core := strings.TrimSuffix(s, "()")
	if core == "" || strings.IndexByte("+-./:>0123456789%&|=~^", core[0]) >= 0 {
		return false
	}
	ws := index.Words(strings.NewReplacer("::", "_", "->", "_", ".", "_", "#", "_", "$", "").Replace(core))
	if len(ws) != 1 || len(core) > 200 {
		return false
	}
	return single || core != s || len(ws[0].Parts) > 1 && !strings.Contains(core, "-")
}
