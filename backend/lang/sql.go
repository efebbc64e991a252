package lang

import grammar "github.com/smacker/go-tree-sitter/sql"

func sql() Language {
	return Language{
		Name:       "sql",
		Extensions: []string{".sql"},
		Data:       true,
		Grammar:    grammar.GetLanguage,
		Query: `
(create_table (object_reference) @name (column_definitions)? @body) @definition.type
(create_view (object_reference) @name (create_query)? @body) @definition.type
(create_materialized_view (object_reference) @name (create_query)? @body) @definition.type
(create_type (object_reference) @name) @definition.type
(create_index column: (identifier) @name) @definition.type
(create_function (object_reference) @name (function_body)? @body) @definition.function
(create_trigger . (keyword_create) (keyword_trigger) . (object_reference) @name) @definition.function
[(comment) (marginalia)] @comment
(literal) @string
`,
		TestFile: noTests,
	}
}
