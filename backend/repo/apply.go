package repo

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"redgreen/backend/patch"
)

// Receipt is what Apply wrote; it is stored with the session and undoes the write.
type Receipt struct {
	ID    string      `json:"id"`
	Time  time.Time   `json:"time"`
	Patch patch.Patch `json:"patch"` // what was written
	Undo  patch.Patch `json:"undo"`  // what takes it back
}

// Apply writes a patch into the person's folder. It is the only code that writes there. The content is checked again at
// this moment; all files are written or none, also across a crash (see Recovered); modes are kept; the inverse is kept.
//
// Where the person edited a file since, their lines stay and the patch's come in beside them (the receipt says what was
// really written), unless both touched the same lines: that is ErrConflict, which names the files and lines, as it is when
// the folder holds the whole change already. ErrBusy is another Redgreen that writes here, ErrGone a folder that vanished;
// any other error names the file and the reason. After an error every file is as before. ctx counts until the first file
// is replaced.
//
// key names the act: one that is on record is not done a second time, which is ErrDone, and Written has its receipt. With
// "" it has no name.
func (r *Repo) Apply(ctx context.Context, key string, p patch.Patch) (Receipt, error) {
	rc, err := r.apply(ctx, key, p, nil)
	if err != nil {
		return Receipt{}, fmt.Errorf("writing to %s: %w", r.dir, err)
	}
	return rc, nil
}

