//go:build linux

package app

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal: what is written to keys is typed, screen is the program's side.
func terminal(t *testing.T) (keys, screen *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	t.Cleanup(func() { _ = keys.Close() })
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	return keys, screen
}

// TestWhatWasTypedBeforeAQuestionIsNoAnswer: a stray "y" during a run must not write the patch that nobody has seen.
func TestWhatWasTypedBeforeAQuestionIsNoAnswer(t *testing.T) {
	keys, screen := terminal(t)
	var said syncBuffer
	c := &command{in: screen, err: &said, tty: true}
	echoed := bufio.NewReader(keys)
	typed := func(s string) {
		t.Helper()
		if _, err := keys.WriteString(s); err != nil {
			t.Fatal(err)
		}
		for _, want := range []byte(strings.ReplaceAll(s, "\n", "\r\n")) { // echoed: it is through the line discipline
			if got, err := echoed.ReadByte(); err != nil || got != want {
				t.Fatalf("typed %q, %q was echoed, %v", s, got, err)
			}
		}
	}
	for _, before := range []string{"y\n", "y\ny\n", "yes", "what\n"} {
		typed(before)
		said.reset()
		got := make(chan bool, 1)
		go func() { got <- c.yes(t.Context(), "Write? ", false) }()
		eventually(t, "the question", func() bool { return said.String() == "Write? " })
		select {
		case <-got:
			t.Fatalf("%q, typed before the question, answered it", before)
		case <-time.After(200 * time.Millisecond):
		}
		typed("y\n")
		if !<-got {
			t.Errorf("after %q: the answer was not taken", before)
		}
	}
}
