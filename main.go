// Redgreen is a desktop coding assistant that proves its work.
package main

import (
	"embed"
	"os"

	"redgreen/app"
)

//go:embed all:frontend/dist
var page embed.FS

//go:embed all:testdata/repos/invoice testdata/repos/invoice.task.json testdata/repos/invoice.script.jsonl
var sample embed.FS

func main() { os.Exit(app.Main(app.Assets{Page: page, Sample: sample})) }
