//go:build !desktop

package app

// hasWindow says that the desktop window is not part of this build: it needs no GTK, and everything else works.
const hasWindow = false
