package index

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Searches go on while updates run and while the index is closed under them; each ends with an answer or an error.
func TestSearchWhileUpdating(t *testing.T) {
	t.Parallel()
	m := many()
	ix := mustOpen(t, m, t.TempDir())
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				list, err := ix.Keywords(t.Context(), fmt.Sprintf("Unique%03d filler", i%600), 5)
				if err != nil {
					t.Error(err)
					return
				}
				var ids []int64
				for _, s := range list {
					ids = append(ids, s.ID)
				}
				if _, err := ix.Chunks(t.Context(), ids); err != nil {
					t.Error(err)
					return
				}
				if _, err := ix.Scan(t.Context(), regexp.MustCompile(`Unique299`).FindIndex, 3); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	mustUpdate(t, ix)
	for i := range 8 {
		m.set(fmt.Sprintf("d%d/f%03d.go", i%5, i), fmt.Sprintf("package p\n\nfunc Again%d() {}\n", i))
		mustUpdate(t, ix)
	}
	close(stop)
	wg.Wait()
	if got := names(t, ix, "Again7", 1); len(got) != 1 || !strings.HasSuffix(got[0], ":Again7") {
		t.Error(got)
	}
	wg.Go(func() {
		for {
			if _, err := ix.Keywords(t.Context(), "filler", 5); err != nil {
				return // closed
			}
		}
	})
	if err := ix.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
}
