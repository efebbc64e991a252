package app

import (
	"io/fs"
	"iter"
	"maps"
	"strings"
)

func mapKeys[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }

// scripts shows only the recorded replies and tasks of a folder, not the repositories beside them.
type scripts struct{ fs.FS }

func (s scripts) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(s.FS, name)
	if err != nil || name != "." {
		return all, err
	}
	var kept []fs.DirEntry
	for _, e := range all {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".jsonl") {
			kept = append(kept, e)
		}
	}
	return kept, nil
}
