package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Sample is the bundled repository that shows the main job without any set-up.
type Sample struct {
	Path string `json:"path"`
	Name string `json:"name"`
	Task string `json:"task"` // what is wrong, in a person's words
	ref  string // the recorded model that plays its fix
}

// Where the sample lies among the assets.
const (
	sampleName = "invoice"
	sampleRoot = "testdata/repos"
)

// recordedLabel stands wherever the recorded model's name is shown.
const recordedLabel = "recorded model"

// sample lays the bundled repository into the data folder: when it is missing, or anew when fresh.
func (c *core) sample(fresh bool) (Sample, error) {
	s := Sample{Path: filepath.Join(c.paths.sample(), sampleName), Name: sampleName}
	data, err := fs.ReadFile(c.assets.Sample, path.Join(sampleRoot, sampleName+".task.json"))
	if err != nil {
		return s, fmt.Errorf("reading the bundled sample: %w", err)
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("reading the bundled sample: %w", err)
	}
	s.Path = filepath.Join(c.paths.sample(), sampleName)
	script := filepath.Join(c.paths.sample(), sampleName+".script.jsonl")
	s.ref = "script/" + script
	if _, err := os.Stat(s.Path); err == nil && !fresh {
		return s, c.lay(path.Join(sampleRoot, sampleName+".script.jsonl"), script)
	}
	if err := os.RemoveAll(s.Path); err != nil {
		return s, fmt.Errorf("laying the sample: %w", err)
	}
	return s, errors.Join(c.lay(path.Join(sampleRoot, sampleName), s.Path),
		c.lay(path.Join(sampleRoot, sampleName+".script.jsonl"), script))
}

// lay copies an embedded file or folder to a place on disk.
func (c *core) lay(from, to string) error {
	return fs.WalkDir(c.assets.Sample, from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("laying the sample: %w", err)
		}
		target := filepath.Join(to, filepath.FromSlash(name[len(from):]))
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		data, err := fs.ReadFile(c.assets.Sample, name)
		if err != nil {
			return fmt.Errorf("laying the sample: %w", err)
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return fmt.Errorf("laying the sample: %w", err)
		}
		return os.WriteFile(target, data, 0o644)
	})
}