// apply writes a patch; undone is what it takes back, nil for none.
func (r *Repo) apply(ctx context.Context, key string, p patch.Patch, undone *journal) (Receipt, error) {
	if r.state == "" {
		return Receipt{}, errors.New("no folder for the journal was given (Options.StateDir); nothing was written")
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	unlock, err := lock(ctx, r.state)
	if err != nil {
		return Receipt{}, err
	}
	defer unlock()
	if _, err := r.resume(); err != nil { // of another process that died since Open
		return Receipt{}, err
	}
	if _, ok := r.Written(key); ok {
		return Receipt{}, fmt.Errorf("%w (%s); it is not done a second time", ErrDone, key)
	}
	if err := r.gone(); err != nil {
		return Receipt{}, err
	}
	plan, err := r.plan(p, r.merge)
	if err != nil {
		return Receipt{}, r.orGone(err)
	}
	j, err := r.intend(key, plan)
	if err != nil {
		return Receipt{}, err
	}
	if len(j.Files) == 0 && !p.Empty() {
		return Receipt{}, conflicted([]string{holdsAll})
	}
	if err := r.commit(ctx, j); err != nil {
		return Receipt{}, err
	}
	if undone != nil {
		for _, dir := range slices.Backward(undone.Dirs) {
			r.removeEmpty(dir)
		}
	}
	return j.receipt(), nil
}

// intend makes the journal of a plan. The key stands in the ID too, so that a record is found by its name.
func (r *Repo) intend(key string, plan []change) (*journal, error) {
	now := time.Now().UTC()
	j := &journal{ID: now.Format("20060102T150405.000000000Z") + inID(key) + "-" + rand.Text()[:6], Time: now, Root: r.dir, Key: key}
	var err error
	if j.Patch, err = patch.Diff(pairsOf(plan)); err != nil {
		return nil, fmt.Errorf("comparing before and after: %w", err)
	}
	j.Undo = j.Patch.Invert()
	for i, f := range files(plan) {
		w := written{Path: f.path, Temp: fmt.Sprintf(".redgreen-%s-%d.tmp", j.ID[len(j.ID)-6:], i)}
		if w.Before, w.After, err = r.states(f); err != nil {
			return nil, err
		}
		j.Files = append(j.Files, w)
		if f.after == nil {
			continue
		}
		if err := r.missing(f.path, j); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// pairsOf gives what a plan changes, before and after.
func pairsOf(plan []change) []patch.Pair {
	var pairs []patch.Pair
	for _, c := range plan {
		if c.none() {
			continue
		}
		pair := patch.Pair{Path: cmp.Or(c.to, c.from), Before: c.before, After: c.after}
		if c.from != "" && c.from != pair.Path {
			pair.OldPath = c.from
		}
		pairs = append(pairs, pair)
	}
	return pairs
}

// states gives both states of a change; a changed file keeps its owner, a new one is the writer's.
func (r *Repo) states(c file) (before, after *state, err error) {
	uid, gid := os.Geteuid(), os.Getegid()
	if c.before != nil {
		s, err := r.locate(c.path, refuse)
		if err != nil {
			return nil, nil, err
		}
		if s.info != nil {
			uid, gid = ownerOf(s.info)
		}
		s.close()
		before = &state{c.before.Data, c.before.Mode, uid, gid}
	}
	if c.after != nil {
		after = &state{c.after.Data, c.after.Mode, uid, gid}
	}
	return before, after, nil
}

// missing notes the folders above a path that must be made.
func (r *Repo) missing(p string, j *journal) error {
	for _, dir := range above(p) {
		s, err := r.locate(dir, refuse)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil {
			there := s.info != nil
			s.close()
			if there {
				continue
			}
		}
		if !slices.Contains(j.Dirs, dir) {
			j.Dirs = append(j.Dirs, dir)
		}
	}
	return nil
}

// commit carries out a journal.
func (r *Repo) commit(ctx context.Context, j *journal) error {
	if err := r.begin(j); err != nil {
		_ = os.Remove(filepath.Join(r.state, journalName))
		return err
	}
	err := r.prepare(ctx, j)
	if err == nil {
		err = r.replace(j)
	}
	if err == nil {
		if err = r.at("commit", ""); err == nil {
			err = r.stage(journalName, committedName)
		}
	}
	if err != nil {
		return r.takeBack(j, err)
	}
	// The new state is complete; what is left to clean up, the next Open does too.
	_ = r.finish(j)
	return nil
}

// takeBack ends a failed write with every file as before, and says so. Where that fails too, or the whole folder is gone
// (a disk that was pulled out), the journal stays for the next Open.
func (r *Repo) takeBack(j *journal, cause error) error {
	if err := r.gone(); err != nil {
		return err
	}
	// A commit whose rename was made but not confirmed on disk is none yet.
	if err := os.Rename(filepath.Join(r.state, committedName), filepath.Join(r.state, journalName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; taking it back failed too: %w; open the folder again to repeat that", cause, plain(err))
	}
	edited, err := r.rollback(j)
	if err != nil {
		return fmt.Errorf("%w; taking it back failed too: %w; open the folder again to repeat that", cause, err)
	}
	if len(edited) == 0 || errors.Is(cause, ErrConflict) { // then the person's own edit is what stopped it, and it stays
		if err := r.drop(journalName); err != nil {
			return fmt.Errorf("%w; every file is as before, but %w", cause, err)
		}
		return fmt.Errorf("%w; every file is as before", cause)
	}
	kept := "kept-" + j.ID + ".json"
	return errors.Join(fmt.Errorf("%w; every file is as before, except %s, edited meanwhile and left as it is (the contents before are in %s)",
		cause, strings.Join(edited, ", "), filepath.Join(r.state, kept)), r.stage(journalName, kept))
}

// prepare makes the folders and writes all new contents beside their places, so that a full disk shows before anything is
// replaced.
func (r *Repo) prepare(ctx context.Context, j *journal) error {
	for _, dir := range j.Dirs {
		if err := r.at("mkdir", dir); err != nil {
			return inFile(dir, err)
		}
		if err := r.mkdir(dir); err != nil {
			return inFile(dir, err)
		}
	}
	for _, f := range j.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.After == nil {
			continue
		}
		if err := r.at("write", f.Path); err != nil {
			return inFile(f.Path, err)
		}
		s, err := r.locate(f.Path, refuse)
		if err != nil {
			return inFile(f.Path, err)
		}
		err = f.After.create(s.dir, f.Temp)
		if err != nil {
			_ = s.removeTemp(f.Temp)
		}
		s.close()
		if err != nil {
			return inFile(f.Path, err)
		}
	}
	return nil
}

func (r *Repo) mkdir(dir string) error {
	s, err := r.locate(dir, refuse)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.dir.Mkdir(s.name, 0o755); err != nil {
		return err
	}
	return s.sync()
}

// replace puts every new content in its place. What is replaced or deleted lies beside under the temporary name until the
// write is complete.
func (r *Repo) replace(j *journal) error {
	for _, f := range j.Files {
		if err := r.at("rename", f.Path); err != nil {
			return inFile(f.Path, err)
		}
		if err := r.replaceFile(f); err != nil {
			return err
		}
	}
	return nil
}

func (r *Repo) replaceFile(f written) error {
	s, err := r.locate(f.Path, refuse)
	if err != nil {
		return inFile(f.Path, err)
	}
	defer s.close()
	now, err := s.raw()
	if err != nil {
		return inFile(f.Path, err)
	}
	if !f.Before.same(now) {
		return changedNow(f.Path)
	}
	if err := r.exchange(s, f); err != nil {
		return err
	}
	return s.sync()
}

// exchange puts the new content in its place, and back again if what it displaced is not what was looked at: an editor
// may have saved in between.
func (r *Repo) exchange(s *spot, f written) error {
	if err := swap(s.dir, f.Temp, s.name, f.Before != nil, f.After != nil); err != nil {
		return inFile(f.Path, err)
	}
	if err := r.at("sync", f.Path); err != nil {
		return inFile(f.Path, err)
	}
	if f.Before == nil {
		return nil
	}
	old, err := s.beside(f.Temp)
	if err != nil {
		return inFile(f.Path, err)
	}
	if old == nil || f.Before.same(old) { // nil where the filesystem cannot exchange
		return nil
	}
	if err := swap(s.dir, f.Temp, s.name, f.After != nil, true); err != nil {
		return inFile(f.Path, err)
	}
	return changedNow(f.Path)
}

func changedNow(p string) error {
	return fmt.Errorf("%w the check a moment ago: %s; look at it and approve again", ErrConflict, p)
}

// Check reports, without writing, the paths whose present content is not what p was made for.
func (r *Repo) Check(p patch.Patch) ([]string, error) {
	if err := r.gone(); err != nil {
		return nil, err
	}
	var changed []string
	for _, f := range p.Files {
		_, err := r.planFile(f, exact)
		var c *conflict
		switch {
		case errors.As(err, &c):
			changed = append(changed, c.path)
		case err != nil:
			return nil, fmt.Errorf("checking %s: %w", f.Path, err)
		}
	}
	return changed, nil
}
