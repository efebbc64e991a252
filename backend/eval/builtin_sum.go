package eval

import "slices"

// Sum of the runs over some bugs. Times and candidates are medians: the time over the bugs that were fixed, the candidates
// over all.
type FixedSum struct {
	Of       string // "python, heldback", "all", …
	Bugs     int
	Fixed    int
	Wrong    int
	NotFound int
	Millis   int64
	Tried    int
}

// Sum pools runs by language and by part; languages in the order of their names, all at the end.
func Sum(all []Fixed) []FixedSum {
	var out []FixedSum
	add := func(of string, take func(f Fixed) bool) {
		s := FixedSum{Of: of}
		var times []int64
		var tried []int
		for _, f := range all {
			if !take(f) {
				continue
			}
			s.Bugs++
			tried = append(tried, f.Tried)
			switch f.Verdict {
			case FixedRight:
				s.Fixed++
				times = append(times, f.Millis)
			case FixedWrong:
				s.Wrong++
			default:
				s.NotFound++
			}
		}
		if s.Bugs > 0 {
			s.Millis, s.Tried = median(times), median(tried)
			out = append(out, s)
		}
	}
	var languages, parts []string
	for _, f := range all {
		if !slices.Contains(languages, f.Language) {
			languages = append(languages, f.Language)
		}
		if !slices.Contains(parts, f.Part) {
			parts = append(parts, f.Part)
		}
	}
	slices.Sort(languages)
	for _, l := range languages {
		add(l, func(f Fixed) bool { return f.Language == l })
	}
	if len(parts) > 1 {
		for _, p := range parts {
			add("all of "+p, func(f Fixed) bool { return f.Part == p })
		}
	}
	add("all", func(Fixed) bool { return true })
	return out
}

// median gives the middle value, the lower of two; 0 of none.
func median[T int | int64 | float64](all []T) T {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[(len(all)-1)/2]
}
