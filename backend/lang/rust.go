package lang

import (
	"strings"

	grammar "github.com/smacker/go-tree-sitter/rust"
)

func rust() Language {
	return Language{
		Name:       "rust",
		Extensions: []string{".rs"},
		Grammar:    grammar.GetLanguage,
		Query: `
(function_item name: (identifier) @name body: (_) @body) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(struct_item name: (type_identifier) @name body: (_)? @body) @definition.type
(enum_item name: (type_identifier) @name body: (_) @body) @definition.type
(union_item name: (type_identifier) @name body: (_) @body) @definition.type
(type_item name: (type_identifier) @name) @definition.type
(trait_item name: (type_identifier) @name body: (_) @body) @definition.interface
(mod_item name: (identifier) @name body: (_) @body) @definition.module
(macro_definition name: (identifier) @name) @definition.function
(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name) (scoped_type_identifier name: (type_identifier) @name)]) @scope
(source_file [(const_item name: (identifier) @name) (static_item name: (identifier) @name)] @definition.constant)
(declaration_list [(const_item name: (identifier) @name) (static_item name: (identifier) @name)] @definition.constant)
(line_comment) @comment
(block_comment) @comment
(attribute_item) @attribute
[(string_literal) (raw_string_literal) (char_literal)] @string
(use_declaration) @import
`,
		TestFile: func(p string) bool {
			s := stem(p)
			return s == "tests" || strings.HasSuffix(s, "_test") || strings.HasSuffix(s, "_tests") || inTestDir(p, "tests")
		},
		Runners: []Runner{{Name: "cargo", Markers: []string{"Cargo.toml"}}},
		Installs: []Install{{Name: "cargo", Locks: []string{"Cargo.lock"}, With: []string{"Cargo.toml"}, Tool: "rust", Commands: [][]string{{"cargo", "fetch", "--locked"}},
			Env:   map[string]string{"CARGO_HOME": "/out/keep/cache"},
			Hosts: []string{"index.crates.io", "static.crates.io", "crates.io"},
			Cache: &Cache{Target: "/deps/cargo", Env: map[string]string{"CARGO_HOME": "$"}}}},
		Caches: []Cache{
			{Path: "~/.cargo/registry", Moved: "$CARGO_HOME/registry", Target: "/deps/cargo/registry", Env: map[string]string{"CARGO_HOME": "/deps/cargo"}},
			{Path: "~/.cargo/git", Moved: "$CARGO_HOME/git", Target: "/deps/cargo/git", Env: map[string]string{"CARGO_HOME": "/deps/cargo"}},
		},
	}
}
