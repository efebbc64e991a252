package eval

import (
	"context"
	"fmt"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"

	"redgreen/backend/lang"
)

// words are the leaves of a file's syntax tree without its comments: two files with the same words differ in nothing but
// their form. Python's blocks count, which are blanks without a leaf.
func words(file string, src []byte) ([]string, error) {
	l, ok := lang.ByPath(file)
	if !ok {
		return nil, fmt.Errorf("reading %s: no grammar for it", file)
	}
	parser := sitter.NewParser()
	defer parser.Close()
	parser.SetLanguage(l.Grammar())
	tree, err := parser.ParseCtx(context.Background(), nil, src)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	defer tree.Close()
	var out []string
	var walk func(n *sitter.Node)
	walk = func(n *sitter.Node) {
		if strings.Contains(n.Type(), "comment") {
			return
		}
		if n.ChildCount() == 0 {
			if w := n.Content(src); strings.TrimSpace(w) != "" { // Go's line ends are leaves
				out = append(out, w)
			}
			return
		}
		if n.Type() == "block" {
			out = append(out, "{")
			defer func() { out = append(out, "}") }()
		}
		for i := range int(n.ChildCount()) {
			walk(n.Child(i))
		}
	}
	walk(tree.RootNode())
	return out, nil
}
