package patch

import (
	"regexp"
	"strconv"
	"strings"
)

// section is one file of a unified diff while it is read.
type section struct {
	line         int    // where it starts in the text, 1-based
	header       string // what follows "diff --git "
	old, new     string // of the --- and +++ lines
	named        bool   // those lines were read
	from, to     string // of a rename
	create, del  bool
	binary, copy bool
	special      bool // a symlink or submodule
	mode         uint32
	before       string
	blocks       []Block
	failed       bool // a failure was reported for it
}

const devNull = "/dev/null"

// gitHeader reads a "diff --git" line and the extended header lines that follow it.
func (p *parser) gitHeader() {
	s := &section{line: p.at + 1, header: strings.TrimPrefix(p.text(p.at), "diff --git ")}
	p.file = s
	for p.at++; p.at < len(p.lines); p.at++ {
		line := p.text(p.at)
		key, value := cutKey(line)
		switch key {
		case "old mode", "similarity index", "dissimilarity index":
		case "new mode":
			s.setMode(value)
		case "new file mode":
			s.create = true
			s.setMode(value)
		case "deleted file mode":
			s.del = true
		case "rename from":
			s.from = headerPath(value)
		case "rename to":
			s.to = headerPath(value)
		case "copy from", "copy to":
			s.copy = true
		case "index":
			s.before = beforeHash(value)
		default:
			return
		}
	}
}

// cutKey splits an extended header line; the key is "" for any other line.
func cutKey(line string) (key, value string) {
	for _, k := range []string{"old mode", "new mode", "new file mode", "deleted file mode", "rename from", "rename to",
		"copy from", "copy to", "similarity index", "dissimilarity index", "index"} {
		if v, ok := strings.CutPrefix(line, k+" "); ok {
			return k, strings.TrimRight(v, " \t")
		}
	}
	return "", ""
}

func (s *section) setMode(value string) {
	m, err := strconv.ParseUint(value, 8, 32)
	if err != nil {
		return
	}
	s.special = m>>12 != 0 && m>>12 != 0o10 // 0o10 is a regular file
	s.mode = uint32(m & 0o777)
}

// beforeHash takes the SHA-256 of an index line that String wrote; git's own abbreviated names say nothing to us.
func beforeHash(value string) string {
	before, _, ok := strings.Cut(value, "..")
	if !ok || len(before) != 64 || strings.Trim(before, "0") == "" || strings.Trim(before, "0123456789abcdef") != "" {
		return ""
	}
	return before
}

// isFileHeader reports a --- and a +++ line, or one of them directly before a hunk.
func (p *parser) isFileHeader(i int) bool {
	line, next := p.text(i), p.text(i+1)
	switch {
	case strings.HasPrefix(line, "--- "):
		return strings.HasPrefix(next, "+++ ") || strings.HasPrefix(next, "@@")
	case strings.HasPrefix(line, "+++ "):
		return strings.HasPrefix(next, "@@")
	}
	return false
}

func (p *parser) fileHeader() {
	if old, ok := strings.CutPrefix(p.text(p.at), "--- "); ok {
		p.file.old = headerPath(old)
		p.at++
	}
	if new, ok := strings.CutPrefix(p.text(p.at), "+++ "); ok {
		p.file.new = headerPath(new)
		p.at++
	}
	p.file.named = true
	if p.file.old == "" {
		p.file.old = p.file.new
	}
	if p.file.new == "" {
		p.file.new = p.file.old
	}
}

// stamp is the time that diff -u writes behind a name; with a tab before it in most tools.
var stamp = regexp.MustCompile(`\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$`)

// headerPath reads a name as it stands in a header line.
func headerPath(s string) string {
	if path, _, ok := unquotePath(s); ok {
		return path
	}
	s, _, _ = strings.Cut(s, "\t")
	s = strings.TrimSpace(stamp.ReplaceAllString(s, ""))
	if path, _, ok := unquotePath(s); ok {
		return path
	}
	return s
}

