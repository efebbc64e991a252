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
	m := nativeMenu(items, []Recent{{Path: here}, {Path: here + "/gone"}}, menuActs{
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
			lines = append(lines, line)
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
	if m := nativeMenu([]menuItem{{Label: "File", Items: []menuItem{{ID: "recent", Label: "Recent"}}}}, nil, menuActs{}); len(m.Items[0].SubMenu.Items) != 0 {
		t.Error("an empty list of folders is offered")
	}
}
