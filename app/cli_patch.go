package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"redgreen/backend/patch"
)

// patchFile is a patch that a person hands over: by a file's name, or on standard input.
type patchFile struct{ name, text string }

// readPatch reads a file, or standard input for -.
func (c *command) readPatch(name string) (patchFile, error) {
	var data []byte
	var err error
	if name == "-" {
		data, err = io.ReadAll(c.in)
	} else {
		data, err = os.ReadFile(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return patchFile{}, fmt.Errorf("there is no file %s; make a patch with `git diff HEAD > %[1]s`, or give it on standard input with --patch -", name)
	}
	if err != nil {
		return patchFile{}, fmt.Errorf("reading the patch: %w", err)
	}
	text := string(data)
	if !strings.HasSuffix(text, "\n") { // a file that was handed over is whole; many editors leave that end out
		text += "\n"
	}
	return patchFile{name, text}, nil
}

// said is the file's name in a sentence.
func (f patchFile) said() string {
	if f.name == "-" {
		return "the patch on standard input"
	}
	return f.name
}

// make is how a person makes such a patch.
func (f patchFile) make() string {
	if f.name == "-" {
		return "git diff HEAD | redgreen prove FOLDER --patch -"
	}
	return "git diff HEAD > " + f.name
}

// edits are those of the patch; one without any text, as git diff gives for no change, has none.
func (f patchFile) edits() ([]patch.Edit, error) {
	if strings.TrimSpace(f.text) == "" {
		return nil, nil
	}
	edits, err := patch.Parse(f.text)
	var refused *patch.Error
	if !errors.As(err, &refused) {
		return edits, err
	}
	if first := refused.Failures[0]; first.Code == patch.NoHunks && first.Path == "" {
		return nil, fmt.Errorf("%s is no patch: no line of it starts a change (@@). Make one with `%s`", f.said(), f.make())
	}
	return nil, fmt.Errorf("%s cannot be read as a patch:%s\nMake it anew with `%s`", f.said(), f.failures(refused), f.make())
}

// misfit says to a person why the patch does not fit the folder.
func (f patchFile) misfit(err error) error {
	var refused *patch.Error
	if !errors.As(err, &refused) {
		return err
	}
	made, absent := true, true
	for _, fail := range refused.Failures {
		made = made && fail.Code == patch.AlreadyThere
		absent = absent && fail.Code == patch.NotFound
	}
	next := "Make it anew from the folder's files as they are now; `git diff HEAD` prints all that a copy of the folder has changed"
	switch {
	case made:
		next = "The proof compares the folder without and with the patch, so prove it on a folder that does not have it yet, such as `git worktree add ../clean HEAD`"
	case absent:
		next = "The files are looked for below the folder that you named: name the one that the patch was made in, or make the patch with `git diff --relative`"
	}
	return fmt.Errorf("%s does not fit the folder as it is now:%s\n%s", f.said(), f.failures(refused), next)
}

// shownFailures bounds the places that a message names.
const shownFailures = 10

// failures are lines of what is wrong where.
func (f patchFile) failures(e *patch.Error) string {
	var b strings.Builder
	for i, fail := range e.Failures {
		if i == shownFailures {
			fmt.Fprintf(&b, "\n  … and %d more", len(e.Failures)-i)
			break
		}
		b.WriteString("\n  ")
		if fail.Path != "" {
			b.WriteString(fail.Path)
			if fail.Line > 0 {
				fmt.Fprintf(&b, ", hunk %d (line %d of the patch)", fail.Block, fail.Line)
			}
			b.WriteString(": ")
		}
		b.WriteString(problem(fail))
	}
	return b.String()
}

// problem says what happened in the words of diffs.
func problem(f patch.Failure) string {
	return strings.NewReplacer(
		"the quoted text is not in the file", "the lines that it changes or keeps are not in the file",
		"the quoted text stands at", "the lines that it changes or keeps stand at",
		"quoted lines are the same", "lines are the same",
		"\n   quoted ", "\n    patch ",
		"of the text", "of the patch",
		"the end of the text", "the end of the patch",
	).Replace(f.Problem())
}
