package patch

import "strings"

// rung is a step of the matching ladder, from exact to most corrected.
type rung int

const (
	exact   rung = iota // every byte
	ends                // line ends differ
	spaces              // line ends and blanks before them differ
	indents             // the same, and all lines are shifted by the same indentation
)

// place is where a block fits: lines [at, at+n) of the file.
type place struct {
	at, n int
	rung  rung
	shift shift // of the indents rung
}

// target is the text that blocks are matched against: lines with their ends, without a byte order mark.
type target struct {
	lines []string
	size  int             // of the text, in bytes
	keys  [indents]*keyed // the lines as each rung compares them, made when first needed
}

// keyed is the lines as one rung compares them, with an index from each to its places.
type keyed struct {
	lines []string
	names *interner
	first []chain // by number of the line
	next  []int32 // the next place of the same line, -1 for none
}

type chain struct{ at, n int32 } // the first place of a line, and how many there are

func newTarget(text string) *target { return &target{lines: splitLines(text), size: len(text)} }

// key is a line as a rung compares it.
func (r rung) key(line string) string {
	switch r {
	case ends:
		return trimEnd(line)
	case spaces, indents:
		return trimSpace(line)
	case exact:
	}
	return line
}

func (r rung) all(lines []string) []string {
	if r == exact {
		return lines
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = r.key(l)
	}
	return out
}

func (t *target) keysOf(r rung) *keyed {
	if t.keys[r] == nil {
		k := &keyed{lines: r.all(t.lines), names: newInterner(len(t.lines)), next: make([]int32, len(t.lines))}
		k.first = make([]chain, 0, len(t.lines))
		last := make([]int32, 0, len(t.lines)) // by number
		for i, l := range k.lines {
			n := k.names.number(l)
			k.next[i] = -1
			if int(n) == len(k.first) {
				k.first, last = append(k.first, chain{at: int32(i), n: 1}), append(last, int32(i))
				continue
			}
			k.next[last[n]] = int32(i)
			k.first[n].n++
			last[n] = int32(i)
		}
		t.keys[r] = k
	}
	return t.keys[r]
}

// find gives the places of the first rung that has any. One place is a match; several are a refusal.
func (t *target) find(old []string) []place {
	for r := exact; r < indents; r++ {
		if found := t.findKeys(r, old); len(found) > 0 {
			return found
		}
	}
	return t.findShifted(old)
}

// findKeys lists the places where the lines are the same to a rung. It starts from the quoted line that the file has
// least often.
func (t *target) findKeys(r rung, old []string) []place {
	keys, want := t.keysOf(r), r.all(old)
	if len(want) == 0 {
		return nil
	}
	pivot, rarest := 0, chain{n: int32(len(keys.lines)) + 1}
	for i, l := range want {
		n := keys.names.find(l)
		if n < 0 {
			return nil
		}
		if c := keys.first[n]; c.n < rarest.n {
			pivot, rarest = i, c
		}
	}
	var found []place
	if int(rarest.n)*len(want) > repetitive {
		for _, at := range allRuns(keys.lines, want) {
			found = append(found, place{at: at, n: len(want), rung: r})
		}
		return found
	}
	for i := rarest.at; i >= 0 && len(found) < maxFound; i = keys.next[i] {
		if at := int(i) - pivot; at >= 0 && at+len(want) <= len(keys.lines) && sameLines(keys.lines[at:at+len(want)], want) {
			found = append(found, place{at: at, n: len(want), rung: r})
		}
	}
	return found
}

// repetitive is the number of comparisons from which a search in linear time is the better one.
const repetitive = 1 << 20

// allRuns lists the places of want in lines, up to maxFound, in linear time (Knuth, Morris and Pratt).
func allRuns(lines, want []string) []int {
	if len(want) == 0 {
		return nil
	}
	back := make([]int, len(want)) // length of the longest proper prefix of want[:i+1] that ends it
	for i, k := 1, 0; i < len(want); i++ {
		for k > 0 && want[i] != want[k] {
			k = back[k-1]
		}
		if want[i] == want[k] {
			k++
		}
		back[i] = k
	}
	var at []int
	k := 0
	for i := 0; i < len(lines) && len(at) < maxFound; i++ {
		for k > 0 && (k == len(want) || lines[i] != want[k]) {
			k = back[k-1]
		}
		if lines[i] == want[k] {
			k++
		}
		if k == len(want) {
			at = append(at, i+1-k)
		}
	}
	return at
}

