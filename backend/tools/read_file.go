package tools

import (
	"context"
	_ "embed" // the description
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"

	"redgreen/backend/patch"
	"redgreen/backend/policy"
	"redgreen/backend/repo"
)

//go:embed read_file.md
var readFileDoc string

// maxLines is what one call of read_file gives (decision 7); maxLine the bytes of one of them.
const (
	maxLines = 200
	maxLine  = 2000
)

func readFile() Tool {
	return Tool{
		Name: "read_file", Kind: policy.Read, Doc: readFileDoc, Wall: quick,
		Fields: []Field{
			{Name: "path", Type: Text, Required: true, Doc: "relative to the root"},
			{Name: "start_line", Type: Integer, Min: 1, Doc: "1 if left out"},
			{Name: "end_line", Type: Integer, Min: 1, Doc: "last line"},
		},
		Object: func(a Args) string { return a.text("path") },
		run:    runRead,
	}
}

func runRead(ctx context.Context, s *Set, a Args) (result, error) {
	name := clean(a.text("path"))
	data, err := s.o.Workspace.Read(name)
	if err != nil { // only then is the whole tree walked
		if r, ok, lerr := s.list(ctx, name); ok || lerr != nil {
			return r, lerr
		}
		return s.refuseRead(ctx, name, err)
	}
	text, _, err := patch.Decode(data) // what is shown must be what an edit is matched against
	if err != nil {
		return s.refuseRead(ctx, name, err)
	}
	return s.reads(numbered(name, s.hide(text), a.number("start_line", 1), a.number("end_line", 0)), name, data), nil
}

// reads notes that the model has seen a file, and leaves out the lines that stand in its view already.
func (s *Set) reads(r result, name string, data []byte) result {
	if r.failed {
		return r
	}
	seen := Seen{name, patch.Hash(data)}
	if r.first > 0 && s.stands(seen, r.first, r.last) {
		r.head, r.body, r.note, r.cut = fmt.Sprintf("Lines %d to %d of this file stand above as they are now: you read them, and they did not change.", r.first, r.last), "", "", false
	}
	r.out.Seen = []Seen{seen}
	return r
}

// clean takes what models write in front of a path off it: the sandbox's folder, "./".
func clean(name string) string {
	name = strings.TrimPrefix(strings.TrimSpace(name), "/workspace/")
	if name == "" || name == "/workspace" {
		return "."
	}
	return path.Clean(strings.TrimPrefix(name, "./"))
}

// refuseRead says why a file is not read, without anything of its content.
func (s *Set) refuseRead(ctx context.Context, name string, err error) (result, error) {
	refuse := func(summary, text string) (result, error) {
		return result{failed: true, summary: summary, head: text}, nil
	}
	switch {
	case errors.Is(err, repo.ErrSecret):
		return refuse("refused: a secret file", "Refused: this file holds secrets (keys, tokens, passwords). It is never read, whatever the reason. Go on without it.")
	case errors.Is(err, repo.ErrOutside):
		return refuse("refused: outside the folder", "Refused: this path leaves the repository. Only paths relative to its root can be read.")
	case errors.Is(err, repo.ErrBinary), errors.Is(err, patch.ErrBinary):
		return refuse("binary file", "This is a binary file; only text can be read.")
	case errors.Is(err, repo.ErrTooLarge):
		return refuse("file too large", "This file is too large to be read. Find what you need in it with search_code.")
	case errors.Is(err, fs.ErrNotExist):
		return s.suggest(ctx, name)
	}
	return result{}, err
}

// suggest names the files that a wrong path may have meant: same file name, or a name that holds its stem.
func (s *Set) suggest(ctx context.Context, name string) (result, error) {
	files, err := s.o.Workspace.Files(ctx)
	if err != nil {
		return result{}, err
	}
	base := strings.ToLower(path.Base(name))
	stem := strings.TrimSuffix(base, path.Ext(base))
	var same, alike []string
	for _, f := range files {
		switch low := strings.ToLower(path.Base(f.Path)); {
		case low == base:
			same = append(same, f.Path)
		case len(stem) > 2 && strings.Contains(low, stem):
			alike = append(alike, f.Path)
		}
	}
	r := result{failed: true, summary: "no such file", head: "There is no such file."}
	if near := append(same, alike...); len(near) > 0 {
		r.head += " Files with a similar name:"
		r.body = strings.Join(near[:min(len(near), 10)], "\n")
	} else {
		r.head += " List a folder with read_file, or search with search_code."
	}
	return r, nil
}

// list gives the entries of a folder; ok is false where name is none.
func (s *Set) list(ctx context.Context, name string) (r result, ok bool, err error) {
	files, err := s.o.Workspace.Files(ctx)
	if err != nil {
		return result{}, false, err
	}
	prefix := name + "/"
	if name == "." {
		prefix = ""
	}
	sizes := map[string]int{} // entries: a file's own name, or a folder's with the number of files below
	for _, f := range files {
		rest, inside := strings.CutPrefix(f.Path, prefix)
		if f.Path == name {
			return result{}, false, nil
		}
		if !inside {
			continue
		}
		if dir, _, deeper := strings.Cut(rest, "/"); deeper {
			sizes[dir+"/"]++
		} else {
			sizes[rest] = 0
		}
	}
	if len(sizes) == 0 {
		return result{}, false, nil
	}
	return listing(sizes), true, nil
}

func listing(sizes map[string]int) result {
	var lines []string
	for entry, below := range sizes {
		if below > 0 {
			entry = fmt.Sprintf("%s (%d files)", entry, below)
		}
		lines = append(lines, entry)
	}
	sort.Strings(lines)
	r := result{summary: fmt.Sprintf("folder with %d entries", len(lines)), head: "This is a folder. Its entries:"}
	if len(lines) > maxLines {
		r.cut, r.note = true, fmt.Sprintf("%d more entries are not shown; name a folder below, or search with search_code.", len(lines)-maxLines)
		lines = lines[:maxLines]
	}
	r.body = strings.Join(lines, "\n")
	return r
}

// numbered gives the lines from start to end with their numbers, at most maxLines and about maxBody bytes.
func numbered(name, text string, start, end int) result {
	crlf := strings.Contains(text, "\r\n")
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	total := len(lines)
	if total == 0 {
		return result{summary: "empty file", head: "The file is empty."}
	}
	if start > total || end > 0 && end < start {
		return result{failed: true, summary: "no such lines", head: fmt.Sprintf("There are no such lines: the file has lines 1 to %d.", total)}
	}
	wanted := total
	if end > 0 {
		wanted = min(end, total)
	}
	body, last := numberLines(lines, start, min(wanted, start+maxLines-1))
	r := result{summary: fmt.Sprintf("%s, lines %d–%d of %d", name, start, last, total), body: body, first: start, last: last,
		head: fmt.Sprintf("Lines %d to %d of %d.", start, last, total)}
	if crlf {
		r.head += " The lines of this file end in CR LF; an edit is given them by itself."
	}
	if last < wanted {
		r.cut, r.note = true, fmt.Sprintf("More lines follow: go on with start_line %d.", last+1)
	}
	return r
}

// numberLines writes lines first to last (1-based) behind their numbers and says at which it had to stop for size.
func numberLines(lines []string, first, last int) (string, int) {
	var b strings.Builder
	for n := first; n <= last; n++ { // not aligned: the blanks would come again with every later request
		line := fmt.Sprintf("%d| %s\n", n, shorten(Visible(lines[n-1]), maxLine))
		if b.Len()+len(line) > maxBody && n > first {
			return b.String(), n - 1
		}
		b.WriteString(line)
	}
	return b.String(), last
}
