package testrun

import (
	"slices"
	"testing"
)

// TestComparison judges candidates by what came of calls, as a driver of any language reports it.
func TestComparison(t *testing.T) {
	t.Parallel()
	fates := func(all ...string) []fate {
		var out []fate
		for i, f := range all {
			out = append(out, fate{Input: i, Fate: f, Shown: f, Reaches: true})
		}
		return out
	}
	touching := fates("1", "2", "!Error", "4", "5")
	touching[1].Touches = true
	for _, tt := range []struct {
		name   string
		tree   [2][]fate
		own    [][]fate
		groups []int
		near   [2]int // of the last
		raises int
		ends   int
		touch  int
		input  string // by which the first and the last are told apart
	}{
		{"alike", [2][]fate{fates("1", "2", "!Error", "4", "5"), fates("1", "2", "!Error", "4", "5")}, [][]fate{fates("1", "3", "3", "4", "5"), fates("1", "3", "3", "4", "5")}, []int{1, 1}, [2]int{1, 3}, 0, 0, 0, ""},
		{"apart", [2][]fate{fates("1", "2", "!Error", "4", "5"), fates("1", "2", "!Error", "4", "5")}, [][]fate{fates("1", "3", "3", "4", "5"), fates("1", "2", "3", "!Error", "5")}, []int{1, 2}, [2]int{1, 3}, 1, 0, 0, "f(10)"},
		{"no end", [2][]fate{fates("1", "2", "3", "4", "5"), fates("1", "2", "3", "4", "5")}, [][]fate{fates("1", "2", "3", "4", "5"), fates("1", "!hangs", "!RecursionError")}, []int{1, 2}, [2]int{3, 4}, 4, 2, 0, "f(10)"},
		{"by chance", [2][]fate{fates("1", "2", "3", "4", "5"), fates("1", "9", "3", "4", "5")}, [][]fate{fates("1", "3", "3", "4", "5"), fates("1", "8", "3", "4", "5")}, []int{1, 1}, [2]int{0, 3}, 0, 0, 0, ""},
		{"unknown", [2][]fate{fates("?", "?", "?", "?", "?"), fates("?", "?", "?", "?", "?")}, [][]fate{fates("?", "?", "?", "?", "?"), fates("?", "?", "?", "?", "?")}, []int{0, 0}, [2]int{0, 4}, 0, 0, 0, ""},
		{"touches", [2][]fate{fates("1", "2", "!Error", "4", "5"), fates("1", "2", "!Error", "4", "5")}, [][]fate{fates("1", "2", "!Error", "4", "5"), touching}, []int{1, 1}, [2]int{0, 3}, 1, 0, 1, ""},
		{"of no driver", [2][]fate{}, nil, []int{0, 0}, [2]int{}, 0, 0, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var c comparison
			trials := make([]Trial, 2)
			if tt.own != nil {
				c.take(driven{Event: "inputs", Calls: []string{"f(1)", "f(10)", "f(200)", "f(3000)", "f(4)"}, Green: []bool{true, true, true, true, false}}, 2)
				for _, f := range tt.tree {
					c.take(driven{Event: "fates", N: ofTree, Fates: f}, 2)
				}
				for n, f := range tt.own {
					c.take(driven{Event: "fates", N: n, Fates: f}, 2)
				}
			}
			c.take(driven{Event: "fates", N: 7, Fates: fates("1")}, 2) // what no driver of ours says
			c.take(driven{Event: "inputs", Calls: []string{"g()"}}, 2)
			c.judge(trials)
			if got := []int{trials[0].Group, trials[1].Group}; !slices.Equal(got, tt.groups) {
				t.Errorf("groups: %v, want %v", got, tt.groups)
			}
			last := trials[1]
			if last.Near != tt.near || last.Raises[0] != tt.raises || last.Endless != tt.ends || last.Touches != tt.touch {
				t.Errorf("the last: %+v", last)
			}
			input := ""
			for _, d := range trials[0].Differs {
				input = d.Input
			}
			if input != tt.input {
				t.Errorf("told apart by %q, want %q", input, tt.input)
			}
		})
	}
}
