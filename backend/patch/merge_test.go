package patch

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMerge(t *testing.T) {
	t.Parallel()
	const base = "1\n2\n3\n4\n5\n6\n7\n8\n"
	for _, tt := range []struct {
		name, base, mine, theirs, want string
		conflicts                      []Conflict
	}{
		{name: "apart", base: base, mine: "1\nx\n3\n4\n5\n6\n7\n8\n", theirs: "1\n2\n3\n4\n5\n6\ny\n8\n", want: "1\nx\n3\n4\n5\n6\ny\n8\n"},
		{name: "one line between", base: base, mine: "1\nx\n3\n4\n5\n6\n7\n8\n", theirs: "1\n2\n3\ny\n5\n6\n7\n8\n", want: "1\nx\n3\ny\n5\n6\n7\n8\n"},
		{name: "neighbours", base: base, mine: "1\nx\n3\n4\n5\n6\n7\n8\n", theirs: "1\n2\ny\n4\n5\n6\n7\n8\n", conflicts: []Conflict{{2, 2, 2, 2, 2, 2}}},
		{name: "same line", base: base, mine: "1\nx\n3\n4\n5\n6\n7\n8\n", theirs: "1\ny\n3\n4\n5\n6\n7\n8\n", conflicts: []Conflict{{2, 1, 2, 1, 2, 1}}},
		{name: "same change", base: base, mine: "1\nx\n3\n4\n5\n6\n7\n8\n", theirs: "1\nx\n3\n4\n5\n6\n7\n8\n", want: "1\nx\n3\n4\n5\n6\n7\n8\n"},
		{name: "two insertions at one place", base: base, mine: "1\nx\n2\n3\n4\n5\n6\n7\n8\n", theirs: "1\ny\n2\n3\n4\n5\n6\n7\n8\n", conflicts: []Conflict{{2, 0, 2, 1, 2, 1}}},
		{name: "deletion against change", base: base, mine: "1\n4\n5\n6\n7\n8\n", theirs: "1\n2\ny\n4\n5\n6\n7\n8\n", conflicts: []Conflict{{2, 2, 2, 0, 2, 2}}},
		{name: "both ends", base: base, mine: "0\n" + base, theirs: base + "9\n", want: "0\n" + base + "9\n"},
		{name: "several conflicts and a merge", base: base, mine: "a\n2\n3\nb\n5\n6\n7\nc\n", theirs: "d\n2\n3\n4\n5\ne\n7\nf\n", conflicts: []Conflict{{1, 1, 1, 1, 1, 1}, {8, 1, 8, 1, 8, 1}}},
		{name: "missing last end", base: "1\n2\n3\n4", mine: "x\n2\n3\n4", theirs: "1\n2\n3\n4\n5", want: "x\n2\n3\n4\n5"},
		{name: "crlf", base: "1\r\n2\r\n3\r\n4\r\n", mine: "x\r\n2\r\n3\r\n4\r\n", theirs: "1\r\n2\r\n3\r\ny\r\n", want: "x\r\n2\r\n3\r\ny\r\n"},
		{name: "latin-1", base: "1\n\xe9 \n3\n4\n", mine: "x\n\xe9 \n3\n4\n", theirs: "1\n\xe9 \n3\n\xfc\n", want: "x\n\xe9 \n3\n\xfc\n"},
		{name: "utf-16", base: wide("1\n2\n3\nČ\n"), mine: wide("x\n2\n3\nČ\n"), theirs: wide("1\n2\n3\nČ\n5\n"), want: wide("x\n2\n3\nČ\n5\n")},
		{name: "emptied against changed", base: base, mine: "", theirs: base + "9\n", conflicts: []Conflict{{1, 8, 1, 0, 1, 9}}},
		{name: "all empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, conflicts, err := Merge([]byte(tt.base), []byte(tt.mine), []byte(tt.theirs))
			if err != nil || string(got) != tt.want {
				t.Errorf("merged %q, %v, want %q", got, err, tt.want)
			}
			if d := cmp.Diff(tt.conflicts, conflicts); d != "" {
				t.Error(d)
			}
		})
	}
}

func wide(s string) string { return string(encode16(mark+s, binary.LittleEndian)) }

func TestMergeBinary(t *testing.T) {
	t.Parallel()
	if _, _, err := Merge([]byte("a"), []byte("b\x00"), []byte("c")); !errors.Is(err, ErrBinary) {
		t.Errorf("error %v, want ErrBinary", err)
	}
}

func TestMergeRandom(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	merge := func(base, mine, theirs string) (string, []Conflict) {
		t.Helper()
		got, conflicts, err := Merge([]byte(base), []byte(mine), []byte(theirs))
		if err != nil {
			t.Fatal(err)
		}
		return string(got), conflicts
	}
	clean := 0
	for i := range 2000 {
		base := randomText(r)
		mine, theirs := mutate(r, base), mutate(r, base)
		for _, tt := range [][3]string{{mine, base, mine}, {base, theirs, theirs}, {mine, mine, mine}} {
			if got, c := merge(base, tt[0], tt[1]); got != tt[2] || c != nil {
				t.Fatalf("%d: merge of %q with %q over %q: %q %v", i, tt[0], tt[1], base, got, c)
			}
		}
		got, conflicts := merge(base, mine, theirs)
		back, conflictsBack := merge(base, theirs, mine)
		if got != back || len(conflicts) != len(conflictsBack) {
			t.Fatalf("%d: sides matter: %q and %q", i, got, back)
		}
		if len(conflicts) == 0 {
			clean++
		}
	}
	if clean < 200 || clean > 1900 {
		t.Errorf("%d of 2000 merges are clean; the texts test nothing", clean)
	}
}

// TestMergeLikeGit holds clean merges against git merge-file. Where git finds a conflict, so must we.
func TestMergeLikeGit(t *testing.T) {
	t.Parallel()
	needTool(t, "git")
	r := rand.New(rand.NewPCG(9, 10))
	dir := t.TempDir()
	both := 0
	for i := range 60 {
		base := strings.Join(goText(60)[r.IntN(10):], "")
		mine, theirs := mutate(r, base), mutate(r, base)
		var args []string
		for name, text := range map[string]string{"base": base, "mine": mine, "theirs": theirs} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		args = append(args, "merge-file", "-p", "-q", "mine", "base", "theirs")
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		want, gitErr := cmd.Output()
		got, conflicts, err := Merge([]byte(base), []byte(mine), []byte(theirs))
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case gitErr != nil && len(conflicts) == 0 && mine != theirs:
			t.Errorf("%d: git finds a conflict, we do not", i)
		case gitErr == nil && len(conflicts) == 0:
			both++
			if d := cmp.Diff(string(want), string(got)); d != "" {
				t.Errorf("%d: %s", i, d)
			}
		}
	}
	if both < 10 {
		t.Errorf("only %d merges were clean for both", both)
	}
}
