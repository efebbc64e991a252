package app

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"redgreen/backend/model"
)

// Drop is what a person let go of over the window at once, and where: in pixels of the page from its left and top.
type Drop struct {
	X     int       `json:"x"`
	Y     int       `json:"y"`
	Items []Dropped `json:"items"`
}

// Dropped is one of them.
type Dropped struct {
	Path   string      `json:"path"`
	Kind   DroppedKind `json:"kind"`
	Folder string      `json:"folder"` // of a file: the one to open for it
}

// DroppedKind says what there is at a path.
type DroppedKind string

// What is dropped.
const (
	DroppedFolder DroppedKind = "folder"
	DroppedFile   DroppedKind = "file"
	DroppedGone   DroppedKind = "gone"  // nothing is there any more
	DroppedOther  DroppedKind = "other" // neither: a pipe, a device, or a path that is no text
)

// quotedMost is the largest file that is quoted in a message, of which a model is shown the ends.
const quotedMost = 8 << 20

// DroppedText is the text of a file that was dropped on the window last; the page can read no other.
func (a *App) DroppedText(path string) (string, error) {
	return guard(a.h, func() (string, error) {
		data, err := a.h.readDropped(path, quotedMost)
		if err != nil {
			return "", err
		}
		if len(data) > quotedMost || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
			return "", fail(Invalid, path+" is no text file of at most 8 MB, so it cannot be quoted")
		}
		return string(data), nil
	})
}

// DroppedPicture is such a file that is a picture.
func (a *App) DroppedPicture(path string) (Picture, error) {
	return guard(a.h, func() (Picture, error) {
		data, err := a.h.readDropped(path, model.MaxImage)
		if err != nil {
			return Picture{}, err
		}
		i, err := model.ReadImage(data)
		if err != nil {
			return Picture{}, fail(Invalid, path+": "+err.Error())
		}
		return Picture{i.Type, i.Data}, nil
	})
}

// readDropped reads a file that was dropped last, and one byte more than most where it has more.
func (h *host) readDropped(path string, most int64) ([]byte, error) {
	h.mu.Lock()
	known := slices.Contains(h.lastDrop, path)
	h.mu.Unlock()
	if !known {
		return nil, fail(Denied, path+" was not dropped on the window, so it is not read; drop it once more")
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe in its place would wait for who writes
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, error(fail(Invalid, path+" is no file any more, so it is not read; drop it once more")))
	}
	return io.ReadAll(io.LimitReader(file, most+1))
}

// dropped tells the page of a drop, since only the page knows what was under it. What has no path, such as a link of a browser,
// is told by the web view itself.
func (h *host) dropped(x, y int, paths []string) {
	d := Drop{X: x, Y: y, Items: []Dropped{}}
	paths = wholePaths(paths)
	for _, path := range paths {
		d.Items = append(d.Items, lookDropped(path))
	}
	h.mu.Lock()
	h.lastDrop = paths
	h.mu.Unlock()
	if len(d.Items) > 0 {
		h.send("drop", d)
	}
}

// wholePaths puts together what Wails cuts at the ends of lines, which may stand in a name: each path is absolute.
func wholePaths(parts []string) []string {
	var out []string
	for _, part := range parts {
		last := len(out) - 1
		if last >= 0 && (!filepath.IsAbs(part) || there(out[last]+"\n"+part)) {
			out[last] += "\n" + part
		} else if part != "" {
			out = append(out, part)
		}
	}
	for i, path := range out {
		if !there(path) {
			out[i] = strings.TrimRight(path, "\n") // after it came an address that is no file's
		}
	}
	return out
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// lookDropped says what there is at a path. What cannot be looked at counts as a folder: opening it says why.
func lookDropped(path string) Dropped {
	info, err := os.Stat(path)
	switch {
	case !utf8.ValidString(path), err == nil && !info.IsDir() && !info.Mode().IsRegular():
		return Dropped{Path: strings.ToValidUTF8(path, "\ufffd"), Kind: DroppedOther}
	case errors.Is(err, fs.ErrNotExist):
		return Dropped{Path: path, Kind: DroppedGone}
	case err == nil && info.Mode().IsRegular():
		return Dropped{Path: path, Kind: DroppedFile, Folder: folderOf(path)}
	}
	return Dropped{Path: path, Kind: DroppedFolder}
}

// folderOf is the repository that a file is in, else the folder that it lies in.
func folderOf(path string) string {
	lies := filepath.Dir(path)
	for dir := lies; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return lies
		}
	}
}
