package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/model"
	"redgreen/backend/patch"
)

// clock ticks a second a call.
func clock() func() time.Time {
	var mu sync.Mutex
	at := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(time.Second)
		return at
	}
}

func openAt(t *testing.T, path string) *Store {
	t.Helper()
	n := 0
	s, err := Open(path, Options{Now: clock(), NewID: func() string { n++; return fmt.Sprintf("s%d", n) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func openTemp(t *testing.T) *Store {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "sub", "sessions.db"))
}

func create(t *testing.T, s *Store, st Started) *Log {
	t.Helper()
	l, err := s.Create(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func add(t *testing.T, l *Log, k Kind, data any) Event {
	t.Helper()
	e, err := l.Append(t.Context(), k, data)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var samplePatch = patch.Patch{Files: []patch.File{{Path: "a.py", Status: patch.Modified, Before: "b0", After: "a0", Hunks: []patch.Hunk{{
	OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1,
	Lines: []patch.Line{{Op: patch.Delete, Text: "x<1\r\n"}, {Op: patch.Insert, Text: "x<=1\r\n"}}}}}}}

// tell plays a whole short session.
func tell(t *testing.T, l *Log) {
	t.Helper()
	usage := model.Usage{Known: true, Input: 100, CacheRead: 20, Output: 7}
	for _, e := range []struct {
		k Kind
		d any
	}{
		{KindMessage, Message{Text: "fix <it> & be quick"}},
		{KindSandboxReady, SandboxReady{Name: "crun", Label: "container"}},
		{KindTestsStarted, TestsStarted{Command: []string{"pytest"}, Why: "baseline"}},
		{KindBaseline, TestsFinished{Run: Run{Failed: 1}, BaseHash: "tree"}},
		{KindStepStarted, StepStarted{1}},
		{KindModelRequested, ModelRequested{Step: 1, Tokens: 90, Added: []string{"first"}}},
		{KindModelReplied, ModelReplied{Step: 1, Usage: usage, MicroUSD: 1500, Priced: true}},
		{KindToolCalled, ToolCalled{Step: 1, CallID: "c1", Tool: "apply_patch", Verdict: "allow"}},
		{KindToolFinished, ToolFinished{Step: 1, CallID: "c1", Tool: "apply_patch", OK: true}},
		{KindPatchChanged, PatchChanged{Step: 1, Patch: samplePatch, Hash: "p1"}},
		{KindProofStarted, ProofStarted{"p1"}},
		{KindProofFinished, ProofFinished{State: "proven", Certificate: json.RawMessage(`{"state":"proven"}`)}},
		{KindReviewAsked, ReviewAsked{PatchHash: "p1", Summary: "done"}},
		{KindReviewAnswered, ReviewAnswered{Decision: "approve", By: "person"}},
		{KindPatchApplied, PatchApplied{Files: []string{"a.py"}, Receipt: json.RawMessage(`{"id":"r"}`)}},
		{KindSessionFinished, Finished{Outcome: Proven, Certificate: json.RawMessage("null"), Applied: true}},
	} {
		add(t, l, e.k, e.d)
	}
}

func TestAppendThenReopenGivesTheSameState(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a b?#%.db")
	s := openAt(t, path)
	l := create(t, s, Started{Folder: "/f", Task: "fix", Model: model.Info{Name: "m"}})
	tell(t, l)
	want := l.State()
	if want.Outcome != Proven || want.MicroUSD != 1500 || want.Context != 120 || !want.Applied || want.PatchHash != "p1" ||
		want.Proof != "proven" || want.Summary != "done" || want.BaseHash != "tree" || want.Steps != 1 || want.Seq != 17 {
		t.Fatalf("folded state is wrong: %+v", want)
	}
	if diff := cmp.Diff(samplePatch, want.Patch); diff != "" {
		t.Fatalf("the patch lost bytes:\n%s", diff)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	got, err := s.State(t.Context(), l.ID())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("state after reopening (-live +saved):\n%s", diff)
	}
	if err := s.Verify(t.Context(), l.ID()); err != nil {
		t.Fatal(err)
	}
}

// The state cache is written only at milestones; whatever its lag, a reader sees the fold of all events.
func TestStateIsTheFoldAtEveryEvent(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	l := create(t, s, Started{Folder: "/f", Task: "t"})
	stop := s.Subscribe(func(n Notice) {
		got, err := s.State(context.Background(), n.Session)
		if err != nil || got.Seq != n.Seq {
			t.Errorf("state at event %d: %v, seq %d", n.Seq, err, got.Seq)
		}
	})
	defer stop()
	tell(t, l)
	events, err := s.Events(t.Context(), l.ID(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var st State
	for _, e := range events {
		if st, err = Fold(st, e); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(l.State(), st); diff != "" {
		t.Fatal(diff)
	}
	some, err := s.Events(t.Context(), l.ID(), 3, 2)
	if err != nil || len(some) != 2 || some[0].Seq != 4 || some[1].Seq != 5 {
		t.Fatalf("events after 3, at most 2: %v, %v", some, err)
	}
	if none, err := s.Events(t.Context(), l.ID(), 99, 0); err != nil || len(none) != 0 {
		t.Fatalf("events after the last: %v, %v", none, err)
	}
}

func TestFoldTable(t *testing.T) {
	t.Parallel()
	type ev struct {
		k Kind
		d any
	}
	for _, c := range []struct {
		name   string
		events []ev
		check  func(State) bool
	}{
		{"a new patch has no proof", []ev{
			{KindPatchChanged, PatchChanged{Hash: "p1"}}, {KindProofFinished, ProofFinished{State: "proven", Certificate: json.RawMessage("{}")}},
			{KindPatchChanged, PatchChanged{Hash: "p2"}}}, func(s State) bool { return s.Proof == "" && s.Certificate == nil && s.PatchHash == "p2" }},
		{"a rejection goes on", []ev{{KindReviewAsked, ReviewAsked{}}, {KindReviewAnswered, ReviewAnswered{Decision: "reject", Comment: "no"}}},
			func(s State) bool { return s.Outcome == Running }},
		{"an approval waits for the write", []ev{{KindReviewAsked, ReviewAsked{}}, {KindReviewAnswered, ReviewAnswered{Decision: "approve"}},
			{KindApplyFailed, Failed{Code: "conflict"}}}, func(s State) bool { return s.Outcome == Review && !s.Applied }},
		{"undone, and undone again", []ev{{KindPatchApplied, PatchApplied{}}, {KindPatchUndone, PatchApplied{}}, {KindPatchApplied, PatchApplied{Receipt: json.RawMessage("2")}}},
			func(s State) bool { return s.Applied && string(s.Receipt) == "2" }},
		{"one unpriced reply makes the price unknown", []ev{{KindModelReplied, ModelReplied{Priced: false}}, {KindModelReplied, ModelReplied{Priced: true, MicroUSD: 5}}},
			func(s State) bool { return !s.Priced && s.MicroUSD == 5 }},
		{"work after an end runs again", []ev{{KindSessionFinished, Finished{Outcome: Cancelled, Certificate: json.RawMessage("null")}}, {KindSandboxReady, SandboxReady{}}},
			func(s State) bool { return s.Outcome == Running }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := create(t, openTemp(t), Started{})
			for _, e := range c.events {
				add(t, l, e.k, e.d)
			}
			if !c.check(l.State()) {
				t.Fatalf("state: %+v", l.State())
			}
		})
	}
}

func TestKindsListsEveryConstant(t *testing.T) {
	t.Parallel()
	f, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(v.Names[0].Name, "Kind") {
			return true
		}
		name, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		found++
		if _, ok := Kinds()[Kind(name)]; !ok {
			t.Errorf("kind %s is not in Kinds()", name)
		}
		return true
	})
	if found != len(Kinds()) {
		t.Errorf("%d constants, %d in Kinds()", found, len(Kinds()))
	}
}

func TestAppendIsStrict(t *testing.T) {
	t.Parallel()
	l := create(t, openTemp(t), Started{})
	for name, f := range map[string]func() error{
		"unknown kind":  func() error { _, err := l.Append(t.Context(), "nonsense", Message{}); return err },
		"wrong payload": func() error { _, err := l.Append(t.Context(), KindMessage, StepStarted{}); return err },
		"pointer":       func() error { _, err := l.Append(t.Context(), KindMessage, &Message{}); return err },
		"bad raw JSON": func() error {
			_, err := l.Append(t.Context(), KindPatchApplied, PatchApplied{Receipt: json.RawMessage("{")})
			return err
		},
		"cancelled": func() error {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := l.Append(ctx, KindMessage, Message{})
			return err
		},
	} {
		if err := f(); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if got := l.State().Seq; got != 1 {
		t.Fatalf("a refused event changed the session: seq %d", got)
	}
	add(t, l, KindMessage, Message{Text: "still works"})
}

func TestEventsOfANewerVersionAreKept(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	l := create(t, s, Started{Task: "t"})
	e := Event{Seq: 2, Session: l.ID(), Time: time.Unix(5, 0).UTC(), Kind: "hologram.shown", Data: json.RawMessage(`{"x":1}`)}
	hash := chain(l.head, e)
	for _, q := range []string{
		fmt.Sprintf(`INSERT INTO events VALUES (1, 2, %d, 'hologram.shown', '{"x":1}', x'%x')`, e.Time.UnixNano(), hash),
		fmt.Sprintf(`UPDATE sessions SET seq = 2, hash = x'%x'`, hash),
	} {
		if _, err := s.write.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Decode(e); !errors.Is(err, ErrUnknownKind) {
		t.Fatalf("Decode: %v", err)
	}
	st, err := s.State(t.Context(), l.ID())
	if err != nil || st.Seq != 2 || st.Task != "t" {
		t.Fatalf("state: %+v, %v", st, err)
	}
	// The Log of this process is behind: its next append is refused, the one after that goes on from the new head.
	if _, err := l.Append(t.Context(), KindMessage, Message{Text: "a"}); !errors.Is(err, ErrConflict) {
		t.Fatalf("append behind another writer: %v", err)
	}
	add(t, l, KindMessage, Message{Text: "b"})
	if err := s.Verify(t.Context(), l.ID()); err != nil {
		t.Fatal(err)
	}
}

func TestVerifyFindsTampering(t *testing.T) {
	t.Parallel()
	for name, q := range map[string]string{
		"changed":   `UPDATE events SET data = replace(data, 'quick', 'quack') WHERE seq = 2`,
		"retimed":   `UPDATE events SET time = time + 1 WHERE seq = 3`,
		"removed":   `DELETE FROM events WHERE seq = 4`,
		"truncated": `DELETE FROM events WHERE seq = 17`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openTemp(t)
			l := create(t, s, Started{})
			tell(t, l)
			if err := s.Verify(t.Context(), l.ID()); err != nil {
				t.Fatal(err)
			}
			if _, err := s.write.Exec(q); err != nil {
				t.Fatal(err)
			}
			if err := s.Verify(t.Context(), l.ID()); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("not found: %v", err)
			}
		})
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	create(t, s, Started{Folder: "/home/a", Task: "Fix the parser_x"})
	create(t, s, Started{Folder: "/home/b", Task: "parser100%done"})
	create(t, s, Started{Folder: "/home/a", Task: "new feature"})
	for _, c := range []struct {
		name  string
		f     Filter
		want  string
		total int
	}{
		{"all, newest first", Filter{}, "s3 s2 s1", 3},
		{"limit and offset", Filter{Limit: 1, Offset: 1}, "s2", 3},
		{"folder", Filter{Folder: "/home/a"}, "s3 s1", 2},
		{"words in any case", Filter{Query: "PARSER fix"}, "s1", 1},
		{"wildcards are plain text", Filter{Query: "0%d"}, "s2", 1},
		{"underscore is plain text", Filter{Query: "r_"}, "s1", 1},
		{"folder by text", Filter{Query: "home/b"}, "s2", 1},
		{"quote", Filter{Query: `'"; DROP TABLE sessions`}, "", 0},
	} {
		got, total, err := s.Find(t.Context(), c.f)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, st := range got {
			ids = append(ids, st.ID)
		}
		if ids := strings.Join(ids, " "); ids != c.want || total != c.total {
			t.Errorf("%s: %q of %d, want %q of %d", c.name, ids, total, c.want, c.total)
		}
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	l := create(t, s, Started{Folder: "/f", Task: "a < b"})
	for i := range 1200 { // more than two pages
		add(t, l, KindMessage, Message{Text: strconv.Itoa(i)})
	}
	var b strings.Builder
	if err := s.Export(t.Context(), l.ID(), &b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 1201 || !strings.Contains(lines[0], `"task":"a < b"`) {
		t.Fatalf("%d lines, first %s", len(lines), lines[0])
	}
	for i, line := range lines {
		var e Event
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Seq != int64(i+1) {
			t.Fatalf("line %d: %v %s", i, err, line)
		}
	}
	if err := s.Export(t.Context(), "nobody", &b); !errors.Is(err, ErrNotFound) {
		t.Fatalf("export of nothing: %v", err)
	}
}

func TestConcurrentAppends(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	a, b := create(t, s, Started{}), create(t, s, Started{})
	var wg sync.WaitGroup
	for _, l := range []*Log{a, b, a, b} {
		wg.Go(func() {
			for range 25 {
				if _, err := l.Append(context.Background(), KindMessage, Message{Text: "m"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, l := range []*Log{a, b} {
		if st, err := s.State(t.Context(), l.ID()); err != nil || st.Seq != 51 {
			t.Fatalf("%d events, %v", st.Seq, err)
		}
		if err := s.Verify(t.Context(), l.ID()); err != nil {
			t.Fatal(err)
		}
		if same, err := s.Log(t.Context(), l.ID()); err != nil || same != l {
			t.Fatalf("a second Log of one session: %v", err)
		}
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	big := []byte(strings.Repeat("line of a log\n", 100_000))
	for name, data := range map[string][]byte{"big": big, "empty": {}, "not UTF-8": {0xff, 0, 0xfe, '\r', '\n'}} {
		h1, err := s.PutBody(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		h2, err := s.PutBody(t.Context(), data)
		if err != nil || h1 != h2 {
			t.Fatalf("%s: stored twice: %s %s %v", name, h1, h2, err)
		}
		got, err := s.Body(t.Context(), h1)
		if err != nil || string(got) != string(data) {
			t.Fatalf("%s: %d bytes back, %v", name, len(got), err)
		}
	}
	if _, err := s.Body(t.Context(), "none"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("unknown body: %v", err)
	}
	h, err := s.PutBody(t.Context(), big)
	if err != nil {
		t.Fatal(err)
	}
	add(t, create(t, s, Started{Task: "t"}), KindModelRequested, ModelRequested{Body: h})
	if _, err := s.write.Exec(`UPDATE bodies SET data = x'00112233'`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Body(t.Context(), h); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("damaged body: %v", err)
	}
}

func TestFilePermissions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x", "sessions.db")
	create(t, openAt(t, path), Started{})
	for _, suffix := range []string{"", "-wal"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s%s is open to others: %v", path, suffix, info.Mode())
		}
	}
}

// TestBodiesGoWithTheirEvents: a body is on disk when an event names it, and not before; a refused event leaves it for the
// next one; what an older program left without an event is swept; an event whose body is gone is told.
func TestBodiesGoWithTheirEvents(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sessions.db")
	s := openAt(t, path)
	l := create(t, s, Started{Task: "t"})
	count := func() (n int) {
		if err := s.read.QueryRow(`SELECT count(*) FROM bodies`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	put := func(text string) string {
		h, err := s.PutBody(t.Context(), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	request, output, never := put("a request"), put("an output"), put("of a call that a crash cut off")
	if n := count(); n != 0 {
		t.Fatalf("%d bodies are on disk before their events", n)
	}
	if _, err := s.write.Exec(`CREATE TRIGGER refuse BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'refused'); END`); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), KindModelRequested, ModelRequested{Body: request}); err == nil || count() != 0 {
		t.Fatalf("a refused event left %d bodies: %v", count(), err)
	}
	if _, err := s.write.Exec(`DROP TRIGGER refuse`); err != nil {
		t.Fatal(err)
	}
	add(t, l, KindModelRequested, ModelRequested{Body: request})
	add(t, l, KindToolFinished, ToolFinished{Tool: "run_tests", Cut: true, Full: output})
	if n := count(); n != 2 || len(s.waiting) != 1 {
		t.Fatalf("%d bodies on disk, %d wait; want 2 and 1", n, len(s.waiting))
	}
	// as an older program would have left it
	if _, err := s.write.Exec(`INSERT INTO bodies (hash, size, data) VALUES (?, 1, x'00'); PRAGMA user_version = 2`, never); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	if n := count(); n != 2 {
		t.Errorf("%d bodies after the sweep, want 2", n)
	}
	if err := s.Verify(t.Context(), l.ID()); err != nil {
		t.Error(err)
	}
	if _, err := s.write.Exec(`DELETE FROM bodies WHERE hash = ?`, output); err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(t.Context(), l.ID()); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "event 3") {
		t.Errorf("a lost body: %v", err)
	}
}
