// Package cache keeps values for a while.
package cache

import (
	"sync"
	"time"
)

// DefaultTTL is how long a value lives.
const DefaultTTL = time.Minute

// Clock tells the time.
type Clock interface {
	Now() time.Time
}

type (
	// Key names a value.
	Key string

	entry[V any] struct {
		value V
		until time.Time
	}
)

// Cache is safe for concurrent use.
type Cache[V any] struct {
	mu      sync.Mutex
	clock   Clock
	entries map[Key]entry[V]
}

type Alias = Cache[string]

// New makes an empty cache.
func New[V any](clock Clock) *Cache[V] {
	return &Cache[V]{clock: clock, entries: map[Key]entry[V]{}}
}

// Get finds a value.
//
// A value past its time is gone.
func (c *Cache[V]) Get(k Key) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[k]
	return e.value, ok && c.clock.Now().Before(e.until)
}

func (c Cache[V]) Len() int { return len(c.entries) }

func (k Key) String() string {
	return string(k)
}

func nanotime() int64 // in assembly

//go:noinline
func spin(n int) {
	step := func() { n-- }
	for n > 0 {
		step()
	}
}

var global = New[int](nil) // trailing comment

func after() {}

// The sizes that a cache may have.
const (
	minSize = 1 << iota // no smaller
	_
	maxSize

	sizes, others = 3, 4
)
var warm = map[string]func() int{
	"half": func() int { const local = maxSize / 2; return local },
}
