package search

import (
	"regexp"
	"strings"
	"unicode"

	"redgreen/backend/index"
)

var (
	// trailer is a line that says who, not what: of commits and of mails.
	trailer = regexp.MustCompile(`(?mi)^[ \t]*(?:signed-off-by|co-authored-by|reviewed-by|reviewed-on|acked-by|tested-by|reported-by|change-id|cc|git-svn-id|backport-of|cherry.picked.from)\b.*$`)
	// address is a web address; its words name a host and a number.
	address = regexp.MustCompile(`\bhttps?://\S+`)
	// hexNumber is a number, or the name of a commit.
	hexNumber = regexp.MustCompile(`^#?[0-9a-f]*[0-9][0-9a-f]*$`)
)

// Prose takes what says nothing about code out of a text: web addresses and trailers of commits.
func Prose(text string) string {
	return address.ReplaceAllString(trailer.ReplaceAllString(text, ""), " ")
}

// What a word of a query counts. The first line of a report says what it is about; words in which people speak of their
// work say less about the code, but "test" or "merge" may be just what is meant. Measured on bug-fix commits.
const (
	laterWeight   = 0.5 // not in the first line
	chatterWeight = 0.7 // of chatter, and numbers
)

// chatter are words in which people speak of changes and bugs rather than of code.
func chatter() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`fix fixes fixed fixing bug bugs issue issues closes closed close resolves resolved add added adds adding
		support supports test tests testing tested change changed changes update updated updates pr pull request merge merged commit
		patch ensure allow correct correctly properly proper wrong handle handles handling also now instead since when case cases
		behavior behaviour work works working problem problems cause causes caused refactor refactoring cleanup clean improve
		improved remove removed removes removing want need needs needed see reported thanks followup follow previously new old code`) {
		out[w] = true
	}
	return out
}

// weighted cuts a query in words into parts that count differently.
func weighted(text string) []index.Said {
	first, later, _ := strings.Cut(strings.TrimSpace(Prose(text)), "\n")
	dull := chatter()
	var out []index.Said
	for i, part := range []string{first, later} {
		var plain, less []string
		for _, w := range strings.FieldsFunc(part, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`,;:()[]{}"'`+"`", r) }) {
			if low := strings.ToLower(strings.Trim(w, ".!?#*")); dull[low] || hexNumber.MatchString(low) {
				less = append(less, w)
			} else {
				plain = append(plain, w)
			}
		}
		weight := 1.0
		if i > 0 {
			weight = laterWeight
		}
		out = append(out, index.Said{Text: strings.Join(plain, " "), Weight: weight}, index.Said{Text: strings.Join(less, " "), Weight: weight * chatterWeight})
	}
	return out
}
