package sandbox

import (
	"fmt"
	"sync"
	"unicode/utf8"
)

// hardOutput is how many times the kept bytes a stream may write before the run is stopped. What is over the kept bytes is
// read and thrown away, so that a talkative suite still ends; 64 MiB at the default is far beyond any honest one.
const hardOutput = 64

// capture keeps the first and the last part of a stream, each half of limit, and counts the rest.
// It is an io.Writer that never fails; safe for concurrent use.
type capture struct {
	limit int
	over  func() // called once, when more than hardOutput*limit bytes came; may be nil

	mu    sync.Mutex
	head  []byte
	tail  []byte // a ring once full
	next  int    // where the ring goes on
	total int64
}

func newCapture(limit int64, over func()) *capture { return &capture{limit: int(limit), over: over} }

func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	before := c.total
	c.total += int64(len(p))
	c.keep(p)
	hard := int64(c.limit) * hardOutput
	tooMuch := before <= hard && c.total > hard
	c.mu.Unlock()
	if tooMuch && c.over != nil {
		c.over()
	}
	return len(p), nil
}

// keep puts p into the head while it has room, then into the ring.
func (c *capture) keep(p []byte) {
	room := c.limit - c.limit/2 - len(c.head)
	n := min(room, len(p))
	c.head = append(c.head, p[:n]...)
	p = p[n:]
	size := c.limit / 2
	if len(p) >= size { // only its end can survive
		c.tail, c.next = append(c.tail[:0], p[len(p)-size:]...), 0
		return
	}
	n = min(size-len(c.tail), len(p))
	c.tail = append(c.tail, p[:n]...)
	for p = p[n:]; len(p) > 0; p = p[n:] {
		n = copy(c.tail[c.next:], p)
		c.next = (c.next + n) % size
	}
}

// bytes gives what is kept. Where something is left out, a line of its own says how many bytes, and no UTF-8 sequence is
// cut in two by us.
func (c *capture) bytes() (out []byte, cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	tail := append(append([]byte{}, c.tail[c.next:]...), c.tail[:c.next]...)
	if c.total <= int64(len(c.head)+len(tail)) {
		return append(append([]byte{}, c.head...), tail...), false
	}
	head := trimEnd(c.head)
	tail = trimStart(tail)
	left := c.total - int64(len(head)) - int64(len(tail))
	out = append(append([]byte{}, head...), fmt.Sprintf("\n[redgreen: %d bytes left out here]\n", left)...)
	return append(out, tail...), true
}

// trimEnd drops an unfinished UTF-8 sequence at the end.
func trimEnd(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		c := b[len(b)-i]
		if utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// trimStart drops the rest of a UTF-8 sequence whose start is left out.
func trimStart(b []byte) []byte {
	for i := 0; i < utf8.UTFMax-1 && i < len(b); i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	if len(b) >= utf8.UTFMax-1 && utf8.RuneStart(b[utf8.UTFMax-1]) {
		return b[utf8.UTFMax-1:]
	}
	return b
}
