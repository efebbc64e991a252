package app

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"redgreen/backend/sandbox"
	"redgreen/backend/testrun"
)

// PickFolder asks with the system's dialog; "" when the person closed it.
func (a *App) PickFolder() (string, error) {
	return guard(a.h, func() (string, error) {
		if a.h.pick == nil {
			return "", fail(Unavailable, "a browser has no folder dialog; type or paste the path of the folder")
		}
		return a.h.pick()
	})
}

// Folder is an opened folder as the page sees it.
type Folder struct {
	Path      string            `json:"path"`
	Name      string            `json:"name"`
	Branch    string            `json:"branch"`
	Commit    string            `json:"commit"`
	Files     int               `json:"files"`
	Languages []LanguageRow     `json:"languages"`
	Commands  []testrun.Command `json:"test_commands"`
	Index     IndexState        `json:"index"`
	Recovered string            `json:"recovered"`
	Truncated bool              `json:"truncated"` // there are more files than were counted
	Guides    Guides            `json:"guides"`
}

// LanguageRow counts files of a language.
type LanguageRow struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
}

// countFor is how long the files of a folder are counted while a person waits for it.
const countFor = time.Second

// OpenFolder opens a folder and begins to index it; the folder that was open before is not indexed further.
func (a *App) OpenFolder(path string) (Folder, error) {
	return guard(a.h, func() (Folder, error) {
		n := a.h.opens.Add(1)
		f, err := a.h.core.open(expandHome(path))
		if err != nil {
			return Folder{}, err
		}
		files, more, err := f.repo.FilesWithin(a.h.context, countFor)
		if err != nil {
			return Folder{}, err
		}
		commands, err := testrun.Find(f.repo.Root())
		if err != nil {
			return Folder{}, err
		}
		if _, err := a.h.core.change(func(s Settings) Settings { return s.opened(f.repo.Root(), time.Now()) }); err != nil {
			return Folder{}, err
		}
		if err := a.h.list(); err != nil {
			return Folder{}, err
		}
		git := f.repo.Git()
		out := Folder{Path: f.repo.Root(), Name: f.repo.Name(), Branch: git.Branch, Commit: git.Commit, Files: len(files),
			Languages: countLanguages(files), Commands: commands, Recovered: f.repo.Recovered(), Truncated: more}
		if out.Commands == nil {
			out.Commands = []testrun.Command{}
		}
		if out.Guides, err = a.h.core.guides(f.repo); err != nil {
			return Folder{}, err
		}
		out.Index = a.h.index(f, n)
		return out, nil
	})
}

// expandHome lets a person type ~ for the home folder, and quotes or file:// as a paste has them. What is there as it is
// written is taken as it is.
func expandHome(path string) string {
	if _, err := os.Lstat(path); err == nil {
		return path
	}
	path = strings.Trim(strings.TrimSpace(path), `"'`)
	if u, err := url.Parse(path); err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") && u.Path != "" && u.RawQuery+u.Fragment == "" {
		path = u.Path // of "my shop" a file manager says my%20shop
	}
	path = strings.TrimPrefix(path, "file://")
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// AllowNone switches runs without any isolation on or off for one folder, and gives the settings as they are then. They are
// the last resort, where no sandbox works.
func (a *App) AllowNone(folder string, on bool) (Settings, error) {
	return guard(a.h, func() (Settings, error) { return a.h.core.allowNone(expandHome(folder), on) })
}

// Rung is the sandbox that the tests of a folder run in, "" any; quicker than Doctor, which probes all of them. Folders
// differ where the person let one run without isolation.
func (a *App) Rung(folder string) (sandbox.Rung, error) {
	return guard(a.h, func() (sandbox.Rung, error) {
		root := ""
		if folder != "" {
			f, err := a.h.core.open(expandHome(folder))
			if err != nil {
				return sandbox.Rung{}, err
			}
			root = f.repo.Root()
		}
		box, err := a.h.core.sandbox(root)
		if err != nil {
			return sandbox.Rung{}, err
		}
		rung, err := box.Rung(a.h.context)
		if err != nil {
			return rung, fail(Unavailable, err.Error())
		}
		return rung, nil
	})
}
