package app

import (
	"errors"
	"fmt"
	"io"
	"os"

	"redgreen/backend/model"
)

// readImages checks the pictures of a message; what is wrong with one is the person's to mend.
func readImages(data [][]byte) ([]model.Image, error) {
	images, err := model.ReadImages(data)
	if err != nil {
		return nil, fail(Invalid, err.Error())
	}
	return images, nil
}

// readPictureFiles reads the pictures that --image names.
func readPictureFiles(paths []string) ([]model.Image, error) {
	var data [][]byte
	for _, path := range paths {
		one, err := readPicture(expandHome(path))
		if err != nil {
			return nil, fmt.Errorf("--image %s: %w", path, err)
		}
		if _, err := model.ReadImage(one); err != nil {
			return nil, fmt.Errorf("--image %s: %w", path, err)
		}
		data = append(data, one)
	}
	return readImages(data)
}

// readPicture reads a file as far as a picture may go, and a byte more that tells that it goes further.
func readPicture(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.New("this is a folder; name a picture")
	}
	return io.ReadAll(io.LimitReader(f, model.MaxImage+1))
}

// pictureWords warn of what cannot be seen to: a picture goes out as it is drawn, and not every model is known to take one.
func pictureWords(m model.Info, n int) []string {
	if n == 0 {
		return nil
	}
	var out []string
	if !m.Local {
		out = append(out, fmt.Sprintf("%s sent to %s, without the place, camera and texts that a file holds beside its picture; a secret that is seen in it is not found and not taken out",
			map[bool]string{true: "the picture is", false: "the pictures are"}[n == 1], m.Label))
	}
	if m.Images == model.Unknown {
		out = append(out, fmt.Sprintf("it is not known whether %s takes pictures; its server will say", m.Ref()))
	}
	return out
}

// Picture is a picture of a session, as its message names it.
type Picture struct {
	Type string `json:"type"`
	Data []byte `json:"data"`
}

// Picture gives a picture by its hash; what is no picture is not given.
func (a *App) Picture(hash string) (Picture, error) {
	return guard(a.h, func() (Picture, error) {
		store, err := a.h.core.sessions()
		if err != nil {
			return Picture{}, err
		}
		data, err := store.Body(a.h.context, hash)
		if err != nil {
			return Picture{}, err
		}
		i, err := model.KeptImage(data)
		if err != nil {
			return Picture{}, fail(Invalid, err.Error())
		}
		return Picture{i.Type, i.Data}, nil
	})
}

// ReadPicture takes a picture that is to go with a message, before the page draws it: see model.ReadImage.
func (a *App) ReadPicture(data []byte) (Picture, error) {
	return guard(a.h, func() (Picture, error) {
		i, err := model.ReadImage(data)
		if err != nil {
			return Picture{}, fail(Invalid, err.Error())
		}
		return Picture{i.Type, i.Data}, nil
	})
}

// PastedPicture takes the picture on the clipboard, where the web view tells the page only that something was pasted; an empty one
// where there is none.
func (a *App) PastedPicture() (Picture, error) {
	if a.h.copied == nil {
		return Picture{}, nil
	}
	data := a.h.copied()
	if len(data) == 0 {
		return Picture{}, nil
	}
	return a.ReadPicture(data)
}

// TakesImages asks what is known of a model, "" the default of a folder, before a picture is given to it.
func (a *App) TakesImages(ref, folder string) (model.Info, error) {
	return guard(a.h, func() (model.Info, error) {
		m, err := a.h.core.chooseModel(a.h.context, ref, folder)
		return m.Info, err
	})
}
