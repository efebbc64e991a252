package patch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrChanged is wrapped by Apply and Select when the content is not the one that the change was made for.
var ErrChanged = errors.New("content is not what the patch was made for")

// Apply gives the content of a file after its change; nil when it is deleted. before is nil for an added file.
// It returns an error that wraps ErrChanged unless before has the hash that the change was made for, and an error when the
// hunks do not lead to the promised hash. before is never written to.
func Apply(f File, before *Content) (*Content, error) {
	if err := checkBefore(f, before); err != nil {
		return nil, err
	}
	if f.Status == Deleted {
		return nil, nil
	}
	out := &Content{Mode: f.NewMode}
	var data []byte
	if before != nil {
		data = before.Data
		if f.OldMode == f.NewMode {
			out.Mode = before.Mode
		}
	}
	var err error
	if out.Data, err = applyHunks(f.Encoding, f.Hunks, data); err != nil {
		return nil, fmt.Errorf("applying %s: %w", f.Path, err)
	}
	if Hash(out.Data) != f.After {
		return nil, fmt.Errorf("applying %s: the hunks lead to other content than the patch promises; it was altered, make it again", f.Path)
	}
	return out, nil
}

func checkBefore(f File, before *Content) error {
	switch {
	case f.Status == Added && before != nil:
		return fmt.Errorf("adding %s: the file exists: %w", f.Path, ErrChanged)
	case f.Status == Added:
		return nil
	case before == nil:
		return fmt.Errorf("changing %s: the file is gone: %w", f.oldPath(), ErrChanged)
	case Hash(before.Data) != f.Before:
		return fmt.Errorf("changing %s: the file was changed since: %w", f.oldPath(), ErrChanged)
	}
	return nil
}

// oldPath is where the file is before the change.
func (f File) oldPath() string {
	if f.OldPath != "" {
		return f.OldPath
	}
	return f.Path
}

// applyHunks changes data by hunks that must fit exactly where they say.
func applyHunks(enc Encoding, hunks []Hunk, data []byte) ([]byte, error) {
	if len(hunks) == 0 {
		return slices.Clone(data), nil
	}
	text := ""
	if len(data) > 0 {
		var err error
		if text, err = enc.decodeAs(data); err != nil {
			return nil, err
		}
	}
	lines := splitLines(text)
	var b strings.Builder
	b.Grow(len(text) + 1024)
	at := 0
	for i, h := range hunks {
		start := h.OldStart - 1
		if h.OldLines == 0 {
			start = h.OldStart
		}
		if start < at || start > len(lines) {
			return nil, fmt.Errorf("hunk %d starts at line %d, which is out of order or outside the file", i+1, h.OldStart)
		}
		for ; at < start; at++ {
			b.WriteString(lines[at])
		}
		for _, l := range h.Lines {
			if l.Op == Insert {
				b.WriteString(l.Text)
				continue
			}
			if at >= len(lines) || lines[at] != l.Text {
				return nil, fmt.Errorf("hunk %d does not fit at line %d", i+1, at+1)
			}
			if l.Op == Context {
				b.WriteString(l.Text)
			}
			at++
		}
		if at != start+h.OldLines {
			return nil, fmt.Errorf("hunk %d says %d old lines and has %d", i+1, h.OldLines, at-start)
		}
	}
	for ; at < len(lines); at++ {
		b.WriteString(lines[at])
	}
	return enc.Encode(b.String())
}

// Invert gives the patch that undoes p. Inverting twice gives p again.
func (p Patch) Invert() Patch {
	var out Patch
	for _, f := range p.Files {
		out.Files = append(out.Files, f.invert())
	}
	sortFiles(out.Files)
	return out
}

func (f File) invert() File {
	out := f
	out.OldMode, out.NewMode = f.NewMode, f.OldMode
	out.Before, out.After = f.After, f.Before
	out.Hunks = nil
	switch f.Status {
	case Added:
		out.Status = Deleted
	case Deleted:
		out.Status = Added
	case Renamed:
		out.Path, out.OldPath = f.OldPath, f.Path
	case Modified:
	}
	for _, h := range f.Hunks {
		out.Hunks = append(out.Hunks, h.invert())
	}
	return out
}

// invert keeps the deletions of a run before its insertions.
func (h Hunk) invert() Hunk {
	out := h
	out.OldStart, out.OldLines, out.NewStart, out.NewLines = h.NewStart, h.NewLines, h.OldStart, h.OldLines
	out.Lines = make([]Line, 0, len(h.Lines))
	for i := 0; i < len(h.Lines); {
		if h.Lines[i].Op == Context {
			out.Lines = append(out.Lines, h.Lines[i])
			i++
			continue
		}
		n := i
		for n < len(h.Lines) && h.Lines[n].Op != Context {
			n++
		}
		for _, from := range []Op{Insert, Delete} {
			for _, l := range h.Lines[i:n] {
				if l.Op == from {
					out.Lines = append(out.Lines, Line{Op: opposite(from), Text: l.Text})
				}
			}
		}
		i = n
	}
	return out
}

func opposite(op Op) Op {
	switch op {
	case Insert:
		return Delete
	case Delete:
		return Insert
	case Context:
	}
	return op
}
