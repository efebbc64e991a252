package patch

import (
	"fmt"
	"strings"
)

// nearest describes the lines of a file that are most like what was quoted. It helps a model to quote again; nothing is
// ever changed by it.
func nearest(lines, old []string) string {
	at, same := closest(lines, old)
	if at < 0 {
		return "no line of the file is like it"
	}
	n := min(len(old), len(lines)-at)
	var b strings.Builder
	if n == 1 {
		fmt.Fprintf(&b, "the nearest line is %d", at+1)
	} else {
		fmt.Fprintf(&b, "the nearest lines are %d-%d", at+1, at+n)
	}
	if len(old) > 1 {
		fmt.Fprintf(&b, " (%d of %d quoted lines are the same)", same, len(old))
	}
	shown := 0
	for i := range n {
		if shown == maxShown {
			fmt.Fprintf(&b, "\n  … %d more lines", n-i)
			break
		}
		shown++
		have, want := trimEnd(lines[at+i]), trimEnd(old[i])
		if have == want {
			fmt.Fprintf(&b, "\n  %5d   %s", at+i+1, clip(have))
			continue
		}
		fmt.Fprintf(&b, "\n  %5d ≠ %s\n   quoted %s", at+i+1, clip(have), clip(want))
	}
	return b.String()
}

const (
	maxShown   = 12  // nearest lines in a message
	maxWidth   = 160 // bytes of a line in a message
	maxProbes  = 24  // quoted lines that are compared with every line of the file
	maxScanned = 50000
)

func clip(s string) string {
	if len(s) <= maxWidth {
		return s
	}
	return strings.ToValidUTF8(s[:maxWidth], "") + "…"
}

// closest finds the window of the file whose lines are most like the quoted ones, and how many of them are the same but
// for blanks around; at is -1 where nothing is alike.
func closest(lines, old []string) (at, same int) {
	lines = lines[:min(len(lines), maxScanned)]
	have, want := bare(lines), bare(old)
	score := make([]float32, len(have)+len(want))
	for j := range min(len(want), maxProbes) {
		if want[j] == "" {
			continue
		}
		for i, h := range have {
			if s := likeness(h, want[j]); s >= 0.5 {
				score[i-j+len(want)] += s * s
			}
		}
	}
	best := float32(0)
	at = -1
	for k, s := range score {
		if i := k - len(want); s > best && i > -len(want) {
			at, best = max(i, 0), s
		}
	}
	if at < 0 {
		return -1, 0
	}
	for i := 0; i < len(want) && at+i < len(have); i++ {
		if have[at+i] == want[i] {
			same++
		}
	}
	return at, same
}

func bare(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimSpace(l)
	}
	return out
}

// likeness is the share of two lines that is the same from the left and from the right, 0 to 1.
func likeness(a, b string) float32 {
	if a == b {
		return 1
	}
	if a == "" || b == "" {
		return 0
	}
	short := min(len(a), len(b))
	l := 0
	for l < short && a[l] == b[l] {
		l++
	}
	r := 0
	for r < short-l && a[len(a)-1-r] == b[len(b)-1-r] {
		r++
	}
	return float32(l+r) / float32(max(len(a), len(b)))
}
