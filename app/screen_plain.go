//go:build !(desktop && linux)

package app

import "image"

// Where GTK draws no window there are no screens to ask about, and nothing to move.

func screens() []image.Rectangle   { return nil }
func putWindow(place)              {}
func themeWindow(string)           {}
func listFolders(string, []string) {}
func lookWindow() place            { return place{} }
func quitWindow() bool             { return false }
func copiedPicture() []byte        { return nil }
