package patch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestString(t *testing.T) {
	t.Parallel()
	zero := strings.Repeat("0", 64)
	h := func(s string) string { return Hash([]byte(s)) }
	for _, tt := range []struct {
		name string
		pair Pair
		want string
	}{
		{"modified", Pair{Path: "a/b.go", Before: content("package b\n\nfunc F() {\n\tx()\n\ty()\n\tz()\n\told()\n}\n"), After: content("package b\n\nfunc F() {\n\tx()\n\ty()\n\tz()\n\tnew()\n}\n")},
			"diff --git a/a/b.go b/a/b.go\nindex " + h("package b\n\nfunc F() {\n\tx()\n\ty()\n\tz()\n\told()\n}\n") + ".." + h("package b\n\nfunc F() {\n\tx()\n\ty()\n\tz()\n\tnew()\n}\n") + " 100644\n" +
				"--- a/a/b.go\n+++ b/a/b.go\n@@ -4,5 +4,5 @@ func F() {\n \tx()\n \ty()\n \tz()\n-\told()\n+\tnew()\n }\n"},
		{"added", Pair{Path: "x", After: &Content{Data: []byte("1"), Mode: 0o755}},
			"diff --git a/x b/x\nnew file mode 100755\nindex " + zero + ".." + h("1") + "\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+1\n\\ No newline at end of file\n"},
		{"added empty", Pair{Path: "x", After: content("")},
			"diff --git a/x b/x\nnew file mode 100644\nindex " + zero + ".." + h("") + "\n"},
		{"deleted", Pair{Path: "x", Before: content("1\n2\n")},
			"diff --git a/x b/x\ndeleted file mode 100644\nindex " + h("1\n2\n") + ".." + zero + "\n--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n"},
		{"renamed", Pair{Path: "y", OldPath: "x", Before: content("1\n"), After: content("1\n")},
			"diff --git a/x b/y\nrename from x\nrename to y\n"},
		{"mode and text", Pair{Path: "x y", Before: content("1\n"), After: &Content{Data: []byte("2\n"), Mode: 0o755}},
			"diff --git a/x y b/x y\nold mode 100644\nnew mode 100755\nindex " + h("1\n") + ".." + h("2\n") + "\n--- a/x y\t\n+++ b/x y\t\n@@ -1 +1 @@\n-1\n+2\n"},
		{"quoted", Pair{Path: "a\"\\\n\x01", Before: content("1\n"), After: content("1")},
			"diff --git \"a/a\\\"\\\\\\n\\001\" \"b/a\\\"\\\\\\n\\001\"\nindex " + h("1\n") + ".." + h("1") + " 100644\n--- \"a/a\\\"\\\\\\n\\001\"\n+++ \"b/a\\\"\\\\\\n\\001\"\n@@ -1 +1 @@\n-1\n+1\n\\ No newline at end of file\n"},
		{"latin-1", Pair{Path: "x", Before: content("\xe9 \n"), After: content("\xfc \n")},
			"diff --git a/x b/x\nindex " + h("\xe9 \n") + ".." + h("\xfc \n") + " 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\xe9 \n+\xfc \n"},
		{"utf-16", Pair{Path: "x", Before: content(wide("é\n")), After: content(wide("ü\n"))},
			"diff --git a/x b/x\nindex " + h(wide("é\n")) + ".." + h(wide("ü\n")) + " 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\uFEFFé\n+\uFEFFü\n"},
		{"equal", Pair{Path: "x", Before: content("1\n"), After: content("1\n")}, ""},
		{"never there", Pair{Path: "x"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := mustDiff(t, tt.pair)
			if d := cmp.Diff(tt.want, p.String()); d != "" {
				t.Error(d)
			}
			if p.Empty() != (tt.want == "") {
				t.Errorf("Empty is %v", p.Empty())
			}
		})
	}
}

