package patch

import "errors"

var errStub = errors.New("not built")

// Content is one file's state: its bytes and permission bits. A nil *Content is an absent file.
type Content struct {
	Data []byte
	Mode uint32
}

// Pair is a file before and after. OldPath is set for a rename.
type Pair struct {
	Path, OldPath string
	Before, After *Content
}

// ReadFunc gives the present content of a file. It returns an error that wraps fs.ErrNotExist for an absent file.
type ReadFunc func(path string) (*Content, error)

// Form names the way a model wrote an edit.
type Form string

const (
	UnifiedDiff   Form = "unified_diff"
	SearchReplace Form = "search_replace"
	OldNew        Form = "old_new"
	WholeFile     Form = "whole_file"
)

// Edit is one requested change to one file, not yet held against any text.
type Edit struct {
	Path           string
	NewPath        string // rename target
	Form           Form
	Blocks         []Block
	Create, Delete bool
	Whole          *string // whole new text
	Mode           uint32  // 0 keeps
}

// Block is one quoted place of an edit: Old is replaced by New.
type Block struct {
	Old, New string
	OldStart int // line hint from a hunk header, 0 unknown; never decides between places
}

// Parse reads the edits out of a model's text: a unified diff or search/replace blocks, perhaps fenced or within prose.
func Parse(text string) ([]Edit, error) { return nil, errStub }

// Replace is an exact old/new edit.
func Replace(path, old, new string) Edit { return Edit{} }

// Note says how an edit was corrected (e.g. trailing space); shown to the model and to the person.
type Note struct {
	Path    string `json:"path"`
	Block   int    `json:"block"`
	Message string `json:"message"`
}

// Failure is why one block was refused.
type Failure struct {
	Path    string `json:"path"`
	Block   int    `json:"block"`
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// Code tells failures apart.
type Code string

const (
	NoMatch        Code = "no_match"
	SeveralMatches Code = "several_matches"
	EmptySearch    Code = "empty_search"
	NoChange       Code = "no_change"
	AlreadyThere   Code = "already_there"
	NoHunks        Code = "no_hunks"
	Malformed      Code = "malformed"
	NotFound       Code = "not_found"
	Exists         Code = "exists"
	Binary         Code = "binary"
	Denied         Code = "denied"
	Outside        Code = "outside"
)

// Error is a refusal: every block that failed, in order. All or nothing: one failure refuses all edits of the call.
type Error struct{ Failures []Failure }

func (e *Error) Error() string { return "" }

// Resolve holds edits against the present text and gives the canonical patch; it refuses with *Error.
func Resolve(edits []Edit, read ReadFunc) (Patch, []Note, error) { return Patch{}, nil, errStub }

// Diff makes the canonical patch between the two states of each pair, with three lines of context. Equal pairs are left out.
func Diff(pairs []Pair) (Patch, error) { return Patch{}, errStub }

// Apply gives the content of a file after its change; nil when it is deleted. before is nil for an added file.
// It returns an error unless before has the hash that the change was made for.
func Apply(f File, before *Content) (*Content, error) { return nil, errStub }

// Hash is the hex SHA-256 of data.
func Hash(data []byte) string { return "" }

// Hash identifies the patch: hex SHA-256 of its canonical text.
func (p Patch) Hash() string { return "" }

// String is the patch as a git-style unified diff with a/ and b/ prefixes, "" when empty.
func (p Patch) String() string { return "" }

// Stat counts added and removed lines.
func (p Patch) Stat() Stat { return Stat{} }

// Stat counts added and removed lines of one file.
func (f File) Stat() Stat { return Stat{} }

// Empty reports whether the patch changes nothing.
func (p Patch) Empty() bool { return len(p.Files) == 0 }

// Invert gives the patch that undoes p.
func (p Patch) Invert() Patch { return Patch{} }

// Select keeps the hunks for which keep is true; read gives the base content, needed for the new hashes.
func (p Patch) Select(keep func(file, hunk int) bool, read ReadFunc) (Patch, error) {
	return Patch{}, errStub
}
