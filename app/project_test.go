package app

import (
	"encoding/json"
	"image/png"
	"os"
	"strings"
	"testing"
)

// TestProjectFiles holds what the systems' own build files say against the program: its version, its links, its icon.
func TestProjectFiles(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../wails.json")
	if err != nil {
		t.Fatal(err)
	}
	var project struct {
		Info struct {
			ProductVersion string
			Protocols      []struct{ Scheme string }
		}
	}
	if err := json.Unmarshal(data, &project); err != nil {
		t.Fatal(err)
	}
	if project.Info.ProductVersion != Version {
		t.Errorf("wails.json says version %s, the program %s", project.Info.ProductVersion, Version)
	}
	if p := project.Info.Protocols; len(p) != 1 || p[0].Scheme+"://" != linkScheme {
		t.Errorf("wails.json names the links %v, not %s", p, linkScheme)
	}
	entry, err := os.ReadFile("../build/linux/redgreen.desktop")
	if err != nil || !strings.Contains(string(entry), "MimeType=x-scheme-handler/"+strings.TrimSuffix(linkScheme, "://")+";\n") {
		t.Errorf("the desktop entry does not take our links: %v", err)
	}
	f, err := os.Open("../build/appicon.png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if c, err := png.DecodeConfig(f); err != nil || c.Width != 1024 || c.Height != 1024 {
		t.Errorf("the icon of macOS and Windows is %dx%d, not 1024x1024: %v", c.Width, c.Height, err)
	}
}
