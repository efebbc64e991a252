// Package patch parses, makes, selects, inverts and applies unified diffs and exact edits; it touches no files.
//
// A model's edit arrives in one of several forms and becomes an Edit; Resolve holds the edits against the text they
// change and gives one canonical Patch: a unified diff with the hashes of every file before and after. Only a place that
// the edit quotes exactly, and that is unique, is ever changed: nothing is matched by similarity.
package patch

// Patch is the canonical form of a change to a tree: one File for each changed file, sorted by path.
// Its JSON form is stored in sessions and is stable.
type Patch struct {
	Files []File `json:"files"`
}

// File is the change to one file. Paths are slash-separated and relative to the root.
type File struct {
	Path    string `json:"path"`               // the path after the change; for a deleted file, the path before
	OldPath string `json:"old_path,omitempty"` // set when the file is renamed
	Status  Status `json:"status"`
	OldMode uint32 `json:"old_mode,omitempty"` // permission bits before, 0 when added
	NewMode uint32 `json:"new_mode,omitempty"` // permission bits after, 0 when deleted
	Before  string `json:"before"`             // Hash of the content before, "" when added
	After   string `json:"after"`              // Hash of the content after, "" when deleted
	Hunks   []Hunk `json:"hunks"`

	// Encoding is how the lines are written in the file. Text is always given as UTF-8, whatever the file has.
	Encoding Encoding `json:"encoding,omitempty"`
}

// Status says what happens to a file.
type Status string

// The kinds of change to a file.
const (
	Added    Status = "added"
	Deleted  Status = "deleted"
	Modified Status = "modified"
	Renamed  Status = "renamed" // perhaps changed as well
)

// Hunk is one run of changed lines with its context. Starts are 1-based line numbers; 0 where the side has no lines.
type Hunk struct {
	OldStart int    `json:"old_start"`
	OldLines int    `json:"old_lines"`
	NewStart int    `json:"new_start"`
	NewLines int    `json:"new_lines"`
	Section  string `json:"section,omitempty"` // text behind the second @@, the enclosing definition where known
	Lines    []Line `json:"lines"`
}

// Line is one line of a hunk. Text keeps its line end ("\n", "\r\n"), so that bytes survive; a last line without one has none.
type Line struct {
	Op   Op     `json:"op"`
	Text string `json:"text"`
}

// Op is what a hunk does with a line.
type Op string

// The line operations, as in a unified diff.
const (
	Context Op = " "
	Delete  Op = "-"
	Insert  Op = "+"
)

// Stat counts the lines a patch or file adds and removes.
type Stat struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
}
