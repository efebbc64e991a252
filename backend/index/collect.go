package index

import (
	"math"
	"os"
	"runtime/debug"
)

const (
	// longUpdate is how many bytes there must be to read for an update to take more memory than usual.
	longUpdate = 8 << 20
	// updateMemory is how much of Go's memory an update lets fill before the collector runs. A batch is nearly all garbage
	// when it is written; looking for it at each doubling of the little that stays took a fifth of the CPU time.
	updateMemory = 512 << 20
	// usualPercent is Go's own setting.
	usualPercent = 100
	// longPercent bounds the memory of an update that keeps more than updateMemory: the collector must not run all the time.
	longPercent = 800
)

// collectLess lets the garbage collector of the process run less often until the function that it gives is called. Of two
// long updates at a time the one that ends first brings the usual setting back, and the other goes on with that. A setting
// that the person made by Go's own variables stays.
func collectLess() (usual func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	debug.SetMemoryLimit(updateMemory)
	debug.SetGCPercent(longPercent)
	return func() {
		debug.SetMemoryLimit(math.MaxInt64)
		debug.SetGCPercent(usualPercent)
		debug.FreeOSMemory()
	}
}
