//go:build desktop

package app

// hasWindow says that the desktop window is part of this build.
const hasWindow = true
