package lang

import (
	"strings"

	grammar "github.com/smacker/go-tree-sitter/python"
)

func python() Language {
	return Language{
		Name:       "python",
		Extensions: []string{".py", ".pyi", ".pyw"},
		Grammar:    grammar.GetLanguage,
		Query: `
(function_definition name: (identifier) @name body: (_) @body) @definition.function
(class_definition name: (identifier) @name body: (_) @body) @definition.class
(decorated_definition definition: (function_definition name: (identifier) @name)) @definition.function
(decorated_definition definition: (class_definition name: (identifier) @name)) @definition.class
(function_definition name: (identifier) @name body: (block . (expression_statement (string) @doc)))
(class_definition name: (identifier) @name body: (block . (expression_statement (string) @doc)))
(comment) @comment
`,
		TestFile: func(p string) bool {
			s := stem(p)
			return strings.HasPrefix(s, "test_") || strings.HasSuffix(s, "_test") || s == "conftest" || inTestDir(p, "tests", "test", "testing")
		},
		Runners: []Runner{
			{Name: "pytest", Markers: []string{"pytest.ini", "conftest.py", "tox.ini", "pyproject.toml", "setup.cfg"}},
			{Name: "unittest", Markers: []string{"setup.py"}},
		},
		Deps: []string{".venv", "venv"},
	}
}
