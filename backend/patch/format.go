package patch

import (
	"fmt"
	"strconv"
	"strings"
)

// noNewline is git's sign that the line above it has no end.
const noNewline = `\ No newline at end of file`

// String is the patch as a git-style unified diff with a/ and b/ prefixes, "" when empty. git apply takes it and Parse
// reads it back. The index line carries the SHA-256 of the content before and after (64 zeros for no file). Lines are
// written in the file's own encoding, so that they apply byte for byte; only UTF-16, which git does not diff, is written
// as UTF-8.
func (p Patch) String() string {
	var b strings.Builder
	for _, f := range p.Files {
		f.write(&b)
	}
	return b.String()
}

func (f File) write(b *strings.Builder) {
	old, new := quotePath("a/"+f.oldPath()), quotePath("b/"+f.Path)
	fmt.Fprintf(b, "diff --git %s %s\n", old, new)
	f.writeHeader(b)
	if len(f.Hunks) == 0 {
		return
	}
	if f.Status == Added {
		old = "/dev/null"
	}
	if f.Status == Deleted {
		new = "/dev/null"
	}
	fmt.Fprintf(b, "--- %s\n+++ %s\n", spaced(old), spaced(new))
	for _, h := range f.Hunks {
		h.write(b, f.Encoding)
	}
}

func (f File) writeHeader(b *strings.Builder) {
	modes := f.Status != Added && f.Status != Deleted && f.OldMode != f.NewMode
	if modes {
		fmt.Fprintf(b, "old mode %s\nnew mode %s\n", gitMode(f.OldMode), gitMode(f.NewMode))
	}
	switch f.Status {
	case Added:
		fmt.Fprintf(b, "new file mode %s\n", gitMode(f.NewMode))
	case Deleted:
		fmt.Fprintf(b, "deleted file mode %s\n", gitMode(f.OldMode))
	case Renamed:
		fmt.Fprintf(b, "rename from %s\nrename to %s\n", quotePath(f.OldPath), quotePath(f.Path))
	case Modified:
	}
	if f.Before == f.After {
		return
	}
	fmt.Fprintf(b, "index %s..%s", indexHash(f.Before), indexHash(f.After))
	if f.Status != Added && f.Status != Deleted && !modes {
		fmt.Fprintf(b, " %s", gitMode(f.NewMode))
	}
	b.WriteByte('\n')
}

func indexHash(hash string) string {
	if hash == "" {
		return strings.Repeat("0", 64)
	}
	return hash
}

// gitMode is a regular file's mode as git writes it, with all permission bits.
func gitMode(mode uint32) string { return fmt.Sprintf("100%03o", mode&0o777) }

func (h Hunk) write(b *strings.Builder, enc Encoding) {
	fmt.Fprintf(b, "@@ -%s +%s @@", span(h.OldStart, h.OldLines), span(h.NewStart, h.NewLines))
	if h.Section != "" {
		b.WriteByte(' ')
		b.WriteString(inFile(h.Section, enc))
	}
	b.WriteByte('\n')
	for _, l := range h.Lines {
		b.WriteString(string(l.Op))
		b.WriteString(inFile(l.Text, enc))
		if !strings.HasSuffix(l.Text, "\n") {
			b.WriteString("\n" + noNewline + "\n")
		}
	}
}

// inFile is text in the file's bytes, where a diff can hold them.
func inFile(text string, enc Encoding) string {
	if enc != Windows1252 && enc != ShiftJIS {
		return text
	}
	data, err := enc.Encode(text)
	if err != nil { // lines come from Decode, so every character has its bytes
		return text
	}
	return string(data)
}

func span(start, n int) string {
	if n == 1 {
		return strconv.Itoa(start)
	}
	return strconv.Itoa(start) + "," + strconv.Itoa(n)
}

// spaced ends a name that holds blanks with a tab, as git does, so that readers know where it ends.
func spaced(name string) string {
	if strings.ContainsAny(name, " ") && name[0] != '"' {
		return name + "\t"
	}
	return name
}

// quotePath writes a path as git does with core.quotePath off: in C quotes when it holds a quote, a backslash or a
// control character.
func quotePath(path string) string {
	if !strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0x7F }) {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c == 0x7F:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// unquotePath reads a path in C quotes and gives what follows it.
func unquotePath(s string) (path, rest string, ok bool) {
	if s == "" || s[0] != '"' {
		return "", s, false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			c, n := unescape(s[i+1:])
			if n == 0 {
				return "", s, false
			}
			b.WriteByte(c)
			i += n
		default:
			b.WriteByte(s[i])
		}
	}
	return "", s, false
}

// unescape reads what stands behind a backslash: n is the number of bytes used, 0 for none.
func unescape(s string) (c byte, n int) {
	if s == "" {
		return 0, 0
	}
	if i := strings.IndexByte(`abtnvfr"\`, s[0]); i >= 0 {
		return "\a\b\t\n\v\f\r\"\\"[i], 1
	}
	if len(s) >= 3 {
		if v, err := strconv.ParseUint(s[:3], 8, 8); err == nil {
			return byte(v), 3
		}
	}
	return 0, 0
}
