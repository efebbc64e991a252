package session

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is replaced without need can no longer be read or edited, so false alarms are counted: on the sample repositories,
// which hold no secret, and on a part of Go's standard library, whose tests hold made-up credentials: a few are right.
func TestFalseAlarms(t *testing.T) {
	t.Parallel()
	std := filepath.Join(build.Default.GOROOT, "src")
	for _, c := range []struct {
		name  string
		roots []string
		most  float64 // a megabyte
	}{
		{"sample repositories", []string{filepath.Join("..", "..", "testdata", "repos")}, 0},
		{"other test data", []string{filepath.Join("..", "..", "testdata")}, 0},
		{"Go's standard library", []string{filepath.Join(std, "net"), filepath.Join(std, "go"), filepath.Join(std, "encoding"), filepath.Join(std, "text"), filepath.Join(std, "os"), filepath.Join(std, "crypto", "tls")}, 12},
	} {
		files, size, found := 0, 0, map[string]int{}
		total := 0
		for _, root := range c.roots {
			err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() {
					return err
				}
				data, err := os.ReadFile(path)
				if err != nil || len(data) > 1<<20 {
					return err
				}
				files, size = files+1, size+len(data)
				clean, n := Redact(string(data))
				if n == 0 {
					return nil
				}
				for _, part := range strings.Split(clean, "[secret removed: ")[1:] {
					kind, _, _ := strings.Cut(part, "]")
					if kind != "private key" { // which it is
						found[kind]++
						total++
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		rate := float64(total) / (float64(size) / 1e6)
		t.Logf("%s: %d of %d files' %.1f MB, %.2f a megabyte: %v", c.name, total, files, float64(size)/1e6, rate, found)
		if files == 0 || rate > c.most {
			t.Errorf("%s: %.2f false alarms a megabyte in %d files, at most %.2f are borne", c.name, rate, files, c.most)
		}
	}
}
