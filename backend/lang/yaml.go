package lang

import grammar "github.com/smacker/go-tree-sitter/yaml"

func yaml() Language {
	return Language{
		Name:       "yaml",
		Extensions: []string{".yaml", ".yml"},
		Data:       true,
		Grammar:    grammar.GetLanguage,
		Query: `
(document (block_node (block_mapping (block_mapping_pair key: (_) @name value: (block_node)) @definition.section)))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping (block_mapping_pair key: (_) @name value: (block_node)) @definition.section))))))
(comment) @comment
`,
		TestFile: noTests,
	}
}
