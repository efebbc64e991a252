package lang

import grammar "github.com/smacker/go-tree-sitter/markdown/tree-sitter-markdown"

func markdown() Language {
	return Language{
		Name:       "markdown",
		Extensions: []string{".md", ".markdown", ".mdx"},
		Data:       true,
		Grammar:    grammar.GetLanguage,
		Query: `
(section (atx_heading heading_content: (_) @name)) @definition.section
`,
		native:   parseMarkdown,
		TestFile: noTests,
	}
}
