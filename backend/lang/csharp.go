package lang

import (
	"strings"

	grammar "github.com/smacker/go-tree-sitter/csharp"
)

func csharp() Language {
	return Language{
		Name:       "csharp",
		Extensions: []string{".cs"},
		Grammar:    grammar.GetLanguage,
		Query: `
(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(record_declaration name: (identifier) @name body: (_)? @body) @definition.class
(struct_declaration name: (identifier) @name body: (_) @body) @definition.type
(enum_declaration name: (identifier) @name body: (_) @body) @definition.type
(delegate_declaration name: (identifier) @name) @definition.type
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(method_declaration name: (identifier) @name body: (_)? @body) @definition.method
(constructor_declaration name: (identifier) @name body: (_)? @body) @definition.method
(local_function_statement name: (identifier) @name body: (_)? @body) @definition.function
(field_declaration (modifier ["const" "static"]) (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
(comment) @comment
[(string_literal) (verbatim_string_literal) (raw_string_literal) (character_literal) (interpolated_string_expression)] @string
(interpolation) @code
(using_directive) @import
`,
		TestFile: func(p string) bool {
			s := stem(p)
			return strings.HasSuffix(s, "Test") || strings.HasSuffix(s, "Tests") || inTestDir(p, "test", "tests", "Tests")
		},
		Runners: []Runner{{Name: "dotnet", Markers: []string{"*.sln", "*.csproj"}}},
		Caches:  []Cache{{Path: "~/.nuget/packages", Moved: "$NUGET_PACKAGES", Target: "/deps/nuget", Env: map[string]string{"NUGET_PACKAGES": "$"}}},
	}
}
