package testrun

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"redgreen/backend/sandbox"
)

var (
	update = flag.Bool("update", false, "write what the readers now make of the recorded outputs")
	record = flag.Bool("record", false, "run the recorded projects again in the sandbox")
)

// recording is one file of testdata/testrun: a small project (in/…), what its test command left when it ran in the
// sandbox (out/…), and what the reader makes of it (want).
type recording struct {
	file     string
	archive  *txtar.Archive
	command  Command
	selected []string
	wall     time.Duration
}

func readRecording(t *testing.T, file string) recording {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := recording{file: file, archive: archive, wall: 5 * time.Minute}
	for line := range strings.Lines(string(archive.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "args":
			r.command = Custom(strings.Fields(value))
		case "dir":
			r.command.Dir = value
		case "select":
			r.selected = append(r.selected, value)
		case "wall":
			if r.wall, err = time.ParseDuration(value); err != nil {
				t.Fatal(err)
			}
		}
	}
	if want := filepath.Base(filepath.Dir(file)); r.command.Runner != want {
		t.Fatalf("%s is run by %q, want %q", file, r.command.Runner, want)
	}
	return r
}

func (r recording) get(name string) []byte {
	for _, f := range r.archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// set replaces or adds files by prefix.
func (r recording) set(prefix string, files ...txtar.File) {
	var kept []txtar.File
	for _, f := range r.archive.Files {
		if !strings.HasPrefix(f.Name, prefix) {
			kept = append(kept, f)
		}
	}
	r.archive.Files = append(kept, files...)
}

// project writes the project into a folder.
func (r recording) project(t *testing.T, dir string) {
	t.Helper()
	for _, f := range r.archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "in/"); ok {
			writeFile(t, dir, name, string(f.Data))
		}
	}
}

func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	p := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// output puts the recorded parts together as Run would.
func (r recording) output(t *testing.T) (output, sandbox.Result) {
	t.Helper()
	status := strings.Fields(string(r.get("out/status")))
	if len(status) == 0 {
		t.Fatalf("%s has no recorded output: run the test with -record", r.file)
	}
	exit, err := strconv.Atoi(status[0])
	if err != nil {
		t.Fatal(err)
	}
	res := sandbox.Result{ExitCode: exit, Stdout: r.get("out/stdout"), Stderr: r.get("out/stderr"),
		Runtime: sandbox.Rung{Name: "recorded"}}
	if len(status) > 1 {
		res.Reason = sandbox.Reason(status[1])
	}
	dir := t.TempDir()
	r.project(t, dir)
	j := &job{command: r.command, tree: folder{root: dir}, selected: r.selected, out: t.TempDir(), name: "report"}
	for _, f := range r.archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "out/report"); ok {
			writeFile(t, j.out, "report"+name, string(f.Data))
		}
		if name, ok := strings.CutPrefix(f.Name, "out/xml/"); ok {
			writeFile(t, j.out, name, string(f.Data))
		}
		for _, kind := range []string{"tap/", "trx/"} {
			if name, ok := strings.CutPrefix(f.Name, "out/"+kind); ok {
				writeFile(t, j.out, kind+name, string(f.Data))
			}
		}
	}
	return j.output(res), res
}

// describe is a run as the golden text.
func describe(r Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "exit %d, infrastructure %v, unbuilt %v, finished %v, per test %v\n", r.ExitCode, r.Infrastructure, r.Unbuilt, r.Finished, r.PerTest)
	fmt.Fprintf(&b, "reason: %s\n", r.Reason)
	for _, t := range r.Tests {
		fmt.Fprintf(&b, "%s %s", t.Status, t.ID)
		if t.File != "" {
			fmt.Fprintf(&b, " (%s:%d)", t.File, t.Line)
		}
		b.WriteString("\n")
		for line := range strings.Lines(t.Message) {
			b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
		}
	}
	text, cut := r.Brief(4000)
	fmt.Fprintf(&b, "brief (cut %v):\n%s\n", cut, text)
	return b.String()
}

// TestRecorded holds every reader against real output of its runner.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob("../../testdata/testrun/*/*.txtar")
	if err != nil || len(files) < 30 {
		t.Fatalf("found %d recordings: %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "../../testdata/testrun/"), ".txtar")
		t.Run(name, func(t *testing.T) {
			r := readRecording(t, file)
			if *record {
				r.record(t)
			}
			o, res := r.output(t)
			got := describe(finish(Run{Tests: []Test{}}, kindOf(r.command.Runner), r.command, o, res))
			if *update || *record {
				r.set("want", txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(r.archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(r.get("want")), got); diff != "" {
				t.Errorf("reading differs (-want +got):\n%s", diff)
			}
		})
	}
}

// record runs the project in the real sandbox and keeps what it left.
func (r recording) record(t *testing.T) {
	t.Helper()
	b := realBench(t, sandbox.Limits{Wall: r.wall})
	if deps := os.Getenv("REDGREEN_RECORD_DEPS"); deps != "" { // a folder with the node_modules of the recorded projects
		b.runner.options.Source = deps
	}
	dir := b.folder(t, func(dir string) { r.project(t, dir) })
	j, err := b.runner.newJob(dir, r.command, r.selected)
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	if err := Validate(dir, r.command, r.selected); err != nil {
		t.Fatal(err)
	}
	if err := kindOf(r.command.Runner).begin(j); err != nil {
		t.Fatal(err)
	}
	if r.command.Runner == "go" {
		if err := b.runner.seedGo(t.Context(), j); err != nil {
			t.Fatal(err)
		}
	}
	res, err := b.runner.run(t.Context(), j.spec)
	if err != nil {
		t.Fatal(err)
	}
	o := j.output(res)
	files := []txtar.File{{Name: "out/status", Data: []byte(fmt.Sprintf("%d %s\n", res.ExitCode, res.Reason))},
		{Name: "out/stdout", Data: res.Stdout}, {Name: "out/stderr", Data: res.Stderr}}
	if o.report != nil {
		files = append(files, txtar.File{Name: "out/report", Data: o.report})
	}
	for i, x := range o.xml {
		files = append(files, txtar.File{Name: fmt.Sprintf("out/xml/%d.xml", i), Data: x})
	}
	for _, name := range sortedKeys(o.tap) {
		files = append(files, txtar.File{Name: "out/tap/" + name, Data: o.tap[name]})
	}
	r.set("out/", files...)
}
