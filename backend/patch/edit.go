package patch

// Form names the way a model wrote an edit.
type Form string

// The input forms. All become one canonical Patch.
const (
	UnifiedDiff   Form = "unified_diff"
	SearchReplace Form = "search_replace"
	OldNew        Form = "old_new"
	WholeFile     Form = "whole_file"
)

// WholeLimit is the number of lines from which a file is not replaced as a whole: beyond it models leave out parts.
const WholeLimit = 300

// Edit is one requested change to one file, not yet held against any text. Several edits may name the same file.
type Edit struct {
	Path           string
	NewPath        string // rename target
	Form           Form
	Blocks         []Block
	Create, Delete bool
	Whole          *string // whole new text
	Mode           uint32  // permission bits that the edit names, of which only the right to run it is taken; 0 keeps
	Before         string  // Hash of the content the edit was made for, from an index line of ours; "" unknown
}

// Block is one quoted place of an edit: Old is replaced by New.
type Block struct {
	Old, New string
	OldStart int // line hint from a hunk header, 0 unknown; decides only where Edit.Before proves it

	line  int        // line of the hunk header in the text that the block was read from; 0 for another form
	runs  []run      // what a diff marks as changed, in lines of Old and New; nil where the two texts must tell
	short *shortfall // what the hunk header promised and the text lacks
}

// shortfall is how many lines a hunk has less than its header says. It may be a wrong count or a tail that was cut off;
// Resolve tells them apart with the file at hand.
type shortfall struct {
	old, new int // lines missing on each side, not negative
	lead     int // context lines before the first change
	tail     int // context lines behind the last one
}

// Replace is an exact old/new edit: the text old, which must be in the file once, becomes new. An empty old creates the
// file.
func Replace(path, old, new string) Edit {
	return Edit{Path: path, Form: OldNew, Blocks: []Block{{Old: old, New: new}}}
}

// Whole is the whole new text of a file, for files of less than WholeLimit lines; an absent file is created.
func Whole(path, content string) Edit {
	return Edit{Path: path, Form: WholeFile, Whole: &content}
}
