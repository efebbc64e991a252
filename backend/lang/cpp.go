package lang

import grammar "github.com/smacker/go-tree-sitter/cpp"

// cppNames are the ways a function is named in a declarator: free, inside its class, or outside of it.
const cppNames = `[(identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name)] @name`

func cpp() Language {
	return Language{
		Name:       "cpp",
		Extensions: []string{".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".inl", ".tpp"},
		Grammar:    grammar.GetLanguage,
		Query: cQuery + `
(class_specifier name: [(type_identifier) (template_type name: (type_identifier))] @name body: (_) @body) @definition.class
(template_declaration (class_specifier name: (_) @name body: (_))) @definition.class
(template_declaration (struct_specifier name: (_) @name body: (_))) @definition.type
(function_definition declarator: (function_declarator declarator: ` + cppNames + `) body: (_)? @body) @definition.function
(function_definition declarator: (pointer_declarator (function_declarator declarator: ` + cppNames + `)) body: (_)? @body) @definition.function
(function_definition declarator: (reference_declarator (function_declarator declarator: ` + cppNames + `)) body: (_)? @body) @definition.function
(template_declaration (function_definition declarator: (function_declarator declarator: ` + cppNames + `))) @definition.function
(template_declaration (function_definition declarator: (pointer_declarator (function_declarator declarator: ` + cppNames + `)))) @definition.function
(template_declaration (function_definition declarator: (reference_declarator (function_declarator declarator: ` + cppNames + `)))) @definition.function
(declaration_list ` + cVariable + `)
(field_declaration (storage_class_specifier "static") declarator: [(field_identifier) @name (array_declarator declarator: (field_identifier) @name)]) @definition.constant
(alias_declaration name: (type_identifier) @name) @definition.type
(raw_string_literal) @string
(using_declaration) @import
(concept_definition name: (identifier) @name) @definition.type
`,
		TestFile: cTestFile,
		Runners:  cRunners(),
	}
}
