package lang

import (
	"strings"

	grammar "github.com/smacker/go-tree-sitter/golang"
)

func golang() Language {
	return Language{
		Name:       "go",
		Extensions: []string{".go"},
		Grammar:    grammar.GetLanguage,
		Query: `
(function_declaration name: (identifier) @name body: (block)? @body) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @receiver
    (pointer_type (type_identifier) @receiver)
    (generic_type type: (type_identifier) @receiver)
    (pointer_type (generic_type type: (type_identifier) @receiver))]))
  name: (field_identifier) @name
  body: (block)? @body) @definition.method
(type_spec name: (type_identifier) @name type: (interface_type "{" @body)) @definition.interface
(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @definition.type
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(source_file (const_declaration (const_spec (identifier) @name)) @definition.constant)
(source_file (var_declaration [(var_spec (identifier) @name) (var_spec_list (var_spec (identifier) @name))]) @definition.constant)
(type_declaration "type" @attribute)
(comment) @comment
[(interpreted_string_literal) (raw_string_literal) (rune_literal)] @string
(import_declaration) @import
`,
		native: parseGo,
		TestFile: func(p string) bool {
			return strings.HasSuffix(p, "_test.go") || inTestDir(p, "testdata")
		},
		Runners: []Runner{{Name: "go", Markers: []string{"go.mod", "go.work"}}},
		Deps:    []string{"vendor"},
		Installs: []Install{{Name: "go", Locks: []string{"go.sum"}, With: []string{"go.mod"}, Tool: "go", Commands: [][]string{{"go", "mod", "download"}},
			Env: map[string]string{"GOMODCACHE": "/out/keep/cache", "GOPROXY": "https://proxy.golang.org", "GOSUMDB": "sum.golang.org",
				"GOFLAGS": "-modcacherw", "GOTOOLCHAIN": "local", "GOPATH": "/tmp/go", "GOCACHE": "/tmp/go-build", "GOENV": "off", "GOTELEMETRY": "off"},
			Hosts: []string{"proxy.golang.org", "sum.golang.org"},
			Cache: &Cache{Target: "/deps/go", Env: map[string]string{"GOMODCACHE": "$"}}}},
		Caches: []Cache{
			{Path: "~/go/pkg/mod", Moved: "$GOMODCACHE", Env: map[string]string{"GOMODCACHE": "$"}},
			{Path: "~/go/pkg/mod", Moved: "$GOPATH/pkg/mod", Env: map[string]string{"GOMODCACHE": "$"}},
		},
	}
}
