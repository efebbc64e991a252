package lang

import (
	"strings"

	grammar "github.com/smacker/go-tree-sitter/javascript"
)

// ecmaFunction is any expression that makes a function.
const ecmaFunction = `[(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]`

// ecmaQuery is what JavaScript's and TypeScript's grammars have in common.
const ecmaQuery = `
(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @definition.function
(export_statement declaration: (function_declaration name: (identifier) @name)) @definition.function
(export_statement declaration: (generator_function_declaration name: (identifier) @name)) @definition.function

(class_declaration name: (_) @name body: (_) @body) @definition.class
(export_statement declaration: (class_declaration name: (_) @name)) @definition.class
(method_definition name: [(property_identifier) (private_property_identifier)] @name body: (_) @body) @definition.method

(lexical_declaration . (variable_declarator name: (identifier) @name value: ` + ecmaFunction + `) .) @definition.function
(variable_declaration . (variable_declarator name: (identifier) @name value: ` + ecmaFunction + `) .) @definition.function
(export_statement declaration: (lexical_declaration . (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) .)) @definition.function
(lexical_declaration . (variable_declarator name: (identifier) @name value: (class body: (_) @body)) .) @definition.class
(export_statement declaration: (lexical_declaration . (variable_declarator name: (identifier) @name value: (class)) .)) @definition.class

(program (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.constant)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @definition.constant)
(program (export_statement declaration: [(lexical_declaration (variable_declarator name: (identifier) @name)) (variable_declaration (variable_declarator name: (identifier) @name))]) @definition.constant)

(expression_statement (assignment_expression left: (member_expression property: (property_identifier) @name) right: ` + ecmaFunction + `)) @definition.function
(expression_statement (assignment_expression left: (member_expression property: (property_identifier) @name) right: (class body: (_) @body))) @definition.class
(expression_statement (assignment_expression left: (identifier) @name right: ` + ecmaFunction + `)) @definition.function
(pair key: (property_identifier) @name value: ` + ecmaFunction + `) @definition.method

(expression_statement (call_expression
  function: [(identifier) @test (member_expression object: (identifier) @test)]
  arguments: (arguments . [(string) (template_string)] @name [(arrow_function body: (_) @body) (function_expression body: (_) @body)]))) @definition.function
(comment) @comment
(decorator) @attribute
[(string) (template_string) (regex)] @string
(template_substitution) @code
(import_statement) @import
`

// ecmaTestCalls are the calls of node:test, Jest, Vitest, Mocha and Jasmine that take a name and a function.
func ecmaTestCalls() []string {
	return []string{"describe", "context", "suite", "it", "test", "specify", "bench", "fdescribe", "xdescribe", "fit", "xit"}
}

func ecmaTestFile(p string) bool {
	s := stem(p)
	return strings.HasSuffix(s, ".test") || strings.HasSuffix(s, ".spec") || strings.HasSuffix(s, "-test") ||
		strings.HasSuffix(s, "_test") || strings.HasPrefix(s, "test-") || s == "test" || inTestDir(p, "__tests__", "test", "tests", "__mocks__")
}

func ecmaRunners() []Runner {
	return []Runner{
		{Name: "vitest", Markers: []string{"vitest.config.ts", "vitest.config.js", "vitest.config.mts", "vitest.config.mjs"}},
		{Name: "jest", Markers: []string{"jest.config.js", "jest.config.ts", "jest.config.mjs", "jest.config.cjs", "jest.config.json"}},
		{Name: "mocha", Markers: []string{".mocharc.json", ".mocharc.js", ".mocharc.cjs", ".mocharc.yml", ".mocharc.yaml"}},
		{Name: "node", Markers: []string{"package.json"}},
	}
}

// ecmaInstalls are the package managers that write node_modules.
func ecmaInstalls() []Install {
	npm, keep := []string{"registry.npmjs.org"}, []string{"node_modules"}
	yarn := []string{"registry.yarnpkg.com", "registry.npmjs.org"}
	with := []string{"package.json"}
	return []Install{
		{Name: "npm", Locks: []string{"package-lock.json", "npm-shrinkwrap.json"}, With: with, Tool: "node", Programs: []string{"npm"}, Keep: keep, Hosts: npm,
			Commands: [][]string{{"npm", "ci", "--no-audit", "--no-fund"}}, Env: map[string]string{"npm_config_cache": "/tmp/npm", "npm_config_update_notifier": "false"}},
		{Name: "pnpm", Locks: []string{"pnpm-lock.yaml"}, With: with, Tool: "node", Programs: []string{"pnpm"}, Keep: keep, Hosts: npm,
			Commands: [][]string{{"pnpm", "install", "--frozen-lockfile"}},
			Env:      map[string]string{"npm_config_store_dir": "/tmp/pnpm", "npm_config_package_import_method": "copy", "CI": "true"}},
		{Name: "yarn", Locks: []string{"yarn.lock"}, With: []string{"package.json", ".yarnrc.yml"}, Tool: "node", Programs: []string{"yarn"}, Keep: keep, Hosts: yarn,
			Commands: [][]string{{"yarn", "install", "--immutable"}},
			Env:      map[string]string{"YARN_NODE_LINKER": "node-modules", "YARN_GLOBAL_FOLDER": "/tmp/yarn", "YARN_ENABLE_GLOBAL_CACHE": "true", "YARN_HTTPS_PROXY": "http://127.0.0.1:3128", "YARN_HTTP_PROXY": "http://127.0.0.1:3128"}},
		{Name: "yarn 1", Locks: []string{"yarn.lock"}, With: with, Tool: "node", Programs: []string{"yarn"}, Keep: keep, Hosts: yarn,
			Commands: [][]string{{"yarn", "install", "--frozen-lockfile", "--non-interactive", "--cache-folder", "/tmp/yarn"}}},
		{Name: "bun", Locks: []string{"bun.lock", "bun.lockb"}, With: with, Tool: "node", Programs: []string{"bun"}, Keep: keep, Hosts: npm,
			Commands: [][]string{{"bun", "install", "--frozen-lockfile"}}, Env: map[string]string{"BUN_INSTALL_CACHE_DIR": "/tmp/bun"}},
	}
}

func javascript() Language {
	return Language{
		Name:       "javascript",
		Extensions: []string{".js", ".jsx", ".mjs", ".cjs"},
		Grammar:    grammar.GetLanguage,
		Query: ecmaQuery + `
(jsx_text) @string
(class_body (field_definition property: [(property_identifier) (private_property_identifier)] @name value: ` + ecmaFunction + `) @definition.method)
(class_body (field_definition "static" property: (property_identifier) @name) @definition.field)
(class_body (field_definition property: (private_property_identifier) @name) @definition.field)
`,
		TestCalls: ecmaTestCalls(),
		TestFile:  ecmaTestFile,
		Runners:   ecmaRunners(),
		Deps:      []string{"node_modules"},
		Installs:  ecmaInstalls(),
	}
}
