package repo

import "strings"

// glob matches one component of a path, byte by byte, with *, ?, [classes] and backslash escapes as gitignore has them.
// Only the last star is ever tried again, so time is at most pattern × name, whatever a hostile pattern holds.
func glob(pat, name string) bool {
	p, n := 0, 0
	star, mark := -1, 0
	for n < len(name) {
		if p < len(pat) {
			switch pat[p] {
			case '*':
				star, mark = p, n
				p++
				continue
			case '[':
				if end, ok := class(pat, p, name[n]); end > 0 && ok {
					p, n = end, n+1
					continue
				}
			case '?':
				p, n = p+1, n+1
				continue
			case '\\':
				if p+1 < len(pat) && pat[p+1] == name[n] {
					p, n = p+2, n+1
					continue
				}
			default:
				if pat[p] == name[n] {
					p, n = p+1, n+1
					continue
				}
			}
		}
		if star < 0 {
			return false
		}
		mark++
		p, n = star+1, mark
	}
	return strings.Trim(pat[p:], "*") == ""
}

// class reads the bracket expression at pat[i] and holds c against it. end is behind the closing bracket, 0 where there is
// none: such a pattern matches nothing.
func class(pat string, i int, c byte) (end int, match bool) {
	i++
	not := i < len(pat) && (pat[i] == '!' || pat[i] == '^')
	if not {
		i++
	}
	for first := true; i < len(pat) && (first || pat[i] != ']'); first = false {
		if rest, ok := strings.CutPrefix(pat[i:], "[:"); ok {
			if name, _, ok := strings.Cut(rest, ":]"); ok && !strings.Contains(name, "]") {
				in, known := named(name, c)
				if !known {
					return 0, false
				}
				match = match || in
				i += len("[:") + len(name) + len(":]")
				continue
			}
		}
		lo, next := literal(pat, i)
		if next == 0 {
			return 0, false
		}
		hi := lo
		if next+1 < len(pat) && pat[next] == '-' && pat[next+1] != ']' {
			if hi, next = literal(pat, next+1); next == 0 {
				return 0, false
			}
		}
		match = match || lo <= c && c <= hi
		i = next
	}
	if i >= len(pat) {
		return 0, false
	}
	return i + 1, match != not
}

// literal reads one byte of a class, escaped or not; next is 0 at the end of the pattern.
func literal(pat string, i int) (c byte, next int) {
	if pat[i] == '\\' {
		if i++; i >= len(pat) {
			return 0, 0
		}
	}
	return pat[i], i + 1
}

// named is a POSIX class such as alpha.
func named(name string, c byte) (in, known bool) {
	upper, lower, digit := 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', '0' <= c && c <= '9'
	switch name {
	case "alpha":
		return upper || lower, true
	case "digit":
		return digit, true
	case "alnum":
		return upper || lower || digit, true
	case "upper":
		return upper, true
	case "lower":
		return lower, true
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r', true
	case "blank":
		return c == ' ' || c == '\t', true
	case "punct":
		return c > ' ' && c < 0x7f && !upper && !lower && !digit, true
	case "xdigit":
		return digit || 'a' <= c|0x20 && c|0x20 <= 'f', true
	case "cntrl":
		return c < ' ' || c == 0x7f, true
	case "graph":
		return c > ' ' && c < 0x7f, true
	case "print":
		return c >= ' ' && c < 0x7f, true
	}
	return false, false
}

// globs matches a whole path given as components; a component ** stands for any number of directories. Components match
// or not by themselves, so here too only the last ** is tried again.
func globs(pats, names []string) bool {
	p, n := 0, 0
	star, mark := -1, 0
	for n < len(names) {
		switch {
		case p < len(pats) && pats[p] == "**":
			star, mark = p, n
			p++
			continue
		case p < len(pats) && glob(pats[p], names[n]):
			p, n = p+1, n+1
			continue
		case star < 0:
			return false
		}
		mark++
		p, n = star+1, mark
	}
	for p < len(pats) && pats[p] == "**" {
		p++
	}
	return p == len(pats)
}
