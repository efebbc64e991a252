package app

import (
	"math"
	"testing"
	"time"
)

// A number that does not fit must not wrap around to a small one: that would delete nearly all sessions.
func TestRetentionDoesNotWrap(t *testing.T) {
	t.Parallel()
	for _, n := range []int{213504, 1 << 44, 1<<44 + 1, math.MaxInt} {
		k := Retention{Days: n, Megabytes: n}.kept()
		if k.Age < 100*365*24*time.Hour || k.Bytes < int64(min(n, 1<<40))<<20 {
			t.Errorf("%d: %v, %d", n, k.Age, k.Bytes)
		}
	}
	if k := (Retention{Days: 2, Megabytes: 3}).kept(); k.Age != 48*time.Hour || k.Bytes != 3<<20 {
		t.Errorf("got %+v", k)
	}
}
