package patch

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// corpusTexts gives each edit of the corpus with the first file of its case.
func corpusTexts(f *testing.F, add func(before, edit string)) {
	files, err := filepath.Glob("../../testdata/patch/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no corpus: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		before := ""
		for _, s := range txtar.Parse(data).Files {
			text := tokens.Replace(string(s.Data))
			switch key, _, _ := strings.Cut(s.Name, " "); key {
			case "case":
				before = ""
			case "before":
				if before == "" {
					before = text
				}
			case "edit":
				add(before, text)
			}
		}
	}
}

func mustRefuse(t *testing.T, err error) {
	t.Helper()
	var refusal *Error
	if !errors.As(err, &refusal) || len(refusal.Failures) == 0 {
		t.Fatalf("a refusal without reasons: %v", err)
	}
	for _, f := range refusal.Failures {
		if f.Code == "" || f.Message == "" {
			t.Fatalf("a failure without code or message: %+v", f)
		}
	}
}

func FuzzParse(f *testing.F) {
	corpusTexts(f, func(_, edit string) { f.Add(edit) })
	f.Fuzz(func(t *testing.T, text string) {
		edits, err := Parse(text)
		if err != nil {
			mustRefuse(t, err)
			return
		}
		if len(edits) == 0 {
			t.Fatal("neither an edit nor an error")
		}
		for _, e := range edits {
			if len(e.Blocks) == 0 && !e.Create && !e.Delete && e.NewPath == "" && e.Mode == 0 {
				t.Fatalf("an edit that does nothing: %+v", e)
			}
			for _, b := range e.Blocks {
				for _, r := range b.runs {
					if old, new := splitLines(b.Old), splitLines(b.New); r.aHi > len(old) || r.bHi > len(new) || r.aLo > r.aHi || r.bLo > r.bHi {
						t.Fatalf("run %+v outside its block", r)
					}
				}
			}
		}
	})
}

// checkSafe holds a patch that was made of an edit against what must be true of any.
func checkSafe(t *testing.T, p Patch, before *Content, quoted string) {
	t.Helper()
	if p.Empty() {
		t.Fatal("a resolved edit that changes nothing")
	}
	for _, file := range p.Files {
		var base *Content
		if file.Status != Added {
			base = before
		}
		after, err := Apply(file, base)
		if err != nil {
			t.Fatalf("Apply: %v\n%s", err, p)
		}
		back, err := Apply(file.invert(), after)
		if d := cmp.Diff(base, back); err != nil || d != "" {
			t.Fatalf("the inverse: %v %s", err, d)
		}
		if !utf8.ValidString(quoted) {
			continue
		}
		// Nothing is taken away that was not quoted; a line that only moves or changes its ends is not taken away.
		net := map[string]int{}
		for _, h := range file.Hunks {
			for _, l := range h.Lines {
				switch text := strings.TrimSpace(strings.TrimPrefix(l.Text, mark)); l.Op {
				case Delete:
					net[text]++
				case Insert:
					net[text]--
				case Context:
				}
			}
		}
		for text, n := range net {
			if n > strings.Count(quoted, text) {
				t.Fatalf("line %q is deleted %d times and was quoted %d times in\n%s", text, n, strings.Count(quoted, text), quoted)
			}
		}
	}
}

// everyFile gives the same content for any path but new ones.
func everyFile(c *Content) ReadFunc {
	return func(path string) (*Content, error) {
		if strings.Contains(path, "new") {
			return nil, fs.ErrNotExist
		}
		return c, nil
	}
}

func FuzzResolve(f *testing.F) {
	corpusTexts(f, func(before, edit string) { f.Add([]byte(before), edit) })
	f.Add(encode16(mark+"one\ntwo\n", binary.LittleEndian), "--- a/x\n+++ b/x\n@@ @@\n one\n-two\n+zwei\n")
	f.Add([]byte("caf\xe9 \ntwo\n"), "--- a/x\n+++ b/x\n@@ @@\n café \n-two\n+zwei\n")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		edits, err := Parse(text)
		if err != nil {
			return
		}
		before := &Content{Data: data, Mode: 0o644}
		p, _, err := Resolve(edits, everyFile(before))
		if err != nil {
			mustRefuse(t, err)
			return
		}
		for _, e := range edits {
			if e.Delete && len(e.Blocks) == 0 {
				return // a deletion by its header alone quotes nothing
			}
		}
		checkSafe(t, p, before, text)
	})
}

