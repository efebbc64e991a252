package lang

import grammar "github.com/smacker/go-tree-sitter/css"

func css() Language {
	return Language{
		Name:       "css",
		Extensions: []string{".css", ".scss"},
		Data:       true,
		Grammar:    grammar.GetLanguage,
		Query: `
(rule_set (selectors) @name (block) @body) @definition.section
(media_statement . (_) @name (block) @body) @definition.section
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @definition.section
(comment) @comment
(string_value) @string
(import_statement) @import
`,
		TestFile: noTests,
	}
}
