package lang

import grammar "github.com/smacker/go-tree-sitter/kotlin"

// kotlinProperty is a val or var, also one that takes a value apart.
const kotlinProperty = `(property_declaration [(variable_declaration (simple_identifier) @name) (multi_variable_declaration (variable_declaration (simple_identifier) @name))]) @definition.constant`

func kotlin() Language {
	return Language{
		Name:       "kotlin",
		Extensions: []string{".kt", ".kts"},
		Grammar:    grammar.GetLanguage,
		Query: `
(class_declaration "interface" (type_identifier) @name (class_body)? @body) @definition.interface
(class_declaration "enum" (type_identifier) @name (enum_class_body) @body) @definition.type
(class_declaration "class" (type_identifier) @name (class_body) @body) @definition.class
(class_declaration "class" (type_identifier) @name (primary_constructor)) @definition.class
(object_declaration (type_identifier) @name (class_body)? @body) @definition.class
(function_declaration (simple_identifier) @name (function_body)? @body) @definition.function
(function_declaration (user_type (type_identifier) @receiver) . (simple_identifier) @name)
(type_alias (type_identifier) @name) @definition.type
(source_file ` + kotlinProperty + `)
(object_declaration (class_body ` + kotlinProperty + `))
(companion_object (class_body ` + kotlinProperty + `))
(line_comment) @comment
(multiline_comment) @comment
[(string_literal) (character_literal)] @string
[(interpolated_expression) (interpolated_identifier)] @code
(import_header) @import
`,
		TestFile: java().TestFile,
		Runners:  []Runner{{Name: "gradle", Markers: []string{"build.gradle.kts"}}},
	}
}
