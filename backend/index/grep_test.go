package index

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/repo"
)

// TestMatcherIsTheExpression holds the way over fixed parts against the plain one.
func TestMatcherIsTheExpression(t *testing.T) {
	t.Parallel()
	texts := []string{
		"", "\n", "Deadline exceeded\n", "context.DeadlineExceeded\r\nno\n\ndeadline  exceeded", "DEADLINEEXCEEDED deadlineexceeded\n",
		"deadlıne ſkill Kelvin\nKELVIN skill\n", "panic(\"a: overflow\")\npanic(\"b: no\")\n\tpanic(\"c: an overflow\")", "xx\nx\n", "bytes \xff and \xfe\nand\xffand\n",
		"no x\n\tx no\r\n \n x\nx no", "if err != nil {\n\treturn nil, err\n}\nif err != nil { return nil\n}\nif err != nil {\n\n\n\treturn nil\n", "sync.Mutex\natomic.Int64 SYNC strings\n@[`{AZaz\n",
	}
	words, chance := []string{"no", "x", " ", "\n", "\n", "\r\n", "\t", "return", "err != nil {", "{", "SYNC", "a", "deadline exceeded"}, rand.New(rand.NewPCG(1, 2))
	for range 200 {
		text := ""
		for range chance.IntN(20) {
			text += words[chance.IntN(len(words))]
		}
		texts = append(texts, text)
	}
	for _, c := range []struct {
		re   string
		fast bool
	}{
		{`(?i)deadline ?exceeded`, true}, {`panic\("[a-z]+: .*overflow`, true}, {`(?i)kelvin`, true}, {`(?i)SKILL`, true}, {`(?m)^x`, true}, {`and.and`, true},
		{`(x)+x`, true}, {`x{2}`, true}, {`(?m)exceeded$`, true}, {`\bno\b`, true}, {`^x`, false}, {`exceeded$`, false}, {`(?s)x.x`, false}, {`(?i)ſ`, true}, {`x?`, false},
		{`x\s+x`, true}, {`a|b`, false}, {`(?i)sync|atomic`, true}, {`sync|strings|x`, true}, {`err != nil \{\s+return nil(, err)?`, true}, {`(?m)no\s*$`, true}, {`x\n\tx`, true},
		{`\{\n\s*(return|x)`, true}, {`(x\s*){2}`, false}, {`x[^y]+no`, false}, {`(.*\n)+x`, false}, {`\s+x`, false}, {`x|`, false}, {`(no|x)\s(no|x)`, true}, {`(?i)[@A-Z]z`, true},
	} {
		p := Pattern{Regexp: regexp.MustCompile(c.re)}
		m := newMatcher(p)
		if fast := m.must != nil; fast != c.fast {
			t.Errorf("%s: by its fixed part %v, want %v", c.re, fast, c.fast)
		}
		for _, text := range texts {
			for _, n := range []int{1, 100} {
				if d := cmp.Diff(p.lines([]byte(text), n), m.lines([]byte(text), n)); d != "" {
					t.Errorf("%s in %q: %s", c.re, text, d)
				}
			}
		}
	}
}

