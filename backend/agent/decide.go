package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redgreen/backend/model"
	"redgreen/backend/patch"
	"redgreen/backend/policy"
	"redgreen/backend/proof"
	"redgreen/backend/repo"
	"redgreen/backend/session"
)

// Say queues a person's message for the next step; to a session that waits for an answer it is the answer. Pictures, as
// model.ReadImage gives them, are refused where the model takes none.
func (r *Run) Say(ctx context.Context, text string, images ...model.Image) error {
	if st := r.log.State(); st.Outcome != session.Running && st.Outcome != session.Waiting {
		return fmt.Errorf("sending a message: %w: the session is %s; a message can only reach a run that works (reject the patch with a comment instead)", ErrState, st.Outcome)
	}
	if err := fitsImages(r.o.Model.Info, r.history(), images); err != nil {
		return err
	}
	return r.append(ctx, session.KindMessage, session.Message{Text: text, Images: r.keepImages(images)})
}

// Waits says whether the session waits for an answer, so that Work goes on after Say.
func (r *Run) Waits() bool { return r.log.State().Outcome == session.Waiting }

// Reject records the rejection; with a comment, Work goes on with it, without one the session is finished. Pictures go with
// the comment, as with what Say takes.
func (r *Run) Reject(ctx context.Context, comment string, images ...model.Image) error {
	unlock, err := r.hold("rejecting the patch", inReview)
	if err != nil {
		return err
	}
	defer unlock()
	if err := r.fitsComment("rejecting the patch", comment, images); err != nil {
		return err
	}
	if err := r.append(ctx, session.KindReviewAnswered, session.ReviewAnswered{Decision: "reject", By: "person", Comment: comment, Images: r.keepImages(images)}); err != nil {
		return err
	}
	if comment != "" {
		return nil
	}
	return r.close(ctx, r.verdict(), "rejected by the person")
}

// fitsComment refuses pictures that the model does not take, and those that no comment says anything of.
func (r *Run) fitsComment(doing, comment string, images []model.Image) error {
	if len(images) > 0 && comment == "" {
		return fmt.Errorf("%s: %w: pictures go with a comment, and it is empty; say what they show", doing, ErrState)
	}
	return fitsImages(r.o.Model.Info, r.history(), images)
}

// Finish closes a session that waits for review, or for an answer, without writing.
func (r *Run) Finish(ctx context.Context) error {
	waits := func(st session.State) bool { return inReview(st) || st.Outcome == session.Waiting }
	unlock, err := r.hold("closing the session", waits)
	if err != nil {
		return err
	}
	defer unlock()
	if q := r.log.State().Question; q != "" {
		return r.close(ctx, r.verdict(), "its question was not answered: "+q)
	}
	return r.close(ctx, r.verdict(), "nothing was written")
}

func inReview(st session.State) bool { return st.Outcome == session.Review }

// hold waits until Work has returned, for an act that the session's state allows; a run that still works is refused at
// once, not waited for.
func (r *Run) hold(doing string, allows func(session.State) bool) (unlock func(), err error) {
	refused := func(st session.State) error {
		return fmt.Errorf("%s: %w: the session is %s, no patch waits for it", doing, ErrState, st.Outcome)
	}
	if st := r.log.State(); !allows(st) {
		return nil, refused(st)
	}
	r.working.Lock()
	if st := r.log.State(); !allows(st) {
		r.working.Unlock()
		return nil, refused(st)
	}
	return r.working.Unlock, nil
}

// verdict is the outcome of a session that ends with its patch reviewed.
func (r *Run) verdict() session.Outcome {
	if r.log.State().Proof == string(proof.Proven) {
		return session.Proven
	}
	return session.NotProven
}

// CanApprove says whether a session's patch may be written now: it waits for review, or the run ended with a proven
// patch (at a limit, say) that was never written.
func CanApprove(st session.State) bool {
	if st.Patch.Empty() || st.Applied || st.Receipt != nil {
		return false
	}
	return st.Outcome == session.Review || st.Outcome != session.Running && st.Proof == string(proof.Proven)
}

