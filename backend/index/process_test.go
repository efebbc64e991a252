package index

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The tests of this file start the test program again as another process; helperMode says what it is to do.
const helperMode = "INDEX_TEST_HELPER"

func TestMain(m *testing.M) {
	switch os.Getenv(helperMode) {
	case "update": // index a large folder until it is killed
		helperUpdate()
	case "bench":
		helperBench()
	case "hold": // open the index for writing until standard input ends
		helperHold()
	default:
		os.Exit(m.Run())
	}
}

// many is a repository that takes several batches.
func many() *memory {
	m := newMemory(nil)
	for i := range 600 {
		m.set(fmt.Sprintf("d%d/f%03d.go", i%5, i), fmt.Sprintf("package p\n\nfunc Unique%03d() {}\n", i)+strings.Repeat(fmt.Sprintf("\nfunc filler%d(x int) int { return x }\n", i), 8))
	}
	return m
}

func helperUpdate() {
	ix, err := open(many(), os.Getenv("INDEX_TEST_DIR"), Options{})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	_, err = ix.Update(context.Background(), func(p Progress) { fmt.Println("progress", p.Done) })
	fmt.Println("end", err)
	os.Exit(0)
}

func helperHold() {
	ix, err := open(sample(), os.Getenv("INDEX_TEST_DIR"), Options{})
	if err == nil {
		_, err = ix.Update(context.Background(), nil)
	}
	fmt.Println("ready", err)
	io.Copy(io.Discard, os.Stdin)
	ix.Close()
	os.Exit(0)
}

// helper starts this program again and gives its lines.
func helper(t *testing.T, mode, dir string) (*exec.Cmd, *bufio.Scanner, io.WriteCloser) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperMode+"="+mode, "INDEX_TEST_DIR="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd, bufio.NewScanner(out), in
}

func TestKilledInMidUpdate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, after := range []int{1, 60, 200} {
		cmd, lines, _ := helper(t, "update", dir)
		for n := 0; lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "end") {
				break // it was faster than the kill
			}
			if n++; n >= after {
				break
			}
		}
		cmd.Process.Signal(syscall.SIGKILL)
		cmd.Wait()
	}
	ix := mustOpen(t, many(), dir)
	mustUpdate(t, ix)
	checkMany(t, ix)
}

func checkMany(t *testing.T, ix *Index) {
	t.Helper()
	files, chunks, err := ix.Counts(t.Context())
	if err != nil || files != 600 || chunks != 600*10 {
		t.Errorf("%d files, %d chunks, %v", files, chunks, err)
	}
	if n, err := ix.keywords.DocCount(); err != nil || int(n) != chunks {
		t.Errorf("%d keyword documents for %d chunks, %v", n, chunks, err)
	}
	for _, i := range []int{0, 7, 299, 599} {
		want := fmt.Sprintf("d%d/f%03d.go:Unique%03d", i%5, i, i)
		list, err := ix.Symbols(t.Context(), fmt.Sprintf("Unique%03d", i), 5)
		if err != nil || len(list) != 1 || places(t, ix, scores(list))[0] != want {
			t.Errorf("symbols: %v, %v, want %s", list, err, want)
		}
		if got := names(t, ix, fmt.Sprintf("Unique%03d", i), 1); len(got) != 1 || got[0] != want {
			t.Errorf("keywords: %v, want %s", got, want)
		}
	}
}

