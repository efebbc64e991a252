package lang

import (
	"strings"

	grammar "github.com/smacker/go-tree-sitter/php"
)

func php() Language {
	return Language{
		Name:       "php",
		Extensions: []string{".php", ".phtml", ".inc"},
		opening:    "<?php\n",
		Grammar:    grammar.GetLanguage,
		Query: `
(function_definition name: (name) @name body: (_) @body) @definition.function
(method_declaration name: (name) @name body: (_)? @body) @definition.method
(class_declaration name: (name) @name body: (_) @body) @definition.class
(interface_declaration name: (name) @name body: (_) @body) @definition.interface
(trait_declaration name: (name) @name body: (_) @body) @definition.class
(enum_declaration name: (name) @name body: (_) @body) @definition.type
(const_declaration (const_element . (name) @name)) @definition.constant
(comment) @comment
[(string) (encapsed_string) (heredoc) (nowdoc_string) (text)] @string
(namespace_use_declaration) @import
`,
		TestFile: func(p string) bool {
			return strings.HasSuffix(stem(p), "Test") || inTestDir(p, "tests", "Tests", "test")
		},
		Runners: []Runner{{Name: "phpunit", Markers: []string{"phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"}}},
		Deps:    []string{"vendor"},
		Installs: []Install{{Name: "composer", Locks: []string{"composer.lock"}, With: []string{"composer.json"}, Tool: "php", Programs: []string{"composer"},
			Commands: [][]string{{"composer", "install", "--no-interaction", "--no-progress"}},
			Env:      map[string]string{"COMPOSER_HOME": "/tmp/composer", "COMPOSER_CACHE_DIR": "/tmp/composer/cache"},
			Hosts:    []string{"repo.packagist.org", "packagist.org", "api.github.com", "codeload.github.com", "github.com"}, Keep: []string{"vendor"}}},
		Caches: []Cache{
			{Path: "~/.cache/composer/files", Moved: "$COMPOSER_CACHE_DIR/files", Target: "/deps/composer/files", Env: map[string]string{"COMPOSER_CACHE_DIR": "/deps/composer"}},
			{Path: "~/.composer/cache/files", Target: "/deps/composer/files", Env: map[string]string{"COMPOSER_CACHE_DIR": "/deps/composer"}},
		},
	}
}
