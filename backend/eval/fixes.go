package eval

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Fix is one bug-fix commit of a public history, as facts: where it starts from and what it changes. Its text is read from
// the clone.
type Fix struct {
	Repository string     `json:"repository"`
	Base       string     `json:"base"` // the parent commit: the state that is searched
	Fix        string     `json:"fix"`
	Files      []string   `json:"gold_files"` // source files it changes
	Functions  []Function `json:"gold_functions"`
	New        []string   `json:"new_files"`
	Tests      []string   `json:"test_files"`
}

// Function is a definition of a file at the base; Name is qualified, joined by dots.
type Function struct {
	File string `json:"file"`
	Name string `json:"name"`
}

// ReadFixes reads rows, one JSON object a line.
func ReadFixes(r io.Reader) ([]Fix, error) {
	var out []Fix
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var f Fix
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			return nil, fmt.Errorf("reading row %d: %w", n, err)
		}
		if f.Base == "" || f.Fix == "" || len(f.Files) == 0 {
			return nil, fmt.Errorf("reading row %d: it needs base, fix and gold_files", n)
		}
		out = append(out, f)
	}
	return out, lines.Err()
}

// The parts of a file of rows, which is newest first.
const (
	PartSealed = "sealed" // the newest third: for the last measurement
	PartRest   = "rest"   // the others: for tuning
	PartAll    = "all"
)

// Part takes one part of the rows.
func Part(rows []Fix, part string) ([]Fix, error) {
	third := len(rows) / 3
	switch part {
	case PartSealed:
		return rows[:third], nil
	case PartRest:
		return rows[third:], nil
	case PartAll:
		return rows, nil
	}
	return nil, fmt.Errorf("there is no part %q: name sealed, rest or all", part)
}

// plainWord is what a blind query is cut into: a word of code or prose, or a file's name.
var plainWord = regexp.MustCompile(`[\p{L}\p{N}_]+(?:[.-][\p{L}\p{N}_]+)*`)

// blind takes the words away that equal a gold file's base name (with and without its extension) or the name of a gold
// function, its own or its qualified one, in any case.
func (f Fix) blind(query string) string {
	var names []string
	add := func(s string) {
		if s = strings.ToLower(s); s != "" && !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	for _, file := range f.Files {
		base := path.Base(file)
		add(base)
		add(strings.TrimSuffix(base, path.Ext(base)))
	}
	for _, fn := range f.Functions {
		add(fn.Name)
		add(fn.Name[strings.LastIndexByte(fn.Name, '.')+1:])
	}
	return plainWord.ReplaceAllStringFunc(query, func(w string) string {
		if slices.Contains(names, strings.ToLower(w)) {
			return ""
		}
		parts := strings.FieldsFunc(w, func(r rune) bool { return r == '.' || r == '-' })
		kept := slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return slices.Contains(names, strings.ToLower(p)) })
		if len(kept) == len(parts) {
			return w
		}
		return strings.Join(kept, " ")
	})
}
