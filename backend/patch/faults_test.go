package patch

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

var (
	peers = flag.Bool("peers", false, "hold the faults against git apply --recount and GNU patch too, and print the table")
	seeds = flag.Uint64("seeds", 1, "how many rounds of fixes TestFaults makes")
)

var headerNumbers = regexp.MustCompile(`(?m)^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@.*$`)

// onHeaders rewrites the numbers of every hunk header.
func onHeaders(diff string, f func(oldStart, oldLines, newStart, newLines int) string) string {
	return headerNumbers.ReplaceAllStringFunc(diff, func(s string) string {
		m := headerNumbers.FindStringSubmatch(s)
		num := func(s string, missing int) int {
			n := missing
			if s != "" {
				if _, err := fmt.Sscanf(strings.TrimPrefix(s, ","), "%d", &n); err != nil {
					panic(err)
				}
			}
			return n
		}
		return f(num(m[1], 0), num(m[2], 1), num(m[3], 0), num(m[4], 1))
	})
}

// miscount puts the counts of every header wrong.
func miscount(diff string, by func() int) string {
	return onHeaders(diff, func(a, n, b, m int) string {
		return fmt.Sprintf("@@ -%d,%d +%d,%d @@", a, max(1, n+by()), b, max(1, m+by()))
	})
}

// onLines rewrites the lines of the hunks.
func onLines(diff string, f func(op, text string) string) string {
	var b strings.Builder
	in := false
	for _, l := range splitLines(diff) {
		if strings.HasPrefix(l, "@@") {
			in = true
		} else if in {
			l = f(l[:1], l[1:])
		}
		b.WriteString(l)
	}
	return b.String()
}

// fault is a slip that models make. clear ones leave no doubt about the edit that is meant.
type fault struct {
	name  string
	clear bool
	make  func(r *rand.Rand, f fix) fix
}

func diffFault(name string, clear bool, change func(r *rand.Rand, diff string) string) fault {
	return fault{name, clear, func(r *rand.Rand, f fix) fix {
		f.diff = change(r, f.diff)
		return f
	}}
}

var faults = []fault{
	diffFault("none", true, func(_ *rand.Rand, d string) string { return d }),
	diffFault("counts too small", true, func(r *rand.Rand, d string) string {
		return miscount(d, func() int { return -r.IntN(4) })
	}),
	diffFault("wrong counts", true, func(r *rand.Rand, d string) string {
		return miscount(d, func() int { return r.IntN(7) - 3 }) + "\nThat is all.\n"
	}),
	// A count too many at the very end of the text may also be a tail that was cut off.
	diffFault("wrong counts at the end", false, func(r *rand.Rand, d string) string {
		return miscount(d, func() int { return r.IntN(7) - 3 })
	}),
	diffFault("drifted numbers", true, func(r *rand.Rand, d string) string {
		by := 1 + r.IntN(40)
		return onHeaders(d, func(a, n, b, m int) string { return fmt.Sprintf("@@ -%d,%d +%d,%d @@", a+by, n, b+by, m) })
	}),
	diffFault("no numbers", true, func(_ *rand.Rand, d string) string {
		return onHeaders(d, func(int, int, int, int) string { return "@@ @@" })
	}),
	diffFault("no prefixes", true, func(_ *rand.Rand, d string) string {
		lines := splitLines(d)
		return "--- " + strings.TrimPrefix(lines[1], "--- a/") + "+++ " + strings.TrimPrefix(lines[2], "+++ b/") + strings.Join(lines[3:], "")
	}),
	diffFault("tabs as blanks", true, func(r *rand.Rand, d string) string {
		width := strings.Repeat(" ", []int{2, 4, 8}[r.IntN(3)])
		return onLines(d, func(op, text string) string {
			body := strings.TrimLeft(text, "\t")
			return op + strings.Repeat(width, len(text)-len(body)) + body
		})
	}),
	diffFault("trailing blanks", true, func(r *rand.Rand, d string) string {
		return onLines(d, func(op, text string) string {
			if op == " " && r.IntN(3) == 0 {
				return op + trimEnd(text) + "  \n"
			}
			return op + text
		})
	}),
	{"CRLF file", true, func(_ *rand.Rand, f fix) fix {
		f.before, f.after = strings.ReplaceAll(f.before, "\n", "\r\n"), strings.ReplaceAll(f.after, "\n", "\r\n")
		return f
	}},
	diffFault("context edited by a word", false, func(r *rand.Rand, d string) string {
		done := false
		return onLines(d, func(op, text string) string {
			if !done && op != "+" && hasWord(text) && r.IntN(3) == 0 {
				done = true
				return op + strings.Replace(trimEnd(text), " ", " other ", 1) + "x\n"
			}
			return op + text
		})
	}),
	{"context repeated", false, func(_ *rand.Rand, f fix) fix {
		f.before += f.before
		f.after += f.before[:len(f.before)/2]
		f.diff = onHeaders(f.diff, func(int, int, int, int) string { return "@@ @@" })
		return f
	}},
	diffFault("hunks swapped", true, func(_ *rand.Rand, d string) string {
		at := headerNumbers.FindAllStringIndex(d, -1)
		out := d[:at[0][0]]
		for i := len(at) - 1; i >= 0; i-- {
			end := len(d)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			out += d[at[i][0]:end]
		}
		return out
	}),
	diffFault("tail cut at a line", false, func(r *rand.Rand, d string) string {
		// Within the last hunk: between two hunks nothing shows that one is missing.
		at := headerNumbers.FindAllStringIndex(d, -1)
		lines := splitLines(d[at[len(at)-1][0]:])
		return d[:at[len(at)-1][0]] + strings.Join(lines[:1+r.IntN(len(lines)-1)], "")
	}),
	diffFault("tail cut in a line", false, func(r *rand.Rand, d string) string {
		for {
			at := len(d) - 2 - r.IntN(len(d)/3)
			if rest := strings.TrimPrefix(d[at:], "\n"); !strings.HasPrefix(rest, "@@") {
				return d[:at]
			}
		}
	}),
	diffFault("tail cut in a fence", false, func(r *rand.Rand, d string) string {
		return "```diff\n" + d[:len(d)-r.IntN(len(d)/2)]
	}),
	diffFault("prose around", true, func(_ *rand.Rand, d string) string {
		return "The bug is here:\n\n" + d + "\nThis makes it right:\n- one thing\n- another\n"
	}),
	diffFault("fence", true, func(_ *rand.Rand, d string) string { return "```diff\n" + d + "```\n" }),
	diffFault("wrong file name", false, func(_ *rand.Rand, d string) string { return strings.ReplaceAll(d, "src/", "source/") }),
	diffFault("blanks of blank lines cut", true, func(_ *rand.Rand, d string) string { return strings.ReplaceAll(d, "\n \n", "\n\n") }),
	diffFault("sign forgotten", false, func(r *rand.Rand, d string) string {
		done := false
		return onLines(d, func(op, text string) string {
			if !done && op == " " && text != "\n" && r.IntN(3) == 0 {
				done = true
				return text
			}
			return op + text
		})
	}),
}

