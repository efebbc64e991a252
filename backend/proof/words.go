package proof

import (
	"fmt"
	"slices"
	"strings"
)

// plural is "1 test", "2 tests".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// verb picks the verb's form for a number.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// does is "1 test fails", "2 tests fail".
func does(n int, one, many string) string { return plural(n, "test") + " " + verb(n, one, many) }

// sentence puts a message on one line that ends as a sentence does.
func sentence(message string) string {
	return strings.TrimRight(strings.Join(strings.Fields(message), " "), ". ") + "."
}

func is(n int) string { return verb(n, "is", "are") }

// some names at most three things.
func some(all []string) string {
	if len(all) <= 3 {
		return strings.Join(all, ", ")
	}
	return strings.Join(all[:3], ", ") + fmt.Sprintf(" and %d more", len(all)-3)
}

// both are the elements of a that b has as well.
func both(a, b []string) []string {
	var all []string
	for _, x := range a {
		if slices.Contains(b, x) {
			all = append(all, x)
		}
	}
	return all
}
