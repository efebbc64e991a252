package lang

import (
	"strings"

	grammar "github.com/smacker/go-tree-sitter/c"
)

// cVariable is a variable that is given a value.
const cVariable = `(declaration declarator: (init_declarator declarator: [(identifier) @name
  (pointer_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)]) (array_declarator declarator: (identifier) @name)])) @definition.constant`

// cQuery is what C's and C++'s grammars have in common. A declarator nests one level for each star of the result type.
const cQuery = `
(struct_specifier name: (type_identifier) @name body: (_) @body) @definition.type
(union_specifier name: (type_identifier) @name body: (_) @body) @definition.type
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.type
(type_definition type: [(struct_specifier body: (_) @body) (union_specifier body: (_) @body) (enum_specifier body: (_) @body)] declarator: (type_identifier) @name) @definition.type
(preproc_function_def name: (identifier) @name) @definition.function
(preproc_def name: (identifier) @name value: (_)) @definition.constant
(translation_unit ` + cVariable + `)
(comment) @comment
[(string_literal) (char_literal) (system_lib_string)] @string
`

func c() Language {
	return Language{
		Name:       "c",
		Extensions: []string{".c", ".h"},
		Grammar:    grammar.GetLanguage,
		Query: cQuery + `
(function_definition declarator: (function_declarator declarator: (identifier) @name) body: (_) @body) @definition.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)) body: (_) @body) @definition.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) body: (_) @body) @definition.function
`,
		TestFile: cTestFile,
		Runners:  cRunners(),
	}
}

func cRunners() []Runner {
	return []Runner{
		{Name: "ctest", Markers: []string{"CMakeLists.txt"}},
		{Name: "make", Markers: []string{"Makefile", "makefile", "GNUmakefile"}},
	}
}

func cTestFile(p string) bool {
	s := strings.ToLower(stem(p))
	return strings.HasPrefix(s, "test_") || strings.HasSuffix(s, "_test") || strings.HasSuffix(s, "_tests") ||
		strings.HasSuffix(s, "_unittest") || s == "test" || inTestDir(p, "test", "tests", "unittests")
}
