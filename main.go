// Redgreen is a desktop coding assistant that proves its work.
package main

import (
	"embed"
	"io/fs"
	"os"

	"redgreen/app"
)

//go:embed all:frontend/dist
var page embed.FS

//go:embed all:testdata/repos/invoice testdata/repos/invoice.task.json testdata/repos/invoice.script.jsonl
var sample embed.FS

//go:embed build/images
var images embed.FS

//go:embed build/linux/redgreen.svg
var icon []byte

func main() {
	dist, err := fs.Sub(page, "frontend/dist")
	if err != nil {
		panic(err) // only for a path that is no valid name
	}
	os.Exit(app.Main(app.Assets{Page: dist, Sample: sample, Images: images, Icon: icon}))
}
