package app

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/wailsapp/wails/v2/pkg/menu"
)

// TestMenu holds that each item of the page's menu says its id when it is chosen, and a recent folder its path.
func TestMenu(t *testing.T) {
	t.Parallel()
	page := fstest.MapFS{"menu.json": {Data: []byte(`[
		{"id":"","label":"File","keys":"","items":[
			{"id":"open","label":"Open folder…","keys":"Ctrl+O"},{"id":"recent","label":"Recent","keys":""},{"id":"","label":"","keys":""},{"id":"quit","label":"Quit","keys":"Ctrl+Q"}]},
		{"id":"","label":"Run","keys":"","items":[{"id":"write","label":"Write…","keys":"Ctrl+Shift+Enter"},{"id":"trace","label":"Trace","keys":""}]}]`)}}
	items, err := readMenu(page)
	if err != nil {
		t.Fatal(err)
	}
	here := t.TempDir()
	var done []string
	var folders menuFolders
	folders.set([]Recent{{Path: here}, {Path: here + "/gone"}})
	if label := recentLabel(items); label != "Recent" {
		t.Errorf("the recent folders stand in %q", label)
	}
	m := nativeMenu(items, &folders, menuActs{
		do:   func(id string) { done = append(done, id) },
		open: func(path string) { done = append(done, "folder "+path) },
	})
	var lines []string
	var walk func(m *menu.Menu, in string)
	walk = func(m *menu.Menu, in string) {
		for _, i := range m.Items {
			line := in + i.Label
			if i.Accelerator != nil {
				line += " " + i.Accelerator.Key
				for _, mod := range i.Accelerator.Modifiers {
					line += " " + string(mod)
				}
			}
			if i.Label != "" || in != "Recent > " { // places that nothing is in yet
				lines = append(lines, line)
			}
			if i.Click != nil {
				i.Click(&menu.CallbackData{MenuItem: i})
			}
			if i.SubMenu != nil {
				walk(i.SubMenu, i.Label+" > ")
			}
		}
	}
	walk(m, "")
	if diff := cmp.Diff([]string{"File", "File > Open folder… o cmdorctrl", "File > Recent", "Recent > " + here, "File > ", "File > Quit q cmdorctrl",
		"Run", "Run > Write… enter cmdorctrl shift", "Run > Trace"}, lines); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"open", "folder " + here, "quit", "write", "trace"}, done); diff != "" {
		t.Error(diff)
	}
}

func TestMenuOfAPageWithoutOne(t *testing.T) {
	t.Parallel()
	if items, err := readMenu(fstest.MapFS{}); err != nil || len(items) > 0 {
		t.Errorf("a page that is not built: %v, %v", items, err)
	}
	if _, err := readMenu(fstest.MapFS{"menu.json": {Data: []byte("{")}}); err == nil {
		t.Error("a broken menu was read")
	}
}

// TestMenuFollows holds that a place of the menu opens the folder that it says now, not the one of the start, and that a place
// without a folder opens nothing.
func TestMenuFollows(t *testing.T) {
	t.Parallel()
	a, b := t.TempDir(), t.TempDir()
	var folders menuFolders
	says := folders.set([]Recent{{Path: a}})
	if len(says) != menuRecentMost || says[0] != a || says[1] != "" {
		t.Errorf("the places say %q", says)
	}
	var opened []string
	m := recentMenu(&folders, func(path string) { opened = append(opened, path) })
	says = folders.set([]Recent{{Path: b}, {Path: a + "/gone"}, {Path: a}})
	if says[0] != b || says[1] != a || says[2] != "" {
		t.Errorf("the places say %q", says)
	}
	for _, i := range m.Items {
		i.Click(&menu.CallbackData{MenuItem: i})
	}
	if diff := cmp.Diff([]string{b, a}, opened); diff != "" {
		t.Error(diff)
	}
}
