package patch

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Content is one file's state: its bytes and permission bits. A nil *Content is an absent file.
type Content struct {
	Data []byte
	Mode uint32
}

// Pair is a file before and after. OldPath is set for a rename; nothing else is ever taken for one.
type Pair struct {
	Path, OldPath string
	Before, After *Content
}

// ReadFunc gives the present content of a file. It returns an error that wraps fs.ErrNotExist for an absent file and
// fs.ErrPermission for one that may not be read.
type ReadFunc func(path string) (*Content, error)

// Hash is the hex SHA-256 of data.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Hash identifies the patch: hex SHA-256 of its canonical text, which holds paths, modes, hashes and every line.
func (p Patch) Hash() string { return Hash([]byte(p.String())) }

// Empty reports whether the patch changes nothing.
func (p Patch) Empty() bool { return len(p.Files) == 0 }

// Stat counts added and removed lines.
func (p Patch) Stat() Stat {
	var s Stat
	for _, f := range p.Files {
		fs := f.Stat()
		s.Added += fs.Added
		s.Removed += fs.Removed
	}
	return s
}

// Stat counts added and removed lines of one file.
func (f File) Stat() Stat {
	var s Stat
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case Insert:
				s.Added++
			case Delete:
				s.Removed++
			case Context:
			}
		}
	}
	return s
}

// splitLines cuts text behind every "\n"; each line keeps its end, and only the last can lack one.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := make([]string, 0, strings.Count(text, "\n")+1)
	for text != "" {
		i := strings.IndexByte(text, '\n') + 1
		if i == 0 {
			i = len(text)
		}
		lines = append(lines, text[:i])
		text = text[i:]
	}
	return lines
}

// lineEnd is the end of a line: "\r\n", "\n" or, for a last line without one, "".
func lineEnd(line string) string {
	switch {
	case strings.HasSuffix(line, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(line, "\n"):
		return "\n"
	}
	return ""
}

// trimEnd is the line without its end.
func trimEnd(line string) string { return line[:len(line)-len(lineEnd(line))] }

// trimSpace is the line without its end and the blanks before it.
func trimSpace(line string) string { return strings.TrimRight(line, " \t\r\n") }

func blank(line string) bool { return trimSpace(line) == "" }

// Paths are the files that a patch touches, those that a renamed one had before included, in the order of its files.
func (p Patch) Paths() []string {
	var all []string
	for _, f := range p.Files {
		if all = append(all, f.Path); f.OldPath != "" {
			all = append(all, f.OldPath)
		}
	}
	return all
}
