package proof

import (
	"io"
	"os"
	"path"
	"regexp"
	"strings"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

// chanceReruns is how often a test that turned green is run again where chance could have a hand in it: with the first run
// that is six, which a fix that is right half of the time passes once in 64. It hangs on the code alone, never on time, so that
// the same inputs give the same certificate.
const chanceReruns = 5

// chance is what code of any language has that may go one way or the other: random numbers and keys, clocks and waiting,
// several threads or tasks, the order of sets, of Go's maps and of Java's fixed ones, hashes and addresses.
var chance = regexp.MustCompile(`(?i:\brand|random|shuffle|uuid|nonce|secrets\.|sleep|timeout|timer|perf_counter|monotonic|\bnow\(|today\(|Date\.now|new Date\(\)|\btime\.(?:time|sleep|now|after|since|until|tick|new)|import time\b|` +
	`thread|\basync\b|\bawait\b|concurren|goroutine|mutex|\block\(|atomic|worker|multiprocess|subprocess|Promise\b|setInterval|setImmediate)` +
	`|\bgo (?:func\b|[\w.]+\()|<-|\bselect \{|\bchan\b|(?:^|[^.\w])(?:hash|id|set|frozenset)\(|\bmap\[|\b(?:Set|Map)\.of\(|identityHashCode`)

// readMost bounds what is read of a file; one that is longer is looked at so far.
const readMost = 1 << 20

// chancy reports whether chance could have a hand in tests turning green: by the code of the files that the patch changes, or
// of those that the tests stand in. dir holds the patched tree.
func chancy(dir string, p patch.Patch, turned []string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false // where the tree cannot be read no test runs
	}
	defer root.Close()
	seen := map[string]bool{}
	look := func(name string) bool {
		if seen[name] {
			return false
		}
		seen[name] = true
		f, err := root.Open(name)
		if err != nil {
			return false // deleted, or no file
		}
		defer f.Close()
		text, _ := io.ReadAll(io.LimitReader(f, readMost)) // as far as it can be read
		return chance.Match(text)
	}
	for _, f := range p.Files {
		if testrun.Code(f.Path) && f.Status != patch.Deleted && look(f.Path) {
			return true
		}
	}
	for _, id := range turned {
		for _, end := range []string{"::", " > ", " - "} {
			if file, _, ok := strings.Cut(id, end); ok && look(file) {
				return true
			}
		}
		pkg, _, _ := strings.Cut(id, ".") // Go's packages have no file in the id
		entries, _ := os.ReadDir(path.Join(dir, path.Clean("/"+pkg)))
		for _, e := range entries {
			if name := path.Join(pkg, e.Name()); strings.HasSuffix(name, "_test.go") && testrun.TestFile(name) && look(name) {
				return true
			}
		}
	}
	return false
}
