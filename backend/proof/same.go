package proof

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// What changes the text of a test without changing what it says: blanks, trailing comments, and the name of a local
// variable or parameter of a helper.

// sameCode reports whether two texts of a language differ in nothing but blanks, line breaks and comments.
func sameCode(file string, old, new []string) bool {
	return squeeze(file, old) == squeeze(file, new)
}

// squeeze joins lines without comments and without the blanks outside string literals.
func squeeze(file string, lines []string) string {
	hash, slashes := commentMarks(file)
	var out strings.Builder
	for _, text := range lines {
		quote := byte(0)
		for i := 0; i < len(text); i++ {
			c := text[i]
			switch {
			case quote != 0:
				out.WriteByte(c)
				if c == '\\' && i+1 < len(text) {
					i++
					out.WriteByte(text[i])
				} else if c == quote {
					quote = 0
				}
				continue
			case c == '"' || c == '\'' || c == '`':
				quote = c
			case hash && c == '#' || slashes && strings.HasPrefix(text[i:], "//"):
				i = len(text)
				continue
			case c == ' ' || c == '\t' || c == '\r' || c == '\n':
				if wordAt(text, i-1) && wordAt(text, nextWord(text, i)) {
					out.WriteByte(' ') // "a b" is not "ab"
				}
				i = nextWord(text, i) - 1
				continue
			}
			out.WriteByte(c)
		}
	}
	text := out.String()
	if m := wrappedAssert.FindStringSubmatch(text); m != nil && balanced(m[1]) {
		return "assert " + m[1]
	}
	return text
}

// wrappedAssert is Python's assert with its condition in brackets, as formatters write a long one.
var wrappedAssert = regexp.MustCompile(`^assert\((.*)\)$`)

// balanced reports whether each bracket of a text is closed within it.
func balanced(text string) bool {
	depth := 0
	for _, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

func nextWord(text string, i int) int {
	for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
		i++
	}
	return i
}

func wordAt(text string, i int) bool {
	return i >= 0 && i < len(text) && word.MatchString(text[i:i+1])
}

var word = regexp.MustCompile(`[\w]`)

// commentMarks tells how a language begins a comment that ends with its line.
func commentMarks(file string) (hash, slashes bool) {
	switch strings.ToLower(path.Ext(file)) {
	case ".py", ".rb", ".sh":
		return true, false
	case ".go", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".java", ".kt", ".rs", ".cs", ".c", ".cc", ".cpp", ".php":
		return false, true
	}
	return false, false
}

// tokens are the names and the single other characters of a squeezed text.
var tokens = regexp.MustCompile(`[\pL_]\w*|[^\pL_]`)

// helperHead opens a function that is no test, with its parameters.
var helperHead = regexp.MustCompile(`\b(def|func|fn|function)\s+\w+\s*\(|=>|^\s*(?:(?:public|private|protected|static|final)\s+)+[\w<>\[\]]+\s+\w+\s*\(|^\s*(?:private|protected|public)?\s*(?:static )?function\s+\w+\(`)

// renamedLocals tells the blocks that only rename, taken together where no more than one line, such as an opening bracket,
// lies between them.
func renamedLocals(file string, all []block, around []string) map[int]bool {
	renamed := map[int]bool{}
	for i := range all {
		joined := block{}
		for k := i; k < len(all) && k < i+3; k++ {
			if k > i && all[k].oldLine-(all[k-1].oldLine+len(all[k-1].deleted)) > 1 {
				break
			}
			joined.deleted, joined.inserted = append(joined.deleted, all[k].deleted...), append(joined.inserted, all[k].inserted...)
			if renamesLocal(file, joined, around) {
				for n := i; n <= k; n++ {
					renamed[n] = true
				}
			}
		}
	}
	return renamed
}

// renamesLocal reports whether a change does nothing but give the parameters of a helper other names. Lines that check
// something are never taken for that, nor is a name that stands in the unchanged lines around.
func renamesLocal(file string, b block, around []string) bool {
	if len(b.deleted) == 0 || !helperHead.MatchString(b.deleted[0]) || definesTest(b.deleted[0]) != "" || slices.ContainsFunc(b.deleted, asserts.MatchString) {
		return false
	}
	old, new := tokens.FindAllString(squeeze(file, b.deleted), -1), tokens.FindAllString(squeeze(file, b.inserted), -1)
	if len(old) != len(new) {
		return false
	}
	to, from := map[string]string{}, map[string]string{}
	for i := range old {
		isName := word.MatchString(old[i]) && word.MatchString(new[i])
		if !isName && old[i] != new[i] || to[old[i]] != "" && to[old[i]] != new[i] || from[new[i]] != "" && from[new[i]] != old[i] {
			return false
		}
		called := i+1 < len(old) && old[i+1] == "("
		part := i > 0 && (old[i-1] == "." || old[i-1] == ":" || old[i-1] == "\"" || old[i-1] == "'" || old[i-1] == "`")
		if old[i] != new[i] && (called || part) {
			return false
		}
		to[old[i]], from[new[i]] = new[i], old[i]
	}
	text := strings.Join(around, "\n")
	for name, other := range to {
		if name != other && (hasWord(text, name) || hasWord(text, other) || !parameter(b.deleted[0], name)) {
			return false
		}
	}
	return true
}

func hasWord(text, name string) bool {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(text)
}

// parameter reports whether a name stands among the parameters of the function that a line opens.
func parameter(head, name string) bool {
	_, params, ok := strings.Cut(head, "(")
	return ok && regexp.MustCompile(`(^|[(,\s$])`+regexp.QuoteMeta(name)+`\s*[:,)=\s]`).MatchString(params)
}
