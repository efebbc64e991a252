package patch

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// Note says how an edit was corrected (e.g. trailing space); shown to the model and to the person.
type Note struct {
	Path    string `json:"path"`
	Block   int    `json:"block"` // 1-based within the file's blocks of the call, 0 for the file
	Message string `json:"message"`
}

// Failure is why one block was refused.
type Failure struct {
	Path    string `json:"path"`  // "" where no file is known
	Block   int    `json:"block"` // 1-based within the file's blocks of the call, 0 for the file
	Code    Code   `json:"code"`
	Message string `json:"message"` // what happened and what to do next, for the model

	Line int    `json:"-"` // line of the hunk header in the text that the block was read from, 0 where none is known
	next string // the end of Message: what a model is to do next, with the sign that parts it from the rest
}

// Problem is what happened, without what a model is to do next.
func (f Failure) Problem() string { return strings.TrimSuffix(f.Message, f.next) }

// Code tells failures apart.
type Code string

// The codes of refusals.
const (
	NoMatch        Code = "no_match"        // the quoted text is not in the file
	SeveralMatches Code = "several_matches" // it is there more than once
	EmptySearch    Code = "empty_search"    // nothing but blanks is quoted
	NoChange       Code = "no_change"       // old and new are the same
	AlreadyThere   Code = "already_there"   // the replacement stands there already
	NoHunks        Code = "no_hunks"        // no edit was found
	Malformed      Code = "malformed"       // the text breaks the form, or its tail is missing
	NotFound       Code = "not_found"       // no such file
	Exists         Code = "exists"          // the file to create or rename to is there
	Binary         Code = "binary"          // not text
	Denied         Code = "denied"          // the file may not be read or written
	Outside        Code = "outside"         // the path leaves the root or is no path
	Mixed          Code = "mixed"           // forms or acts that do not go together
	Overlap        Code = "overlap"         // two blocks change the same lines
	TooLong        Code = "too_long"        // too many lines for a whole-file edit
	Elided         Code = "elided"          // a placeholder such as "... rest of code ..." instead of text
	BadEncoding    Code = "encoding"        // the file's encoding lacks a character of the new text
	Unreadable     Code = "unreadable"      // reading the file failed
	NotRead        Code = "not_read"        // given by tools: the model has not read the file
	Stale          Code = "stale"           // given by tools: the file changed since the model read it
)

// Error is a refusal: every block that failed, in order. All or nothing: one failure refuses all edits of the call.
type Error struct{ Failures []Failure }

// Error names the first failures, one a line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("edit refused, nothing was changed")
	for i, f := range e.Failures {
		if i == maxPlaces {
			fmt.Fprintf(&b, "\nand %d more blocks", len(e.Failures)-i)
			break
		}
		b.WriteString([]string{": ", "\n"}[min(i, 1)])
		if f.Path != "" {
			b.WriteString(quotePath(f.Path) + ": ")
		}
		if f.Block > 0 {
			fmt.Fprintf(&b, "block %d: ", f.Block)
		}
		b.WriteString(f.Message)
	}
	return b.String()
}

// checkPath refuses what is no path below a root on any system. Symlinks, secrets and case are repo's to judge.
func checkPath(p string) *Failure {
	why := ""
	switch {
	case p == "":
		why = "no file is named"
	case strings.ContainsRune(p, 0) || !utf8.ValidString(p):
		why = "the file name holds a NUL byte or is not UTF-8"
	case strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\`) || strings.HasPrefix(p, "~") || drive(p):
		why = "the path is absolute"
	case p == ".." || strings.HasPrefix(p, "../") || strings.Contains(p, "/../") || strings.HasSuffix(p, "/..") ||
		strings.Contains(p, `..\`):
		why = "the path leaves the folder"
	case path.Clean(p) != p || p == ".":
		why = "the path is not in its plain form"
	}
	if why == "" {
		return nil
	}
	const next = "; name the file by its path relative to the folder, such as src/main.go"
	return &Failure{Path: p, Code: Outside, Message: why + next, next: next}
}

// drive reports a Windows drive or stream, "C:x".
func drive(p string) bool { return len(p) >= 2 && p[1] == ':' }
