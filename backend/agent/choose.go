package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"redgreen/backend/model"
	"redgreen/backend/patch"
	"redgreen/backend/session"
)

// Choice is what a person makes of the patch that waits for review: hunks that they leave out, and files that they edited.
type Choice struct {
	PatchHash string        // of the patch that the person saw
	Drop      []HunkAt      // hunks left out, numbered from 0 as in the patch
	Edits     []OwnText     // whole texts; what Drop says of such a file does not count
	Comment   string        // for the model, where it goes on
	Images    []model.Image // that go with the comment or the notes, as model.ReadImage gives them
	Notes     []LineNote    // for the model too, each about a place
}

// HunkAt is a hunk of a patch; a file without hunks (a rename, an empty file) has the one hunk 0.
type HunkAt struct {
	Path string `json:"path"`
	Hunk int    `json:"hunk"`
}

// OwnText is a file as the person wrote it, in UTF-8 and with "\n" at line ends whatever the file has.
type OwnText struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// LineNote is a comment on a line of the file after the change.
type LineNote struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// changedMost is how much of the person's own change the model is told word for word, in bytes; it can read the files.
const changedMost = 16 << 10

// Choose puts the person's choice in place of the patch that waits for review. Nothing is written; the caller lets Work go
// on, which proves the chosen patch on a new copy, without the model, and asks for the review again: a part of a proven
// patch is never called proven by the proof of the whole. It returns an error that wraps ErrState when nothing would be
// left or nothing was chosen, and a repo.ErrConflict when the folder is not the one that the patch was made for.
func (r *Run) Choose(ctx context.Context, c Choice) error {
	return r.choose(ctx, c, "proving a choice", "again")
}

// SendBack rejects the patch and lets the model go on from the person's choice: it is told the comments and, as a diff,
// exactly what the person changed. The caller lets Work go on. The errors are those of Choose; a choice that changes
// nothing is fine as long as there is a comment.
func (r *Run) SendBack(ctx context.Context, c Choice) error {
	return r.choose(ctx, c, "sending the patch back", "reject")
}

func (r *Run) choose(ctx context.Context, c Choice, doing, decision string) error {
	unlock, err := r.hold(doing, inReview)
	if err != nil {
		return err
	}
	defer unlock()
	st := r.log.State()
	if c.PatchHash != st.PatchHash {
		return fmt.Errorf("%s: %w: it is not the patch that was shown; look at the diff again", doing, ErrState)
	}
	p, diff, err := r.chosen(st.Patch, c)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	same := p.Hash() == st.PatchHash
	comment := c.words()
	switch {
	case decision == "again" && p.Empty():
		return fmt.Errorf("%s: %w: nothing of the patch would be left; reject it instead", doing, ErrState)
	case decision == "again" && same:
		return fmt.Errorf("%s: %w: nothing was left out or edited, so its proof stands", doing, ErrState)
	case decision == "reject" && same && comment == "":
		return fmt.Errorf("%s: %w: nothing was said or changed; say what is wrong", doing, ErrState)
	}
	if err := r.fitsComment(doing, comment, c.Images); err != nil {
		return err
	}
	var entries []session.Entry
	if !same {
		entries = append(entries, session.Entry{Kind: session.KindPatchChanged, Data: session.PatchChanged{Step: st.Steps, Patch: p, Hash: p.Hash(), Stat: p.Stat()}})
	}
	entries = append(entries, session.Entry{Kind: session.KindReviewAnswered, Data: session.ReviewAnswered{Decision: decision, By: "person", Comment: comment, Images: r.keepImages(c.Images), Changed: diff}})
	if err := r.appendAll(ctx, entries...); err != nil || same {
		return err
	}
	return r.dropBench()
}

// words are the person's comments as one text.
func (c Choice) words() string {
	out := []string{}
	if s := strings.TrimSpace(c.Comment); s != "" {
		out = append(out, s)
	}
	for _, n := range c.Notes {
		if s := strings.TrimSpace(n.Text); s != "" {
			out = append(out, fmt.Sprintf("%s:%d: %s", n.Path, n.Line, s))
		}
	}
	return strings.Join(out, "\n")
}