// TestReadableDiffs holds where changes are put when several places give the same text.
func TestReadableDiffs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, before, after, want string }{
		{"function put between two",
			"def a():\n    x()\n\ndef c():\n    x()\n", "def a():\n    x()\n\ndef b():\n    x()\n\ndef c():\n    x()\n",
			" def a():\n     x()\n \n+def b():\n+    x()\n+\n def c():\n     x()\n"},
		{"function put at the end",
			"f() {\n\ta();\n}\n", "f() {\n\ta();\n}\n\ng() {\n\ta();\n}\n",
			" f() {\n \ta();\n }\n+\n+g() {\n+\ta();\n+}\n"},
		{"one of equal lines taken out", "a\na\na\nb\n", "a\na\nb\n", " a\n a\n-a\n b\n"},
		{"line moved", "1\n2\n3\n4\n5\n", "2\n3\n4\n1\n5\n", "-1\n 2\n 3\n 4\n+1\n 5\n"},
		{"block moved past braces",
			"a {\n  1\n}\nb {\n  2\n}\n", "b {\n  2\n}\na {\n  1\n}\n",
			"-a {\n-  1\n-}\n b {\n   2\n }\n+a {\n+  1\n+}\n"},
		{"last end", "a\nb", "a\nb\n", " a\n-b\n\\ No newline at end of file\n+b\n"},
		{"line ends", "a\r\nb\r\n", "a\r\nb\n", " a\r\n-b\r\n+b\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := mustDiff(t, Pair{Path: "f", Before: content(tt.before), After: content(tt.after)}).String()
			_, body, _ := strings.Cut(text, "@@\n")
			if d := cmp.Diff(tt.want, body); d != "" {
				t.Errorf("%s\n%s", d, text)
			}
		})
	}
}

func TestSection(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"func F(a int) error {":           true,
		"func (p *T) F() {":               true,
		"\tdef f(self):":                  true,
		"    async def f(self):":          true,
		"class A(B):":                     true,
		"export default function f() {":   true,
		"  public static class A {":       true,
		"pub(crate) fn f() -> u8 {":       true,
		"impl<T> Foo for T {":             true,
		"static int main(void) {":         true,
		"int main(int argc,":              false,
		"int main(int argc, char **argv)": true,
		"interface A {":                   true,
		"type A struct {":                 true,
		"module Foo":                      true,
		"":                                false,
		"    x = 1":                       false,
		"return f(a)":                     false,
		"if (x) {":                        false,
		"\tif err := f(); err != nil {":   false,
		"for (int i = 0; i < n; i++) {":   false,
		"} else if (x) {":                 false,
		"type = 1":                        false,
		"class: foo":                      false,
		"x = f(a)":                        false,
		"f(a);":                           false,
		"# def f():":                      false,
		"// func f() {":                   false,
	} {
		if got := isDefinition(line + "\n"); got != want {
			t.Errorf("isDefinition(%q) = %v", line, got)
		}
	}
	long := "func " + strings.Repeat("é", 100) + "() {"
	if got := cutSection(long); len(got) > maxSection || !strings.HasPrefix(long, got) {
		t.Errorf("cutSection gives %d bytes, %q", len(got), got)
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, data, text string
		enc              Encoding
		binary           bool
	}{
		{name: "empty"},
		{name: "ascii", data: "a\n", text: "a\n"},
		{name: "utf-8", data: "é漢\n", text: "é漢\n"},
		{name: "utf-8 with a mark", data: mark + "a", text: mark + "a"},
		{name: "latin-1", data: "\xe9t\xe9 \x80\x81\xff", text: "été €\u0081ÿ", enc: Windows1252},
		{name: "every byte", data: allBytes(), text: decode1252([]byte(allBytes())), enc: Windows1252},
		{name: "shift-jis", data: "\x82\xa0\x83\x41\x8a\xbf\n", text: "あア漢\n", enc: ShiftJIS},
		{name: "kanji alone are not told from latin-1", data: "\x8a\xbf", text: "Š¿", enc: Windows1252},
		{name: "utf-16", data: "\xff\xfea\x00\n\x00", text: mark + "a\n", enc: UTF16LE},
		{name: "utf-16, big end first", data: "\xfe\xff\x00a\x00\n", text: mark + "a\n", enc: UTF16BE},
		{name: "utf-16 of odd length", data: "\xff\xfea", binary: true},
		{name: "utf-16 with half a pair", data: "\xff\xfe\x00\xd8", binary: true},
		{name: "utf-32", data: "\xff\xfe\x00\x00a\x00\x00\x00", binary: true},
		{name: "utf-16 without a mark", data: "a\x00b\x00", binary: true},
		{name: "NUL", data: "a\x00b", binary: true},
		{name: "NUL far behind", data: strings.Repeat("a", sniffed) + "\x00", text: strings.Repeat("a", sniffed) + "\x00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, enc, err := Decode([]byte(tt.data))
			if errors.Is(err, ErrBinary) != tt.binary || text != tt.text || enc != tt.enc {
				t.Fatalf("%q %q %v", text, enc, err)
			}
			if tt.binary {
				return
			}
			if back, err := enc.Encode(text); err != nil || string(back) != tt.data {
				t.Errorf("back to %q, %v", back, err)
			}
		})
	}
}

