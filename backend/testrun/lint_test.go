package testrun

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/sandbox"
)

// said is what a tool printed about one small file, in the form of the version in its name's comment.
type said struct {
	stdout, stderr string
	exit           int
	want           []Finding
}

func outputsOfLinters() map[string]said {
	return map[string]said{
		"gofmt":  {stdout: "a.go\n", want: []Finding{{File: "a.go", Rule: "formatting", Text: "not as gofmt writes it"}}},                                                                                                            // Go 1.26
		"go vet": {stderr: "# m\n# [m]\n./a.go:6:15: fmt.Printf format %d has arg \"x\" of wrong type string\n", exit: 1, want: []Finding{{File: "a.go", Line: 6, Text: "fmt.Printf format %d has arg \"x\" of wrong type string"}}}, // Go 1.26
		"staticcheck": {stdout: "a.go:5:6: func f is unused (U1000)\na.go:8:2: this value of s is never used (SA4006)\n", exit: 1, want: []Finding{ // 2025.1
			{File: "a.go", Line: 5, Rule: "U1000", Text: "func f is unused"}, {File: "a.go", Line: 8, Rule: "SA4006", Text: "this value of s is never used"}}},
		"golangci-lint": {stdout: "a.go:8:2: ineffectual assignment to s (ineffassign)\n\ts = append(s, 1)\n\t^\n", exit: 1, want: []Finding{{File: "a.go", Line: 8, Rule: "ineffassign", Text: "ineffectual assignment to s"}}}, // form of 1.x and 2.x
		"ruff": {stdout: `[{"cell":null,"code":"F401","end_location":{"column":10,"row":1},"filename":"/workspace/bad.py","location":{"column":8,"row":1},"message":"` + "`os` imported but unused" + `"},{"code":null,"filename":"/workspace/bad.py","location":{"row":3,"column":1},"message":"SyntaxError: Expected an expression"}]`, exit: 1,
			want: []Finding{{File: "bad.py", Line: 1, Rule: "F401", Text: "`os` imported but unused"}, {File: "bad.py", Line: 3, Rule: "syntax", Text: "SyntaxError: Expected an expression"}}},
		"ruff format": {stdout: "Would reformat: bad.py\n1 file would be reformatted\n", exit: 1, want: []Finding{{File: "bad.py", Rule: "formatting", Text: "not as ruff writes it"}}},
		"black":       {stderr: "would reformat bad.py\n\nOh no! 💥 💔 💥\n1 file would be reformatted.\n", exit: 1, want: []Finding{{File: "bad.py", Rule: "formatting", Text: "not as black writes it"}}},                                                                                                                // 23.1
		"isort":       {stderr: "ERROR: /workspace/bad.py Imports are incorrectly sorted and/or formatted.\n", exit: 1, want: []Finding{{File: "bad.py", Rule: "imports", Text: "imports are not as isort sorts them"}}},                                                                                                // 5.6
		"flake8":      {stdout: "bad.py:1:1: F401 'os' imported but unused\nbad.py:3:1: E302 expected 2 blank lines, found 0\n", exit: 1, want: []Finding{{File: "bad.py", Line: 1, Rule: "F401", Text: "'os' imported but unused"}, {File: "bad.py", Line: 3, Rule: "E302", Text: "expected 2 blank lines, found 0"}}}, // 5.0
		"pylint":      {stdout: "************* Module bad\nbad.py:4:4: W0612 Unused variable 'x' (unused-variable)\n", exit: 20, want: []Finding{{File: "bad.py", Line: 4, Rule: "W0612", Text: "Unused variable 'x' (unused-variable)"}}},                                                                              // 2.16
		"mypy": {stdout: "bad.py:5: error: Incompatible return value type (got \"int\", expected \"str\")  [return-value]\nbad.py:5: note: see the docs\n", exit: 1, // 1.0
			want: []Finding{{File: "bad.py", Line: 5, Rule: "return-value", Text: "Incompatible return value type (got \"int\", expected \"str\")"}}},
		"pyright": {stdout: `{"version":"1.1","generalDiagnostics":[{"file":"/workspace/bad.py","severity":"error","message":"Type \"int\" is not assignable","range":{"start":{"line":4,"character":11}},"rule":"reportReturnType"},{"file":"/workspace/bad.py","severity":"information","message":"x","range":{"start":{"line":0}}}]}`, exit: 1,
			want: []Finding{{File: "bad.py", Line: 5, Rule: "reportReturnType", Text: "Type \"int\" is not assignable"}}},
		"eslint": {stdout: `[{"filePath":"/workspace/bad.js","messages":[{"ruleId":"no-unused-vars","severity":2,"message":"'a' is assigned a value but never used.","line":1,"column":7},{"ruleId":null,"fatal":true,"severity":2,"message":"Parsing error: Unexpected token","line":2}],"errorCount":2}]`, exit: 1,
			want: []Finding{{File: "bad.js", Line: 1, Rule: "no-unused-vars", Text: "'a' is assigned a value but never used."}, {File: "bad.js", Line: 2, Text: "Parsing error: Unexpected token"}}},
		"prettier": {stdout: "bad.js\n", exit: 1, want: []Finding{{File: "bad.js", Rule: "formatting", Text: "not as prettier writes it"}}},
		"biome":    {stdout: "::error title=lint/suspicious/noDoubleEquals,file=bad.js,line=2,endLine=2,col=7,endColumn=9::Use === instead of ==\n", exit: 1, want: []Finding{{File: "bad.js", Line: 2, Rule: "lint/suspicious/noDoubleEquals", Text: "Use === instead of =="}}},
		"tsc":      {stdout: "bad.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\n", exit: 2, want: []Finding{{File: "bad.ts", Line: 1, Rule: "TS2322", Text: "Type 'string' is not assignable to type 'number'."}}},
		"rustfmt":  {stdout: "/workspace/src/lib.rs\n", exit: 1, want: []Finding{{File: "src/lib.rs", Rule: "formatting", Text: "not as rustfmt writes it"}}}, // 1.95
		"clippy": {stdout: `{"reason":"compiler-message","message":{"level":"warning","message":"length comparison to zero","spans":[{"file_name":"src/lib.rs","line_start":2,"is_primary":true}],"code":{"code":"clippy::len_zero"}}}` + "\n" + `{"reason":"build-finished","success":true}` + "\n", // 1.95, shortened
			want: []Finding{{File: "src/lib.rs", Line: 2, Rule: "clippy::len_zero", Text: "length comparison to zero"}}},
		"rubocop": {stdout: `{"files":[{"path":"a.rb","offenses":[{"severity":"convention","message":"Prefer single-quoted strings.","cop_name":"Style/StringLiterals","location":{"start_line":3,"line":3}}]}],"summary":{"offense_count":1}}`, exit: 1,
			want: []Finding{{File: "a.rb", Line: 3, Rule: "Style/StringLiterals", Text: "Prefer single-quoted strings."}}},
		"phpstan": {stdout: `{"totals":{"errors":0,"file_errors":1},"files":{"/workspace/src/a.php":{"errors":1,"messages":[{"message":"Undefined variable: $x","line":4,"ignorable":true,"identifier":"variable.undefined"}]}},"errors":[]}`, exit: 1,
			want: []Finding{{File: "src/a.php", Line: 4, Rule: "variable.undefined", Text: "Undefined variable: $x"}}},
		"shellcheck": {stdout: `[{"file":"bad.sh","line":2,"endLine":2,"column":8,"endColumn":10,"level":"info","code":2086,"message":"Double quote to prevent globbing and word splitting.","fix":null}]`, exit: 1, // 0.9
			want: []Finding{{File: "bad.sh", Line: 2, Rule: "SC2086", Text: "Double quote to prevent globbing and word splitting."}}},
	}
}

