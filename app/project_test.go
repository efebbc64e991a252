package app

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"image/png"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"text/template"
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

// TestBundleOfMacOS: what wails build fills in is a property list with our version and the scheme of our links.
func TestBundleOfMacOS(t *testing.T) {
	t.Parallel()
	form, err := template.New("Info.plist").Funcs(template.FuncMap{"safeBundleID": strings.ToLower}).ParseFiles("../build/darwin/Info.plist")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("../wails.json")
	if err != nil {
		t.Fatal(err)
	}
	var project struct {
		Name, OutputFilename string
		Info                 struct {
			ProductName, ProductVersion, Copyright, Comments string
			Protocols                                        []struct{ Scheme, Role string }
		}
	}
	if err := json.Unmarshal(data, &project); err != nil {
		t.Fatal(err)
	}
	var filled bytes.Buffer
	if err := form.Execute(&filled, project); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for d := xml.NewDecoder(&filled); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok && len(bytes.TrimSpace(text)) > 0 {
			texts = append(texts, string(text))
		}
	}
	for key, want := range map[string]string{
		"CFBundleName": "Redgreen", "CFBundleExecutable": "redgreen", "CFBundleIdentifier": "com.wails.redgreen", "CFBundleVersion": Version,
		"CFBundleURLSchemes": strings.TrimSuffix(linkScheme, "://"), "CFBundleTypeRole": "Viewer",
	} {
		if i := slices.Index(texts, key); i < 0 || texts[i+1] != want {
			t.Errorf("%s is not %q in\n%q", key, want, texts)
		}
	}
}

// TestBundleOfWindows: what wails build fills in is a manifest and a version of ours, in forms that Windows reads.
func TestBundleOfWindows(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../wails.json")
	if err != nil {
		t.Fatal(err)
	}
	var project struct {
		Name string
		Info struct{ CompanyName, ProductName, ProductVersion, Copyright, Comments string }
	}
	if err := json.Unmarshal(data, &project); err != nil {
		t.Fatal(err)
	}
	fill := func(name string) []byte {
		t.Helper()
		form, err := template.ParseFiles("../build/windows/" + name)
		if err != nil {
			t.Fatal(err)
		}
		var filled bytes.Buffer
		if err := form.Execute(&filled, project); err != nil {
			t.Fatal(err)
		}
		return filled.Bytes()
	}
	var manifest struct {
		Identity struct {
			Name    string `xml:"name,attr"`
			Version string `xml:"version,attr"`
		} `xml:"assemblyIdentity"`
		LongPaths string `xml:"application>windowsSettings>longPathAware"`
	}
	if err := xml.Unmarshal(fill("wails.exe.manifest"), &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Identity.Name != "com.wails.redgreen" || manifest.Identity.Version != Version+".0" || manifest.LongPaths != "true" {
		t.Errorf("the manifest says %+v", manifest)
	}
	var info struct {
		Fixed struct {
			Version string `json:"file_version"`
		}
		Info map[string]map[string]string
	}
	if err := json.Unmarshal(fill("info.json"), &info); err != nil {
		t.Fatal(err)
	}
	if said := info.Info["0000"]; info.Fixed.Version != Version || said["ProductName"] != "Redgreen" || said["ProductVersion"] != Version || said["LegalCopyright"] == "" {
		t.Errorf("the program's properties are %+v", info)
	}
}
