package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"redgreen/backend/agent"
	"redgreen/backend/model"
	"redgreen/backend/patch"
	"redgreen/backend/sandbox"
	"redgreen/backend/session"
	"redgreen/backend/testrun"
)

// BuiltinOptions are those of a run over bugs with known fixes. Samples is as in Options; Bugs holds a folder a part.
type BuiltinOptions struct {
	Options
	Bugs      fs.FS
	Parts     []string // none: all
	Languages []string // none: all
	Only      []string // names, none: all
	Cache     string   // an absolute folder for fetched libraries, kept between runs
	Limits    session.Limits
	Hidden    time.Duration                    // how long the hidden tests of a bug may take; 0: 3 minutes
	Plausible bool                             // only bugs with a plausible wrong fix
	Model     func(b Bug) (model.Model, error) // what answers
	Told      func(Fixed)                      // after each bug that was run; may be nil
	Kept      []Fixed                          // runs of before: their bugs are not run again, the result has them in their places
}

// The verdicts on a run over one bug.
const (
	FixedRight = "fixed"     // proven, and the same as the right fix or green on the hidden tests
	FixedWrong = "wrong"     // proven, and red on the hidden tests
	NotFound   = "not found" // nothing proven
)

// Fixed is the run over one bug.
type Fixed struct {
	Bug        string          `json:"bug"`
	Part       string          `json:"part"`
	Language   string          `json:"language"`
	Kind       string          `json:"kind"`
	Source     string          `json:"source"`
	Verdict    string          `json:"verdict"`
	Same       bool            `json:"same"` // the fix is the right one but for blanks and comments
	Outcome    session.Outcome `json:"outcome"`
	Proof      string          `json:"proof"`
	Why        string          `json:"why"` // the end's own words, or what the hidden tests say
	Patch      string          `json:"patch"`
	Doubt      string          `json:"doubt,omitempty"`      // what a person was told of other edits that pass: it is not written without one then
	Red        []string        `json:"red"`                  // on the base, as the baseline saw it
	Tried      int             `json:"tried"`                // candidate patches that were run
	Millis     int64           `json:"ms"`                   // of the whole job
	Unexpected string          `json:"unexpected,omitempty"` // what is wrong with the bug itself: other tests are red than it names, or the right fix fails the hidden tests
}

// ErrNoBugs is returned where no bug is of the wanted names, languages and parts.
var ErrNoBugs = errors.New("running the bugs: there is none of that name, language or part")

// Builtin runs the shipped job over each bug and judges what it proved. A bug whose run could not be made counts as not found,
// with why. An error means that there is none, or that ctx ended; the runs before are given.
func Builtin(ctx context.Context, o BuiltinOptions) ([]Fixed, error) {
	parts := o.Parts
	if len(parts) == 0 {
		parts = []string{"tuning", "heldback", "oneline"}
	}
	var out []Fixed
	for _, part := range parts {
		bugs, err := ReadBugs(o.Bugs, part)
		if err != nil {
			return out, err
		}
		for _, b := range bugs {
			if len(o.Languages) > 0 && !slices.Contains(o.Languages, b.Language) || len(o.Only) > 0 && !slices.Contains(o.Only, b.Name) || o.Plausible && b.Wrong == "" {
				continue
			}
			if i := slices.IndexFunc(o.Kept, func(f Fixed) bool { return f.Bug == b.Name && f.Part == part }); i >= 0 {
				out = append(out, o.Kept[i])
				continue
			}
			f, err := fixOne(ctx, o, b)
			if ctx.Err() != nil {
				return out, fmt.Errorf("running %s: %w", b.Name, ctx.Err())
			}
			if err != nil { // a registry that cannot be reached spoils one row, not the hours before it
				f.Unexpected = err.Error()
			}
			out = append(out, f)
			if o.Told != nil {
				o.Told(f)
			}
		}
	}
	if len(out) == 0 {
		return out, ErrNoBugs
	}
	return out, nil
}

// fixOne runs the job over one bug.
func fixOne(ctx context.Context, o BuiltinOptions, b Bug) (Fixed, error) {
	f := Fixed{Bug: b.Name, Part: b.Part, Language: b.Language, Kind: b.Kind, Source: b.Source, Verdict: NotFound}
	s := shelf{bugs: o.Bugs, samples: o.Samples, dir: o.Cache}
	base, err := os.MkdirTemp(o.Dir, "bug-")
	if err != nil {
		return f, err
	}
	defer os.RemoveAll(base)
	if err := os.Chmod(base, 0o711); err != nil { // the sandbox's user passes through
		return f, err
	}
	tree := filepath.Join(base, "tree")
	if b.line, err = s.lay(ctx, b, tree); err != nil {
		return f, err
	}
	h, err := open(o.Options, "bug", os.DirFS(tree))
	if err != nil {
		return f, err
	}
	defer h.done()
	if h.o.Model, err = o.Model(b); err != nil {
		return f, err
	}
	begun := time.Now()
	run, err := agent.New(ctx, h.o, agent.Task{Text: b.Task, Kind: agent.Fix, Limits: o.Limits, TestCmd: b.command()})
	if err != nil {
		return f, err
	}
	defer run.Close()
	f.Outcome, err = run.Work(ctx)
	if ctx.Err() != nil {
		return f, ctx.Err()
	}
	if err != nil && f.Outcome != session.Error {
		return f, err
	}
	f.Millis = time.Since(begun).Milliseconds()
	st, err := h.o.Store.State(ctx, run.ID())
	if err != nil {
		return f, err
	}
	events, err := h.o.Store.Events(ctx, run.ID(), 0, 0)
	if err != nil {
		return f, err
	}
	f.Proof, f.Why, f.Patch, f.Doubt = st.Proof, lastWords(events), st.Patch.String(), st.Doubt
	if err := f.read(events); err != nil {
		return f, err
	}
	if !slices.Equal(f.Red, b.Red) {
		f.Unexpected = fmt.Sprintf("red on the base are %q, not %q", f.Red, b.Red)
	}
	if f.Proof != "proven" {
		return f, nil
	}
	j := judge{o: o, bug: b, base: tree, dir: base}
	return f, j.judge(ctx, st.Patch, &f)
}

