package lang

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
)

// constant is the kind of a block of constants or variables at the top of a file, or of those of a class, module or object
// that belong to no value of it.
const constant = "constant"

// field is the kind of a name that a class or enumeration of Python, JavaScript or TypeScript gives all its values. It stands in
// the definition of that, as one of its names.
const field = "field"

// blocks joins the constants of a file: those of one statement, and those of statements with nothing but comments and no empty
// line between. It drops those that are inside of a function or of another constant, names that nobody can use, and what
// only imports.
func blocks(raws []raw, around []span, src []byte) []raw {
	slices.SortStableFunc(raws, func(a, b raw) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.nameStart, b.nameStart))
	})
	comments := slices.DeleteFunc(slices.Clone(around), func(s span) bool { return s.kind != spanComment })
	slices.SortFunc(comments, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	out := raws[:0]
	last, end := -1, 0        // the block before, and where the functions so far end
	var known map[string]bool // the names of the block before: a generated one has thousands
	holder := 0               // where the class or module ends that holds the block before, 0 for the file
	var holders []held        // the classes and modules around this place
	for _, r := range raws {
		for len(holders) > 0 && holders[len(holders)-1].end <= r.start {
			holders = holders[:len(holders)-1]
		}
		if r.kind == field {
			if n := len(holders); n > 0 && r.start >= end && r.name != "_" {
				class := &out[holders[n-1].at]
				class.more = append(class.more, r)
			}
			continue
		}
		if r.kind != constant {
			if r.holdsConstants() {
				holders = append(holders, held{r.end, len(out)})
			} else {
				end = max(end, r.end)
			}
			out = append(out, r)
			continue
		}
		if r.start < end || r.name == "_" || imports(src[r.nameStart+len(r.name):r.end]) {
			continue
		}
		before := holder
		if holder = 0; len(holders) > 0 {
			holder = holders[len(holders)-1].end
		}
		if last >= 0 && (r.start < out[last].end || holder == before && together(src, comments, out[last].end, r.start)) {
			out[last].add(r, known)
			continue
		}
		last, out = len(out), append(out, r)
		known = map[string]bool{r.name: true}
	}
	return out
}

// held is where a class or module ends, and its place in the list.
type held struct{ end, at int }

// holdsConstants reports a definition whose constants are found by name; those of a function are its own.
func (r *raw) holdsConstants() bool {
	switch r.kind {
	case "class", "interface", "type", "module", "section":
		return true
	}
	return r.scope
}

// add takes a constant into a block; a name that it has already stands where it was first.
func (r *raw) add(one raw, known map[string]bool) {
	r.end, r.core = max(r.end, one.end), min(r.core, one.core)
	if !known[one.name] {
		known[one.name] = true
		r.more = append(r.more, one)
	}
}

// importing is a value that is what another file gives: require("fs").
var importing = regexp.MustCompile(`^\s*=\s*(await\s+)?(require|import)\s*\(`)

func imports(value []byte) bool { return importing.Match(value[:min(len(value), 100)]) }

// together reports that only comments lie between two offsets, and no empty line.
func together(src []byte, comments []span, from, to int) bool {
	i, _ := slices.BinarySearchFunc(comments, from, func(s span, at int) int { return cmp.Compare(s.start, at) })
	newlines := 0
	if from > 0 && src[from-1] == '\n' {
		newlines = 1 // some grammars count the line end into a statement
	}
	for ; i < len(comments) && comments[i].end <= to; i++ {
		if !onlySpace(src[from:comments[i].start], newlines) {
			return false
		}
		from, newlines = comments[i].end, bytes.Count(src[comments[i].end-1:comments[i].end], []byte{'\n'})
	}
	return onlySpace(src[from:to], newlines)
}

// onlySpace reports white space, the ; of a statement among it, without an empty line; newlines stood right before.
func onlySpace(b []byte, newlines int) bool {
	return len(bytes.Trim(b, "; \t\r\n")) == 0 && newlines+bytes.Count(b, []byte{'\n'}) <= 1
}
