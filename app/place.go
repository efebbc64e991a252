package app

import (
	"encoding/json"
	"fmt"
	"image"
	"os"
)

// place is where the window stands while it is not maximised, in the desktop's pixels: the corner of its frame, and its size
// without the frame. It is kept in the data folder and not in the settings, which a person may share among machines.
type place struct {
	X         int  `json:"x"`
	Y         int  `json:"y"`
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	Maximised bool `json:"maximised"`
}

const (
	minWidth, minHeight       = 900, 600
	defaultWidth              = 1360
	defaultHeight             = 860
	nowhere                   = -1 << 20 // a corner that no screen has: the window is put in the middle
	titleBar                  = 40       // room for a title bar, whose height nobody tells before it is drawn
	mostWidth, mostHeight int = 1 << 15, 1 << 15
)

// loadPlace gives the kept place. Where there is none, or it makes no sense, it is one in the middle of the first screen.
func loadPlace(path string) place {
	fresh := place{X: nowhere, Y: nowhere, Width: defaultWidth, Height: defaultHeight}
	data, err := os.ReadFile(path)
	if err != nil {
		return fresh
	}
	var p place
	if json.Unmarshal(data, &p) != nil || p.Width <= 0 || p.Height <= 0 || p.Width > mostWidth || p.Height > mostHeight {
		return fresh
	}
	return p
}

// save keeps the place for the next start.
func (p place) save(path string) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := replaceFile(path, data); err != nil {
		return fmt.Errorf("keeping the place of the window: %w", err)
	}
	return nil
}

// within moves and shrinks the place onto the screens that there are, the primary one first: the one that it overlaps most,
// or the middle of the first. It is never smaller than the window may be.
func (p place) within(screens []image.Rectangle) place {
	p.Width, p.Height = max(p.Width, minWidth), max(p.Height, minHeight)
	if len(screens) == 0 {
		return p
	}
	screen, most := screens[0], 0
	for _, s := range screens {
		common := image.Rect(p.X, p.Y, p.X+p.Width, p.Y+p.Height).Intersect(s)
		if n := common.Dx() * common.Dy(); n > most {
			screen, most = s, n
		}
	}
	roomX, roomY := screen.Dx(), screen.Dy()-titleBar
	p.Width, p.Height = max(min(p.Width, roomX), minWidth), max(min(p.Height, roomY), minHeight)
	if most == 0 {
		p.X, p.Y = screen.Min.X+(roomX-p.Width)/2, screen.Min.Y+(roomY-p.Height)/2
	}
	p.X = max(min(p.X, screen.Min.X+roomX-p.Width), screen.Min.X)
	p.Y = max(min(p.Y, screen.Min.Y+roomY-p.Height), screen.Min.Y)
	return p
}
