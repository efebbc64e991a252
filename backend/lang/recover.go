package lang

import (
	"bytes"
	"slices"
	"time"
)

// A grammar that meets broken code guesses where it ends, and often guesses that all below belongs to it. So the blocks of
// a broken file are read once more, each alone: a block begins at the left margin after an empty line, as definitions do
// in most code. One that is whole by itself counts as it reads alone where the whole file lost it or put it inside the
// broken one.

// maxBlocks bounds the work for one file, as parseLimit does.
const maxBlocks = 5000

// mended is what was found in a broken text, with the blocks that are whole by themselves.
func (r *row) mended(whole found, src []byte) found {
	start := time.Now()
	known := map[int]bool{}
	for _, one := range whole.raws {
		known[one.nameStart] = true
	}
	blocks := blocksOf(src)
	if len(blocks) < 2 || len(blocks) > maxBlocks {
		return whole
	}
	for _, b := range blocks {
		if time.Since(start) > parseLimit {
			break
		}
		if whole.quoted(b.start) {
			continue
		}
		if alone, ok := r.alone(src, b); ok && (alone.lost(known) || whole.swallowed(b)) {
			whole.replace(b, alone)
		}
	}
	return whole
}

// blocksOf cuts a text before each line at the left margin that follows an empty one.
func blocksOf(src []byte) []span {
	var out []span
	start, empty := 0, false
	for at := 0; at < len(src); {
		end := len(src)
		if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		blank := len(bytes.TrimSpace(src[at:end])) == 0
		if c := src[at]; empty && !blank && c != ' ' && c != '\t' && bytes.IndexByte([]byte(")}]"), c) < 0 {
			out = append(out, span{start: start, end: at})
			start = at
		}
		empty, at = blank, end
	}
	return append(out, span{start: start, end: len(src)})
}

// alone reads one block; ok is false where it is broken by itself, or defines nothing.
func (r *row) alone(src []byte, b span) (f found, ok bool) {
	text, by := src[b.start:b.end], b.start
	if r.opening != "" {
		text, by = append([]byte(r.opening), text...), by-len(r.opening)
	}
	tree := r.parser.Parse(nil, text)
	if tree == nil {
		r.parser.Reset()
		return found{}, false
	}
	defer tree.Close()
	root := tree.RootNode()
	if root.HasError() {
		return found{}, false
	}
	f = r.matches(root, text)
	for i := range f.raws {
		f.raws[i].shift(by)
	}
	for _, list := range [][]span{f.around, f.texts} {
		for i := range list {
			list[i].start += by
			list[i].end += by
		}
	}
	return f, len(f.raws) > 0
}

func (r *raw) shift(by int) {
	r.start, r.end, r.core, r.nameStart = r.start+by, r.end+by, r.core+by, r.nameStart+by
	if r.bodyStart != 0 {
		r.bodyStart += by
	}
}

// lost reports a definition whose name is not known.
func (f *found) lost(known map[int]bool) bool {
	return slices.ContainsFunc(f.raws, func(r raw) bool { return !known[r.nameStart] })
}

// holds reports that a definition reaches from before a block into it. A module's parts often stand at the left margin.
func (r *raw) holds(b span) bool {
	return r.start < b.start && r.end > b.start && r.kind != "module" && r.kind != "section" && !r.scope
}

// swallowed reports a block that is inside a definition from before it.
func (f *found) swallowed(b span) bool {
	return slices.ContainsFunc(f.raws, func(r raw) bool { return r.holds(b) })
}

// quoted reports that a string or comment goes on over a byte.
func (f *found) quoted(at int) bool {
	over := func(s span) bool {
		return s.kind != spanAttribute && s.kind != spanImport && s.start < at && at < s.end
	}
	return slices.ContainsFunc(f.around, over) || slices.ContainsFunc(f.texts, over)
}

// replace takes what a block says alone for what the whole file said of it.
func (f *found) replace(b span, alone found) {
	inside := func(at int) bool { return b.start <= at && at < b.end }
	f.raws = slices.DeleteFunc(f.raws, func(r raw) bool { return inside(r.start) || inside(r.nameStart) })
	for i := range f.raws {
		if r := &f.raws[i]; r.holds(b) {
			r.end = b.start
		}
	}
	spanned := func(s span) bool { return inside(s.start) }
	f.around = append(slices.DeleteFunc(f.around, spanned), alone.around...)
	f.texts = append(slices.DeleteFunc(f.texts, spanned), alone.texts...)
	f.raws = append(f.raws, alone.raws...)
}
