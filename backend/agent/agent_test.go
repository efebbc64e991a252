package agent

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/index"
	"redgreen/backend/model"
	"redgreen/backend/patch"
	"redgreen/backend/proof"
	"redgreen/backend/repo"
	"redgreen/backend/sandbox"
	"redgreen/backend/session"
	"redgreen/backend/testrun"
)

var update = flag.Bool("update", false, "write testdata/sessions anew")

const repos = "../../testdata/repos"

// shared is the strongest sandbox there is, which the samples and what is hostile run in; quick is that of all other tests: most of
// what they take is the start of some thousand runs, and bubblewrap starts with a third less work. Probing takes a while, so there
// is one of each.
var shared, quick *sandbox.Sandbox

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "redgreen-agent-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o711); err != nil {
		log.Fatal(err)
	}
	if shared, err = sandbox.Open(sandbox.Options{Dir: filepath.Join(dir, "sandbox")}); err != nil {
		log.Fatal(err)
	}
	defer shared.Close()
	if quick, err = sandbox.Open(sandbox.Options{Dir: filepath.Join(dir, "quick"), Runtime: "bwrap"}); err != nil {
		log.Fatal(err)
	}
	defer quick.Close()
	if _, err := quick.Rung(context.Background()); err != nil || *update { // recordings are of what people have
		quick = shared
	}
	return m.Run()
}

// needSandbox skips where no sandbox works; on CI that is a failure.
func needSandbox(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a sandbox and seconds")
	}
	if _, err := shared.Rung(t.Context()); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("no sandbox on this machine: %v", err)
	}
}

// fixture is a folder of its own with everything a run needs.
type fixture struct {
	root  string
	state string
	o     Options
	cmd   []string // the test command where a task has none, nil as it is found
}

// sample copies one of the sample repositories.
func sample(t *testing.T, name string) *fixture {
	t.Helper()
	root := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(root, os.DirFS(filepath.Join(repos, name))); err != nil {
		t.Fatal(err)
	}
	return strong(open(t, root))
}

// strong has a fixture's runs as people have them: in the strongest sandbox, with the command that is found.
func strong(f *fixture) *fixture {
	f.o.Sandbox, f.cmd = shared, nil
	return f
}

