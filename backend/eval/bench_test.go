package eval

import (
	"os"
	"path/filepath"
	"testing"

	"redgreen/backend/sandbox"
)

// BenchmarkStep is Cost under the profiler: what the harness itself does in a step, late in a long session.
func BenchmarkStep(b *testing.B) {
	dir, err := os.MkdirTemp("", "redgreen-eval-") // not below b.TempDir: that is closed to the sandbox's user
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o711); err != nil {
		b.Fatal(err)
	}
	box, err := sandbox.Open(sandbox.Options{Dir: filepath.Join(dir, "sandbox")})
	if err != nil {
		b.Fatal(err)
	}
	defer box.Close()
	for b.Loop() {
		c, err := Cost(b.Context(), Options{Sandbox: box, Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(c.Median.Microseconds())/1000, "ms/step")
		b.ReportMetric(float64(c.CPU.Microseconds())/1000, "cpu-ms/step")
	}
}
