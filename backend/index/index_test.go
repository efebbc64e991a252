package index

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"redgreen/backend/repo"
)

// memory is a repository in memory; its clock stands two hours ago, so that no file is too young to be trusted.
type memory struct {
	mu      sync.Mutex
	files   map[string][]byte
	times   map[string]time.Time
	refused map[string]error
	reads   map[string]int
	onRead  func(path string)
}

func newMemory(files map[string]string) *memory {
	m := &memory{files: map[string][]byte{}, times: map[string]time.Time{}, refused: map[string]error{}, reads: map[string]int{}}
	for p, s := range files {
		m.set(p, s)
	}
	return m
}

func (m *memory) set(path, text string) {
	m.files[path] = []byte(text)
	old, ok := m.times[path]
	if !ok {
		old = time.Now().Add(-2 * time.Hour)
	}
	m.times[path] = old.Add(time.Second)
}

func (m *memory) Files(context.Context) ([]repo.File, error) {
	var out []repo.File
	for p, b := range m.files {
		out = append(out, repo.File{Path: p, Size: int64(len(b)), ModTime: m.times[p]})
	}
	slices.SortFunc(out, func(a, b repo.File) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

func (m *memory) Read(path string) ([]byte, error) {
	m.mu.Lock()
	m.reads[path]++
	m.mu.Unlock()
	if m.onRead != nil {
		m.onRead(path)
	}
	if err := m.refused[path]; err != nil {
		return nil, err
	}
	b, ok := m.files[path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return b, nil
}

func mustOpen(t *testing.T, src source, dir string) *Index {
	t.Helper()
	ix, err := open(src, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	return ix
}

func mustUpdate(t *testing.T, ix *Index) Stats {
	t.Helper()
	st, err := ix.Update(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// names gives "path:qualified" of the best chunks for words.
func names(t *testing.T, ix *Index, query string, n int) []string {
	t.Helper()
	list, err := ix.Keywords(t.Context(), query, n)
	if err != nil {
		t.Fatal(err)
	}
	return places(t, ix, list)
}

func places(t *testing.T, ix *Index, list []Scored) []string {
	t.Helper()
	var ids []int64
	for _, s := range list {
		ids = append(ids, s.ID)
	}
	chunks, err := ix.Chunks(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range chunks {
		out = append(out, fmt.Sprintf("%s:%s", c.Path, c.Qualified))
	}
	return out
}

const goFile = `// Package pool keeps connections.
package pool

import "errors"

// ErrClosed is a pool that was closed.
var ErrClosed = errors.New("pool closed")

// Pool hands out connections.
type Pool struct {
	max int
}

// AcquireConn waits for a free connection.
func (p *Pool) AcquireConn() error { return ErrClosed }

func helper() {}
`

const pyFile = `import os

LIMIT = 3


class HTTPServer:
    """Serves requests."""

    timeout = 5

    def handle_request(self, request):
        # retry when the connection was refused
        return os.path.join(request.path)


print(LIMIT)
`

func sample() *memory {
	return newMemory(map[string]string{"pool/pool.go": goFile, "web/server.py": pyFile, "README.md": "# A pool\n\nConnections are pooled.\n"})
}

func TestUpdateAndSearch(t *testing.T) {
	t.Parallel()
	ix := mustOpen(t, sample(), t.TempDir())
	st := mustUpdate(t, ix)
	if st.Files != 3 || st.Updated != 3 || st.Broken != 0 || st.Skipped != 0 {
		t.Errorf("%+v", st)
	}
	for query, want := range map[string]string{
		"acquire a connection":     "pool/pool.go:Pool.AcquireConn",
		"AcquireConn":              "pool/pool.go:Pool.AcquireConn",
		"retrying refused":         "web/server.py:HTTPServer.handle_request",
		"http server timeout":      "web/server.py:HTTPServer",
		"LIMIT":                    "web/server.py:LIMIT",
		"pool closed":              "pool/pool.go:ErrClosed",
		"readme pooled":            "README.md:A pool",
		"handle_request":           "web/server.py:HTTPServer.handle_request",
		"the of nothing_like_this": "",
	} {
		got := names(t, ix, query, 1)
		if want == "" && len(got) != 0 || want != "" && (len(got) == 0 || got[0] != want) {
			t.Errorf("%q: %v, want %s", query, got, want)
		}
	}
}

func TestEveryLineIsInAChunk(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{"a.go": goFile, "a.py": pyFile, "a.md": strings.Repeat("word\n\n", 300), "crlf.py": strings.ReplaceAll(pyFile, "\n", "\r\n"),
		"bom.py": "\ufeff" + pyFile, "noend.go": strings.TrimSuffix(goFile, "\n"), "latin.c": "int f() { return '\xe9'; }\n", "empty.go": "", "blank.py": "\n\n\n"} {
		c := newChunker()
		defer c.close()
		cut, err := c.file(name, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		ls := splitLines([]byte(src))
		seen := make([]bool, len(ls)+1)
		for _, ch := range cut.chunks {
			if ch.StartLine < 1 || ch.EndLine > len(ls) || ch.EndLine < ch.StartLine {
				t.Errorf("%s: impossible lines %+v", name, ch)
			}
			if ch.Text != textOf(ch, ls) {
				t.Errorf("%s: the text of %s is %q", name, ch.Name, ch.Text)
			}
			for l := ch.DocLine; l <= ch.EndLine; l++ {
				seen[l] = true
			}
		}
		for i, l := range ls {
			if strings.ContainsAny(l, "abcdefghijklmnopqrstuvwxyz") && !seen[i+1] {
				t.Errorf("%s: line %d is in no chunk: %q", name, i+1, l)
			}
		}
	}
}

func TestClassChunkLeavesItsMethodsOut(t *testing.T) {
	t.Parallel()
	c := newChunker()
	defer c.close()
	cut, err := c.file("a.py", []byte(pyFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, ch := range cut.chunks {
		if ch.Kind == "class" {
			if strings.Contains(ch.Text, "os.path") || !strings.Contains(ch.Text, "def handle_request(self, request):") || !strings.Contains(ch.Text, "timeout = 5") {
				t.Errorf("class chunk: %s", ch.Text)
			}
			return
		}
	}
	t.Error("no class chunk")
}

func TestWindowsOverlap(t *testing.T) {
	t.Parallel()
	ls := make([]string, 200)
	for i := range ls {
		ls[i] = "w"
	}
	var got []string
	for _, ch := range windows("a.txt", "", "lines", ls, 1, 200) {
		got = append(got, fmt.Sprintf("%d-%d", ch.StartLine, ch.EndLine))
	}
	if s := strings.Join(got, " "); s != "1-60 51-110 101-160 151-200" {
		t.Error(s)
	}
}

func TestIncremental(t *testing.T) {
	t.Parallel()
	m := sample()
	ix := mustOpen(t, m, t.TempDir())
	mustUpdate(t, ix)
	clear(m.reads)

	if st := mustUpdate(t, ix); st.Updated != 0 || st.Removed != 0 || st.Files != 3 || len(m.reads) != 0 {
		t.Errorf("unchanged: %+v, read %v", st, m.reads)
	}
	m.times["README.md"] = m.times["README.md"].Add(time.Minute)
	if st := mustUpdate(t, ix); st.Updated != 0 || m.reads["README.md"] != 1 {
		t.Errorf("touched: %+v", st)
	}
	m.set("pool/pool.go", strings.ReplaceAll(goFile, "AcquireConn", "BorrowSocket"))
	if st := mustUpdate(t, ix); st.Updated != 1 {
		t.Errorf("changed: %+v", st)
	}
	if got := names(t, ix, "AcquireConn", 5); len(got) > 0 && got[0] == "pool/pool.go:Pool.AcquireConn" {
		t.Errorf("old text still found: %v", got)
	}
	if got := names(t, ix, "BorrowSocket", 1); len(got) != 1 {
		t.Errorf("new text not found: %v", got)
	}
	m.files["lib/pool.go"], m.times["lib/pool.go"] = m.files["pool/pool.go"], m.times["pool/pool.go"]
	delete(m.files, "pool/pool.go")
	if st := mustUpdate(t, ix); st.Updated != 1 || st.Removed != 1 || st.Files != 3 {
		t.Errorf("renamed: %+v", st)
	}
	if got := names(t, ix, "BorrowSocket", 9); len(got) != 1 || got[0] != "lib/pool.go:Pool.BorrowSocket" {
		t.Errorf("after the rename: %v", got)
	}
	clear(m.files)
	if st := mustUpdate(t, ix); st.Removed != 3 || st.Files != 0 || st.Chunks != 0 {
		t.Errorf("emptied: %+v", st)
	}
	if n, err := ix.keywords.DocCount(); n != 0 || err != nil {
		t.Errorf("%d keyword documents left, %v", n, err)
	}
}

// A change within the tick of the clock in which the file was read must not go unseen.
func TestRacyTime(t *testing.T) {
	t.Parallel()
	m := sample()
	now := time.Now()
	m.times["README.md"] = now
	ix := mustOpen(t, m, t.TempDir())
	mustUpdate(t, ix)
	m.files["README.md"] = []byte("# B pool\n\nConnections are pooled.\n") // same size
	m.times["README.md"] = now
	if st := mustUpdate(t, ix); st.Updated != 1 {
		t.Errorf("%+v", st)
	}
}

func TestBranchSwitch(t *testing.T) {
	t.Parallel()
	m := newMemory(nil)
	for i := range 300 {
		m.set(fmt.Sprintf("pkg%d/f%d.go", i%7, i), fmt.Sprintf("package p\n\nfunc OnMain%d() int { return %d }\n", i, i))
	}
	ix := mustOpen(t, m, t.TempDir())
	mustUpdate(t, ix)
	for i := range 300 {
		p := fmt.Sprintf("pkg%d/f%d.go", i%7, i)
		switch i % 3 {
		case 0:
			delete(m.files, p)
		case 1:
			m.set(p, fmt.Sprintf("package p\n\nfunc OnBranch%d() int { return %d }\n", i, i))
		}
	}
	if st := mustUpdate(t, ix); st.Removed != 100 || st.Updated != 100 || st.Files != 200 {
		t.Errorf("%+v", st)
	}
	if got := names(t, ix, "OnBranch1", 1); len(got) != 1 || got[0] != "pkg1/f1.go:OnBranch1" {
		t.Error(got)
	}
	if n, _ := ix.keywords.DocCount(); n != 400 {
		t.Errorf("%d documents, want a function and a module chunk for each of 200 files", n)
	}
}

func TestSkipped(t *testing.T) {
	t.Parallel()
	m := sample()
	for p, err := range map[string]error{".env": repo.ErrSecret, "a.png": repo.ErrBinary, "big.txt": repo.ErrTooLarge, "out": repo.ErrOutside, "noperm": os.ErrPermission, "vanished": fs.ErrNotExist} {
		m.set(p, "TOPSECRET")
		m.refused[p] = fmt.Errorf("reading %s: %w", p, err)
	}
	m.set("bundle.min.js", "var a=1;"+strings.Repeat("function f(){return TOPSECRET};", 2000))
	dir := t.TempDir()
	ix := mustOpen(t, m, dir)
	st := mustUpdate(t, ix)
	if st.Files != 3 || st.Skipped != 6 {
		t.Errorf("%+v", st)
	}
	clear(m.reads)
	mustUpdate(t, ix)
	if len(m.reads) != 2 { // what could not be read may be readable by now
		t.Errorf("read again: %v", m.reads)
	}
	if got := names(t, ix, "TOPSECRET", 5); len(got) != 0 {
		t.Error(got)
	}
	m.refused["."] = repo.ErrGone
	m.set(".", "")
	if _, err := ix.Update(t.Context(), nil); !errors.Is(err, repo.ErrGone) {
		t.Errorf("a folder that vanished must not look like an empty one: %v", err)
	}
	if files, _, _ := ix.Counts(t.Context()); files != 3 {
		t.Errorf("%d files left", files)
	}
}

func TestCancelAndResume(t *testing.T) {
	t.Parallel()
	m := newMemory(nil)
	for i := range 400 {
		m.set(fmt.Sprintf("f%03d.go", i), fmt.Sprintf("package p\n\nfunc Resume%d() {}\n", i)+strings.Repeat(fmt.Sprintf("\nfunc other%d() {}\n", i), 10))
	}
	dir := t.TempDir()
	ix := mustOpen(t, m, dir)
	ctx, cancel := context.WithCancel(t.Context())
	var last Progress
	_, err := ix.Update(ctx, func(p Progress) {
		if last = p; p.Done > 200 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || last.Total != 400 {
		t.Fatalf("%v, %+v", err, last)
	}
	files, _, err := ix.Counts(t.Context())
	if err != nil || files == 0 || files == 400 {
		t.Fatalf("%d files, %v", files, err)
	}
	st := mustUpdate(t, ix)
	if st.Updated != 400-files || st.Files != 400 {
		t.Errorf("%+v after %d", st, files)
	}
	if got := names(t, ix, "Resume399", 1); len(got) != 1 {
		t.Error(got)
	}
}

func TestDamagedAndOlderAreMadeAnew(t *testing.T) {
	t.Parallel()
	garbage := []byte(strings.Repeat("garbage!", 1000))
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"database is garbage": func(t *testing.T, dir string) { write(t, filepath.Join(dir, storeFile), garbage) },
		"database is empty":   func(t *testing.T, dir string) { write(t, filepath.Join(dir, storeFile), nil) },
		"database is cut":     func(t *testing.T, dir string) { truncate(t, filepath.Join(dir, storeFile)) },
		"database is gone":    func(t *testing.T, dir string) { remove(t, filepath.Join(dir, storeFile)) },
		"keywords are gone":   func(t *testing.T, dir string) { remove(t, filepath.Join(dir, keywordsDir)) },
		"keyword root garbage": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, keywordsDir, "store", "root.bolt"), garbage)
		},
		"keyword meta garbage": func(t *testing.T, dir string) { write(t, filepath.Join(dir, keywordsDir, "index_meta.json"), garbage) },
		"segments are cut": func(t *testing.T, dir string) {
			for _, s := range glob(t, filepath.Join(dir, keywordsDir, "store", "*.zap")) {
				truncate(t, s)
			}
		},
		"segments are garbage": func(t *testing.T, dir string) {
			for _, s := range glob(t, filepath.Join(dir, keywordsDir, "store", "*.zap")) {
				write(t, s, garbage)
			}
		},
		"a folder as database":     func(t *testing.T, dir string) { swap(t, filepath.Join(dir, storeFile)) },
		"a folder as log":          func(t *testing.T, dir string) { swap(t, filepath.Join(dir, storeFile+"-wal")) },
		"a folder as seal":         func(t *testing.T, dir string) { swap(t, filepath.Join(dir, sealFile)) },
		"a folder as keyword root": func(t *testing.T, dir string) { swap(t, filepath.Join(dir, keywordsDir, "store", "root.bolt")) },
		"a file as keywords":       func(t *testing.T, dir string) { swap(t, filepath.Join(dir, keywordsDir)) },
		"a file as segments":       func(t *testing.T, dir string) { swap(t, filepath.Join(dir, keywordsDir, "store")) },
		"older schema": func(t *testing.T, dir string) {
			s, err := openStore(dir, schemaVersion, false)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.db.Exec(`UPDATE meta SET value='0'`); err != nil {
				t.Fatal(err)
			}
			s.close()
		},
		"table is gone": func(t *testing.T, dir string) {
			s, err := openStore(dir, schemaVersion, false)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.db.Exec(`DROP TABLE chunks`); err != nil {
				t.Fatal(err)
			}
			s.close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			m := sample()
			ix := mustOpen(t, m, dir)
			mustUpdate(t, ix)
			if err := ix.Close(); err != nil {
				t.Fatal(err)
			}
			spoil(t, dir)
			ix = mustOpen(t, m, dir)
			if st := mustUpdate(t, ix); st.Files != 3 {
				t.Errorf("%+v", st)
			}
			if got := names(t, ix, "AcquireConn", 1); len(got) != 1 || got[0] != "pool/pool.go:Pool.AcquireConn" {
				t.Error(got)
			}
		})
	}
}

// swap puts a folder where a file is or may be, or a file where a folder is.
func swap(t *testing.T, name string) {
	t.Helper()
	fi, err := os.Lstat(name)
	if err == nil {
		remove(t, name)
	}
	if err == nil && fi.IsDir() {
		write(t, name, []byte("a file"))
	} else if err := os.MkdirAll(filepath.Join(name, "inside"), 0o700); err != nil {
		t.Fatal(err)
	}
}

// Damage that only a search meets is repaired by the next update.
func TestDamageWhileOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := sample()
	ix := mustOpen(t, m, dir)
	mustUpdate(t, ix)
	if _, err := ix.store.db.Exec(`UPDATE texts SET content=x'00'`); err != nil {
		t.Fatal(err)
	}
	chunks, err := ix.FileChunks(t.Context(), "pool/pool.go")
	if err == nil || !strings.Contains(err.Error(), "next update") {
		t.Fatalf("%v, %v", chunks, err)
	}
	if st := mustUpdate(t, ix); st.Updated != 3 {
		t.Errorf("%+v", st)
	}
	if chunks, err = ix.FileChunks(t.Context(), "pool/pool.go"); err != nil || len(chunks) == 0 {
		t.Errorf("%v, %v", chunks, err)
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func truncate(t *testing.T, path string) {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, st.Size()/2); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	out, err := filepath.Glob(pattern)
	if err != nil || len(out) == 0 {
		t.Fatalf("%v %v", out, err)
	}
	return out
}

func TestHashIsOfTheContent(t *testing.T) {
	t.Parallel()
	m := sample()
	ix := mustOpen(t, m, t.TempDir())
	mustUpdate(t, ix)
	k, err := ix.store.known(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := sha256.Sum256([]byte(goFile))
	if string(k["pool/pool.go"].sha) != string(want[:]) {
		t.Error("another hash")
	}
}

// TestYoungFiles holds that a file's time says something once it is older than racy when the file is read, however long ago the update
// began.
func TestYoungFiles(t *testing.T) {
	t.Parallel()
	m := newMemory(map[string]string{"a.go": "package a\n"})
	ix := mustOpen(t, m, t.TempDir())
	c := newChunker()
	defer c.close()
	c.words, c.grams = newVocabulary(ix.analyser.stop), newGramSet()
	for _, young := range []bool{true, false} {
		at := time.Now().Add(-racy - time.Millisecond)
		if young {
			at = time.Now().Add(time.Hour)
		}
		ch, err := ix.look(c, task{file: repo.File{Path: "a.go", Size: 10, ModTime: at}})
		if err != nil || (ch.mtime == 0) != young {
			t.Errorf("young %v: the time is kept as %d, %v", young, ch.mtime, err)
		}
	}
}