// CanUndo says whether a session wrote something that can be taken back (or an undo that can).
func CanUndo(st session.State) bool { return st.Receipt != nil }

// CanResume says whether Work can go on with a session that no process works on.
func CanResume(st session.State) bool {
	return !st.Applied && (st.Outcome == session.Running || st.Outcome == session.Cancelled || st.Outcome == session.Error)
}

// Approve writes the patch that waits for review into the folder and finishes the session. patchHash is the patch that
// the person saw; by is person or auto (auto only when proven). A conflict is recorded, and the patch waits on.
func (r *Run) Approve(ctx context.Context, patchHash, by string) (repo.Receipt, error) {
	unlock, err := r.hold("approving the patch", CanApprove)
	if err != nil {
		return repo.Receipt{}, err
	}
	defer unlock()
	st := r.log.State()
	switch {
	case patchHash != st.PatchHash:
		return repo.Receipt{}, fmt.Errorf("approving the patch: %w: it is not the patch that was shown; look at the diff again", repo.ErrConflict)
	case by != "person" && by != "auto":
		return repo.Receipt{}, fmt.Errorf("approving the patch: by %q, must be person or auto", by)
	case by == "auto" && st.Proof != string(proof.Proven):
		return repo.Receipt{}, fmt.Errorf("approving the patch: %w: only a proven patch is approved without a person, this one is %s", ErrState, st.Proof)
	case by == "auto" && st.Doubt != "":
		return repo.Receipt{}, fmt.Errorf("approving the patch: %w: other patches pass the same tests and do something else, so a person has to choose", ErrState)
	case policy.Decide(policy.Act{Kind: policy.Apply, Object: st.PatchHash}, policy.Settings{AskEdits: r.task.AskEdits}) == policy.Deny:
		return repo.Receipt{}, fmt.Errorf("approving the patch: %w: the policy denies it", ErrState)
	}
	// The policy's question is this call: a person's click, or the person's own --approve auto. That one has not seen the patch,
	// so it is no answer to what the patch makes the folder depend on.
	if object := dependencies(st.Patch); by == "auto" && object != "" && policy.Decide(policy.Act{Kind: policy.Depend, Object: object}, policy.Settings{}) != policy.Allow {
		return repo.Receipt{}, fmt.Errorf("approving the patch: %w: it changes what the folder depends on (%s), which a person has to look at", ErrState, object)
	}
	if err := r.append(ctx, session.KindReviewAnswered, session.ReviewAnswered{Decision: "approve", By: by}); err != nil {
		return repo.Receipt{}, err
	}
	key := r.key(st.Patch)
	receipt, err := r.write(ctx, key, st)
	if err != nil {
		return repo.Receipt{}, errors.Join(err, r.append(ctx, session.KindApplyFailed, session.Failed{Code: code(err), Message: err.Error()}))
	}
	st = r.log.State()
	st.Applied = true
	return receipt, r.appendAll(ctx, session.Entry{Kind: session.KindPatchApplied, Data: writtenNow(key, receipt)}, r.ending(st, r.verdict(), ""))
}

// write applies the patch to the folder that it was proven on: where a file changed since, what would come of it is not
// what was proven, and nothing is written; of a patch that is not proven only its own files count. A folder that already
// holds all of it counts as written, and so does the act that is on record there: a crash came between it and its event.
func (r *Run) write(ctx context.Context, key string, st session.State) (repo.Receipt, error) {
	p := st.Patch
	if rc, ok := r.o.Repo.Written(key); ok {
		return rc, nil
	}
	stale, err := r.o.Repo.Check(p)
	if err != nil {
		return repo.Receipt{}, err
	}
	if len(stale) == 0 {
		if stale, err = r.changed(ctx, st); err != nil {
			return repo.Receipt{}, err
		}
		if len(stale) > 0 {
			return repo.Receipt{}, staleError(stale)
		}
		return r.o.Repo.Apply(ctx, key, p)
	}
	if rc, ok := r.written(p); ok {
		return rc, nil
	}
	return repo.Receipt{}, staleError(stale)
}

