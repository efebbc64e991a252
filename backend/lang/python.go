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
(module (expression_statement (assignment left: [(identifier) @name (pattern_list (identifier) @name)])) @definition.constant)
(class_definition body: (block (expression_statement (assignment left: [(identifier) @name (pattern_list (identifier) @name)])) @definition.field))
(comment) @comment
(string) @string
(interpolation) @code
[(import_statement) (import_from_statement) (future_import_statement)] @import
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
		Installs: []Install{
			{Name: "uv", Locks: []string{"uv.lock"}, Tool: "python", Programs: []string{"uv"}, Keep: []string{".venv"}, Hosts: pythonHosts(),
				Commands: [][]string{{"uv", "sync", "--frozen", "--no-install-project", "--all-groups"}},
				Env:      map[string]string{"UV_PYTHON_DOWNLOADS": "never", "UV_LINK_MODE": "copy", "UV_CACHE_DIR": "/tmp/uv"}},
			{Name: "poetry", Locks: []string{"poetry.lock"}, Tool: "python", Programs: []string{"poetry"}, Keep: []string{".venv"}, Hosts: pythonHosts(),
				Commands: [][]string{{"poetry", "install", "--no-interaction", "--no-root"}},
				Env:      map[string]string{"POETRY_VIRTUALENVS_IN_PROJECT": "true", "POETRY_CACHE_DIR": "/tmp/poetry"}},
			{Name: "pip", Tool: "python", Keep: []string{".venv"}, Hosts: pythonHosts(),
				Locks: []string{"requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "requirements-test.txt", "test-requirements.txt", "requirements/dev.txt", "requirements/test.txt"},
				Commands: [][]string{{"python3", "-m", "venv", ".venv"},
					{".venv/bin/python", "-m", "pip", "install", "--no-cache-dir", "--disable-pip-version-check", "--no-input", "{-r}"}}},
		},
	}
}

// pythonHosts are those of the Python Package Index: its pages and its files.
func pythonHosts() []string { return []string{"pypi.org", "files.pythonhosted.org"} }
