package testrun

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// changed is a candidate that replaces one text of one file of a tree.
func changed(t *testing.T, dir, file, old, new string) Candidate {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(data), old) != 1 {
		t.Fatalf("%s has %q %d times", file, old, strings.Count(string(data), old))
	}
	return Candidate{file: strings.Replace(string(data), old, new, 1)}
}

func mustFind(t *testing.T, dir string) Command {
	t.Helper()
	found, err := Find(dir)
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	return found[0]
}

// sides are the failing and the passing tests of a run.
func sides(run Run) (red, green []string) {
	for _, t := range run.Tests {
		switch t.Status {
		case Failed, Errored:
			red = append(red, t.ID)
		case Passed:
			green = append(green, t.ID)
		}
	}
	return red, green
}
