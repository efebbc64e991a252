package patch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// goText is a text of n lines that looks like code: functions of ten lines with few unique lines.
func goText(n int) []string {
	lines := make([]string, 0, n)
	for i := 0; len(lines) < n; i++ {
		lines = append(lines, fmt.Sprintf("func f%d(a, b int) int {\n", i), "\tif a > b {\n", fmt.Sprintf("\t\treturn a - %d\n", i), "\t}\n",
			"\tfor i := range b {\n", "\t\ta += i\n", "\t}\n", "\treturn a\n", "}\n", "\n")
	}
	return lines[:n]
}

// large is a file of 10,000 lines and 200 changes spread over it.
func large() (a, b string) {
	old := goText(10000)
	new := append([]string(nil), old...)
	for i := 2; i < len(new); i += 50 {
		new[i] = fmt.Sprintf("\t\treturn b + %d\n", i)
	}
	return strings.Join(old, ""), strings.Join(new, "")
}

// typical is a file of 400 lines with a fix of three hunks.
func typical() (a, b string) {
	old := goText(400)
	new := append([]string(nil), old...)
	new[12] = "\t\treturn b\n"
	new[205] = "\t\ta -= i\n"
	new = append(new[:302:302], append([]string{"\t\tlog(a)\n"}, new[302:]...)...)
	return strings.Join(old, ""), strings.Join(new, "")
}

// stripped is the diff as a model writes it: without index lines.
func stripped(p Patch) string {
	var b strings.Builder
	for _, l := range splitLines(p.String()) {
		if !strings.HasPrefix(l, "index ") {
			b.WriteString(l)
		}
	}
	return b.String()
}

func benchmarkDiff(b *testing.B, old, new string) {
	pair := Pair{Path: "f.go", Before: content(old), After: content(new)}
	for b.Loop() {
		if p, err := Diff([]Pair{pair}); err != nil || p.Empty() {
			b.Fatal(err, "or no change")
		}
	}
}

func benchmarkResolve(b *testing.B, old, new string) {
	p, err := Diff([]Pair{{Path: "f.go", Before: content(old), After: content(new)}})
	if err != nil {
		b.Fatal(err)
	}
	text := stripped(p)
	read := reader(map[string]*Content{"f.go": content(old)})
	for b.Loop() {
		edits, err := Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := Resolve(edits, read); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkApply(b *testing.B, old, new string) {
	p, err := Diff([]Pair{{Path: "f.go", Before: content(old), After: content(new)}})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Apply(p.Files[0], content(old)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDiffTypical(b *testing.B)    { a, c := typical(); benchmarkDiff(b, a, c) }
func BenchmarkDiffLarge(b *testing.B)      { a, c := large(); benchmarkDiff(b, a, c) }
func BenchmarkResolveTypical(b *testing.B) { a, c := typical(); benchmarkResolve(b, a, c) }
func BenchmarkResolveLarge(b *testing.B)   { a, c := large(); benchmarkResolve(b, a, c) }
func BenchmarkApplyTypical(b *testing.B)   { a, c := typical(); benchmarkApply(b, a, c) }
func BenchmarkApplyLarge(b *testing.B)     { a, c := large(); benchmarkApply(b, a, c) }

// BenchmarkAgainstGit holds a file of 10,000 lines with 200 hunks against git apply as a whole process, turn by turn, so
// that both meet the same load: ours is reading the diff, finding the places and making the new content. It prints the
// medians, the least times, and git's time over ours for both; run it with -benchtime 40x.
func BenchmarkAgainstGit(b *testing.B) {
	if _, err := exec.LookPath("git"); err != nil {
		b.Skip("git is missing")
	}
	old, new := large()
	p, err := Diff([]Pair{{Path: "f.go", Before: content(old), After: content(new)}})
	if err != nil {
		b.Fatal(err)
	}
	dir, text := b.TempDir(), stripped(p)
	var us, git []time.Duration
	for b.Loop() {
		if err := os.WriteFile(filepath.Join(dir, "f.go"), []byte(old), 0o644); err != nil {
			b.Fatal(err)
		}
		cmd := exec.CommandContext(b.Context(), "git", "apply", "-")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(text)
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v %s", err, out)
		}
		git = append(git, time.Since(start))
		start = time.Now()
		if got := landed(b, text, old); got != new {
			b.Fatal("the edit did not land")
		}
		us = append(us, time.Since(start))
	}
	slices.Sort(us)
	slices.Sort(git)
	mid := len(us) / 2
	b.ReportMetric(us[mid].Seconds()*1000, "ms-median")
	b.ReportMetric(us[0].Seconds()*1000, "ms-least")
	b.ReportMetric(git[mid].Seconds()*1000, "git-ms-median")
	b.ReportMetric(git[0].Seconds()*1000, "git-ms-least")
	b.ReportMetric(git[mid].Seconds()/us[mid].Seconds(), "times-median")
	b.ReportMetric(git[0].Seconds()/us[0].Seconds(), "times-least")
}

// landed makes the edit of a diff.
func landed(b *testing.B, text, old string) string {
	edits, err := Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	before := content(old)
	p, _, err := Resolve(edits, reader(map[string]*Content{"f.go": before}))
	if err != nil {
		b.Fatal(err)
	}
	after, err := Apply(p.Files[0], before)
	if err != nil {
		b.Fatal(err)
	}
	return string(after.Data)
}

func TestLargeDiffIsMinimal(t *testing.T) {
	t.Parallel()
	a, b := large()
	p := mustDiff(t, Pair{Path: "f.go", Before: content(a), After: content(b)})
	if s := p.Stat(); s != (Stat{Added: 200, Removed: 200}) || len(p.Files[0].Hunks) != 200 {
		t.Fatalf("stat %+v in %d hunks, want 200 lines each in 200 hunks", s, len(p.Files[0].Hunks))
	}
	if got := p.Files[0].Hunks[3].Section; !strings.HasPrefix(got, "func f14(") {
		t.Errorf("section %q", got)
	}
}
