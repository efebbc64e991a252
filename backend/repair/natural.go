package repair

import (
	"math"
	"regexp"
	"strings"
)

// tokens is a trigram model over the tokens of some files: how usual it is that one token follows two others there.
type tokens struct {
	three, two map[string]int
	one        map[string]int
	all        int
}

var token = regexp.MustCompile(`[A-Za-z_$][\w$]*|\d[\w.]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[-+*/%<>=!&|^?:]+|[^\s\w]`)

func learn(files []*source) *tokens {
	t := &tokens{three: map[string]int{}, two: map[string]int{}, one: map[string]int{}}
	for _, s := range files {
		for line := range strings.Lines(s.text) {
			all := token.FindAllString(line, -1)
			for i := range all {
				a, b := before(all, i)
				t.three[a+"\x00"+b+"\x00"+all[i]]++
				t.two[a+"\x00"+b]++
				t.two["\x00"+b+"\x00"+all[i]]++
				t.one[b]++
				t.one["\x00"+all[i]]++
				t.all++
			}
		}
	}
	return t
}

func before(all []string, i int) (a, b string) {
	a, b = "^", "^"
	if i > 0 {
		b = all[i-1]
	}
	if i > 1 {
		a = all[i-2]
	}
	return a, b
}

// line is the mean logarithm of the chance of each token of a line, with interpolation of three, two and one.
func (t *tokens) line(text string) float64 {
	all := token.FindAllString(text, -1)
	if len(all) == 0 || t.all == 0 {
		return 0
	}
	sum := 0.0
	for i := range all {
		a, b := before(all, i)
		p := 0.05 / float64(t.all+1)
		p += 0.15 * float64(t.one["\x00"+all[i]]) / float64(t.all)
		if n := t.one[b]; n > 0 {
			p += 0.3 * float64(t.two["\x00"+b+"\x00"+all[i]]) / float64(n)
		}
		if n := t.two[a+"\x00"+b]; n > 0 {
			p += 0.5 * float64(t.three[a+"\x00"+b+"\x00"+all[i]]) / float64(n)
		}
		sum += math.Log(p)
	}
	return sum / float64(len(all))
}

// natural is how natural the changed lines of a candidate are, near 0 for usual ones and below for odd ones.
func (t *tokens) natural(c *candidate) float64 {
	sum, n := 0.0, 0
	for _, g := range c.groups() {
		for _, l := range g.lines {
			if strings.TrimSpace(l) != "" {
				sum += t.line(l)
				n++
			}
		}
	}
	if n == 0 {
		return -3
	}
	return sum / float64(n)
}
