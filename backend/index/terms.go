package index

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// maxTerm is longer than any name a person wrote; base64 and hashes are cut off.
const maxTerm = 64

// Word is one identifier or word of a text: as it stands, lower-cased, and the parts it is made of. Parts is empty where
// the word is one part.
type Word struct {
	Whole string
	Parts []string
}

// Words cuts a text into its words. A run of letters, digits and underscores is a word, also with single hyphens inside
// (kebab-case); its parts end where the case, the script or letters and digits change: HTTPServer2 gives httpserver2 with
// http, server, 2.
func Words(text string) []Word {
	var out []Word
	for raw := range rawWords(text) {
		if w, ok := newWord(raw); ok {
			out = append(out, w)
		}
	}
	return out
}

// WordsThat is Words for those words only that are wanted as they stand.
func WordsThat(text string, wanted func(raw string) bool) []Word {
	var out []Word
	for raw := range rawWords(text) {
		if !wanted(raw) {
			continue
		}
		if w, ok := newWord(raw); ok {
			out = append(out, w)
		}
	}
	return out
}

// rawWords gives the words of a text as they stand.
func rawWords(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			if c := text[i]; c < utf8.RuneSelf && !asciiWord(c) {
				i++
				continue
			}
			n := wordLen(text[i:])
			if n == 0 {
				_, size := utf8.DecodeRuneInString(text[i:])
				i += size
				continue
			}
			if !yield(text[i : i+n]) {
				return
			}
			i += n
		}
	}
}

func asciiWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// wordLen is the length in bytes of the word that the text begins with, or 0.
func wordLen(s string) int {
	n := 0
	for n < len(s) {
		if asciiWord(s[n]) {
			n++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[n:])
		switch {
		case isWordRune(r):
		case r == '-' && n > 0 && letterAt(s, n-1) && letterAt(s, n+1):
		default:
			return n
		}
		n += size
	}
	return n
}

func letterAt(s string, i int) bool {
	return i < len(s) && ('a' <= s[i] && s[i] <= 'z' || 'A' <= s[i] && s[i] <= 'Z')
}

func isWordRune(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r))
}

func newWord(s string) (Word, bool) {
	parts := split(s)
	whole := clip(strings.Trim(strings.ToLower(s), "_-"))
	if whole == "" {
		return Word{}, false
	}
	if len(parts) < 2 {
		parts = nil
	}
	return Word{Whole: whole, Parts: parts}, true
}

func clip(s string) string {
	if len(s) <= maxTerm {
		return s
	}
	n := maxTerm
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// class of a rune, where a change of class ends a part.
const (
	classOther = iota
	classLower // and letters without case
	classUpper
	classDigit
)

func classOf(r rune) int {
	switch {
	case unicode.IsUpper(r):
		return classUpper
	case unicode.IsDigit(r):
		return classDigit
	case r == '_' || r == '-':
		return classOther
	}
	return classLower
}

// split cuts an identifier into lower-cased parts. A capital begins a part when a small letter stands before it, or
// behind it after other capitals (HTTPServer: http, server).
func split(s string) []string {
	var parts []string
	start, prev := 0, classOther
	flush := func(end int) {
		if end > start {
			parts = append(parts, clip(strings.ToLower(s[start:end])))
		}
		start = end
	}
	for i, r := range s {
		c := classOf(r)
		switch {
		case c == classOther:
			flush(i)
			start = i + utf8.RuneLen(r)
		case prev == classOther || prev == c && c != classUpper:
		case prev == classUpper && c == classUpper:
			next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if next != utf8.RuneError && classOf(next) == classLower && !pluralTail(s[i+utf8.RuneLen(r):]) {
				flush(i)
			}
		case prev == classUpper && c == classLower:
		default:
			flush(i)
		}
		prev = c
	}
	flush(len(s))
	return parts
}

// pluralTail reports the s of IDs and URLs at the end of a word.
func pluralTail(rest string) bool {
	return rest == "s" || strings.HasPrefix(rest, "s_")
}

// StopWords are English words that say nothing about code; they are dropped before stemming, since a stemmed stop word is
// no stop word any more. Words that are also keywords or names with a meaning in code (if, for, not, in, is) are dropped
// from prose only.
func StopWords() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`a about above after again all also am an and any are as at be because been before being
		below between both but by can cannot could did do does doing down during each either few for from further get gets got
		had has have having he her here hers him his how however i if in into is it its itself just let like make makes may me
		might more most must my no nor not now of off on once only or other our out over own please same shall she should so
		some such than that the their them then there these they this those through thus to too under until up upon us use used
		uses using very via was we were what when where which while who whom why will with within without would yet you your
		doesn don isn wasn aren didn won t s re ve ll d m`) {
		out[w] = true
	}
	return out
}

// Stem is the English (Porter2) stem of a lower-case word; words with other than a-z stay as they are.
// Source of the algorithm: snowballstem.org, English stemmer.
func Stem(w string) string {
	if len(w) < 3 {
		return w
	}
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return w
		}
	}
	env := snowballstem.NewEnv(w)
	english.Stem(env)
	return env.Current()
}

// analyser turns queries into terms of the keyword index. It holds no state that a call changes.
type analyser struct{ stop map[string]bool }

func newAnalyser() analyser { return analyser{stop: StopWords()} }