// endFile turns the section that was read into an edit.
func (p *parser) endFile() {
	s := p.file
	p.file = nil
	if s == nil || s.failed {
		return
	}
	path, why := s.path()
	switch {
	case why != "":
		p.fail(Malformed, path, "", "line %d: %s", s.line, why)
		return
	case s.binary:
		p.fail(Binary, path, "; only text files can be changed", "line %d: binary patches are not read", s.line)
		return
	case s.copy || s.special:
		p.fail(Malformed, path, "; write the new file in full", "line %d: copies, symlinks and submodules cannot be made by a patch", s.line)
		return
	}
	e := Edit{Path: path, Form: UnifiedDiff, Blocks: s.blocks, Create: s.create || s.old == devNull,
		Delete: s.del || s.new == devNull, Mode: s.mode, Before: s.before}
	if s.to != "" {
		e.NewPath = s.to
	}
	if len(e.Blocks) == 0 && !e.Create && !e.Delete && e.NewPath == "" && e.Mode == 0 {
		p.fail(NoHunks, path, ". Add @@ @@ and the changed lines", "line %d: the diff of this file has no hunks; nothing would be changed", s.line)
		return
	}
	p.edits = append(p.edits, e)
}

// path finds the file that a section is about; why says what is wrong.
func (s *section) path() (path, why string) {
	first, second := splitGitHeader(s.header)
	switch {
	case s.from != "" && s.to != "":
		return tidyPath(s.from), ""
	case s.from != "" || s.to != "":
		return tidyPath(s.from + s.to), "a rename needs both a \"rename from\" and a \"rename to\" line"
	case s.named:
		return onePath(s.old, s.new, first, second)
	case first == "":
		return "", "the names in the diff --git line cannot be read; add --- and +++ lines"
	}
	return onePath(first, second, "", "")
}

// onePath removes the a/ and b/ prefixes of a name pair. What git's own header line says goes first.
func onePath(old, new, gitOld, gitNew string) (path, why string) {
	switch {
	case old == devNull && new == devNull:
		return "", "both names are /dev/null"
	case old == devNull:
		if gitNew == new && gitOld == new {
			return tidyPath(new), "" // written without prefixes
		}
		return tidyPath(strings.TrimPrefix(new, "b/")), ""
	case new == devNull:
		if gitOld == old && gitNew == old {
			return tidyPath(old), ""
		}
		return tidyPath(strings.TrimPrefix(old, "a/")), ""
	case old == new:
		return tidyPath(old), ""
	}
	oldDir, oldRest, okOld := strings.Cut(old, "/")
	newDir, newRest, okNew := strings.Cut(new, "/")
	switch {
	case okOld && okNew && oldDir != newDir && oldRest == newRest && oldRest != "":
		return tidyPath(oldRest), ""
	case okOld && oldDir == "a" && oldRest == new, old == new+".orig", old == new+".bak":
		return tidyPath(new), ""
	case okNew && newDir == "b" && newRest == old:
		return tidyPath(old), ""
	}
	return tidyPath(new), "the names " + strconv.Quote(old) + " and " + strconv.Quote(new) +
		" differ; to rename a file write \"diff --git\", \"rename from\" and \"rename to\" lines"
}

// maxHeader is twice the longest path that Linux takes; longer header lines are not parted.
const maxHeader = 2 * 4096

// splitGitHeader parts the two names of a diff --git line; without quotes they are parted where both name one file.
func splitGitHeader(s string) (old, new string) {
	if path, rest, ok := unquotePath(s); ok {
		return path, headerPath(strings.TrimSpace(rest))
	}
	if i := strings.Index(s, ` "`); i > 0 {
		if path, _, ok := unquotePath(s[i+1:]); ok {
			return s[:i], path
		}
	}
	for i := 0; i < len(s) && len(s) <= maxHeader; i++ {
		if s[i] != ' ' {
			continue
		}
		old, new := s[:i], s[i+1:]
		if old == new {
			return old, new
		}
		_, oldRest, okOld := strings.Cut(old, "/")
		_, newRest, okNew := strings.Cut(new, "/")
		if okOld && okNew && oldRest == newRest {
			return old, new
		}
	}
	if old, new, ok := strings.Cut(s, " "); ok && !strings.Contains(new, " ") {
		return old, new
	}
	return "", ""
}

func tidyPath(p string) string {
	for strings.HasPrefix(p, "./") {
		p = strings.TrimLeft(p[2:], "/")
	}
	return p
}