// key names the next write of this session into the folder, see session.PatchApplied. One that is on record and that somebody
// took back by other means is asked for again: that is another act.
func (r *Run) key(p patch.Patch) string {
	n := 1
	for _, e := range r.history() {
		if e.Kind == session.KindPatchApplied || e.Kind == session.KindPatchUndone {
			n++
		}
	}
	key := fmt.Sprintf("%s/step-%d/write-%d/%.12s", r.ID(), r.log.State().Steps, n, p.Hash())
	if _, done := r.o.Repo.Written(key); done {
		if stale, err := r.o.Repo.Check(p); err == nil && len(stale) == 0 {
			key += "/again"
		}
	}
	return key
}

// written gives the receipt of a patch that the folder holds whole, because a crash came between its write and its record.
func (r *Run) written(p patch.Patch) (repo.Receipt, bool) {
	left, err := r.o.Repo.Check(p.Invert())
	if err != nil || len(left) > 0 {
		return repo.Receipt{}, false
	}
	made, _ := r.o.Repo.Receipts() // only the last one can be it
	if len(made) > 0 && made[0].Patch.Hash() == p.Hash() {
		return made[0], true
	}
	return repo.Receipt{ID: r.ID(), Time: r.o.Now(), Patch: p, Undo: p.Invert()}, true
}

// changed lists what differs in the folder from what a proven patch was proven on. After a restart the copy that tells the
// names is gone, and only the hash of the certificate is left.
func (r *Run) changed(ctx context.Context, st session.State) ([]string, error) {
	var cert proof.Certificate
	if st.Proof != string(proof.Proven) || json.Unmarshal(st.Certificate, &cert) != nil || cert.BaseHash == "" {
		return nil, nil
	}
	if r.bench != nil && r.bench.ws.BaseHash() == cert.BaseHash {
		all, err := r.o.Repo.Changed(ctx, r.bench.ws)
		return slices.DeleteFunc(all, litter), err
	}
	switch now, err := r.o.Repo.Hash(ctx); {
	case err != nil:
		return nil, err
	case now != cert.BaseHash:
		return []string{"a file beside those of the patch"}, nil
	}
	return nil, nil
}

// litter is what running a program or its tests leaves behind, and no reason to prove anything again.
func litter(p string) bool {
	return strings.HasSuffix(p, ".pyc") || strings.HasSuffix(p, ".log") || strings.Contains("/"+p, "/.pytest_cache/")
}

// Changed is the error of a patch that was not written because the folder is not the one that it was proven on; it is a
// repo.ErrConflict.
type Changed struct {
	Paths []string
	Again bool // it was to be written again, after an undo
}

func (c *Changed) Error() string {
	some, is := strings.Join(c.Paths, ", "), "is not as it was"
	if n := len(c.Paths); n > 1 {
		is = "are not as they were"
		if n > 5 {
			some = fmt.Sprintf("%s and %d more files", strings.Join(c.Paths[:4], ", "), n-4)
		}
	}
	if c.Again {
		return fmt.Sprintf("writing the patch again: %v: %s %s when the patch was proven, so nothing was written; put back what changed there and write it again, or start the task again on the folder as it is now",
			repo.ErrConflict, some, is)
	}
	return fmt.Sprintf("writing the patch: %v: %s %s when the patch was proven, so nothing was written; let it be proven again on what is there now, or start the task again",
		repo.ErrConflict, some, is)
}

// Unwrap gives repo.ErrConflict.
func (c *Changed) Unwrap() error { return repo.ErrConflict }

