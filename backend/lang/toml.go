package lang

import grammar "github.com/smacker/go-tree-sitter/toml"

func toml() Language {
	return Language{
		Name:       "toml",
		Extensions: []string{".toml"},
		Data:       true,
		Grammar:    grammar.GetLanguage,
		Query: `
(table . (_) @name) @definition.section
(table_array_element . (_) @name) @definition.section
(comment) @comment
(string) @string
`,
		TestFile: noTests,
	}
}
