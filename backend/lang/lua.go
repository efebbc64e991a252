package lang

import (
	"strings"

	grammar "github.com/smacker/go-tree-sitter/lua"
)

func lua() Language {
	return Language{
		Name:       "lua",
		Extensions: []string{".lua"},
		Grammar:    grammar.GetLanguage,
		Query: `
(function_statement name: (_) @name (function_body)? @body) @definition.function
(variable_declaration name: (variable_declarator) @name value: (function (function_body)? @body)) @definition.function
(comment) @comment
(string) @string
`,
		TestFile: func(p string) bool {
			s := stem(p)
			return strings.HasSuffix(s, "_spec") || strings.HasSuffix(s, "_test") || strings.HasPrefix(s, "test_") || inTestDir(p, "spec", "test", "tests")
		},
	}
}