func folder(t *testing.T, files map[string]string) *fixture {
	t.Helper()
	root := filepath.Join(t.TempDir(), "folder")
	for name, text := range files {
		full := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := open(t, root)
	if strings.Contains(files["test_calc.py"], "unittest") { // pytest, which would be found, takes four times as long to start
		f.cmd = []string{"python3", "-m", "unittest"}
	}
	return f
}

func open(t *testing.T, root string) *fixture {
	t.Helper()
	f := &fixture{root: root, state: t.TempDir()}
	r, err := repo.Open(root, repo.Options{StateDir: filepath.Join(f.state, "undo")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	ix, err := index.Open(r, filepath.Join(f.state, "index"), index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close() })
	store, err := session.Open(filepath.Join(f.state, "sessions.db"), session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	work, err := os.MkdirTemp("", "redgreen-work-") // not below t.TempDir: that is closed to the sandbox's user
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(work, 0o711); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(work); err != nil {
			t.Error(err)
		}
	})
	seed, err := filepath.Abs(filepath.Join("..", "..", "build", "cache", "go-seed")) // compiled once for all tests
	if err != nil {
		t.Fatal(err)
	}
	f.o = Options{Version: "test", Store: store, Repo: r, Index: ix, Sandbox: quick, Dir: work, Seed: seed}
	return f
}

// recorded is the script that is kept beside a sample.
func recorded(t *testing.T, name string) model.Model {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(repos, name+".script.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Open("script/"+path, model.Options{Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// script is a model that plays lines of JSON.
func script(t *testing.T, lines ...string) model.Model {
	t.Helper()
	var replies []model.ScriptReply
	for _, line := range lines {
		var r model.ScriptReply
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		replies = append(replies, r)
	}
	return model.Model{Info: model.Info{Provider: "script", Name: "memory", Label: "recorded model", Local: true}, Provider: model.NewScript(replies)}
}

// say is a line of a script that calls one tool.
func say(name string, args map[string]any) string {
	raw, err := json.Marshal(map[string]any{"text": "I call " + name + ".", "calls": []any{map[string]any{"name": name, "args": args}}})
	if err != nil {
		panic(err) // a test's own literals
	}
	return string(raw)
}

type args = map[string]any

// edit reads a file and changes it, in one reply.
func edit(path, old, new string) string {
	var calls []json.RawMessage
	for _, one := range []string{say("read_file", args{"path": path}), say("apply_patch", args{"path": path, "old": old, "new": new})} {
		var reply struct{ Calls []json.RawMessage }
		if err := json.Unmarshal([]byte(one), &reply); err != nil {
			panic(err) // our own literals
		}
		calls = append(calls, reply.Calls...)
	}
	raw, err := json.Marshal(map[string]any{"text": "I read " + path + " and change it.", "calls": calls})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func start(t *testing.T, f *fixture, m model.Model, task Task) *Run {
	t.Helper()
	f.o.Model = m
	if task.TestCmd == nil {
		task.TestCmd = f.cmd
	}
	if task.Text == "" {
		task.Text = "it is broken"
	}
	r, err := New(t.Context(), f.o, task)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func work(t *testing.T, r *Run, want session.Outcome) {
	t.Helper()
	got, err := r.Work(t.Context())
	if got != want || (err != nil) != (want == session.Error) {
		t.Fatalf("outcome %q, %v; want %q\n%s", got, err, want, story(t, r))
	}
}

// story is the record in short, for a failed test.
func story(t *testing.T, r *Run) string {
	t.Helper()
	var b strings.Builder
	for _, e := range r.history() {
		data := string(e.Data)
		if len(data) > 1500 {
			data = data[:1500] + "…"
		}
		fmt.Fprintf(&b, "%d %s %s\n", e.Seq, e.Kind, data)
	}
	return b.String()
}

func all[T any](t *testing.T, r *Run) []T {
	t.Helper()
	events, err := r.o.Store.Events(context.Background(), r.ID(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	for _, e := range events {
		data, err := session.Decode(e)
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := data.(T); ok {
			out = append(out, d)
		}
	}
	return out
}

func last[T any](t *testing.T, r *Run) T {
	t.Helper()
	list := all[T](t, r)
	if len(list) == 0 {
		t.Fatalf("no %T in the record:\n%s", *new(T), story(t, r))
	}
	return list[len(list)-1]
}

// tree is every file of a folder with its content.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		info, ierr := d.Info()
		out[rel] = fmt.Sprintf("%v\n%s", info.Mode(), data)
		return errors.Join(err, ierr)
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

type sampleTask struct {
	Task     string `json:"task"`
	Solution string `json:"solution"`
	Expect   struct {
		RedToGreen []string `json:"red_to_green"`
	} `json:"expect"`
}

func taskOf(t *testing.T, name string) sampleTask {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(repos, name+".task.json"))
	if err != nil {
		t.Fatal(err)
	}
	var task sampleTask
	if err := json.Unmarshal(raw, &task); err != nil {
		t.Fatal(err)
	}
	return task
}

// The main job on each sample: proven, nothing written before Approve, written by it, and taken back byte for byte.
func TestSamplesAreFixedProvenApprovedAndUndone(t *testing.T) {
	needSandbox(t)
	for _, name := range []string{"invoice", "cronline", "ledger"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, task := sample(t, name), taskOf(t, name)
			before := tree(t, f.root)
			var mu sync.Mutex
			phases := 0
			f.o.OnPhase = func(string, string) { mu.Lock(); phases++; mu.Unlock() }
			var ends []testrun.Progress
			f.o.OnTests = func(_ string, p testrun.Progress) {
				mu.Lock()
				defer mu.Unlock()
				if p.Over {
					ends = append(ends, p)
				}
			}
			r := start(t, f, recorded(t, name), Task{Text: task.Task})
			work(t, r, session.Review)

			var cert proof.Certificate
			if err := json.Unmarshal(last[session.ProofFinished](t, r).Certificate, &cert); err != nil {
				t.Fatal(err)
			}
			got := slices.Sorted(slices.Values(cert.RedToGreen))
			want := slices.Sorted(slices.Values(task.Expect.RedToGreen))
			if diff := cmp.Diff(want, got); cert.State != proof.Proven || diff != "" {
				t.Fatalf("certificate %s %v (-want +got):\n%s", cert.State, cert.Reasons, diff)
			}
			if diff := cmp.Diff(before, tree(t, f.root)); diff != "" {
				t.Fatalf("the folder changed before Approve:\n%s", diff)
			}
			if phases == 0 {
				t.Error("no phase was told")
			}
			if base := all[session.TestsFinished](t, r)[0].Run; len(ends) < 4 || ends[0].Done != base.Passed+base.Failed+base.Skipped || !slices.ContainsFunc(ends[1:], func(p testrun.Progress) bool { return p.Last > 0 && p.Done > ends[0].Done/2 }) {
				t.Errorf("of a baseline of %+v and a proof it was told %+v", base, ends)
			}
			checkPrefix(t, r)
			st := r.log.State()
			if _, err := r.Approve(t.Context(), "another", "person"); !errors.Is(err, repo.ErrConflict) {
				t.Fatalf("approving a patch that was not shown: %v", err)
			}
			if _, err := r.Approve(t.Context(), st.PatchHash, "person"); err != nil {
				t.Fatal(err)
			}
			after := tree(t, f.root)
			for _, file := range st.Patch.Files {
				if _, data, _ := strings.Cut(after[file.Path], "\n"); patch.Hash([]byte(data)) != file.After {
					t.Errorf("%s was not written as reviewed", file.Path)
				}
				delete(after, file.Path)
			}
			if diff := cmp.Diff(mapsWithout(before, st.Patch), after); diff != "" {
				t.Fatalf("other files changed:\n%s", diff)
			}
			if fin := last[session.Finished](t, r); fin.Outcome != session.Proven || !fin.Applied || fin.Patch == "" || fin.USD == nil || fin.Tokens == 0 {
				t.Fatalf("finished: %+v", fin)
			}
			if err := f.o.Store.Verify(t.Context(), r.ID()); err != nil {
				t.Fatal(err)
			}
			if name == "invoice" {
				sameStory(t, r, "proven")
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if left, err := os.ReadDir(f.o.Dir); err != nil || len(left) != 0 {
				t.Fatalf("left behind: %v, %v", left, err)
			}
			if _, err := Undo(t.Context(), f.o, r.ID()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, tree(t, f.root)); diff != "" {
				t.Fatalf("undo did not restore:\n%s", diff)
			}
			if _, err := Undo(t.Context(), f.o, r.ID()); !errors.Is(err, ErrState) {
				t.Fatalf("a second undo: %v", err)
			}
			if _, err := Redo(t.Context(), f.o, r.ID()); err != nil {
				t.Fatalf("undoing the undo: %v", err)
			}
			if st, err := f.o.Store.State(t.Context(), r.ID()); err != nil || !st.Applied || cmp.Equal(before, tree(t, f.root)) {
				t.Fatalf("the undo was not undone: %v", err)
			}
			again, err := Open(t.Context(), f.o, r.ID())
			if err != nil {
				t.Fatal(err)
			}
			replayed(t, f, again)
		})
	}
}

func mapsWithout(m map[string]string, p patch.Patch) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		out[k] = v
	}
	for _, f := range p.Files {
		delete(out, f.Path)
	}
	return out
}

// checkPrefix: within a task each request begins with the messages of the one before, byte for byte.
func checkPrefix(t *testing.T, r *Run) {
	t.Helper()
	var before []json.RawMessage
	for _, d := range all[session.ModelReplied](t, r) {
		body, err := r.o.Store.Body(t.Context(), d.Body)
		if err != nil {
			t.Fatal(err)
		}
		var req struct {
			System   string            `json:"system"`
			Messages []json.RawMessage `json:"messages"`
		}
		if err := json.Unmarshal(body, &req); err != nil {
			t.Fatal(err)
		}
		if req.System != system {
			t.Errorf("step %d: the system prompt changed", d.Step)
		}
		for i := range before {
			if i >= len(req.Messages) || string(before[i]) != string(req.Messages[i]) {
				t.Fatalf("step %d: message %d of the prefix changed", d.Step, i)
			}
		}
		before = req.Messages
	}
}
