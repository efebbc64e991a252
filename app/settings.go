package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

// Settings are the person's choices, kept as JSON in the settings folder. Keys are never among them.
type Settings struct {
	Theme    string            `json:"theme"` // system, light, dark
	Model    string            `json:"model"` // PROVIDER/NAME, "" the first that can be called
	Limits   session.Limits    `json:"limits"`
	AskEdits bool              `json:"ask_edits"`
	FontSize int               `json:"font_size"` // pixels
	Notify   bool              `json:"notify"`    // tell on the desktop when a run ends or asks
	BaseURLs map[string]string `json:"base_urls"` // by provider
	Runtime  string            `json:"runtime"`   // one sandbox runtime, "" the strongest
	Editor   string            `json:"editor"`    // command that opens FILE:LINE, "" found
	Images   Images            `json:"images"`
	Recent   []Recent          `json:"recent"`
	// Retention says which saved sessions are deleted by themselves.
	Retention Retention `json:"retention"`
	// SecondURLs are other base URLs by provider, where the same model is asked in an outage of the first.
	SecondURLs map[string]string `json:"second_urls"`
	// SmallModel does the supporting work (summaries), PROVIDER/NAME, "" the task's own model.
	SmallModel string `json:"small_model"`
	// Embedder gives the vectors of the index: "" the built-in one, "none", or PROVIDER/NAME of a model that embeds.
	Embedder string `json:"embedder,omitempty"`
	// Generated puts generated and vendored code into the index too. Both count for a folder from its next opening on.
	Generated bool `json:"generated,omitempty"`
	// Models is what is known or chosen of single models, by PROVIDER/NAME; changed by calls of its own.
	Models map[string]ModelSetting `json:"models"`
	// AllowNone are the folders whose tests may run with no isolation at all where no sandbox works: absolute real paths.
	AllowNone []string `json:"allow_none"`
	// TestCommands are the commands that the person fixed, by folder; changed by calls of their own.
	TestCommands map[string]TestCommand `json:"test_commands,omitempty"`
	// Guides is what the person decided on what repositories say to agents, by folder; changed by calls of its own.
	Guides map[string]GuideChoice `json:"guides,omitempty"`
}

// Images are the images that tests run in instead of with the host's toolchains.
type Images struct {
	Folders   map[string]string `json:"folders"`   // by the folder's absolute path; counts before the language's
	Languages map[string]string `json:"languages"` // by the language's name: python
}

// ModelSetting is what a probe found of a model, or the person chose; its zero value leaves all to the provider.
type ModelSetting struct {
	Form     model.Form         `json:"form"`      // native, json, text; "" native where the provider has it
	EditForm string             `json:"edit_form"` // unified_diff, search_replace, old_new, whole_file; "" unknown
	Window   int                `json:"window"`    // context in tokens where the provider does not tell, 0 unknown
	Probe    *model.ProbeResult `json:"probe,omitempty"`
}

// Recent is a folder that was opened.
type Recent struct {
	Path   string    `json:"path"`
	Name   string    `json:"name"`
	Opened time.Time `json:"opened"`
	Exists bool      `json:"exists"`
}

// recentMost is how many folders the start view lists.
const recentMost = 12

func defaults() Settings {
	return Settings{
		Theme:      "system",
		FontSize:   13,
		Notify:     true,
		BaseURLs:   map[string]string{},
		SecondURLs: map[string]string{},
		Models:     map[string]ModelSetting{},
		Limits:     session.Limits{Steps: 30, MicroUSD: 1_000_000, Wall: 20 * time.Minute},
		Images:     Images{Folders: map[string]string{}, Languages: map[string]string{}},
		Recent:     []Recent{}, AllowNone: []string{},
	}
}

// loadSettings reads the file; a missing one gives the defaults, a broken one is kept under another name. told is what the
// person should know of that, "" nothing.
func loadSettings(path string) (s Settings, told string, err error) {
	s = defaults()
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, "", nil
	}
	if err != nil {
		return s, "", fmt.Errorf("reading the settings: %w; make it a file that you can read, or move it away", err)
	}
	if err := json.Unmarshal(data, &s); err != nil {
		kept := asideName(path)
		if err2 := os.Rename(path, kept); err2 != nil {
			return defaults(), "", fmt.Errorf("reading the settings %s: %w; correct or delete the file", path, err)
		}
		return defaults(), fmt.Sprintf("%v; the defaults are used, and your file is kept as %s", err, kept), nil
	}
	return s.checked(), unknown(data, s), nil
}