// TestLintersAreRead reads what each tool prints, in the root and in a folder below it.
func TestLintersAreRead(t *testing.T) {
	outputs := outputsOfLinters()
	for _, l := range Linters() {
		t.Run(l.Name, func(t *testing.T) {
			s, ok := outputs[l.Name]
			if !ok {
				t.Fatalf("no output of %s to read", l.Name)
			}
			for _, dir := range []string{"", "part"} {
				root := t.TempDir()
				for _, f := range s.want {
					full := filepath.Join(root, dir, f.File)
					if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(full, nil, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				stdout := s.stdout
				if dir != "" {
					stdout = strings.ReplaceAll(stdout, "/workspace/", "/workspace/part/")
				}
				o := output{dir: dir, exit: s.exit, stdout: []byte(stdout), stderr: []byte(strings.ReplaceAll(s.stderr, "/workspace/", join("/workspace", dir)+"/")),
					tree: folder{root: root, dir: dir}}
				got, err := l.findings(o, sandbox.Result{ExitCode: s.exit})
				if err != nil {
					t.Fatal(err)
				}
				want := slices.Clone(s.want)
				for i := range want {
					want[i].Tool, want[i].File = l.Name, join(dir, want[i].File)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("in %q (-want +got):\n%s", dir, diff)
				}
			}
		})
	}
}

// TestLintersSayWhatTheyCannot holds a tool that fails to a reason instead of silence.
func TestLintersSayWhatTheyCannot(t *testing.T) {
	for _, l := range Linters() {
		o := output{exit: 2, stderr: []byte("Error: cannot read the configuration\n"), tree: folder{root: t.TempDir()}}
		if found, err := l.findings(o, sandbox.Result{ExitCode: 2}); err == nil {
			t.Errorf("%s failed, and gives %+v without an error", l.Name, found)
		}
	}
}

// TestLintersAreAskedFor runs a tool only where the tree has its configuration.
func TestLintersAreAskedFor(t *testing.T) {
	tests := []struct {
		name string
		tree map[string]string
		want []string
	}{
		{"nothing", map[string]string{"a.py": "", "a.js": "", "a.rs": ""}, nil},
		{"go", map[string]string{"go.mod": "module m\n", "a.go": "package m\n"}, []string{"go vet", "gofmt"}},
		{"python", map[string]string{"pyproject.toml": "[tool.ruff]\n[tool.mypy]\n[tool.black]\n", "a.py": ""}, []string{"black", "mypy", "ruff"}},
		{"setup.cfg", map[string]string{"setup.cfg": "[flake8]\n[mypy]\n", "a.py": ""}, []string{"flake8", "mypy"}},
		{"a part of a monorepo", map[string]string{"web/tsconfig.json": "{}", "web/.prettierrc": "", "web/src/a.ts": "", "b.ts": ""}, []string{"prettier", "tsc"}},
		{"rust", map[string]string{"rustfmt.toml": "", "Cargo.toml": "[lints.clippy]\n", "src/lib.rs": ""}, []string{"clippy", "rustfmt"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			var files, got []string
			for name, text := range tt.tree {
				full := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				files = append(files, name)
			}
			for _, l := range Linters() {
				if len(l.groups(folder{root: root}, files)) > 0 {
					got = append(got, l.Name)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
		})
	}
}