// chosen makes the patch of a choice, and the diff from what the whole patch leads to to what the choice leads to.
func (r *Run) chosen(p patch.Patch, c Choice) (patch.Patch, string, error) {
	stale, err := r.o.Repo.Check(p)
	if err != nil {
		return patch.Patch{}, "", err
	}
	if len(stale) > 0 {
		return patch.Patch{}, "", staleError(stale)
	}
	read := r.o.Repo.Content
	out, err := selected(p, c, read)
	if err != nil {
		return patch.Patch{}, "", err
	}
	diff, err := between(p, out, read)
	return out, cutText(diff), err
}

// selected takes the hunks that stay and the person's own texts; read gives the files before the patch.
func selected(p patch.Patch, c Choice, read patch.ReadFunc) (patch.Patch, error) {
	own := map[string]string{}
	for _, e := range c.Edits {
		if !slices.ContainsFunc(p.Files, func(f patch.File) bool { return f.Path == e.Path && f.Status != patch.Deleted }) {
			return patch.Patch{}, fmt.Errorf("%w: %s is not a file that the patch leaves, so it cannot be edited here", ErrState, e.Path)
		}
		own[e.Path] = e.Text
	}
	out, err := p.Select(func(file, hunk int) bool {
		f := p.Files[file]
		_, edited := own[f.Path]
		return !edited && !slices.Contains(c.Drop, HunkAt{f.Path, hunk})
	}, read)
	if err != nil {
		return patch.Patch{}, err
	}
	var pairs []patch.Pair
	for _, f := range p.Files {
		text, edited := own[f.Path]
		if !edited {
			continue
		}
		before, after, err := sides(f, read)
		if err != nil {
			return patch.Patch{}, err
		}
		now, err := rewritten(f, after, text)
		if err != nil {
			return patch.Patch{}, err
		}
		pairs = append(pairs, patch.Pair{Path: f.Path, OldPath: f.OldPath, Before: before, After: now})
	}
	edits, err := patch.Diff(pairs)
	if err != nil {
		return patch.Patch{}, err
	}
	out.Files = append(out.Files, edits.Files...)
	slices.SortFunc(out.Files, func(a, b patch.File) int { return cmp.Compare(a.Path, b.Path) })
	return out, nil
}

// sides are the contents of a file before and after its change.
func sides(f patch.File, read patch.ReadFunc) (before, after *patch.Content, err error) {
	if f.Status != patch.Added {
		if before, err = read(cmp.Or(f.OldPath, f.Path)); err != nil {
			return nil, nil, err
		}
	}
	after, err = patch.Apply(f, before)
	return before, after, err
}

// rewritten is a file's content with the person's text, in the encoding and with the line ends that it had.
func rewritten(f patch.File, was *patch.Content, text string) (*patch.Content, error) {
	old, _, err := patch.Decode(was.Data)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(old, "\ufeff") && !strings.HasPrefix(text, "\ufeff") {
		text = "\ufeff" + text
	}
	data, err := f.Encoding.Encode(patch.KeepEnds(old, text))
	if err != nil {
		return nil, &patch.Error{Failures: []patch.Failure{{Path: f.Path, Code: patch.BadEncoding, Message: err.Error() + ", in which the file is written; write it without"}}}
	}
	return &patch.Content{Data: data, Mode: was.Mode}, nil
}

// between is the diff from what one patch leads to to what another does; read gives the files before either.
func between(from, to patch.Patch, read patch.ReadFunc) (string, error) {
	now := map[string]patch.File{}
	for _, f := range to.Files {
		now[f.Path] = f
	}
	var pairs []patch.Pair
	for _, f := range from.Files {
		before, was, err := sides(f, read)
		if err != nil {
			return "", err
		}
		after := before // of a file that is left out
		if g, ok := now[f.Path]; ok {
			if _, after, err = sides(g, read); err != nil {
				return "", err
			}
		} else if f.OldPath != "" && f.OldPath != f.Path {
			pairs = append(pairs, patch.Pair{Path: f.OldPath, After: before})
			after = nil
		}
		pairs = append(pairs, patch.Pair{Path: f.Path, Before: was, After: after})
	}
	p, err := patch.Diff(pairs)
	return p.String(), err
}

// cutText keeps the head of a long diff, at a line's end.
func cutText(diff string) string {
	if len(diff) <= changedMost {
		return diff
	}
	head := diff[:changedMost]
	return head[:strings.LastIndexByte(head, '\n')+1] + "(cut; read the files for the rest)\n"
}
