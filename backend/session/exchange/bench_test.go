package exchange

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

// The large store: one session of 10,000 events with 200 MB of bodies, among 1,000 small ones.
const (
	largeSteps = 2000
	largeBody  = 100 << 10 // bytes of each step's log
	manySmall  = 1000
	needle     = "quixotic" // said in one event of the large session
)

// logLines make text that compresses as logs do.
func logLines(r *rand.Rand, size int) string {
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "test_%04x line %d: value %x differs from expected\n", r.IntN(1<<16), r.IntN(2000), r.Uint32())
	}
	return b.String()[:size]
}

// steps appends the events of n steps, each with a call, its result and a log as a body.
func steps(b *testing.B, s *session.Store, r *rand.Rand, l *session.Log, n, body int) {
	b.Helper()
	for i := 1; i <= n; i++ {
		id, said := fmt.Sprintf("call_%d_1", i), "I look at the next one: "+logLines(r, 200)
		if i == n/2 && n == largeSteps {
			said += " " + needle
		}
		f := session.ToolFinished{Step: i, CallID: id, Tool: "run_tests", OK: true, Summary: "3 failed", Text: logLines(r, 1500)}
		if body > 0 {
			hash, err := s.PutBody(b.Context(), []byte(logLines(r, body)))
			if err != nil {
				b.Fatal(err)
			}
			f.Full = hash
		}
		_, err := l.AppendAll(b.Context(),
			session.Entry{Kind: session.KindStepStarted, Data: session.StepStarted{Step: i}},
			session.Entry{Kind: session.KindModelRequested, Data: session.ModelRequested{Step: i, Tokens: 1000}},
			session.Entry{Kind: session.KindModelReplied, Data: session.ModelReplied{Step: i, Message: model.Message{Role: model.Assistant, Text: said,
				Calls: []model.Call{{ID: id, Name: "run_tests", Args: "{}"}}}}},
			session.Entry{Kind: session.KindToolCalled, Data: session.ToolCalled{Step: i, CallID: id, Tool: "run_tests", Args: "{}", Verdict: "allow"}},
			session.Entry{Kind: session.KindToolFinished, Data: f})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func create(b *testing.B, s *session.Store, task string) *session.Log {
	b.Helper()
	l, err := s.Create(b.Context(), session.Started{Schema: session.Schema, Version: "bench", Folder: "/src/shop", Task: task, Approval: "ask"})
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// resident is the process's resident memory in MB, after a collection.
func resident(b *testing.B) float64 {
	b.Helper()
	debug.FreeOSMemory()
	return status(b, "VmRSS:")
}

// peak is the most memory that was resident since the last call, in MB.
func peak(b *testing.B) float64 {
	b.Helper()
	most := status(b, "VmHWM:")
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // begins the mark anew
		b.Log("the most memory is that since the start: ", err)
	}
	return most
}

// status is a line of the process's status in MB.
func status(b *testing.B, name string) float64 {
	b.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name {
			kib, err := strconv.ParseFloat(f[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kib * 1024 / 1e6
		}
	}
	b.Fatalf("the status has no %s", name)
	return 0
}

// BenchmarkLarge opens, lists, searches and exports a large session, and lists and searches a store of 1,000 sessions.
// The peers do the least that the same question needs of the exported file: ripgrep for the search, cp for the export.
func BenchmarkLarge(b *testing.B) {
	dir := b.TempDir()
	path, r := filepath.Join(dir, "sessions.db"), rand.New(rand.NewPCG(1, 2))
	s, err := session.Open(path, session.Options{})
	if err != nil {
		b.Fatal(err)
	}
	begun := time.Now()
	large := create(b, s, "the large one")
	steps(b, s, r, large, largeSteps, largeBody)
	b.ReportMetric(time.Since(begun).Seconds(), "s-made")
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	before := resident(b)
	timed := func(name string, do func() error) float64 {
		b.Helper()
		at := time.Now()
		if err := do(); err != nil {
			b.Fatalf("%s: %v", name, err)
		}
		ms := float64(time.Since(at).Microseconds()) / 1000
		b.ReportMetric(ms, "ms-"+name)
		return ms
	}
	peak(b)
	for b.Loop() {
		var states []session.State
		var events []session.Event
		timed("open", func() (err error) {
			if s, err = session.Open(path, session.Options{}); err == nil {
				states, err = s.List(b.Context(), "", 0)
			}
			return err
		})
		timed("state", func() error { _, err := s.State(b.Context(), states[0].ID); return err })
		b.ReportMetric(resident(b)-before, "MB-opened")
		search := timed("search", func() error {
			found, _, err := s.Find(b.Context(), session.Filter{Query: needle})
			if err == nil && len(found) != 1 {
				err = fmt.Errorf("found in %d sessions", len(found))
			}
			return err
		})
		timed("hits", func() error {
			hits, err := s.Hits(b.Context(), states[0].ID, needle, 10)
			if err == nil && len(hits) != 1 {
				err = fmt.Errorf("%d hits", len(hits))
			}
			return err
		})
		timed("hits-common", func() error { _, err := s.Hits(b.Context(), states[0].ID, "expected", 10); return err })
		b.ReportMetric(peak(b)-before, "MB-peak-searched")
		timed("events", func() (err error) { events, err = s.Events(b.Context(), states[0].ID, 0, 0); return err })
		timed("verify", func() error { return s.Verify(b.Context(), states[0].ID) })
		out := filepath.Join(dir, "session.jsonl")
		jsonl := timed("jsonl", func() error {
			f, err := os.Create(out)
			if err != nil {
				return err
			}
			defer f.Close()
			return s.Export(b.Context(), states[0].ID, f)
		})
		for _, form := range []Form{Markdown, HTML} {
			timed(string(form), func() error { return Render(io.Discard, form, events, "", nil) })
		}
		b.ReportMetric(peak(b)-before, "MB-peak-exported")
		events = nil
		b.ReportMetric(resident(b)-before, "MB-after")
		timed("import", func() error { return takenIn(b, out) })
		peer(b, search, "rg", "rg", "-c", needle, out)
		peer(b, jsonl, "cp", "cp", out, out+".copy")
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	many(b, path, r, timed)
	if info, err := os.Stat(path); err == nil {
		b.ReportMetric(float64(info.Size())/1e6, "MB-file")
	}
}

// takenIn imports a file into a store of its own.
func takenIn(b *testing.B, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	s, err := session.Open(filepath.Join(b.TempDir(), "taken.db"), session.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	events, source, err := Import(b.Context(), f)
	if err != nil {
		return err
	}
	_, err = s.Insert(b.Context(), events, source.String())
	return err
}

// many adds the small sessions and asks the same of all of them.
func many(b *testing.B, path string, r *rand.Rand, timed func(string, func() error) float64) {
	b.Helper()
	s, err := session.Open(path, session.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for i := range manySmall {
		steps(b, s, r, create(b, s, fmt.Sprintf("small task %d", i)), 4, 0)
	}
	timed("list-1000", func() error {
		states, err := s.List(b.Context(), "", 0)
		if err == nil && len(states) != manySmall+1 {
			err = fmt.Errorf("%d sessions", len(states))
		}
		return err
	})
	timed("page-1000", func() error { _, err := s.List(b.Context(), "", 50); return err })
	timed("search-1000", func() error { _, _, err := s.Find(b.Context(), session.Filter{Query: needle}); return err })
	timed("search-common-1000", func() error {
		_, _, err := s.Find(b.Context(), session.Filter{Query: "expected", Limit: 50})
		return err
	})
}

// peer runs a program and reports how long it took and how long we took against it.
func peer(b *testing.B, ours float64, name string, args ...string) {
	b.Helper()
	if _, err := exec.LookPath(args[0]); err != nil {
		b.Logf("%s is not installed", args[0])
		return
	}
	at := time.Now()
	if out, err := exec.CommandContext(b.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
		b.Fatalf("%s: %v: %s", name, err, bytes.TrimSpace(out))
	}
	ms := float64(time.Since(at).Microseconds()) / 1000
	b.ReportMetric(ms, "ms-"+name)
	b.ReportMetric(ours/ms, "x-"+name)
}