// outcome is what became of one diff.
type outcome int

const (
	right outcome = iota
	refused
	wrong
	nothing
	outcomes
)

func judge(f fix, got string, refusedIt bool) outcome {
	switch {
	case refusedIt:
		return refused
	case got == f.after:
		return right
	case got == f.before:
		return nothing
	}
	return wrong
}

func ours(t *testing.T, f fix) outcome {
	t.Helper()
	edits, err := Parse(f.diff)
	if err == nil {
		var p Patch
		if p, _, err = Resolve(edits, reader(map[string]*Content{f.path: content(f.before)})); err == nil {
			return judge(f, applyText(t, p, f.before), false)
		}
	}
	var refusal *Error
	if !errors.As(err, &refusal) || len(refusal.Failures) == 0 {
		t.Errorf("a refusal without its reasons: %v", err)
	}
	return refused
}

func theirs(t *testing.T, f fix, name string, args ...string) outcome {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, filepath.FromSlash(f.path))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(f.before), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(f.diff)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir)}
	err := cmd.Run()
	got, readErr := os.ReadFile(file)
	if readErr != nil {
		return wrong
	}
	return judge(f, string(got), err != nil)
}

// gitdiffLibrary is the peer that is a Go library: it parses and applies in process and opens no files.
func gitdiffLibrary(f fix) outcome {
	files, _, err := gitdiff.Parse(strings.NewReader(f.diff))
	if err != nil {
		return refused
	}
	got := f.before
	for _, file := range files {
		if file.OldName != f.path {
			return refused
		}
		var out bytes.Buffer
		if err := gitdiff.Apply(&out, strings.NewReader(got), file); err != nil {
			return refused
		}
		got = out.String()
	}
	return judge(f, got, false)
}

// program is one row of the table.
type program struct {
	name string
	run  func(t *testing.T, f fix) outcome
}

func programs() []program {
	list := []program{{"redgreen", ours}}
	if !*peers {
		return list
	}
	return append(list,
		program{"git apply --recount", func(t *testing.T, f fix) outcome { return theirs(t, f, "git", "apply", "--recount") }},
		program{"GNU patch -p1", func(t *testing.T, f fix) outcome { return theirs(t, f, "patch", "-p1") }},
		program{"go-gitdiff", func(_ *testing.T, f fix) outcome { return gitdiffLibrary(f) }},
	)
}

// TestFaults puts every slip into every fix: none may ever change anything but what is meant, and where the meaning is
// clear the edit must land, with -peers at least as often as with the best of them.
func TestFaults(t *testing.T) {
	fixes, who := loadFixes(t), programs()
	var table strings.Builder
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			counts := make([][outcomes]int, len(who))
			for seed := range *seeds {
				r := rand.New(rand.NewPCG(11, seed))
				for i, f := range fixes {
					f = fault.make(r, f)
					for k, p := range who {
						got := p.run(t, f)
						if counts[k][got]++; k == 0 && got >= wrong {
							t.Errorf("fix %d: silently wrong or nothing done:\n%s", i, f.diff)
						}
					}
				}
			}
			fmt.Fprintf(&table, "| %s |", fault.name)
			for _, c := range counts {
				fmt.Fprintf(&table, " %d / %d / %d / %d |", c[right], c[refused], c[wrong], c[nothing])
			}
			table.WriteByte('\n')
			if fault.clear && counts[0][right] < len(fixes)*9/10 {
				t.Errorf("only %d of %d clear edits landed", counts[0][right], len(fixes))
			}
			for k, c := range counts {
				if fault.clear && c[right] > counts[0][right] {
					t.Errorf("%s lands %d, we %d", who[k].name, c[right], counts[0][right])
				}
			}
		})
	}
	if *peers {
		head, line := "| fault |", "|---|"
		for _, p := range who {
			head, line = head+" "+p.name+" |", line+"---|"
		}
		fmt.Printf("%d fixes; applied right / refused / silently wrong / silently nothing\n\n%s\n%s\n%s", len(fixes), head, line, table.String())
	}
}
