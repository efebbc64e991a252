package app

import (
	"errors"
	"io"
	"sync"
	"syscall"
)

// output is one of the program's two ends towards the person. It remembers that something could not be written, so that no
// command ends as if all had been said. Safe for concurrent use.
type output struct {
	w    io.Writer
	gone func() // told once when nobody reads any more

	mu  sync.Mutex
	err error // the first
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err == nil {
		return n, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
		if closedPipe(err) {
			o.gone()
		}
	}
	return n, err
}

// failed is the first error, nil none.
func (o *output) failed() error {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// closedPipe tells that the reader is gone: `| head` has enough, or the terminal was closed.
func closedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.EIO) }
