package lang

import (
	"strings"

	grammar "github.com/smacker/go-tree-sitter/ruby"
)

// rubyConstants are what gives constants their values, in a file, a class or a module.
const rubyConstants = `[(assignment left: [(constant) @name (left_assignment_list (constant) @name)]) (operator_assignment left: (constant) @name)] @definition.constant`

func ruby() Language {
	return Language{
		Name:       "ruby",
		Extensions: []string{".rb", ".rake", ".gemspec", ".ru"},
		Filenames:  []string{"Rakefile", "Gemfile"},
		Grammar:    grammar.GetLanguage,
		Query: `
(method name: (_) @name) @definition.function
(singleton_method name: (_) @name) @definition.function
(class name: [(constant) (scope_resolution)] @name) @definition.class
(module name: [(constant) (scope_resolution)] @name) @definition.module
(call method: (identifier) @test arguments: (argument_list . [(string) (constant) (scope_resolution)] @name) block: (_) @body) @definition.function
(program ` + rubyConstants + `)
(body_statement ` + rubyConstants + `)
(comment) @comment
[(string) (string_array) (heredoc_body) (regex)] @string
(interpolation) @code
`,
		TestCalls: []string{"describe", "context", "it", "specify", "test", "feature", "scenario"},
		TestFile: func(p string) bool {
			s := stem(p)
			return strings.HasSuffix(s, "_spec") || strings.HasSuffix(s, "_test") || strings.HasPrefix(s, "test_") || inTestDir(p, "spec", "test", "tests")
		},
		Runners: []Runner{
			{Name: "rspec", Markers: []string{".rspec", "spec/spec_helper.rb"}},
			{Name: "minitest", Markers: []string{"Rakefile", "Gemfile"}},
		},
		Deps: []string{"vendor/bundle", ".bundle"},
		Installs: []Install{{Name: "bundler", Locks: []string{"Gemfile.lock"}, With: []string{"Gemfile"}, Tool: "ruby", Programs: []string{"bundle"},
			Commands: [][]string{{"bundle", "install", "--jobs", "2"}},
			Env:      map[string]string{"BUNDLE_PATH": "vendor/bundle", "BUNDLE_FROZEN": "true", "BUNDLE_APP_CONFIG": "/tmp/bundle"},
			Hosts:    []string{"rubygems.org", "index.rubygems.org"}, Keep: []string{"vendor/bundle"}}},
		Caches: []Cache{ // where Ruby looks for a person's own gems, so that nothing has to be told
			{Path: "~/.gem/ruby", Target: "/home/sandbox/.gem/ruby"},
			{Path: "~/.local/share/gem/ruby", Target: "/home/sandbox/.local/share/gem/ruby"},
		},
	}
}