func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, lines, in := helper(t, "hold", dir)
	if !lines.Scan() || lines.Text() != "ready <nil>" {
		t.Fatal(lines.Text())
	}
	m := sample()
	ix := mustOpen(t, m, dir)
	if !ix.ReadOnly() {
		t.Fatal("two writers")
	}
	if got := names(t, ix, "AcquireConn", 1); len(got) != 1 {
		t.Errorf("a reader finds nothing: %v", got)
	}
	st := mustUpdate(t, ix)
	if !st.ReadOnly || st.Files != 3 || st.Updated != 0 {
		t.Errorf("%+v", st)
	}
	third := mustOpen(t, m, dir)
	if got := names(t, third, "AcquireConn", 1); len(got) != 1 || !third.ReadOnly() {
		t.Errorf("a third process: %v", got)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	m.set("new.go", "package n\n\nfunc Appeared() {}\n")
	if st = mustUpdate(t, ix); st.ReadOnly || st.Updated != 1 || ix.ReadOnly() {
		t.Errorf("the owner is gone, the reader should take over: %+v", st)
	}
	if got := names(t, ix, "Appeared", 1); len(got) != 1 {
		t.Error(got)
	}
	if st = mustUpdate(t, third); !st.ReadOnly || st.Files != 4 {
		t.Errorf("the third sees what the second wrote: %+v", st)
	}
	if _, n, err := third.behind(t.Context()); n != 0 || err != nil {
		t.Errorf("nothing changed, and it is %d files behind, %v", n, err)
	}
	m.set("later.go", "package n\n\nfunc Later() {}\n")
	delete(m.files, "new.go")
	if all, n, err := third.behind(t.Context()); all != 4 || n != 2 || err != nil {
		t.Errorf("one file came and one went, and it is %d of %d files behind, %v", n, all, err)
	}
	if st, err := third.CatchUp(t.Context(), time.Millisecond, nil); st.Behind != 2 || !st.ReadOnly || err != nil {
		t.Errorf("patience ran out: %+v, %v", st, err)
	}
	var told []Progress
	st, err := third.CatchUp(t.Context(), 0, func(p Progress) {
		if told = append(told, p); len(told) == 1 {
			mustUpdate(t, ix) // the owner reads them meanwhile
		}
	})
	if err != nil || st.Behind != 0 || !st.ReadOnly || len(told) != 1 || told[0].Done != 2 || told[0].Total != 4 {
		t.Errorf("caught up: %+v, %v, told %v", st, err, told)
	}
	if got := names(t, third, "Later", 1); len(got) != 1 {
		t.Errorf("it waited, and finds %v", got)
	}
	if err := errors.Join(third.Close(), ix.Close()); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, readersDir, "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A reader that opens while the writer has nothing yet says so.
func TestReaderOfNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := tryLock(filepath.Join(dir, lockFile))
	if err != nil || lock == nil {
		t.Fatal(err)
	}
	defer lock.Close()
	start := time.Now()
	_, err = open(sample(), dir, Options{})
	if !errors.Is(err, ErrBusy) || time.Since(start) > readerPatience+time.Minute {
		t.Errorf("%v after %s", err, time.Since(start))
	}
}

func TestReadersThatWereKilledAreSweptAway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stale := filepath.Join(dir, readersDir, "r1", keywordsDir)
	if err := os.MkdirAll(stale, 0o700); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, sample(), dir)
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Error("still there")
	}
}

// A full disk ends the update with a clear error; with room again the next one goes on.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ix := mustOpen(t, many(), dir)
	var pages int
	if err := ix.store.db.QueryRow(`PRAGMA page_count`).Scan(&pages); err != nil {
		t.Fatal(err)
	}
	ix.store.db.SetMaxOpenConns(1) // the limit is of one connection
	if _, err := ix.store.db.Exec(fmt.Sprintf(`PRAGMA max_page_count=%d`, pages+37)); err != nil {
		t.Fatal(err)
	}
	_, err := ix.Update(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Fatalf("%v", err)
	}
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	ix = mustOpen(t, many(), dir)
	mustUpdate(t, ix)
	checkMany(t, ix)
}

// The same on a real small file system, where the machine lets us mount one.
func TestDiskReallyFull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("mounting a small file system: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	ix, err := open(many(), dir, Options{})
	if err == nil {
		_, err = ix.Update(t.Context(), nil)
		ix.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Fatalf("%v", err)
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT, "size=200m"); err != nil {
		t.Fatal(err)
	}
	ix = mustOpen(t, many(), dir)
	mustUpdate(t, ix)
	checkMany(t, ix)
}
