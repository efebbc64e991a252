package lang

import grammar "github.com/smacker/go-tree-sitter/html"

func html() Language {
	return Language{
		Name:       "html",
		Extensions: []string{".html", ".htm", ".xhtml"},
		Data:       true,
		Grammar:    grammar.GetLanguage,
		Query: `
(element (start_tag (attribute (attribute_name) @id (quoted_attribute_value (attribute_value) @name)))) @definition.section
(script_element (start_tag (tag_name) @name)) @definition.section
(style_element (start_tag (tag_name) @name)) @definition.section
(comment) @comment
(text) @string
`,
		TestFile: noTests,
	}
}
