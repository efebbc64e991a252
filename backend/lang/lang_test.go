package lang

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden files lie in testdata/lang/<name>: the sources, and symbols.golden with what is found in them.
const goldenRoot = "../../testdata/lang"

func TestGoldenSymbols(t *testing.T) {
	t.Parallel()
	for _, l := range All() {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(goldenRoot, l.Name)
			p := NewParser()
			defer p.Close()
			var got strings.Builder
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatalf("every language needs a sample and its golden symbols: %v", err)
			}
			for _, e := range entries {
				if e.Name() == "symbols.golden" {
					continue
				}
				src, err := os.ReadFile(filepath.Join(dir, e.Name()))
				if err != nil {
					t.Fatal(err)
				}
				detected, ok := Detect(e.Name(), src)
				if !ok || detected.Name != l.Name {
					t.Errorf("%s is taken for %q", e.Name(), detected.Name)
				}
				defs, broken, err := p.Definitions(l, src)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&got, "# %s broken=%v\n", e.Name(), broken)
				for _, d := range defs {
					doc, _, _ := strings.Cut(d.Doc, "\n")
					fmt.Fprintf(&got, "%d-%d doc@%d %s %s test=%v\n\tsignature: %s\n\tdoc: %s\n", d.StartLine, d.EndLine, d.DocLine, d.Kind, d.Qualified, d.Test, d.Signature, doc)
					if len(d.Names) > 1 {
						fmt.Fprintf(&got, "\tnames: %v\n", d.Names)
					}
				}
			}
			file := filepath.Join(dir, "symbols.golden")
			if *update {
				if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("no golden file; run with -update and read what it says: %v", err)
			}
			if d := cmp.Diff(string(want), got.String()); d != "" {
				t.Errorf("symbols changed (-want +got), run with -update if that is right:\n%s", d)
			}
		})
	}
}

func TestRowsAreWhole(t *testing.T) {
	t.Parallel()
	kinds := []string{"function", "method", "class", "interface", "type", "module", "constant", "field", "section"}
	seen := map[string]string{}
	for _, l := range All() {
		if l.Name == "" || l.Grammar == nil || l.Query == "" || l.TestFile == nil {
			t.Errorf("row %q lacks a field", l.Name)
		}
		p := NewParser()
		r, err := p.row(l)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.query.CaptureCount() {
			name := r.query.CaptureNameForId(i)
			kind, isDef := strings.CutPrefix(name, "definition.")
			if isDef && !slices.Contains(kinds, kind) {
				t.Errorf("%s: unknown kind %q", l.Name, kind)
			}
			if !isDef && !slices.Contains([]string{"name", "body", "doc", "receiver", "scope", "comment", "attribute", "test", "id", "string", "code", "import"}, name) {
				t.Errorf("%s: unknown capture @%s", l.Name, name)
			}
		}
		p.Close()
		for _, e := range l.Extensions {
			if other, dup := seen[e]; dup {
				t.Errorf("%s and %s both claim %s", other, l.Name, e)
			}
			seen[e] = l.Name
		}
	}
}

func TestByPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"a/b.py": "python", "x.go": "go", "x.jsx": "javascript", "x.mjs": "javascript", "x.ts": "typescript", "x.tsx": "tsx",
		"X.java": "java", "x.rs": "rust", "x.c": "c", "x.h": "c", "x.hpp": "cpp", "x.CC": "cpp", "x.rb": "ruby", "Rakefile": "ruby",
		"x.php": "php", "x.cs": "csharp", "README.md": "", "py": "", ".py": "python", "": "",
	} {
		if l, _ := ByPath(path); l.Name != want {
			t.Errorf("%q: %q, want %q", path, l.Name, want)
		}
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, src, want string }{
		{"a.h", "struct a { int x; };\n#include <stdio.h>\n", "c"},
		{"a.h", "#pragma once\nnamespace a {\n}\n", "cpp"},
		{"a.h", "#include <vector>\nint f();\n", "cpp"},
		{"a.h", "#include <sys/types.h>\nint class_of(int);\n", "c"},
		{"bin/run", "#!/usr/bin/env python3\nprint(1)\n", "python"},
		{"bin/run", "#!/usr/bin/ruby -w\n", "ruby"},
		{"bin/run", "#!/usr/bin/env -S node --test\n", "javascript"},
		{"bin/run", "#!/bin/sh\n", "bash"},
		{"README.md", "# a\n", "markdown"},
		{"LICENSE", "", ""},
	} {
		if l, _ := Detect(c.path, []byte(c.src)); l.Name != c.want {
			t.Errorf("%s %q: %q, want %q", c.path, c.src, l.Name, c.want)
		}
	}
}

func TestTestFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path string
		want bool
	}{
		{"tests/test_a.py", true}, {"pkg/a.py", false}, {"pkg/contest.py", false}, {"conftest.py", true},
		{"a_test.go", true}, {"a.go", false}, {"src/a.test.ts", true}, {"src/__tests__/a.js", true}, {"src/attest.js", false},
		{"src/test/java/ATest.java", true}, {"src/main/java/Attest.java", false}, {"spec/a_spec.rb", true},
		{"tests/ATest.php", true}, {"A.Tests/ATests.cs", true}, {"src/lib.rs", false}, {"tests/cli.rs", true}, {"test_a.c", true},
	} {
		l, ok := ByPath(c.path)
		if !ok || l.TestFile(c.path) != c.want {
			t.Errorf("%s: want %v", c.path, c.want)
		}
	}
}

// A parse that ended at its limit must leave the parser clean for the next file.
func TestParserAfterGarbage(t *testing.T) {
	t.Parallel()
	l, _ := ByName("go")
	p := NewParser()
	defer p.Close()
	r, err := p.row(l)
	if err != nil {
		t.Fatal(err)
	}
	r.parser.SetOperationLimit(1000)
	garbage := make([]byte, 1<<20)
	for i := range garbage {
		garbage[i] = "({[<\"'`;:,x\x01\xff"[(i*7919+i/13)%13]
	}
	if _, _, err := p.Definitions(l, garbage); err == nil {
		t.Skip("this machine parsed the garbage within its limit")
	}
	r.parser.SetOperationLimit(int(parseLimit.Microseconds()))
	defs, broken, err := p.Definitions(l, []byte("package a\n\nfunc F() {}\n"))
	if err != nil || broken || len(defs) != 1 || defs[0].StartLine != 3 {
		t.Errorf("%v %v %v", defs, broken, err)
	}
}

func FuzzDefinitions(f *testing.F) {
	for _, l := range All() {
		entries, _ := os.ReadDir(filepath.Join(goldenRoot, l.Name))
		for _, e := range entries {
			if src, err := os.ReadFile(filepath.Join(goldenRoot, l.Name, e.Name())); err == nil {
				f.Add(l.Name, src)
			}
		}
	}
	f.Add("python", []byte("def"))
	f.Fuzz(func(t *testing.T, name string, src []byte) {
		l, ok := ByName(name)
		if !ok || len(src) > 1<<16 {
			return
		}
		p := NewParser()
		defer p.Close()
		defs, _, err := p.Definitions(l, src)
		if err != nil {
			return
		}
		total := strings.Count(string(src), "\n") + 1
		for i, d := range defs {
			if d.StartLine < 1 || d.EndLine < d.StartLine || d.EndLine > total || d.DocLine > d.StartLine || d.DocLine < 1 || d.Parent >= i {
				t.Fatalf("impossible definition %+v in %d lines", d, total)
			}
		}
	})
}
