package lang

import (
	"strings"

	grammar "github.com/smacker/go-tree-sitter/bash"
)

func bash() Language {
	return Language{
		Name:       "bash",
		Extensions: []string{".sh", ".bash", ".bats"},
		Filenames:  []string{".bashrc", ".profile"},
		Grammar:    grammar.GetLanguage,
		Query: `
(function_definition name: (word) @name body: (_) @body) @definition.function
(comment) @comment
[(string) (raw_string) (heredoc_body)] @string
[(command_substitution) (expansion) (simple_expansion)] @code
`,
		TestFile: func(p string) bool {
			s := stem(p)
			return strings.HasSuffix(p, ".bats") || strings.HasPrefix(s, "test_") || strings.HasSuffix(s, "_test") || inTestDir(p, "test", "tests")
		},
	}
}
