package repo

import (
	"context"
	"crypto/rand"
	"encoding/json"
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
// ErrConflict names the files that changed since, ErrBusy another Redgreen that writes here, ErrGone a folder that vanished;
// any other error names the file and the reason, and then every file is as before. ctx counts until the first file is
// replaced.
func (r *Repo) Apply(ctx context.Context, p patch.Patch) (Receipt, error) {
	rc, err := r.apply(ctx, p, exact)
	if err != nil {
		return Receipt{}, fmt.Errorf("writing to %s: %w", r.dir, err)
	}
	return rc, nil
}

func (r *Repo) apply(ctx context.Context, p patch.Patch, merge func(patch.File, *patch.Content) (*patch.Content, error)) (Receipt, error) {
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
	if err := r.gone(); err != nil {
		return Receipt{}, err
	}
	plan, err := r.plan(p, merge)
	if err != nil {
		return Receipt{}, err
	}
	j, err := r.intend(plan)
	if err != nil {
		return Receipt{}, err
	}
	if err := r.commit(ctx, j); err != nil {
		return Receipt{}, err
	}
	return Receipt{j.ID, j.Time, j.Patch, j.Undo}, nil
}

// intend makes the journal of a plan.
func (r *Repo) intend(plan []change) (*journal, error) {
	now := time.Now().UTC()
	j := &journal{ID: now.Format("20060102T150405.000000000Z") + "-" + rand.Text()[:6], Time: now, Root: r.dir}
	var pairs []patch.Pair
	for i, c := range plan {
		if c.before == nil && c.after == nil {
			continue
		}
		f := written{Path: c.path, Temp: fmt.Sprintf(".redgreen-%s-%d.tmp", j.ID[len(j.ID)-6:], i)}
		var err error
		if f.Before, f.After, err = r.states(c); err != nil {
			return nil, err
		}
		j.Files = append(j.Files, f)
		pairs = append(pairs, patch.Pair{Path: c.path, Before: c.before, After: c.after})
		if c.after != nil {
			if err := r.missing(c.path, j); err != nil {
				return nil, err
			}
		}
	}
	var err error
	if j.Patch, err = patch.Diff(pairs); err != nil {
		return nil, fmt.Errorf("comparing before and after: %w", err)
	}
	j.Undo = j.Patch.Invert()
	return j, nil
}

// states gives both states of a change; a changed file keeps its owner, a new one is the writer's.
func (r *Repo) states(c change) (before, after *state, err error) {
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

// takeBack ends a failed write with every file as before, and says so.
func (r *Repo) takeBack(j *journal, cause error) error {
	edited, err := r.rollback(j)
	if errors.Is(cause, ErrConflict) {
		edited = nil // the person's own edit is what stopped it, and it stays
	}
	if err == nil && len(edited) == 0 {
		err = r.drop()
	}
	switch {
	case err != nil:
		return fmt.Errorf("%w; taking it back failed too: %w; open the folder again to repeat that", r.orGone(cause), err)
	case len(edited) > 0:
		_ = r.stage(journalName, "kept-"+j.ID+".json")
		return fmt.Errorf("%w; all was taken back except %s, edited meanwhile", cause, strings.Join(edited, ", "))
	}
	return fmt.Errorf("%w; every file is as before", r.orGone(cause))
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
		return fmt.Errorf("%w the check a moment ago: %s; look at it and approve again", ErrConflict, f.Path)
	}
	if err := swap(s.dir, f.Temp, s.name, f.Before != nil, f.After != nil); err != nil {
		return inFile(f.Path, err)
	}
	if err := r.at("sync", f.Path); err != nil {
		return inFile(f.Path, err)
	}
	if f.Before != nil { // an editor may have saved between the look and the swap
		old, err := s.beside(f.Temp)
		if err != nil {
			return inFile(f.Path, err)
		}
		if old != nil && !f.Before.same(old) {
			if err := swap(s.dir, f.Temp, s.name, f.After != nil, true); err != nil {
				return inFile(f.Path, err)
			}
			return fmt.Errorf("%w the check a moment ago: %s; look at it and approve again", ErrConflict, f.Path)
		}
	}
	return s.sync()
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

// Undo takes back what a receipt wrote, and gives the receipt that undoes the undo. Folders that Apply made for the
// patch are removed when they are empty again.
func (r *Repo) Undo(ctx context.Context, rc Receipt) (Receipt, error) {
	done, err := r.apply(ctx, rc.Undo, exact)
	if err != nil {
		return Receipt{}, fmt.Errorf("undoing in %s: %w", r.dir, err)
	}
	if j, err := r.applied(rc.ID); err == nil {
		for _, dir := range slices.Backward(j.Dirs) {
			r.removeEmpty(dir)
		}
	}
	return done, nil
}

// applied reads the record of a write.
func (r *Repo) applied(id string) (*journal, error) {
	if id == "" || filepath.Base(id) != id {
		return nil, fs.ErrNotExist
	}
	data, err := os.ReadFile(filepath.Join(r.state, appliedDir, id+".json"))
	if err != nil {
		return nil, err
	}
	j := &journal{}
	return j, json.Unmarshal(data, j)
}

// Receipts are the writes to this folder that are still on record, newest first: also those whose receipt a crash kept
// from its session.
func (r *Repo) Receipts() ([]Receipt, error) {
	names, err := filepath.Glob(filepath.Join(r.state, appliedDir, "*.json"))
	if err != nil || r.state == "" {
		return nil, err
	}
	slices.Sort(names)
	var list []Receipt
	for _, name := range slices.Backward(names) {
		if j, err := r.applied(strings.TrimSuffix(filepath.Base(name), ".json")); err == nil {
			list = append(list, Receipt{j.ID, j.Time, j.Patch, j.Undo})
		}
	}
	return list, nil
}