// allBytes has every byte but NUL.
func allBytes() string {
	var b strings.Builder
	for c := 1; c < 256; c++ {
		b.WriteByte(byte(c))
	}
	return b.String()
}

func TestDiffRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		pairs []Pair
		want  Code
	}{
		{"binary before", []Pair{{Path: "x", Before: content("\x00"), After: content("a")}}, Binary},
		{"binary after", []Pair{{Path: "x", Before: content("a"), After: content("\x00")}}, Binary},
		{"outside", []Pair{{Path: "../x", After: content("a")}}, Outside},
		{"renamed from outside", []Pair{{Path: "x", OldPath: "/x", Before: content("a"), After: content("a")}}, Outside},
		{"twice", []Pair{{Path: "x", After: content("a")}, {Path: "x", After: content("b")}}, Mixed},
		{"renamed and changed", []Pair{{Path: "y", OldPath: "x", Before: content("a"), After: content("a")}, {Path: "x", Before: content("a")}}, Mixed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Diff(tt.pairs)
			var refusal *Error
			if !errors.As(err, &refusal) || refusal.Failures[0].Code != tt.want || !p.Empty() {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

func TestApplyRefusals(t *testing.T) {
	t.Parallel()
	change := mustDiff(t, Pair{Path: "x", Before: content("1\n2\n3\n"), After: content("1\nb\n3\n")}).Files[0]
	add := mustDiff(t, Pair{Path: "x", After: content("1\n")}).Files[0]
	alter := func(f func(*File)) File {
		c := change
		c.Hunks = []Hunk{change.Hunks[0]}
		c.Hunks[0].Lines = append([]Line(nil), change.Hunks[0].Lines...)
		f(&c)
		return c
	}
	for _, tt := range []struct {
		name    string
		file    File
		before  *Content
		changed bool // wraps ErrChanged
	}{
		{"other content", change, content("1\n2\n"), true},
		{"content already changed", change, content("1\nb\n3\n"), true},
		{"absent", change, nil, true},
		{"there already", add, content("1\n"), true},
		{"added line altered", alter(func(f *File) { f.Hunks[0].Lines[2].Text = "c\n" }), content("1\n2\n3\n"), false},
		{"context altered", alter(func(f *File) { f.Hunks[0].Lines[0].Text = "c\n" }), content("1\n2\n3\n"), false},
		{"start altered", alter(func(f *File) { f.Hunks[0].OldStart = 2 }), content("1\n2\n3\n"), false},
		{"start below the file", alter(func(f *File) { f.Hunks[0].OldStart = 9 }), content("1\n2\n3\n"), false},
		{"start above the file", alter(func(f *File) { f.Hunks[0].OldStart = -9 }), content("1\n2\n3\n"), false},
		{"count altered", alter(func(f *File) { f.Hunks[0].OldLines = 2 }), content("1\n2\n3\n"), false},
		{"hunk twice", alter(func(f *File) { f.Hunks = append(f.Hunks, f.Hunks[0]) }), content("1\n2\n3\n"), false},
		{"hunk taken out", alter(func(f *File) { f.Hunks = nil }), content("1\n2\n3\n"), false},
		{"unknown encoding", alter(func(f *File) { f.Encoding = "ebcdic" }), content("1\n2\n3\n"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Apply(tt.file, tt.before)
			if err == nil || got != nil || errors.Is(err, ErrChanged) != tt.changed {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	before := content("1\n2\n3\n")
	if _, err := Apply(change, before); err != nil || string(before.Data) != "1\n2\n3\n" {
		t.Errorf("the content before was written to: %q, %v", before.Data, err)
	}
}

func TestSelect(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.Repeat("x\n", 40), "\n")
	for i := range lines {
		lines[i] = fmt.Sprint(i)
	}
	base := strings.Join(lines, "\n") + "\n"
	changed := strings.NewReplacer("\n3\n", "\nthree\nand more\n", "\n20\n", "\n", "\n35\n", "\nthirty-five\n").Replace(base)
	files := map[string]*Content{"m": content(base), "d": content("1\n"), "r": content(base), "mode": content("1\n"), "e": content("")}
	p := mustDiff(t,
		Pair{Path: "a", After: content("1\n")}, Pair{Path: "d", Before: files["d"]},
		Pair{Path: "m", Before: files["m"], After: &Content{Data: []byte(changed), Mode: 0o755}},
		Pair{Path: "mode", Before: files["mode"], After: &Content{Data: []byte("1\n"), Mode: 0o755}},
		Pair{Path: "s", OldPath: "r", Before: files["r"], After: content(changed)})
	pick := func(keep func(file, hunk int) bool) map[string]string {
		t.Helper()
		part, err := p.Select(keep, reader(files))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, f := range part.Files {
			got[f.Path] = string(f.Status)
		}
		after := applyAll(t, part, files)
		if back := applyAll(t, part.Invert(), after); cmp.Diff(texts(files), texts(back)) != "" {
			t.Error("the inverse of a choice does not restore the files")
		}
		for path, c := range after {
			if strings.Contains(string(c.Data), "thirty-five") {
				got[path] += " 35"
			}
			if strings.Contains(string(c.Data), "three") {
				got[path] += " 3"
			}
		}
		return got
	}
	for name, tt := range map[string]struct {
		keep func(file, hunk int) bool
		want map[string]string
	}{
		"nothing":     {func(int, int) bool { return false }, map[string]string{}},
		"first hunks": {func(_, h int) bool { return h == 0 }, map[string]string{"a": "added", "d": "deleted", "m": "modified 3", "mode": "modified", "s": "renamed 3"}},
		"last hunks":  {func(_, h int) bool { return h == 2 }, map[string]string{"m": "modified 35", "s": "renamed 35"}},
		"one file":    {func(f, _ int) bool { return f == 1 }, map[string]string{"d": "deleted"}},
	} {
		if d := cmp.Diff(tt.want, pick(tt.keep)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	files["m"] = content(base + "more\n")
	if _, err := p.Select(func(_, h int) bool { return h == 0 }, reader(files)); !errors.Is(err, ErrChanged) {
		t.Errorf("a choice over a changed base: %v", err)
	}
	delete(files, "m")
	if _, err := p.Select(func(_, h int) bool { return h == 0 }, reader(files)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a choice over an absent base: %v", err)
	}
}

func TestWholeLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lines int
		code  Code
	}{{WholeLimit - 1, ""}, {WholeLimit, TooLong}} {
		before := strings.Repeat("x\n", tt.lines)
		_, _, err := Resolve([]Edit{Whole("f", before+"y\n")}, reader(map[string]*Content{"f": content(before)}))
		var refusal *Error
		if errors.As(err, &refusal) != (tt.code != "") || refusal != nil && refusal.Failures[0].Code != tt.code {
			t.Errorf("%d lines: %v", tt.lines, err)
		}
	}
}

func TestReadFailures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want Code
	}{
		{fmt.Errorf("secret file .env: %w", fs.ErrPermission), Denied},
		{errors.New("disk on fire"), Unreadable},
		{fs.ErrNotExist, NotFound},
		{nil, Unreadable}, // neither content nor error
	} {
		_, _, err := Resolve([]Edit{Replace("f", "a", "b")}, func(string) (*Content, error) { return nil, tt.err })
		var refusal *Error
		if !errors.As(err, &refusal) || refusal.Failures[0].Code != tt.want {
			t.Errorf("%v gives %v, want %s", tt.err, err, tt.want)
		}
	}
}

func TestResolveNothing(t *testing.T) {
	t.Parallel()
	_, _, err := Resolve(nil, reader(nil))
	var refusal *Error
	if !errors.As(err, &refusal) || refusal.Failures[0].Code != NoHunks {
		t.Errorf("no edits: %v", err)
	}
}

// TestNearest holds the whole message of a missed match, as a model sees it.
func TestNearest(t *testing.T) {
	t.Parallel()
	before := strings.Join(goText(200), "") + "func total(items []Item) int {\n\tsum := 0\n\tfor _, it := range items {\n\t\tsum += it.Price\n\t}\n\treturn sum\n}\n"
	_, _, err := Resolve([]Edit{Replace("shop.go", "\tsum := 0\n\tfor _, item := range items {\n\t\tsum += it.Price\n", "x")}, reader(map[string]*Content{"shop.go": content(before)}))
	want := "edit refused, nothing was changed: shop.go: block 1: the quoted text is not in the file; the nearest lines are 202-204 (2 of 3 quoted lines are the same)\n" +
		"    202   \tsum := 0\n" +
		"    203 ≠ \tfor _, it := range items {\n" +
		"   quoted \tfor _, item := range items {\n" +
		"    204   \t\tsum += it.Price\n" +
		"Read the file again and quote its lines exactly"
	if d := cmp.Diff(want, fmt.Sprint(err)); d != "" {
		t.Error(d)
	}
}

// TestJSON holds the stored form: sessions are read again by later versions.
func TestJSON(t *testing.T) {
	t.Parallel()
	p := mustDiff(t, Pair{Path: "y", OldPath: "x", Before: content("\xe9 \r\nb"), After: &Content{Data: []byte("\xfc \r\nb"), Mode: 0o755}})
	const want = `{"files":[{"path":"y","old_path":"x","status":"renamed","old_mode":420,"new_mode":493,` +
		`"before":"BEFORE","after":"AFTER",` +
		`"hunks":[{"old_start":1,"old_lines":2,"new_start":1,"new_lines":2,"lines":[{"op":"-","text":"é \r\n"},{"op":"+","text":"ü \r\n"},{"op":" ","text":"b"}]}],"encoding":"windows-1252"}]}`
	got, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	expect := strings.NewReplacer("BEFORE", Hash([]byte("\xe9 \r\nb")), "AFTER", Hash([]byte("\xfc \r\nb"))).Replace(want)
	if d := cmp.Diff(expect, string(got)); d != "" {
		t.Error(d)
	}
	var back Patch
	if err := json.Unmarshal(got, &back); err != nil || cmp.Diff(p, back) != "" {
		t.Errorf("read back: %v %s", err, cmp.Diff(p, back))
	}
	if p.Hash() != back.Hash() || len(p.Hash()) != 64 {
		t.Errorf("hash %q and %q", p.Hash(), back.Hash())
	}
	if s := p.Stat(); s != (Stat{Added: 1, Removed: 1}) {
		t.Errorf("stat %+v", s)
	}
}

// TestEmptyLineWithoutEnd holds that an empty line in front of "\ No newline" is no line: taken for one, its place lay
// outside of the quoted text.
func TestEmptyLineWithoutEnd(t *testing.T) {
	const head = "--- a/x\n+++ b/x\n"
	const sign = "\\ No newline at end of file\n"
	for _, c := range []struct{ name, before, diff, want string }{
		{"taken away", "a\n", "@@ -1,2 +1 @@\n a\n-\n" + sign, ""},
		{"the only one", "b\n", "@@ -1 +0,0 @@\n-\n" + sign, ""},
		{"put for another", "a\n", "@@ -1 +1 @@\n-a\n+\n" + sign, "\x00"},
		{"put behind", "a\n", "@@ -1 +1,2 @@\n-a\n+b\n+\n" + sign, "b\n"},
		{"kept", "a\n", "@@ -1,2 +1,2 @@\n-a\n+b\n \n" + sign, "b\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			edits, err := Parse(head + c.diff)
			var p Patch
			if err == nil {
				p, _, err = Resolve(edits, func(string) (*Content, error) { return &Content{Data: []byte(c.before)}, nil })
			}
			if c.want == "" {
				mustRefuse(t, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			after, err := Apply(p.Files[0], &Content{Data: []byte(c.before)})
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Trim(c.want, "\x00"); string(after.Data) != want {
				t.Errorf("became %q, want %q", after.Data, want)
			}
		})
	}
}

// TestModeOfAnEdit: an edit says whether a file can be run, and never who may read or write it.
func TestModeOfAnEdit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before uint32 // of the file, 0 for none
		mode   string // that the diff names
		want   uint32
	}{
		"new, plain":              {0, "100644", 0o644},
		"new, to be run":          {0, "100755", 0o755},
		"new, for all to write":   {0, "100666", 0o644},
		"new, all of it":          {0, "100777", 0o755},
		"new, set-user-ID":        {0, "104755", 0o755},
		"to be run":               {0o644, "100755", 0o755},
		"private, to be run":      {0o600, "100755", 0o700},
		"group's, to be run":      {0o640, "100755", 0o750},
		"no longer to be run":     {0o755, "100644", 0o644},
		"opened to all":           {0o600, "100777", 0o700},
		"opened to all's writing": {0o640, "100666", 0o640},
		"closed to its owner":     {0o644, "100044", 0o644},
	} {
		head := "old mode 100644\nnew mode " + c.mode + "\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
		base := map[string]*Content{"x": {Data: []byte("a\n"), Mode: c.before}}
		if c.before == 0 {
			head = "new file mode " + c.mode + "\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n"
			delete(base, "x")
		}
		edits, err := Parse("diff --git a/x b/x\n" + head)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p, _, err := Resolve(edits, func(path string) (*Content, error) {
			if f, ok := base[path]; ok {
				return f, nil
			}
			return nil, fs.ErrNotExist
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := p.Files[0].NewMode; got != c.want {
			t.Errorf("%s: %o, want %o", name, got, c.want)
		}
	}
}
