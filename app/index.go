package app

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"redgreen/backend/index"
	"redgreen/backend/lang"
	"redgreen/backend/repo"
)

// IndexState is how far the index of a folder is.
type IndexState struct {
	Folder string `json:"folder"`
	Done   int    `json:"done"` // files
	Total  int    `json:"total"`
	Files  int    `json:"files"`
	Chunks int    `json:"chunks"`
	Ready  bool   `json:"ready"`
	Error  string `json:"error"`
	// Rate and LeftMs are of an update under way: files a second, and milliseconds to its end; 0 not known.
	Rate   float64 `json:"rate"`
	LeftMs int64   `json:"left_ms"`
	// Generated and Vendored are files that the last update left out.
	Generated int `json:"generated"`
	Vendored  int `json:"vendored"`
}

// indexer updates indexes in the background, one update a folder at a time.
type indexer struct {
	wait    sync.WaitGroup
	mu      sync.Mutex
	busy    map[*folder]*indexing
	watched map[*folder]bool // whose changes are followed
}

// indexing is an update under way.
type indexing struct {
	stop    context.CancelFunc
	stopped bool // guarded by indexer.mu
	done    chan struct{}
}

// index begins an update unless one is under way, ends those of other folders, and gives what is there now. What was
// indexed of those is kept: opened again they go on from there. The folder is the nth that was asked for; where a later one
// was since, and was quicker, that one is the open one and its update goes on.
func (h *host) index(f *folder, n int64) IndexState {
	state := IndexState{Folder: f.repo.Root()}
	files, chunks, err := f.index.Counts(h.context)
	if err != nil {
		state.Error = err.Error()
	}
	state.Files, state.Chunks = files, chunks
	h.indexer.mu.Lock()
	defer h.indexer.mu.Unlock()
	if n != h.opens.Load() {
		return state
	}
	for other, w := range h.indexer.busy {
		if other != f && !h.runs.at(other) {
			w.stopped = true
			w.stop()
		}
	}
	before := h.indexer.busy[f]
	if before != nil && !before.stopped {
		return state
	}
	if h.indexer.busy == nil {
		h.indexer.busy = map[*folder]*indexing{}
	}
	ctx, stop := context.WithCancel(h.context)
	w := &indexing{stop: stop, done: make(chan struct{})}
	h.indexer.busy[f] = w
	h.indexer.wait.Add(1)
	go func() {
		defer h.indexer.wait.Done()
		defer stop()
		if before != nil {
			<-before.done
		}
		last := h.update(ctx, f)
		h.indexer.mu.Lock()
		if h.indexer.busy[f] == w {
			delete(h.indexer.busy, f)
		}
		close(w.done)
		h.indexer.mu.Unlock()
		if ctx.Err() != nil {
			return
		}
		h.send("index", last)
		h.core.prepareCopy(h.context, f)
		h.follow(f)
	}()
	return state
}

// follow keeps an index up to date until the host ends or the folder is replaced; a folder is followed once.
func (h *host) follow(f *folder) {
	root := f.repo.Root()
	h.indexer.mu.Lock()
	if h.indexer.watched == nil {
		h.indexer.watched = map[*folder]bool{}
	}
	before := h.indexer.watched[f]
	h.indexer.watched[f] = true
	h.indexer.mu.Unlock()
	if before {
		return
	}
	ctx, cancel := context.WithCancel(h.context)
	defer cancel()
	go func() {
		select {
		case <-f.replaced:
			cancel()
		case <-ctx.Done():
		}
	}()
	told := ""
	err := f.index.Watch(ctx, func(w index.Watched) {
		if w.Why != told {
			told = w.Why
			h.core.log.Warn("following a folder", slog.String("folder", root), slog.String("how", w.Why))
		}
		switch {
		case w.Err != nil:
			h.send("index", IndexState{Folder: root, Error: w.Err.Error()})
		case w.Stats.Updated+w.Stats.Removed > 0:
			h.send("index", indexed(root, w.Stats))
		}
	})
	if err != nil {
		h.core.log.Warn("following a folder", slog.String("folder", root), slog.Any("error", err))
	}
}

// windowPatience is how long the window waits for another Redgreen that writes the index before it says what is missing.
const windowPatience = 2 * time.Minute

// update runs one update and gives its last state; a panic in a parser must not end the window.
func (h *host) update(ctx context.Context, f *folder) (state IndexState) {
	state.Folder = f.repo.Root()
	defer func() {
		if p := recover(); p != nil {
			h.core.log.Error("indexing panicked", slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			state.Error = fmt.Sprint("indexing failed: ", p)
		}
	}()
	st, err := f.index.CatchUp(ctx, windowPatience, func(p index.Progress) {
		h.send("index", IndexState{Folder: state.Folder, Done: p.Done, Total: p.Total, Chunks: p.Chunks, Rate: p.Rate, LeftMs: p.Left.Milliseconds()})
	})
	if err != nil {
		state.Error = err.Error()
		return state
	}
	if state = indexed(state.Folder, st); st.Behind > 0 {
		state.Error = behindWords(st.Behind)
	}
	return state
}

// indexed is the state after an update.
func indexed(root string, st index.Stats) IndexState {
	return IndexState{Folder: root, Done: st.Files, Total: st.Files, Files: st.Files, Chunks: st.Chunks, Ready: true, Generated: st.Generated, Vendored: st.Vendored}
}

func countLanguages(files []repo.File) []LanguageRow {
	count := map[string]int{}
	for _, f := range files {
		if l, ok := lang.ByPath(f.Path); ok {
			count[l.Name]++
		}
	}
	rows := []LanguageRow{}
	for name, n := range count {
		rows = append(rows, LanguageRow{Name: name, Files: n})
	}
	slices.SortFunc(rows, func(a, b LanguageRow) int {
		if a.Files != b.Files {
			return b.Files - a.Files
		}
		return strings.Compare(a.Name, b.Name)
	})
	return rows
}
