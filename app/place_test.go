package app

import (
	"image"
	"os"
	"path/filepath"
	"testing"
)

func TestPlaceWithin(t *testing.T) {
	t.Parallel()
	one := []image.Rectangle{image.Rect(0, 0, 1920, 1080)}
	two := append([]image.Rectangle{image.Rect(0, 27, 1920, 1080)}, image.Rect(1920, 0, 1920+2560, 1440))
	left := append([]image.Rectangle{image.Rect(0, 0, 1920, 1080)}, image.Rect(-1280, 200, 0, 1224))
	for name, c := range map[string]struct {
		screens  []image.Rectangle
		at, want place
	}{
		"as it was":                      {one, place{X: 100, Y: 50, Width: 1200, Height: 800}, place{X: 100, Y: 50, Width: 1200, Height: 800}},
		"never opened":                   {one, place{X: nowhere, Y: nowhere, Width: defaultWidth, Height: defaultHeight}, place{X: 280, Y: 90, Width: 1360, Height: 860}},
		"never opened, small screen":     {[]image.Rectangle{image.Rect(0, 0, 1280, 720)}, place{X: nowhere, Y: nowhere, Width: defaultWidth, Height: defaultHeight}, place{Width: 1280, Height: 680}},
		"on the second screen":           {two, place{X: 2000, Y: 100, Width: 1600, Height: 1200}, place{X: 2000, Y: 100, Width: 1600, Height: 1200}},
		"the second screen is gone":      {one, place{X: 2000, Y: 100, Width: 1600, Height: 1200}, place{X: 160, Y: 0, Width: 1600, Height: 1040}},
		"a screen on the left":           {left, place{X: -1200, Y: 300, Width: 1000, Height: 700}, place{X: -1200, Y: 300, Width: 1000, Height: 700}},
		"half over the right edge":       {one, place{X: 1500, Y: 100, Width: 1000, Height: 700}, place{X: 920, Y: 100, Width: 1000, Height: 700}},
		"below the lower edge":           {one, place{X: 10, Y: 900, Width: 1000, Height: 700}, place{X: 10, Y: 340, Width: 1000, Height: 700}},
		"under a panel":                  {two, place{X: 10, Y: 0, Width: 1000, Height: 700}, place{X: 10, Y: 27, Width: 1000, Height: 700}},
		"smaller than it may be":         {one, place{X: 10, Y: 10, Width: 300, Height: 200}, place{X: 10, Y: 10, Width: 900, Height: 600}},
		"a screen smaller than it":       {[]image.Rectangle{image.Rect(0, 0, 800, 480)}, place{X: 10, Y: 10, Width: 1000, Height: 700}, place{Width: 900, Height: 600}},
		"maximised stays so":             {one, place{X: 100, Y: 50, Width: 1200, Height: 800, Maximised: true}, place{X: 100, Y: 50, Width: 1200, Height: 800, Maximised: true}},
		"screens that nobody tells of":   {nil, place{X: 100, Y: 50, Width: 300, Height: 800}, place{X: 100, Y: 50, Width: 900, Height: 800}},
		"across two, more on the second": {two, place{X: 1800, Y: 100, Width: 1000, Height: 700}, place{X: 1920, Y: 100, Width: 1000, Height: 700}},
	} {
		if got := c.at.within(c.screens); got != c.want {
			t.Errorf("%s: %+v, not %+v", name, got, c.want)
		}
		if got := c.want.within(c.screens); got != c.want {
			t.Errorf("%s: a second start moves it to %+v", name, got)
		}
	}
}

func TestPlaceKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "window.json")
	fresh := loadPlace(path)
	if fresh.Width != defaultWidth || fresh.X != nowhere {
		t.Errorf("without a file: %+v", fresh)
	}
	want := place{X: -20, Y: 30, Width: 1000, Height: 700, Maximised: true}
	if err := want.save(path); err != nil {
		t.Fatal(err)
	}
	if got := loadPlace(path); got != want {
		t.Errorf("%+v came back as %+v", want, got)
	}
	for _, broken := range []string{"", "{", `{"width":-1,"height":10}`, `{"x":1,"y":1}`, `{"width":100000000,"height":700}`, `[1]`} {
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := loadPlace(path); got != fresh {
			t.Errorf("of %q came %+v", broken, got)
		}
	}
}
