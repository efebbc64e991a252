package repair

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// place is how far down the list of candidates the real fix of a bug stands, from 1; 0 when it is not among them.
type place struct{ at, of int }

// fixPlace ranks the edits of a file with a bug and looks for the one that gives the right text.
func fixPlace(path, bad, good string) place {
	s := parse(path, bad)
	if s == nil {
		return place{}
	}
	lines := map[int]float64{}
	first, last := 1, len(s.lines)
	scope := s.around(bad, good)
	if scope != nil {
		first, last = scope.line, scope.last
	}
	for l := first; l <= last; l++ {
		lines[l] = 0.5
	}
	all := candidates([]*source{s}, map[string]map[int]float64{path: lines}, hints{}, priors(), learn([]*source{s}))
	want := squeezeAll(good)
	for i, c := range all {
		if squeezeAll(c.after()) == want {
			return place{i + 1, len(all)}
		}
	}
	return place{0, len(all)}
}

// around is the function that two texts differ in: what coverage would tell.
func (s *source) around(bad, good string) *node {
	i := 0
	for i < len(bad) && i < len(good) && bad[i] == good[i] {
		i++
	}
	var found *node
	s.root.walk(func(n *node) bool {
		if n.class == function && n.start <= i && i <= n.end {
			found = n
		}
		return n.start <= i && i <= n.end
	})
	return found
}

// TestTheFixIsAmongTheEdits looks for the right edit of each bug of the tuning set among the candidates, without running
// any test: how many there are, and how far down the list it stands, is what the engine's edits are worth.
func TestTheFixIsAmongTheEdits(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("../../testdata/builtin/tuning/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	found, near, all := 0, 0, 0
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var path, bad, good, from string
		for line := range strings.Lines(string(a.Comment)) {
			if f, ok := strings.CutPrefix(strings.TrimSpace(line), "file: "); ok {
				path = f
			}
			if f, ok := strings.CutPrefix(strings.TrimSpace(line), "source: sample "); ok {
				from = "testdata/repos/" + f
			}
		}
		whole := ""
		for _, f := range a.Files {
			switch f.Name {
			case "bad":
				bad = string(f.Data)
			case "good":
				good = string(f.Data)
			case "tree/" + path:
				whole = string(f.Data)
			}
		}
		if whole == "" && from != "" {
			data, _ := os.ReadFile(filepath.Join("../..", from, path))
			whole = string(data)
		}
		if strings.Count(whole, good) != 1 {
			t.Logf("%-40s not looked at", filepath.Base(name))
			continue
		}
		p := fixPlace(path, strings.Replace(whole, good, bad, 1), whole)
		t.Logf("%-40s %s", filepath.Base(name), fmt.Sprint(p.at, " of ", p.of))
		all++
		if p.at > 0 {
			found++
		}
		if p.at > 0 && p.at <= 400 {
			near++
		}
	}
	t.Logf("among the edits: %d of %d, in the first 400: %d", found, all, near)
}

var mistake = regexp.MustCompile(`(?s)⟦(.*?)⇒(.*?)⟧`)

// TestSmallPrograms does the same for small programs in Python whose mistake is in one expression or statement.
func TestSmallPrograms(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/small.txt")
	if err != nil {
		t.Fatal(err)
	}
	found, near, all := 0, 0, 0
	for _, part := range strings.Split(string(data), "\n--- ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		text += "\n"
		p := fixPlace(name, mistake.ReplaceAllString(text, "$1"), mistake.ReplaceAllString(text, "$2"))
		t.Logf("%-20s %d of %d", name, p.at, p.of)
		all++
		if p.at > 0 {
			found++
		}
		if p.at > 0 && p.at <= 500 {
			near++
		}
	}
	t.Logf("among the edits: %d of %d, in the first 500: %d", found, all, near)
	if found < 36 || near < 32 {
		t.Errorf("found %d of %d, %d of them early", found, all, near)
	}
}
