// Package lang is what we know of each programming language, as one table: extensions, grammar, symbol queries, test
// runner, dependency caches.
package lang

import sitter "github.com/smacker/go-tree-sitter"

// Language is one row of the table.
type Language struct {
	Name       string   // lower case: python, go, javascript, typescript, tsx, java, rust, c, cpp, ruby, php, csharp
	Extensions []string // with the dot
	Grammar    func() *sitter.Language
	Query      string // tree-sitter query: @definition.function, .method, .class, … with @name inside
	TestFile   func(path string) bool
	Runners    []Runner
	Deps       []string // folders of the repository that hold dependencies and that git ignores: node_modules, .venv
	Caches     []string // host folders with dependencies, "~" for the home: ~/go/pkg/mod
}

// Runner is one way to run tests of a language; testrun has the reader of its output.
type Runner struct {
	Name    string   // pytest, unittest, go, node, …
	Markers []string // files of a folder that say this runner is used
}

// All lists the languages.
func All() []Language { return nil }

// ByPath finds the language of a file by its name.
func ByPath(path string) (Language, bool) { return Language{}, false }