func FuzzReplace(f *testing.F) {
	f.Add([]byte("one\ntwo\nthree\n"), "two", "zwei")
	f.Add([]byte("one\r\ntwo\r\nthree"), "two\nthree", "zwei\n")
	f.Add([]byte("\ta\n\tb\n"), "a\nb", "c\nd\n\te")
	f.Add([]byte("caf\xe9\n"), "café", "thé")
	f.Fuzz(func(t *testing.T, data []byte, old, new string) {
		before := &Content{Data: data, Mode: 0o644}
		p, _, err := Resolve([]Edit{Replace("f", old, new)}, everyFile(before))
		if err != nil {
			mustRefuse(t, err)
			return
		}
		text, enc, err := Decode(data)
		if err != nil {
			t.Fatalf("an edit of a file that cannot be read: %v", err)
		}
		if n := strings.Count(text, old); n > 1 && utf8.ValidString(old) {
			t.Fatalf("%q stands %d times and was replaced", old, n)
		}
		after, err := Apply(p.Files[0], before)
		if err != nil {
			t.Fatal(err)
		}
		got, err := enc.decodeAs(after.Data)
		if err != nil {
			t.Fatal(err)
		}
		// With neither line ends nor a shift at stake the result is that of the plain replacement.
		if old != "" && utf8.ValidString(old) && utf8.ValidString(new) && !strings.ContainsAny(text+old+new, "\r") && !strings.Contains(old+new, "\n") && strings.Contains(text, old) {
			if want := strings.Replace(text, old, new, 1); got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
		}
	})
}

func FuzzApply(f *testing.F) {
	f.Add([]byte("one\ntwo\n"), []byte("one\nzwei\n"), []byte("eins\ntwo\n"))
	f.Add([]byte(""), []byte("one"), []byte("\n"))
	f.Add([]byte("a\r\nb\nc"), []byte("a\nb\nc\n"), []byte("a\r\nb\r\nc"))
	f.Add([]byte("\xff\xfea\x00\n\x00"), []byte("a\n"), []byte("\xe9\n"))
	f.Add([]byte("\x83\x41\n"), []byte("\x83\x41\n\xe9 \n"), []byte("é\n"))
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		before, after := &Content{Data: a, Mode: 0o644}, &Content{Data: b, Mode: 0o755}
		p, err := Diff([]Pair{{Path: "f", Before: before, After: after}})
		if err != nil {
			mustRefuse(t, err)
			return
		}
		got, err := Apply(p.Files[0], before)
		if err != nil || cmp.Diff(string(b), string(got.Data)) != "" || got.Mode != 0o755 {
			t.Fatalf("Apply(Diff(a, b), a): %v\n%s", err, p)
		}
		back, err := Apply(p.Invert().Files[0], after)
		if err != nil || string(back.Data) != string(a) {
			t.Fatalf("Apply(Invert): %v", err)
		}
		if d := cmp.Diff(p, p.Invert().Invert()); d != "" {
			t.Fatal(d)
		}
		if string(c) != string(a) {
			if _, err := Apply(p.Files[0], &Content{Data: c}); !errors.Is(err, ErrChanged) {
				t.Fatalf("other content was changed: %v", err)
			}
		}
		merged, conflicts, err := Merge(a, b, c)
		if err != nil {
			return
		}
		other, otherConflicts, err := Merge(a, c, b)
		if err != nil || string(merged) != string(other) || len(conflicts) != len(otherConflicts) {
			t.Fatalf("sides of a merge matter: %v %q %q", err, merged, other)
		}
		if string(c) == string(a) && string(merged) != string(b) {
			t.Fatalf("merge with an unchanged side: %q", merged)
		}
	})
}

func FuzzRoundTrip(f *testing.F) {
	f.Add("one\ntwo\n", "one\nzwei\n")
	f.Add("@@ -1 +1 @@\n-x\n", "--- a/y\n+++ b/y\n@@\n")
	f.Add("```\n", "<<<<<<< SEARCH\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		p, err := Diff([]Pair{{Path: "f", Before: content(a), After: content(b)}})
		if err != nil || p.Empty() {
			return
		}
		edits, err := Parse(p.String())
		if err != nil {
			t.Fatalf("Parse(String): %v\n%q", err, p.String())
		}
		back, _, err := Resolve(edits, everyFile(content(a)))
		if err != nil {
			t.Fatalf("Resolve(Parse(String)): %v\n%q", err, p.String())
		}
		if d := cmp.Diff(p, back); d != "" && p.Files[0].Encoding != UTF16LE && p.Files[0].Encoding != UTF16BE {
			t.Fatalf("%s\n%q", d, p.String())
		}
	})
}