func staleError(paths []string) error { return &Changed{Paths: paths} }

func writtenNow(key string, rc repo.Receipt) session.PatchApplied {
	files := make([]string, 0, len(rc.Patch.Files))
	for _, f := range rc.Patch.Files {
		files = append(files, f.Path)
	}
	raw, err := json.Marshal(rc)
	if err != nil { // cannot happen: a receipt is plain data
		raw = json.RawMessage("null")
	}
	return session.PatchApplied{Files: files, Receipt: raw, Key: key}
}

// code is the window's error code of a failed write.
func code(err error) string {
	switch {
	case errors.Is(err, repo.ErrConflict):
		return "conflict"
	case errors.Is(err, repo.ErrGone):
		return "not_found"
	case errors.Is(err, repo.ErrSecret), errors.Is(err, repo.ErrOutside), errors.Is(err, repo.ErrIgnored):
		return "denied"
	}
	return "internal"
}

// Undo takes back what a session wrote. It returns an error that wraps ErrState where nothing of it is in the folder.
func Undo(ctx context.Context, o Options, id string) (repo.Receipt, error) {
	return turn(ctx, o, id, "undoing", true)
}

// Redo writes again what Undo took back. It returns an error that wraps ErrState where nothing was taken back.
func Redo(ctx context.Context, o Options, id string) (repo.Receipt, error) {
	return turn(ctx, o, id, "redoing", false)
}

// turn undoes the last write of a session, an undo too; applied is what the person takes the state to be, which another
// process may have changed.
func turn(ctx context.Context, o Options, id, doing string, applied bool) (repo.Receipt, error) {
	r, err := Open(ctx, o, id)
	if err != nil {
		return repo.Receipt{}, err
	}
	st := r.log.State()
	switch {
	case st.Receipt == nil:
		return repo.Receipt{}, fmt.Errorf("%s the change of session %s: %w: it wrote nothing", doing, id, ErrState)
	case st.Applied && !applied:
		return repo.Receipt{}, fmt.Errorf("%s the change of session %s: %w: it is in the folder already, so nothing was written", doing, id, ErrState)
	case !st.Applied && applied:
		return repo.Receipt{}, fmt.Errorf("%s the change of session %s: %w: it is taken back already, so nothing was changed", doing, id, ErrState)
	}
	var last repo.Receipt
	if err := json.Unmarshal(st.Receipt, &last); err != nil {
		return repo.Receipt{}, fmt.Errorf("%s the change of session %s: reading its receipt: %w", doing, id, err)
	}
	key := r.key(last.Undo)
	receipt, err := r.takeBack(ctx, key, last, st.Applied)
	if err != nil {
		return receipt, errors.Join(err, r.append(ctx, session.KindApplyFailed, session.Failed{Code: code(err), Message: err.Error()}))
	}
	kind := session.KindPatchApplied
	if st.Applied {
		kind = session.KindPatchUndone
	}
	return receipt, r.append(ctx, kind, writtenNow(key, receipt))
}

// takeBack undoes what a receipt wrote, around what the person changed since. Writing the patch again is held to the
// files that it was proven on, as the first time. What a crash kept from the record is not done twice.
func (r *Run) takeBack(ctx context.Context, key string, last repo.Receipt, applied bool) (repo.Receipt, error) {
	if rc, ok := r.o.Repo.Written(key); ok {
		return rc, nil
	}
	if stale, err := r.o.Repo.Check(last.Undo); err == nil && len(stale) > 0 {
		if rc, ok := r.written(last.Undo); ok {
			return rc, nil
		}
	}
	if !applied {
		stale, err := r.o.Repo.Check(r.log.State().Patch)
		if err != nil {
			return repo.Receipt{}, err
		}
		if len(stale) > 0 {
			return repo.Receipt{}, &Changed{Paths: stale, Again: true}
		}
	}
	return r.o.Repo.Undo(ctx, key, last)
}
