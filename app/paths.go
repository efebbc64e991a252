package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Paths are the folders of Redgreen's own files, none of them inside a person's repository.
type Paths struct {
	Config string // settings
	Data   string // sessions, undo records, the sample
	Cache  string // indexes, workspaces, the sandbox's own files: can be deleted at any time
}

// findPaths follows the platform's habits; REDGREEN_HOME puts everything under one folder.
func findPaths(env func(string) string) (Paths, error) {
	if home := env("REDGREEN_HOME"); home != "" {
		abs, err := filepath.Abs(home)
		if err != nil {
			return Paths{}, fmt.Errorf("finding REDGREEN_HOME: %w", err)
		}
		return Paths{Config: filepath.Join(abs, "config"), Data: filepath.Join(abs, "data"), Cache: filepath.Join(abs, "cache")}, nil
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return Paths{}, fmt.Errorf("finding the settings folder: %w; set REDGREEN_HOME to a folder of your choice", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return Paths{}, fmt.Errorf("finding the cache folder: %w; set REDGREEN_HOME to a folder of your choice", err)
	}
	data := env("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		home, err := os.UserHomeDir()
		if err != nil {
			return Paths{}, fmt.Errorf("finding the home folder: %w; set REDGREEN_HOME to a folder of your choice", err)
		}
		data = filepath.Join(home, ".local", "share")
	}
	return Paths{
		Config: filepath.Join(config, "redgreen"),
		Data:   filepath.Join(data, "redgreen"),
		Cache:  filepath.Join(cache, "redgreen"),
	}, nil
}

func (p Paths) settings() string  { return filepath.Join(p.Config, "settings.json") }
func (p Paths) prices() string    { return filepath.Join(p.Config, "prices.json") }
func (p Paths) sessions() string  { return filepath.Join(p.Data, "sessions.db") }
func (p Paths) reviews() string   { return filepath.Join(p.Data, "reviews") }
func (p Paths) undo() string      { return filepath.Join(p.Data, "undo") }
func (p Paths) sample() string    { return filepath.Join(p.Data, "sample") }
func (p Paths) indexes() string   { return filepath.Join(p.Cache, "index") }
func (p Paths) workspace() string { return filepath.Join(p.Cache, "workspace") }
func (p Paths) spare() string     { return filepath.Join(p.Cache, "spare") }
func (p Paths) seed() string      { return filepath.Join(p.Cache, "seed") }
func (p Paths) prepared() string  { return filepath.Join(p.Cache, "prepared") }
func (p Paths) place() string     { return filepath.Join(p.Data, "window.json") }
func (p Paths) images() string    { return filepath.Join(p.Data, "images") }
func (p Paths) sandbox() string   { return filepath.Join(p.Cache, "sandbox") }

func (p Paths) make() error {
	for _, dir := range []string{p.Config, p.Data, p.Cache} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("making Redgreen's own folder: %w; set REDGREEN_HOME to a folder that can be written", err)
		}
	}
	for _, dir := range []string{p.Data, p.Cache} { // the settings are written when they change, and may be kept elsewhere
		if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
			return fmt.Errorf("Redgreen's own folder %s cannot be written: %w; change its owner or permissions, or set REDGREEN_HOME to another", dir, err)
		}
	}
	return nil
}

// replaceFile writes a file whole: a crash leaves the old or the new one.
func replaceFile(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}
