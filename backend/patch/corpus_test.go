package patch

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// corpusCase is one case of testdata/patch: files, an edit in some form, and what must come of it. Format: README there.
type corpusCase struct {
	name   string
	kinds  []string
	before map[string]string
	modes  map[string]uint32
	edits  []func(kind string) ([]Edit, error)
	want   map[string]string // "" content is kept apart from absence by the key
	gone   []string
	refuse []string
	notes  []string
	noted  bool
}

// everyKind is what a case runs on unless it says otherwise.
var everyKind = []string{"lf", "crlf", "crlf-both", "crlf-edit", "bom", "latin1", "sjis", "utf16le", "utf16be"}

var tokens = strings.NewReplacer("<SP>", " ", "<TAB>", "\t", "<CR>", "\r", "<NUL>", "\x00", "<BOM>", mark, "<NONL>\n", "", "<EMPTY>\n", "", "<E9>", "\xe9", "<FENCE>", "```")

func loadCorpus(t *testing.T, file string) []*corpusCase {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []*corpusCase
	for _, f := range ar.Files {
		key, arg, _ := strings.Cut(f.Name, " ")
		text := tokens.Replace(string(f.Data))
		if key == "case" {
			c := &corpusCase{name: arg, kinds: everyKind, before: map[string]string{}, modes: map[string]uint32{}, want: map[string]string{}}
			for _, l := range strings.Split(text, "\n") {
				if kinds := strings.Fields(l); len(kinds) > 0 && !strings.HasPrefix(l, "#") {
					c.kinds = kinds
				}
			}
			for _, k := range c.kinds {
				if !slices.Contains(everyKind, k) {
					t.Fatalf("%s: case %s: unknown kind %q", file, arg, k)
				}
			}
			cases = append(cases, c)
			continue
		}
		if len(cases) == 0 {
			t.Fatalf("%s: section %q before any case", file, f.Name)
		}
		if err := cases[len(cases)-1].section(key, arg, text); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	return cases
}

func (c *corpusCase) section(key, arg, text string) error {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	switch key {
	case "before":
		c.before[arg] = text
	case "mode":
		var m uint32
		if _, err := fmt.Sscanf(text, "%o", &m); err != nil {
			return err
		}
		c.modes[arg] = m
	case "want":
		c.want[arg] = text
	case "gone":
		c.gone = append(c.gone, arg)
	case "edit":
		c.edits = append(c.edits, func(kind string) ([]Edit, error) { return Parse(editText(kind, text)) })
	case "old":
		c.edits = append(c.edits, func(kind string) ([]Edit, error) { return []Edit{Replace(arg, editText(kind, text), "")}, nil })
	case "new":
		old := c.edits[len(c.edits)-1]
		c.edits[len(c.edits)-1] = func(kind string) ([]Edit, error) {
			e, err := old(kind)
			e[0].Blocks[0].New = editText(kind, text)
			return e, err
		}
	case "whole":
		c.edits = append(c.edits, func(kind string) ([]Edit, error) {
			if _, ok := c.before[arg]; ok && text != "" {
				return []Edit{Whole(arg, editText(kind, heads[kind]+text))}, nil
			}
			return []Edit{Whole(arg, editText(kind, text))}, nil
		})
	case "refuse":
		c.refuse = lines
	case "notes":
		c.noted = true
		if text != "" {
			c.notes = lines
		}
	default:
		return fmt.Errorf("case %s: unknown section %q", c.name, key)
	}
	return nil
}

func editText(kind, text string) string {
	if kind == "crlf-both" || kind == "crlf-edit" {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// head is a line that makes the encoding of a kind show; it goes before the text of every file.
var heads = map[string]string{"latin1": "# déjà vu \n", "sjis": "# かな漢字\n", "utf16le": "# ČΩ漢\n", "utf16be": "# ČΩ漢\n"}

// fileBytes is a text as a file of the kind.
func fileBytes(t *testing.T, kind, text string) []byte {
	t.Helper()
	enc := map[string]Encoding{"latin1": Windows1252, "sjis": ShiftJIS, "utf16le": UTF16LE, "utf16be": UTF16BE}[kind]
	switch kind {
	case "crlf", "crlf-both":
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case "bom", "utf16le", "utf16be":
		text = mark + heads[kind] + text
	default:
		text = heads[kind] + text
	}
	data, err := enc.Encode(text)
	if err != nil {
		t.Fatalf("kind %s: %v", kind, err)
	}
	return data
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/patch/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	total := 0
	for _, file := range files {
		for _, c := range loadCorpus(t, file) {
			for _, kind := range c.kinds {
				total++
				name := strings.TrimSuffix(filepath.Base(file), ".txtar") + "/" + c.name + "/" + kind
				t.Run(name, func(t *testing.T) { c.run(t, kind) })
			}
		}
	}
	if total < 300 {
		t.Errorf("the corpus has %d cases, which is fewer than 300", total)
	}
}

func (c *corpusCase) run(t *testing.T, kind string) {
	before := map[string]*Content{}
	for path, text := range c.before {
		before[path] = &Content{Data: fileBytes(t, kind, text), Mode: 0o644}
		if m, ok := c.modes[path]; ok {
			before[path].Mode = m
		}
	}
	p, notes, err := c.resolve(kind, before)
	if c.refuse != nil {
		c.checkRefusal(t, p, err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	want := maps.Clone(before)
	for path, text := range c.want {
		want[path] = &Content{Data: []byte(editText(kind, text)), Mode: 0o644}
		if b := before[path]; b != nil {
			want[path] = &Content{Data: fileBytes(t, kind, text), Mode: b.Mode}
		} else if len(c.gone) > 0 { // renamed
			want[path] = &Content{Data: fileBytes(t, kind, text), Mode: before[c.gone[0]].Mode}
		}
		if m, ok := c.modes["want "+path]; ok {
			want[path].Mode = m
		}
	}
	for _, path := range c.gone {
		delete(want, path)
	}
	got := applyAll(t, p, before)
	if d := cmp.Diff(texts(want), texts(got)); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	if back := applyAll(t, p.Invert(), got); cmp.Diff(texts(before), texts(back)) != "" {
		t.Errorf("the inverse does not restore the files")
	}
	if c.noted && kind == "lf" {
		checkLines(t, "note", c.notes, notes, func(n Note) string { return fmt.Sprintf("%s %d %s", n.Path, n.Block, n.Message) })
	}
}

func (c *corpusCase) resolve(kind string, before map[string]*Content) (Patch, []Note, error) {
	var all []Edit
	for _, make := range c.edits {
		edits, err := make(kind)
		if err != nil {
			return Patch{}, nil, err
		}
		all = append(all, edits...)
	}
	return Resolve(all, reader(before))
}

func (c *corpusCase) checkRefusal(t *testing.T, p Patch, err error) {
	t.Helper()
	var refused *Error
	if !errors.As(err, &refused) {
		t.Fatalf("error %v and patch\n%s\nwant a refusal %q", err, p, c.refuse)
	}
	if !p.Empty() {
		t.Errorf("a refusal came with a patch")
	}
	checkLines(t, "refusal", c.refuse, refused.Failures, func(f Failure) string { return fmt.Sprintf("%s %d %s %s", f.Path, f.Block, f.Code, f.Message) })
}

// checkLines holds each wanted line, words separated by blanks with … for anything, against what came.
func checkLines[T any](t *testing.T, what string, want []string, got []T, show func(T) string) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%d of %s, want %d: %+v", len(got), what, len(want), got)
		return
	}
	for i := range got {
		rest, ok := strings.ReplaceAll(show(got[i]), "\n", "⏎"), true
		for j, part := range strings.Split(want[i], "…") {
			k := strings.Index(rest, part)
			if k < 0 || j == 0 && k != 0 {
				ok = false
				break
			}
			rest = rest[k+len(part):]
		}
		if !ok {
			t.Errorf("%s %d is\n  %s\nwant\n  %s", what, i+1, show(got[i]), want[i])
		}
	}
}

func applyAll(t *testing.T, p Patch, before map[string]*Content) map[string]*Content {
	t.Helper()
	after := maps.Clone(before)
	for _, f := range p.Files {
		var base *Content
		if f.Status != Added {
			base = before[f.oldPath()]
		}
		c, err := Apply(f, base)
		if err != nil {
			t.Fatalf("Apply: %v\n%s", err, p)
		}
		if f.Status != Added {
			delete(after, f.oldPath())
		}
		if c != nil {
			after[f.Path] = c
		}
	}
	return after
}

// texts makes a tree comparable and readable.
func texts(files map[string]*Content) []string {
	var out []string
	for _, path := range slices.Sorted(maps.Keys(files)) {
		out = append(out, fmt.Sprintf("%s %o\n%q", path, files[path].Mode, files[path].Data))
	}
	return out
}
