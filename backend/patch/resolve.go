package patch

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"
)

// Resolve holds edits against the present text and gives the canonical patch. Every block must fit at one place only: as
// quoted, else but for line ends and blanks before them, else but for one uniform shift of indentation; the last two give
// a Note. All blocks of a file are matched against its present text, none against the result of another. It refuses with
// *Error, which names every block that failed; then nothing is to be changed.
func Resolve(edits []Edit, read ReadFunc) (Patch, []Note, error) {
	if len(edits) == 0 {
		return Patch{}, nil, &Error{Failures: []Failure{{Code: NoHunks, Message: "there is no edit to make"}}}
	}
	r := &resolver{read: read, byPath: map[string]*fileEdit{}}
	for _, e := range edits {
		r.add(e)
	}
	var pairs []Pair
	for _, f := range r.files {
		if pair, ok := r.file(f); ok {
			pairs = append(pairs, pair)
		}
	}
	r.collide(pairs)
	if len(r.bad) > 0 {
		return Patch{}, nil, &Error{Failures: r.bad}
	}
	p, err := Diff(pairs)
	if err != nil {
		return Patch{}, nil, err
	}
	return p, r.notes, nil
}

// resolver gathers what one call of Resolve finds.
type resolver struct {
	read   ReadFunc
	files  []*fileEdit
	byPath map[string]*fileEdit
	notes  []Note
	bad    []Failure
}

// fileEdit is all edits of one file.
type fileEdit struct {
	path  string
	edits []Edit
}

func (r *resolver) fail(path string, block int, code Code, next, format string, args ...any) {
	r.bad = append(r.bad, Failure{Path: path, Block: block, Code: code, Message: fmt.Sprintf(format, args...) + next, next: next})
}

func (r *resolver) note(path string, block int, format string, args ...any) {
	r.notes = append(r.notes, Note{Path: path, Block: block, Message: fmt.Sprintf(format, args...)})
}

func (r *resolver) add(e Edit) {
	e.Path, e.NewPath = tidyPath(e.Path), tidyPath(e.NewPath)
	f := r.byPath[e.Path]
	if f == nil {
		f = &fileEdit{path: e.Path}
		r.byPath[e.Path] = f
		r.files = append(r.files, f)
	}
	f.edits = append(f.edits, e)
}

// file resolves the edits of one file; false when it is refused.
func (r *resolver) file(f *fileEdit) (Pair, bool) {
	had := len(r.bad)
	if fail := checkPath(f.path); fail != nil {
		r.bad = append(r.bad, *fail)
	}
	if to := f.edits[0].NewPath; to != "" {
		if fail := checkPath(to); fail != nil {
			r.bad = append(r.bad, *fail)
		}
	}
	if len(r.bad) > had {
		return Pair{}, false
	}
	if !f.goTogether() {
		r.fail(f.path, 0, Mixed, "; send one of them", "one call can change the places of a file, or create, delete, rename or replace it as a whole, but not several of these")
		return Pair{}, false
	}
	before, ok := r.present(f)
	if !ok {
		return Pair{}, false
	}
	pair := Pair{Path: f.path, Before: before}
	e := f.edits[0]
	if e.NewPath != "" && e.NewPath != f.path {
		pair.Path, pair.OldPath = e.NewPath, f.path
	}
	pair.After = r.after(f, before)
	return pair, len(r.bad) == had
}

// goTogether reports whether several edits of one file can be made at once: only quoted places can.
func (f *fileEdit) goTogether() bool {
	for i, e := range f.edits {
		kinds := 0
		for _, is := range []bool{e.Create, e.Delete, e.Whole != nil, i > 0 && e.NewPath != ""} {
			if is {
				kinds++
			}
		}
		if kinds > 1 || kinds == 1 && len(f.edits) > 1 || e.Delete && e.NewPath != "" || e.Create && e.NewPath != "" {
			return false
		}
	}
	return true
}

// present reads the file as it is; nil where it is to be created.
func (r *resolver) present(f *fileEdit) (*Content, bool) {
	c, err := r.read(f.path)
	if errors.Is(err, fs.ErrNotExist) && f.edits[0].Form == UnifiedDiff && !f.creates() {
		// A diff that writes a/ on both sides does not tell a prefix from a folder; the files do.
		for _, prefix := range []string{"a/", "b/"} {
			if short, ok := strings.CutPrefix(f.path, prefix); ok && r.byPath[short] == nil {
				if c2, err2 := r.read(short); err2 == nil {
					r.note(short, 0, "%s was read as %s", f.path, short)
					f.path, c, err = short, c2, nil
				}
			}
		}
	}
	switch {
	case err == nil && c == nil:
		r.fail(f.path, 0, Unreadable, "", "the file could not be read: it gave no content")
	case err == nil && f.edits[0].Create:
		r.fail(f.path, 0, Exists, "; change it by quoting its lines, or choose another name", "the file to create is there already")
	case err == nil:
		return c, true
	case errors.Is(err, fs.ErrNotExist) && f.creates():
		return nil, true
	case errors.Is(err, fs.ErrNotExist):
		r.fail(f.path, 0, NotFound, "; check the path with search_code, or create it with an empty old text", "there is no such file")
	default:
		r.unreadable(f.path, err)
	}
	return nil, false
}

func (r *resolver) unreadable(path string, err error) {
	if errors.Is(err, fs.ErrPermission) {
		r.fail(path, 0, Denied, "", "the file may not be touched: %v", err)
		return
	}
	r.fail(path, 0, Unreadable, "", "the file could not be read: %v", err)
}

