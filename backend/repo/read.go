package repo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	stdpath "path"

	"redgreen/backend/patch"
)

// Read gives a text file's bytes. It refuses with ErrOutside, ErrSecret, ErrBinary, ErrTooLarge; fs.ErrNotExist where
// absent. A symlink is followed as long as it stays inside and does not lead to a secret.
func (t *tree) Read(path string) ([]byte, error) { return t.ReadInto(nil, path) }

// ReadInto is Read into the room of a slice, where that is enough, for who reads many files one after the other.
func (t *tree) ReadInto(room []byte, path string) ([]byte, error) {
	c, err := t.load(path, follow, room)
	if err != nil {
		return nil, err
	}
	return c.Data, nil
}

// Content is Read with the mode, for an edit: since nothing is written through a symlink, it refuses one with ErrSymlink.
func (t *tree) Content(path string) (*patch.Content, error) { return t.load(path, refuse, nil) }

func (t *tree) load(path string, how links, room []byte) (*patch.Content, error) {
	c, err := t.loadFile(path, how, room)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", path, err)
	}
	return c, nil
}

func (t *tree) loadFile(path string, how links, room []byte) (*patch.Content, error) {
	p, err := clean(path)
	if err != nil {
		return nil, err
	}
	if err := allowed(p); err != nil {
		return nil, err
	}
	if c := t.direct(p, room); c != nil {
		if err := text(p, stdpath.Base(p), c.Data); err != nil {
			return nil, err
		}
		return c, nil
	}
	s, err := t.locate(p, how)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, t.orGone(err)
	}
	if err != nil {
		return nil, err
	}
	defer s.close()
	if s.info == nil {
		return nil, t.orGone(fs.ErrNotExist)
	}
	return s.read(t.maxFile)
}

// read gives the text of a located file.
func (s *spot) read(limit int64) (*patch.Content, error) {
	switch mode := s.info.Mode(); {
	case mode.IsDir():
		return nil, fmt.Errorf("%s is a folder: %w; name a file in it", s.path, fs.ErrInvalid)
	case !mode.IsRegular():
		return nil, fmt.Errorf("%s is a pipe, socket or device: %w; only regular files are read", s.path, fs.ErrInvalid)
	case s.info.Size() > limit:
		return nil, tooLarge(s.path, s.info.Size(), limit)
	}
	f, err := openFile(s.dir, s.name, s.info)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := bytes.NewBuffer(make([]byte, 0, s.info.Size()+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, plain(err)
	}
	if int64(data.Len()) > limit {
		return nil, tooLarge(s.path, int64(data.Len()), limit)
	}
	if err := text(s.path, s.name, data.Bytes()); err != nil {
		return nil, err
	}
	return &patch.Content{Data: data.Bytes(), Mode: uint32(s.info.Mode().Perm())}, nil
}

func tooLarge(path string, size, limit int64) error {
	return fmt.Errorf("%w: %s has %d bytes, more than the limit of %d; search for the part that matters, or raise the limit in the settings", ErrTooLarge, path, size, limit)
}

// text refuses content that is binary or a secret.
func text(path, name string, data []byte) error {
	top := data[:min(len(data), headSize)]
	if isBinary(top) {
		return fmt.Errorf("%w: %s holds NUL bytes, so it is not text; work on its source instead", ErrBinary, path)
	}
	if why := secretContent(name, top); why != "" {
		return secretError(path, why)
	}
	return nil
}

// isBinary is git's rule, a NUL byte near the beginning, except that UTF-16 with its mark is text.
func isBinary(head []byte) bool {
	if bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}) {
		return false
	}
	return bytes.IndexByte(head, 0) >= 0
}