// TestGrepIsNeverStale changes files behind the index's back; what their old trigrams say rules them out.
func TestGrepIsNeverStale(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Now().Add(time.Hour) // so that "now" is within racy of the update, however long that takes to begin
	write := func(name, text string, age time.Duration) {
		t.Helper()
		file := filepath.Join(dir, name)
		then := now.Add(-age)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, then, then); err != nil {
			t.Fatal(err)
		}
	}
	for i := range pendingFiles + 5 {
		write(fmt.Sprintf("f%02d.go", i), fmt.Sprintf("package a\n\nfunc before%d() {}\n", i), 2*time.Hour)
	}
	write("racy.go", "package a\n", 0)
	r, err := repo.Open(dir, repo.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ix, err := Open(r, t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	mustUpdate(t, ix)
	find := func(text string, o GrepOptions) string {
		t.Helper()
		got, err := ix.Grep(t.Context(), Pattern{Literal: text}, o)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, h := range got.Hits {
			out = append(out, fmt.Sprintf("%s:%d", h.Path, h.Line))
		}
		return strings.Join(out, " ")
	}
	if few, err := ix.candidates(t.Context(), Pattern{Literal: "quuxword"}, GrepOptions{}); err != nil || len(few) != 1 || few[0].path != "racy.go" {
		t.Errorf("what is looked at with nothing changed: %v, %v", few, err)
	}
	write("f03.go", "package a\n\n// quuxword\n", 61*time.Minute)       // another size
	write("f07.go", "package a\n\nfunc quuxwo7() {}\n", 90*time.Minute) // the same size, another time
	write("racy.go", "package q\n", 0)                                  // the same size, the same tick
	for _, c := range []struct{ text, want string }{
		{"quuxword", "f03.go:3"}, {"quuxwo7", "f07.go:3"}, {"package q", "racy.go:1"}, {"before7", ""}, {"before6()", "f06.go:3"},
	} {
		if got := find(c.text, GrepOptions{}); got != c.want {
			t.Errorf("%q is found at %q, want %q", c.text, got, c.want)
		}
	}
	refs, _, err := ix.References(t.Context(), "quuxwo7", GrepOptions{})
	if err != nil || len(refs) != 1 || refs[0].Path != "f07.go" || refs[0].Kind != RefDefinition {
		t.Errorf("references %v, %v", refs, err)
	}
	edited := GrepOptions{Changed: []string{"f09.go"}, Read: func(path string) ([]byte, error) {
		if path == "f09.go" {
			return []byte("package a\n\nvar workspaceOnly int\n"), nil
		}
		return r.Read(path)
	}}
	if got := find("workspaceOnly", edited); got != "f09.go:3" {
		t.Errorf("what only the workspace has is found at %q", got)
	}
}

func TestGrepEndsInTime(t *testing.T) {
	t.Parallel()
	m := newMemory(nil)
	for i := range 200 {
		m.set(fmt.Sprintf("f%03d.txt", i), "abc\n")
	}
	ix := mustOpen(t, m, t.TempDir())
	mustUpdate(t, ix)
	slow := func(path string) ([]byte, error) {
		time.Sleep(5 * time.Millisecond)
		return m.Read(path)
	}
	for _, c := range []struct {
		name string
		o    GrepOptions
		text string
		said *regexp.Regexp
	}{
		{"all", GrepOptions{}, "abc", regexp.MustCompile(`^$`)},
		{"enough", GrepOptions{N: 50}, "abc", regexp.MustCompile(`^the first 50, there may be more; searched 51 of 200 files$`)},
		{"late", GrepOptions{Within: time.Millisecond, Read: slow}, "abc", regexp.MustCompile(`^the first [0-9]+, there may be more; searched [0-9]+ of 200 files$`)},
		{"late with nothing", GrepOptions{Within: time.Millisecond, Read: slow}, "a[b]d", regexp.MustCompile(`^searched [0-9]+ of 200 files in the time there was, and found nothing yet$`)},
	} {
		p := Pattern{Literal: c.text}
		if c.text != "abc" {
			p = Pattern{Regexp: regexp.MustCompile(`.x|a.d`)}
		}
		got, err := ix.Grep(t.Context(), p, c.o)
		if err != nil || !c.said.MatchString(got.Said()) || got.More != (got.Said() != "") {
			t.Errorf("%s: %q, more %v, %v", c.name, got.Said(), got.More, err)
		}
		if c.o.Within > 0 && got.Looked > 100 {
			t.Errorf("%s: %d files were looked at", c.name, got.Looked)
		}
	}
}

func TestGrepLooksAtTheBestFilesFirst(t *testing.T) {
	t.Parallel()
	ix := mustOpen(t, codebase(), t.TempDir())
	mustUpdate(t, ix)
	first := func(best bool) string {
		got, err := ix.Grep(t.Context(), Pattern{Literal: "path"}, GrepOptions{N: 1, Best: best})
		if err != nil || len(got.Hits) != 1 || !got.More {
			t.Fatalf("%+v, %v", got, err)
		}
		return got.Hits[0].Path
	}
	if by, best := first(false), first(true); best != "store/store.go" {
		t.Errorf("by path %s, by rank %s", by, best)
	}
}