// unknown says which names of a settings file mean nothing, "" none: one that is misspelt would be passed over without a
// word, and be gone with the next save.
func unknown(data []byte, s Settings) string {
	var there, known map[string]json.RawMessage
	if json.Unmarshal(data, &there) != nil || there == nil {
		return "the file holds no object; the defaults are used"
	}
	s.TestCommands, s.Embedder, s.Generated, s.Guides = map[string]TestCommand{"": {}}, "x", true, map[string]GuideChoice{"": {}} // left out where they are empty
	if all, err := json.Marshal(s); err != nil || json.Unmarshal(all, &known) != nil {
		return ""
	}
	var names []string
	for name := range there {
		// encoding/json takes names in any case
		if !slices.ContainsFunc(slices.Collect(maps.Keys(known)), func(k string) bool { return strings.EqualFold(k, name) }) {
			names = append(names, strconv.Quote(name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return "there is no setting " + strings.Join(names, ", ") + "; it is passed over"
}

// asideName is a name for a broken file that no earlier one has.
func asideName(path string) string {
	name := path + ".broken"
	for n := 2; ; n++ {
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) || n > 1000 {
			return name
		}
		name = fmt.Sprintf("%s.broken-%d", path, n)
	}
}

// checked puts every value that makes no sense back to its default.
func (s Settings) checked() Settings {
	d := defaults()
	if !slices.Contains([]string{"system", "light", "dark"}, s.Theme) {
		s.Theme = d.Theme
	}
	if s.FontSize < 10 || s.FontSize > 24 {
		s.FontSize = d.FontSize
	}
	s.Limits = withDefaults(s.Limits)
	if s.BaseURLs == nil {
		s.BaseURLs = d.BaseURLs
	}
	if s.Images.Folders == nil {
		s.Images.Folders = d.Images.Folders
	}
	if s.Images.Languages == nil {
		s.Images.Languages = d.Images.Languages
	}
	if s.SecondURLs == nil {
		s.SecondURLs = d.SecondURLs
	}
	if s.Models == nil {
		s.Models = d.Models
	}
	if s.Recent == nil {
		s.Recent = d.Recent
	}
	s.Retention = Retention{Days: max(s.Retention.Days, 0), Megabytes: max(s.Retention.Megabytes, 0)}
	s.AllowNone = slices.DeleteFunc(append([]string{}, s.AllowNone...), func(p string) bool { return !filepath.IsAbs(p) || filepath.Clean(p) != p })
	return s
}

// withDefaults fills the limits that are zero or negative.
func withDefaults(l session.Limits) session.Limits {
	d := defaults().Limits
	if l.Steps <= 0 {
		l.Steps = d.Steps
	}
	if l.MicroUSD <= 0 {
		l.MicroUSD = d.MicroUSD
	}
	if l.Wall <= 0 {
		l.Wall = d.Wall
	}
	if l.Tokens < 0 {
		l.Tokens = 0
	}
	return l
}

// save replaces the file whole, so that a crash leaves the old or the new one.
func (s Settings) save(path string) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := replaceFile(path, append(data, '\n')); err != nil {
		return fmt.Errorf("saving the settings: %w", err)
	}
	return nil
}

// allowNone switches runs without isolation on or off for one folder.
func (s Settings) allowNone(root string, on bool) Settings {
	s.AllowNone = slices.DeleteFunc(slices.Clone(s.AllowNone), func(p string) bool { return p == root })
	if on {
		s.AllowNone = append(s.AllowNone, root)
	}
	return s
}

// opened puts a folder at the head of the recent ones.
func (s Settings) opened(path string, now time.Time) Settings {
	rest := slices.DeleteFunc(slices.Clone(s.Recent), func(r Recent) bool { return r.Path == path })
	s.Recent = append([]Recent{{Path: path, Name: filepath.Base(path), Opened: now}}, rest...)
	if len(s.Recent) > recentMost {
		s.Recent = s.Recent[:recentMost]
	}
	return s
}
