package lang

import (
	tsxgrammar "github.com/smacker/go-tree-sitter/typescript/tsx"
	grammar "github.com/smacker/go-tree-sitter/typescript/typescript"
)

const typescriptQuery = ecmaQuery + `
(abstract_class_declaration name: (_) @name body: (_) @body) @definition.class
(export_statement declaration: (abstract_class_declaration name: (_) @name)) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(export_statement declaration: (interface_declaration name: (_) @name)) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(export_statement declaration: (type_alias_declaration name: (_) @name)) @definition.type
(enum_declaration name: (_) @name body: (_) @body) @definition.type
(export_statement declaration: (enum_declaration name: (_) @name)) @definition.type
(internal_module name: (_) @name body: (_) @body) @definition.module
(export_statement declaration: (internal_module name: (_) @name)) @definition.module
(function_signature name: (identifier) @name) @definition.function
(class_body (abstract_method_signature name: (property_identifier) @name) @definition.method)
(class_body (public_field_definition name: [(property_identifier) (private_property_identifier)] @name value: ` + ecmaFunction + `) @definition.method)
(class_body (public_field_definition "static" name: (property_identifier) @name) @definition.field)
(class_body (public_field_definition name: (private_property_identifier) @name) @definition.field)
(enum_body (property_identifier) @name @definition.field)
(enum_body (enum_assignment name: (property_identifier) @name) @definition.field)
`

func typescript() Language {
	return Language{
		Name:       "typescript",
		Extensions: []string{".ts", ".mts", ".cts"},
		Grammar:    grammar.GetLanguage,
		Query:      typescriptQuery,
		TestCalls:  ecmaTestCalls(),
		TestFile:   ecmaTestFile,
		Runners:    ecmaRunners(),
		Deps:       []string{"node_modules"},
	}
}

func tsx() Language {
	l := typescript()
	l.Name, l.Extensions, l.Grammar = "tsx", []string{".tsx"}, tsxgrammar.GetLanguage
	l.Query += "(jsx_text) @string\n"
	return l
}