func sameLines(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// shift is the one difference of indentation between quoted lines and the file: add is put before each line, cut is taken
// away, or tab blanks stand for one tab (negative: one tab stands for -tab blanks). Blank lines are not shifted.
type shift struct {
	add, cut string
	tab      int
}

// tabWidths are the widths that a tab is commonly shown with.
var tabWidths = [...]int{4, 2, 8, 3}

// findShifted lists the places where all lines are the same but for one shift.
func (t *target) findShifted(old []string) []place {
	keys, want := t.keysOf(spaces).lines, spaces.all(old)
	var found []place
	for _, at := range allRuns(bare(t.lines), bare(old)) {
		if s, ok := shiftBetween(want, keys[at:at+len(want)]); ok {
			found = append(found, place{at: at, n: len(want), rung: indents, shift: s})
		}
	}
	return found
}

// shiftBetween finds the shift that makes every quoted line the file's.
func shiftBetween(quoted, file []string) (shift, bool) {
	first := 0
	for first < len(quoted) && quoted[first] == "" {
		first++
	}
	if first == len(quoted) || strings.TrimLeft(quoted[first], " \t") != strings.TrimLeft(file[first], " \t") {
		return shift{}, false
	}
	fits := func(s shift) bool {
		for i, q := range quoted {
			got, ok := s.apply(q)
			if !ok || got != file[i] {
				return false
			}
		}
		return true
	}
	if add, ok := strings.CutSuffix(file[first], quoted[first]); ok && add != "" && fits(shift{add: add}) {
		return shift{add: add}, true
	}
	if cut, ok := strings.CutSuffix(quoted[first], file[first]); ok && cut != "" && fits(shift{cut: cut}) {
		return shift{cut: cut}, true
	}
	for _, w := range tabWidths {
		for _, s := range []shift{{tab: w}, {tab: -w}} {
			if fits(s) {
				return s, true
			}
		}
	}
	return shift{}, false
}

// apply shifts one line; false where the line does not have what is to be cut.
func (s shift) apply(line string) (string, bool) {
	if blank(line) {
		return line, true
	}
	text := strings.TrimLeft(line, " \t")
	indent := line[:len(line)-len(text)]
	switch {
	case s.cut != "":
		rest, ok := strings.CutPrefix(line, s.cut)
		return rest, ok
	case s.tab > 0:
		return strings.ReplaceAll(indent, strings.Repeat(" ", s.tab), "\t") + text, true
	case s.tab < 0:
		return strings.ReplaceAll(indent, "\t", strings.Repeat(" ", -s.tab)) + text, true
	}
	return s.add + line, true
}

// findText lists the places of an exact text that need not be whole lines. Line ends may differ on the second try. Where
// there is one place, block is the edit of the lines around it.
func (t *target) findText(old, new string) (places []place, block Block) {
	text := strings.Join(t.lines, "")
	r := exact
	at := allIndexes(text, old)
	if len(at) == 0 && strings.Contains(text+old, "\r\n") {
		r = ends
		text, old, new = unixEnds(text), unixEnds(old), unixEnds(new)
		at = allIndexes(text, old)
	}
	line, seen := 0, 0 // lines before seen
	for _, i := range at {
		lo := strings.LastIndexByte(text[:i], '\n') + 1
		hi := i + len(old)
		if text[hi-1] != '\n' {
			if n := strings.IndexByte(text[hi:], '\n'); n >= 0 {
				hi += n + 1
			} else {
				hi = len(text)
			}
		}
		line += strings.Count(text[seen:max(lo, seen)], "\n")
		seen = max(lo, seen)
		places = append(places, place{at: line, n: strings.Count(text[lo:hi-1], "\n") + 1, rung: r})
		if len(at) == 1 {
			block = Block{Old: text[lo:hi], New: text[lo:i] + new + text[i+len(old):hi]}
		}
	}
	return places, block
}

func unixEnds(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// maxFound bounds the places that are looked for: a repetitive file has as many as it has bytes.
const maxFound = 200

// allIndexes lists the places of sub, overlapping ones too, up to maxFound.
func allIndexes(s, sub string) []int {
	var at []int
	for i := 0; i+len(sub) <= len(s) && len(at) < maxFound; i++ {
		n := strings.Index(s[i:], sub)
		if n < 0 {
			break
		}
		i += n
		at = append(at, i)
	}
	return at
}
