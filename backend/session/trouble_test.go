package session

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fill appends random (incompressible) bodies and messages until the store refuses.
func fill(t *testing.T, s *Store, l *Log) error {
	t.Helper()
	junk := make([]byte, 32<<10)
	for range 2000 {
		rand.Read(junk) //nolint:errcheck // never fails
		body, err := s.PutBody(t.Context(), junk)
		if err != nil {
			return err
		}
		if _, err := l.Append(t.Context(), KindModelRequested, ModelRequested{Body: body, Added: []string{strings.Repeat("m", 5000)}}); err != nil {
			return err
		}
	}
	t.Fatal("the store took 64 MiB: it was never full")
	return nil
}

func TestFullStoreLosesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sessions.db")
	s := openAt(t, path)
	l := create(t, s, Started{Task: "t"})
	if _, err := s.write.Exec("PRAGMA max_page_count = 100"); err != nil {
		t.Fatal(err)
	}
	checkFull(t, s, l, fill(t, s, l))
	if _, err := s.write.Exec("PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	add(t, l, KindMessage, Message{Text: "there is space again"})
	if err := s.Verify(t.Context(), l.ID()); err != nil {
		t.Fatal(err)
	}
}

// The same on a file system that is really full.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("mounting a small tmpfs needs root: %v (the same is tested with SQLite's own limit)", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH) //nolint:errcheck // the folder is removed by the test's end
	s := openAt(t, filepath.Join(dir, "sessions.db"))
	l := create(t, s, Started{Task: "t"})
	checkFull(t, s, l, fill(t, s, l))
	if err := s.Close(); err != nil {
		t.Logf("closing: %v", err)
	}
	again := openAt(t, filepath.Join(dir, "sessions.db"))
	checkWhole(t, again, l)
}

func checkFull(t *testing.T, s *Store, l *Log, err error) {
	t.Helper()
	if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "nothing was lost") {
		t.Fatalf("a full store: %v", err)
	}
	checkWhole(t, s, l)
}

// checkWhole: everything that was acknowledged is there, and no more.
func checkWhole(t *testing.T, s *Store, l *Log) {
	t.Helper()
	st, err := s.State(t.Context(), l.ID())
	if err != nil || st.Seq != l.State().Seq {
		t.Fatalf("%d events on disk, %d acknowledged, %v", st.Seq, l.State().Seq, err)
	}
	if err := s.Verify(t.Context(), l.ID()); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedFilesAreRefusedAndKept(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content []byte
		want    error
	}{
		"not a database": {bytes.Repeat([]byte("hello world\n"), 1000), ErrCorrupt},
		"broken schema":  {brokenDatabase(t), ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "sessions.db")
			if err := os.WriteFile(path, c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(path, Options{})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), "move it away") {
				t.Fatalf("Open: %v", err)
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, c.content) {
				t.Fatalf("the damaged file was changed (%v)", err)
			}
		})
	}
}

// brokenDatabase is a real database whose first page (the schema) is overwritten behind its header.
func brokenDatabase(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sessions.db")
	s := openAt(t, path)
	create(t, s, Started{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 100; i < 4096; i++ {
		data[i] = 0xa5
	}
	return data
}

func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sessions.db")
	s := openAt(t, path)
	if _, err := s.write.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{}); !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), "update Redgreen") {
		t.Fatalf("Open: %v", err)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	l := create(t, s, Started{})
	if _, err := s.write.Exec("PRAGMA query_only = 1"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), KindMessage, Message{}); !errors.Is(err, ErrReadOnly) {
		t.Fatalf("Append: %v", err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sessions.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(dir, "sessions.db"), Options{}); !errors.Is(err, ErrReadOnly) {
		t.Fatalf("Open of a folder: %v", err)
	}
}

func TestVanishedSession(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	for name, err := range map[string]error{
		"State":  second(s.State(t.Context(), "x")),
		"Events": second(s.Events(t.Context(), "x", 0, 0)),
		"Log":    second(s.Log(t.Context(), "x")),
		"Verify": s.Verify(t.Context(), "x"),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
