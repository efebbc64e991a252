package main

// Temporary: keeps go.mod whole while the rooms are being built. Removed before the first release.
import (
	_ "github.com/blevesearch/bleve/v2"
	_ "github.com/go-git/go-git/v5"
	_ "github.com/mattn/go-sqlite3"
	_ "github.com/ollama/ollama/api"
	_ "github.com/spf13/cobra"
	_ "github.com/wailsapp/wails/v2"
	_ "github.com/zalando/go-keyring"
	_ "github.com/aymanbagabas/go-udiff"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/klauspost/compress/zstd"
	_ "golang.org/x/text/encoding/charmap"
	_ "golang.org/x/sys/unix"
	_ "golang.org/x/term"
	_ "github.com/rogpeppe/go-internal/testscript"
)

func main() {}
