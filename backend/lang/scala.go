package lang

import (
	"strings"

	grammar "github.com/smacker/go-tree-sitter/scala"
)

// scalaValue is a val or var that gives names their values.
const scalaValue = `[(val_definition pattern: [(identifier) @name (identifiers (identifier) @name)]) (var_definition pattern: [(identifier) @name (identifiers (identifier) @name)])] @definition.constant`

func scala() Language {
	return Language{
		Name:       "scala",
		Extensions: []string{".scala", ".sc"},
		Grammar:    grammar.GetLanguage,
		Query: `
(trait_definition name: (_) @name body: (_)? @body) @definition.interface
(class_definition name: (_) @name body: (_)? @body) @definition.class
(object_definition name: (_) @name body: (_)? @body) @definition.class
(enum_definition name: (_) @name body: (_)? @body) @definition.type
(function_definition name: (_) @name body: (_) @body) @definition.function
(function_declaration name: (_) @name) @definition.function
(type_definition name: (_) @name) @definition.type
(compilation_unit ` + scalaValue + `)
(object_definition body: (template_body ` + scalaValue + `))
(package_object body: (template_body ` + scalaValue + `))
[(comment) (block_comment)] @comment
[(string) (interpolated_string)] @string
(interpolation) @code
(import_declaration) @import
`,
		TestFile: func(p string) bool {
			s := stem(p)
			return strings.HasSuffix(s, "Test") || strings.HasSuffix(s, "Spec") || strings.HasSuffix(s, "Suite") || inTestDir(p, "test")
		},
	}
}
