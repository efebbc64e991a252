package lang

import (
	"strings"

	grammar "github.com/smacker/go-tree-sitter/java"
)

func java() Language {
	return Language{
		Name:       "java",
		Extensions: []string{".java"},
		Grammar:    grammar.GetLanguage,
		Query: `
(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(record_declaration name: (identifier) @name body: (_) @body) @definition.class
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @body) @definition.type
(method_declaration name: (identifier) @name body: (_)? @body) @definition.method
(constructor_declaration name: (identifier) @name body: (_) @body) @definition.method
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @definition.method
(field_declaration (modifiers "static") declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(line_comment) @comment
(block_comment) @comment
[(string_literal) (character_literal)] @string
(import_declaration) @import
`,
		TestFile: func(p string) bool {
			s := stem(p)
			return strings.HasSuffix(s, "Test") || strings.HasSuffix(s, "Tests") || strings.HasSuffix(s, "IT") || strings.HasPrefix(s, "Test") || inTestDir(p, "test", "tests")
		},
		Runners: []Runner{
			{Name: "maven", Markers: []string{"pom.xml"}},
			{Name: "gradle", Markers: []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}},
		},
		Installs: []Install{{Name: "maven", Locks: []string{"pom.xml"}, Tool: "java", Programs: []string{"mvn"}, // a POM with fixed versions is its own lockfile
			Commands: [][]string{
				{"mvn", "-B", "-q", "-Dmaven.repo.local=/out/keep/cache", "-Dhttps.proxyHost=127.0.0.1", "-Dhttps.proxyPort=3128", "dependency:go-offline"},
				{"mvn", "-B", "-q", "-Dmaven.repo.local=/out/keep/cache", "-Dhttps.proxyHost=127.0.0.1", "-Dhttps.proxyPort=3128", "-DskipTests", "test"}},
			Hosts: []string{"repo.maven.apache.org", "repo1.maven.org"},
			Cache: &Cache{Target: "/deps/m2"}}},
		Caches: []Cache{
			{Path: "~/.m2/repository", Target: "/deps/m2"},
			{Path: "~/.gradle/caches/modules-2", Moved: "$GRADLE_USER_HOME/caches/modules-2", Target: "/deps/gradle/modules-2",
				Env: map[string]string{"GRADLE_RO_DEP_CACHE": "/deps/gradle"}},
		},
	}
}