// creates reports edits that make sense for an absent file: a new text with nothing quoted.
func (f *fileEdit) creates() bool {
	e := f.edits[0]
	switch {
	case len(f.edits) != 1 || e.Delete || e.NewPath != "":
		return false
	case e.Create || e.Whole != nil:
		return true
	}
	return len(e.Blocks) == 1 && e.Blocks[0].Old == "" && e.Blocks[0].New != ""
}

// proven reports edits of which one was made for the content with the hash, so that it holds byte for byte.
func (f *fileEdit) proven(hash string) bool {
	return hash != "" && slices.ContainsFunc(f.edits, func(e Edit) bool { return e.Before == hash })
}

// newMode is the permission bits of a file that an edit creates without saying more.
const newMode = 0o644

// after makes the content after the edits; nil for a deletion and where something is refused.
func (r *resolver) after(f *fileEdit, before *Content) *Content {
	e := f.edits[0]
	if before == nil {
		return r.created(f.path, e)
	}
	text, enc, err := Decode(before.Data)
	if err != nil {
		if e.Delete && len(e.Blocks) == 0 {
			err = errors.New("it cannot be kept for an undo")
		}
		r.fail(f.path, 0, Binary, "", "the file is not text, so it is not changed by a patch: %v", err)
		return nil
	}
	if e.Delete {
		r.deleted(f.path, e, text)
		return nil
	}
	hash := "" // of the present content, where an edit names the one it was made for
	if slices.ContainsFunc(f.edits, func(e Edit) bool { return e.Before != "" }) {
		hash = Hash(before.Data)
	}
	proven := f.proven(hash)
	if proven && enc != UTF16LE && enc != UTF16BE {
		text, enc = string(before.Data), UTF8 // the lines of our own diffs are the file's bytes
	}
	out := &Content{Mode: before.Mode}
	for _, e := range f.edits {
		if e.Mode != 0 {
			out.Mode = runnable(before.Mode, e.Mode)
		}
	}
	t, ok := r.edited(f, hash, text, enc)
	if !ok {
		return nil
	}
	if enc == UTF8 && !utf8.ValidString(t) && !proven {
		r.fail(f.path, 0, BadEncoding, "; send it as UTF-8", "the file is UTF-8 and the new text is not")
		return nil
	}
	if out.Data, err = enc.Encode(t); err != nil {
		r.fail(f.path, 0, BadEncoding, "; use other characters or an escape", "the file is written in %s and cannot hold the new text: %v", enc, err)
		return nil
	}
	if enc != UTF8 && !isASCII(t) {
		r.note(f.path, 0, "the file is written in %s and stays so", enc)
	}
	if t == text && out.Mode == before.Mode && (e.NewPath == "" || e.NewPath == f.path) {
		r.fail(f.path, 0, NoChange, "; send what is to be different", "the edit leaves the file as it is")
		return nil
	}
	return out
}

// runnable gives a file's permission bits after an edit that names others: as git has it, an edit says whether the file can
// be run, by those who may read it; who may read and write it is the person's own.
func runnable(mode, asked uint32) uint32 {
	if asked&0o100 == 0 {
		return mode &^ 0o111
	}
	return mode | mode&0o444>>2
}

func (r *resolver) created(path string, e Edit) *Content {
	text := ""
	switch {
	case e.Whole != nil:
		text = *e.Whole
	case len(e.Blocks) > 1:
		r.fail(path, 0, Malformed, "", "a new file is written as one hunk")
		return nil
	case len(e.Blocks) == 1:
		if e.Blocks[0].Old != "" {
			r.fail(path, 1, Malformed, "", "a new file has only + lines, but old lines are quoted")
			return nil
		}
		if r.short(path, 1, e.Blocks[0], -1) {
			return nil
		}
		text = e.Blocks[0].New
	}
	if strings.ContainsRune(text, 0) {
		r.fail(path, 0, Binary, "; only text files can be written", "the new text holds a NUL byte")
		return nil
	}
	c := &Content{Data: []byte(text), Mode: newMode}
	if e.Mode != 0 {
		c.Mode = runnable(newMode, e.Mode)
	}
	if !e.Create && e.Form == UnifiedDiff {
		r.note(path, 0, "the file did not exist and is created")
	}
	return c
}

// deleted checks that a deletion which quotes lines quotes the whole file.
func (r *resolver) deleted(path string, e Edit, text string) {
	if len(e.Blocks) == 0 {
		return
	}
	var quoted strings.Builder
	for _, b := range e.Blocks {
		if b.New != "" {
			r.fail(path, 1, Malformed, "; delete all of them", "the diff deletes the file but keeps or adds lines")
			return
		}
		quoted.WriteString(b.Old)
	}
	want, have := spaces.all(splitLines(quoted.String())), spaces.all(splitLines(strings.TrimPrefix(text, mark)))
	if len(want) > 0 && strings.HasPrefix(want[0], mark) {
		want[0] = strings.TrimPrefix(want[0], mark)
	}
	if len(want) != len(have) || !sameLines(want, have) {
		r.fail(path, 1, NoMatch, "; read the file and quote all of it, or leave the hunk out and write only \"deleted file mode\"", "the lines that are to be deleted are not the whole file (%d quoted, %d there)", len(want), len(have))
	}
}

// collide refuses files that end at a path which is taken.
func (r *resolver) collide(pairs []Pair) {
	taken := map[string]bool{}
	for _, p := range pairs {
		if taken[p.Path] {
			r.fail(p.Path, 0, Mixed, "; send one of them", "two edits of this call end at the same path")
		}
		taken[p.Path] = true
		if p.OldPath == "" {
			continue
		}
		switch _, err := r.read(p.Path); {
		case err == nil:
			r.fail(p.OldPath, 0, Exists, "; choose another name", "the file cannot be renamed to %s, which is there already", p.Path)
		case !errors.Is(err, fs.ErrNotExist):
			r.unreadable(p.Path, err)
		}
	}
}
