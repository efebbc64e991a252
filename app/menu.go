package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

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

// The item whose place the recent folders take, and how many are listed.
const (
	menuRecent     = "recent"
	menuRecentMost = 8
)

// nativeMenu draws a menu. The recent folders are those of the start: GTK's menus cannot be changed later.
func nativeMenu(items []menuItem, recent []Recent, acts menuActs) *menu.Menu {
	m := menu.NewMenu()
	for _, item := range items {
		switch {
		case item.Items != nil:
			m.Append(menu.SubMenu(item.Label, nativeMenu(item.Items, recent, acts)))
		case item.ID == "":
			m.AddSeparator()
		case item.ID == menuRecent:
			if folders := recentMenu(recent, acts.open); len(folders.Items) > 0 {
				m.Append(menu.SubMenu(item.Label, folders))
			}
		default:
			m.AddText(item.Label, accelerator(item.Keys), func(*menu.CallbackData) { acts.do(item.ID) })
		}
	}
	return m
}

func recentMenu(recent []Recent, open func(path string)) *menu.Menu {
	m := menu.NewMenu()
	for _, r := range recent {
		if info, err := os.Stat(r.Path); err == nil && info.IsDir() && len(m.Items) < menuRecentMost {
			m.AddText(r.Path, nil, func(*menu.CallbackData) { open(r.Path) })
		}
	}
	return m
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
