package sandbox

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

func itoa(n int) string { return strconv.Itoa(n) }

// BenchmarkRun measures what a run costs beside the program's own time, for every rung that is present: "cold" opens a
// sandbox, starts its service, runs and closes; "warm" runs on a sandbox that has run before. The metric overhead-ms is the
// mean over the bare command's.
//
//	go test -run '^$' -bench Run -benchtime 20x ./backend/sandbox
func BenchmarkRun(b *testing.B) {
	program := []string{"/bin/true"}
	var bare time.Duration
	for range 20 {
		begin := time.Now()
		if err := exec.CommandContext(b.Context(), program[0]).Run(); err != nil {
			b.Fatal(err)
		}
		bare += time.Since(begin) / 20
	}
	ws := b.TempDir()
	if err := os.Chmod(ws, 0o755); err != nil {
		b.Fatal(err)
	}
	for _, k := range Runtimes() {
		open := func() *Sandbox {
			sb, err := Open(Options{Dir: b.TempDir(), Runtime: k.Name})
			if err != nil {
				b.Fatal(err)
			}
			return sb
		}
		run := func(rt Runtime) {
			if _, err := rt.Run(b.Context(), Spec{Args: program, Workspace: ws}); err != nil {
				b.Fatal(err)
			}
		}
		sb := open()
		if _, err := sb.Rung(b.Context()); err != nil {
			b.Log(err)
			sb.Close()
			continue
		}
		b.Run(k.Name+"/warm", func(b *testing.B) {
			for b.Loop() {
				run(sb.runtimes[0])
			}
			b.ReportMetric(float64(b.Elapsed()/time.Duration(b.N)-bare)/1e6, "overhead-ms")
		})
		sb.Close()
		b.Run(k.Name+"/cold", func(b *testing.B) {
			for b.Loop() {
				sb := open()
				run(sb.runtimes[0]) // without the probe, which only the choice needs
				if err := sb.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed()/time.Duration(b.N)-bare)/1e6, "overhead-ms")
		})
	}
}
