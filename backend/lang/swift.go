package lang

import (
	"strings"

	grammar "github.com/smacker/go-tree-sitter/swift"
)

// swift names no fields and no bodies: with them this grammar takes minutes to compile the query.
func swift() Language {
	return Language{
		Name:       "swift",
		Extensions: []string{".swift"},
		Grammar:    grammar.GetLanguage,
		Query: `
(class_declaration "class" name: (type_identifier) @name) @definition.class
(class_declaration "actor" name: (type_identifier) @name) @definition.class
(class_declaration "struct" name: (type_identifier) @name) @definition.type
(class_declaration "enum" name: (type_identifier) @name) @definition.type
(class_declaration "extension" name: (user_type (type_identifier) @name)) @scope
(protocol_declaration name: (type_identifier) @name) @definition.interface
(function_declaration (simple_identifier) @name) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @definition.method
(init_declaration "init" @name) @definition.method
(typealias_declaration name: (type_identifier) @name) @definition.type
(source_file (property_declaration (pattern (simple_identifier) @name)) @definition.constant)
(property_declaration (modifiers (property_modifier)) (pattern (simple_identifier) @name)) @definition.constant
[(comment) (multiline_comment)] @comment
[(line_string_literal) (multi_line_string_literal) (raw_string_literal)] @string
(interpolated_expression) @code
(import_declaration) @import
`,
		TestFile: func(p string) bool {
			s := stem(p)
			return strings.HasSuffix(s, "Test") || strings.HasSuffix(s, "Tests") || inTestDir(p, "Tests", "tests")
		},
	}
}