// read takes from the record what the base's red tests are and how many candidates were run.
func (f *Fixed) read(events []session.Event) error {
	for _, e := range events {
		data, err := session.Decode(e)
		if err != nil {
			return err
		}
		if d, ok := data.(session.ToolFinished); ok && d.Tool == "try_patches" {
			f.Tried += countTried(d.Summary)
		}
		if d, ok := data.(session.TestsFinished); ok && f.Red == nil {
			f.Red = []string{}
			for _, t := range d.Run.Tests {
				if t.Status == string(testrun.Failed) || t.Status == string(testrun.Errored) {
					f.Red = append(f.Red, t.ID)
				}
			}
			slices.Sort(f.Red)
		}
	}
	return nil
}

// countTried is how many candidates a summary of try_patches says were run.
func countTried(summary string) int {
	var n int
	var noun, tried string
	if _, err := fmt.Sscanf(summary, "%d %s %s", &n, &noun, &tried); err != nil || tried != "tried," {
		return 0
	}
	return n
}

// judge decides, apart from the certificate, whether a proven patch is right.
type judge struct {
	o    BuiltinOptions
	bug  Bug
	base string // the broken tree
	dir  string // of ours
}

func (j judge) judge(ctx context.Context, p patch.Patch, f *Fixed) error {
	same, err := j.same(p)
	if err != nil {
		return err
	}
	f.Same = same
	red, err := j.hidden(ctx, p)
	if err != nil {
		return err
	}
	switch {
	case red == "":
		f.Verdict = FixedRight
	case same:
		f.Unexpected = "the right fix fails the hidden tests: " + red
	default:
		f.Verdict, f.Why = FixedWrong, red
	}
	return nil
}

// same says whether a patch gives the right file but for blanks and comments, and changes no other.
func (j judge) same(p patch.Patch) (bool, error) {
	if len(p.Files) != 1 || p.Files[0].Path != j.bug.File {
		return false, nil
	}
	before, err := readContent(j.base, j.bug.File)
	if err != nil {
		return false, err
	}
	after, err := patch.Apply(p.Files[0], before)
	if err != nil || after == nil {
		return false, err
	}
	right := strings.Replace(string(before.Data), j.bug.Bad, j.bug.Good, 1)
	got, err := words(j.bug.File, after.Data)
	if err != nil {
		return false, err
	}
	want, err := words(j.bug.File, []byte(right))
	return slices.Equal(got, want), err
}

// endless says whether a run was stopped for what the code under test did without end: a patch may be green on the tests it was
// given and loop on others.
func endless(reason string) bool {
	return reason == string(sandbox.Timeout) || reason == string(sandbox.Memory) || reason == string(sandbox.Processes) || reason == string(sandbox.Disk)
}

// hidden runs all tests and the hidden ones over the patched tree and says what is red or was stopped by a limit, "" nothing.
func (j judge) hidden(ctx context.Context, p patch.Patch) (string, error) {
	dir := filepath.Join(j.dir, "judged")
	err := errors.Join(copyKept(os.DirFS(j.base), dir, nil), applyTree(dir, p), writeTree(dir, j.bug.Hidden))
	if err != nil {
		return "", err
	}
	if uid, gid, ok := j.o.Sandbox.Owner(); ok {
		err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(p, uid, gid))
		})
		if err != nil {
			return "", err
		}
	}
	runner := testrun.New(testrun.Options{Sandbox: j.o.Sandbox, Cache: filepath.Join(j.dir, "cache"), Seed: j.o.Seed, Limits: testrun.Limits{Wall: cmp.Or(j.o.Hidden, 3*time.Minute)}})
	run, err := runner.Run(ctx, dir, testrun.Custom(j.bug.command()), nil)
	if err != nil {
		return "", err
	}
	if endless(run.Reason) {
		return "the hidden tests were stopped: " + run.Reason, os.RemoveAll(dir)
	}
	if run.Infrastructure {
		return "", fmt.Errorf("running the hidden tests of %s: %s", j.bug.Name, run.Reason)
	}
	var red []string
	for _, t := range run.Tests {
		if t.Status == testrun.Failed || t.Status == testrun.Errored {
			red = append(red, t.ID)
		}
	}
	if passed, _, _ := run.Counts(); len(red) == 0 && passed == 0 {
		return "", fmt.Errorf("running the hidden tests of %s: none ran", j.bug.Name)
	}
	return strings.Join(red, ", "), os.RemoveAll(dir)
}

// Known gives the model that makes the right fix of a bug, or with wrong the plausible one; with it the bugs and their judge
// are checked.
func Known(b Bug, wrong bool) model.Model {
	text := b.Good
	if wrong {
		text = b.Wrong
	}
	return scripted(model.NewScript([]model.ScriptReply{
		call("I look.", "read_file", m{"path": b.File, "start_line": max(1, b.line-20)}),
		call("I change it.", "apply_patch", m{"path": b.File, "old": b.Bad, "new": text}),
		finish(), finish(), finish(),
	}))
}
