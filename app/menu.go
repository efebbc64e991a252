package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/wailsapp/wails/v2/pkg/menu"
	accel "github.com/wailsapp/wails/v2/pkg/menu/keys"
)

// menuItem is a line of the window's menu, which the page's build writes from its own table of shortcuts. One with items is a
// menu; one without an id is a line between others.
type menuItem struct {
	ID    string     `json:"id"`
	Label string     `json:"label"`
	Keys  string     `json:"keys"` // Ctrl+Shift+Enter; "" none
	Items []menuItem `json:"items"`
}

// readMenu reads the menu of a built page; a page that is not built has none.
func readMenu(page fs.FS) ([]menuItem, error) {
	data, err := fs.ReadFile(page, "menu.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var items []menuItem
	if err == nil {
		err = json.Unmarshal(data, &items)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the menu of the page: %w; build the page anew", err)
	}
	return items, nil
}

// menuActs are what the items of a menu do: do is told an item's id, open the path of a recent folder.
type menuActs struct {
	do   func(id string)
	open func(path string)
}

// menuFolders are the recent folders of the menu. The menu has a place for each of the most that it lists, since a native menu
// cannot grow; which folder a place opens, and says, may change. Safe for use by many goroutines.
type menuFolders struct {
	mu    sync.Mutex
	paths []string
}

// set takes the folders that are there, and gives what each place is to say; "" for one that is not used.
func (f *menuFolders) set(recent []Recent) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.paths = make([]string, 0, menuRecentMost)
	for _, r := range recent {
		if info, err := os.Stat(r.Path); err == nil && info.IsDir() && len(f.paths) < menuRecentMost {
			f.paths = append(f.paths, r.Path)
		}
	}
	return append(slices.Clone(f.paths), make([]string, menuRecentMost-len(f.paths))...)
}

// at is the folder of a place, "" of one that is not used.
func (f *menuFolders) at(place int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if place >= len(f.paths) {
		return ""
	}
	return f.paths[place]
}

// The item whose place the recent folders take, and how many are listed.
const (
	menuRecent     = "recent"
	menuRecentMost = 8
)

// nativeMenu draws a menu.
func nativeMenu(items []menuItem, recent *menuFolders, acts menuActs) *menu.Menu {
	m := menu.NewMenu()
	for _, item := range items {
		switch {
		case item.Items != nil:
			m.Append(menu.SubMenu(item.Label, nativeMenu(item.Items, recent, acts)))
		case item.ID == "":
			m.AddSeparator()
		case item.ID == menuRecent:
			m.Append(menu.SubMenu(item.Label, recentMenu(recent, acts.open)))
		default:
			m.AddText(item.Label, accelerator(item.Keys), func(*menu.CallbackData) { acts.do(item.ID) })
		}
	}
	return m
}

func recentMenu(recent *menuFolders, open func(path string)) *menu.Menu {
	m := menu.NewMenu()
	for place := range menuRecentMost {
		m.AddText(recent.at(place), nil, func(*menu.CallbackData) {
			if path := recent.at(place); path != "" {
				open(path)
			}
		})
	}
	return m
}

// recentLabel is what the menu calls its recent folders, "" where it has none.
func recentLabel(items []menuItem) string {
	for _, item := range items {
		if item.ID == menuRecent {
			return item.Label
		}
		if label := recentLabel(item.Items); label != "" {
			return label
		}
	}
	return ""
}

// accelerator is Ctrl+Shift+Enter in Wails' form; nil of none.
func accelerator(keys string) *accel.Accelerator {
	if keys == "" {
		return nil
	}
	parts := strings.Split(keys, "+")
	a := &accel.Accelerator{Key: strings.ToLower(parts[len(parts)-1])}
	for _, p := range parts[:len(parts)-1] {
		switch p {
		case "Ctrl":
			a.Modifiers = append(a.Modifiers, accel.CmdOrCtrlKey)
		case "Shift":
			a.Modifiers = append(a.Modifiers, accel.ShiftKey)
		}
	}
	return a
}
