package lang

import grammar "github.com/smacker/go-tree-sitter/dockerfile"

func dockerfile() Language {
	return Language{
		Name:       "dockerfile",
		Extensions: []string{".dockerfile"},
		Filenames:  []string{"Dockerfile", "Containerfile"},
		Data:       true,
		Grammar:    grammar.GetLanguage,
		Query: `
(from_instruction as: (image_alias) @name) @definition.section
(from_instruction (image_spec name: (image_name) @name)) @definition.section
(comment) @comment
`,
		native:   parseDockerfile,
		TestFile: noTests,
	}
}
