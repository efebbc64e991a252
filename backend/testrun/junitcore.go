package testrun

import (
	"path"
	"regexp"
	"slices"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"

	"redgreen/backend/lang"
)

// What org.junit.runner.JUnitCore prints names the failing tests, and only counts the others. Their names stand in the sources
// of the classes that it was given: where there are as many as it counted, and the failing ones are among them, each has its
// own result. Else nothing is known but the exit status.

var (
	coreBegin   = regexp.MustCompile(`(?m)^JUnit version [34]\.`)
	coreGood    = regexp.MustCompile(`(?m)^OK \((\d+) tests?\)$`)
	coreBad     = regexp.MustCompile(`(?m)^FAILURES!!!\nTests run: (\d+),  Failures: (\d+)$`)
	coreFailed  = regexp.MustCompile(`(?m)^There (?:was 1 failure|were \d+ failures):\n`)
	coreFailure = regexp.MustCompile(`(?m)^\d+\) (.+)\(([\w.$]+)\)$`)
	coreClasses = regexp.MustCompile(`org\.junit\.runner\.JUnitCore((?:[ \t]+[\w.$]+)+)`)
)

// readJUnitCore is false where the output is not that of one run of JUnitCore, or names are not certain.
func readJUnitCore(o output) (reading, bool) {
	text := clean(o.stdout)
	if o.stopped || len(coreBegin.FindAllString(text, 2)) != 1 {
		return reading{}, false
	}
	good, bad := coreGood.FindAllStringSubmatch(text, -1), coreBad.FindAllStringSubmatch(text, -1)
	count, failed := 0, map[string]string{}
	switch {
	case len(good) == 1 && len(bad) == 0 && o.exit == 0:
		count = atoi(good[0][1])
	case len(bad) == 1 && len(good) == 0 && o.exit != 0:
		count, failed = atoi(bad[0][1]), coreFailures(text)
		if len(failed) == 0 {
			return reading{}, false
		}
	default:
		return reading{}, false
	}
	tests := coreTests(o, count)
	if count == 0 || tests == nil {
		return reading{}, false
	}
	sources := javaSources{o, map[string]string{}}
	for i := range tests {
		t := &tests[i]
		if message, ok := failed[t.ID]; ok && t.Status == Passed {
			t.Status = Failed
			t.Message, t.File, t.Line = sources.message(message)
			delete(failed, t.ID)
		}
	}
	return reading{tests: tests, perTest: true, finished: true}, len(failed) == 0
}

// coreFailures gives what is said of each failing test, by its id.
func coreFailures(text string) map[string]string {
	all := map[string]string{}
	at := coreFailed.FindAllStringIndex(text, -1)
	end := strings.LastIndex(text, "\nFAILURES!!!\n")
	if len(at) != 1 || end < at[0][1] {
		return nil
	}
	said := text[at[0][1]:end]
	found := coreFailure.FindAllStringSubmatchIndex(said, -1)
	for i, m := range found {
		to := len(said)
		if i+1 < len(found) {
			to = found[i+1][0]
		}
		id := said[m[4]:m[5]] + nodeSeparator + said[m[2]:m[3]]
		all[id] = strings.TrimSpace(all[id] + "\n" + said[m[1]:to])
	}
	return all
}

// coreTests are the tests of the classes that a command names, or else of all classes that have any; nil where there are not as many
// as were counted.
func coreTests(o output, count int) []Test {
	all := javaTests(o.tree)
	names := coreNamed(o)
	if len(names) == 0 {
		names = all.names
	}
	var tests []Test
	ran := 0
	for _, class := range names {
		for _, t := range all.of(class, 0) {
			tests = append(tests, t)
			if t.Status == Passed {
				ran++
			}
		}
	}
	if ran != count {
		return nil
	}
	return tests
}

// coreNamed are the classes that are named behind JUnitCore: by what make or a shell echoes, or in the files that commands stand in.
func coreNamed(o output) []string {
	texts := []string{clean(joinLogs(o.stdout, o.stderr))}
	for _, p := range o.tree.files(20, func(p string) bool {
		return !strings.Contains(p, "/") && (strings.EqualFold(p, "makefile") || path.Ext(p) == ".sh" || path.Ext(p) == ".mk")
	}) {
		texts = append(texts, o.tree.read(p))
	}
	for _, text := range texts {
		var names []string
		for _, m := range coreClasses.FindAllStringSubmatch(text, -1) {
			names = append(names, strings.Fields(m[1])...)
		}
		if slices.ContainsFunc(names, func(n string) bool { return !javaClass.MatchString(n) }) {
			return nil // a variable
		}
		if len(names) > 0 {
			return unique(names)
		}
	}
	return nil
}

// javaTested is a class of a source file.
type javaTested struct {
	name, above string // with its package; what it extends, by its simple name
	abstract    bool
	tests       []Test // its own
	old         []Test // what JUnit 3 takes for tests, where it extends TestCase
}

// javaClasses are the top classes of a tree by name; names are those that have tests and are no base of others.
type javaClasses struct {
	all   map[string]*javaTested
	names []string
}

// of are the tests of a class and of those that it extends.
func (c javaClasses) of(class string, deep int) []Test {
	one := c.all[class]
	if one == nil || deep > 8 {
		return nil
	}
	tests := slices.Clone(one.tests)
	if c.isTestCase(one, deep) {
		tests = slices.Concat(tests, one.old)
	}
	for name, base := range c.all {
		if one.above != "" && (name == one.above || strings.HasSuffix(name, "."+one.above)) && base != one {
			for _, t := range c.of(name, deep+1) {
				t.ID = class + nodeSeparator + t.ID[strings.Index(t.ID, nodeSeparator)+len(nodeSeparator):]
				if !slices.ContainsFunc(tests, func(own Test) bool { return own.ID == t.ID }) {
					tests = append(tests, t)
				}
			}
			break
		}
	}
	return tests
}

func (c javaClasses) isTestCase(one *javaTested, deep int) bool {
	if one.above == "TestCase" {
		return true
	}
	for name, base := range c.all {
		if one.above != "" && (name == one.above || strings.HasSuffix(name, "."+one.above)) && base != one && deep < 8 {
			return c.isTestCase(base, deep+1)
		}
	}
	return false
}

// javaTests reads the classes of a tree that have tests of JUnit 3 or 4.
func javaTests(f folder) javaClasses {
	c := javaClasses{all: map[string]*javaTested{}}
	l, ok := lang.ByPath("a.java")
	if !ok {
		return c
	}
	parser := sitter.NewParser()
	defer parser.Close()
	parser.SetLanguage(l.Grammar())
	parser.SetOperationLimit(2_000_000)
	for _, p := range f.files(2000, func(p string) bool { return path.Ext(p) == ".java" }) {
		text := f.read(p)
		if !strings.Contains(text, "junit") || len(text) > maxMarked {
			continue
		}
		if tree := parser.Parse(nil, []byte(text)); tree != nil {
			c.file(tree.RootNode(), text)
			tree.Close()
		}
	}
	for name, one := range c.all {
		if !one.abstract && len(c.of(name, 0)) > 0 {
			c.names = append(c.names, name)
		}
	}
	slices.Sort(c.names)
	return c
}

func (c javaClasses) file(root *sitter.Node, text string) {
	of := func(n *sitter.Node) string { return text[n.StartByte():n.EndByte()] }
	pkg := ""
	for i := range int(root.NamedChildCount()) {
		n := root.NamedChild(i)
		switch n.Type() {
		case "package_declaration":
			pkg = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(of(n), "package"), ";")) + "."
		case "class_declaration":
			name, body := n.ChildByFieldName("name"), n.ChildByFieldName("body")
			if name == nil || body == nil {
				continue
			}
			one := &javaTested{name: pkg + of(name)}
			marks := javaModifiers(n, text)
			one.abstract = slices.Contains(marks, "abstract")
			if above := n.ChildByFieldName("superclass"); above != nil {
				full := strings.TrimSpace(strings.TrimPrefix(of(above), "extends"))
				full, _, _ = strings.Cut(full, "<")
				one.above = full[strings.LastIndex(full, ".")+1:]
			}
			for k := range int(body.NamedChildCount()) {
				if m := body.NamedChild(k); m.Type() == "method_declaration" {
					one.method(m, text, slices.Contains(marks, "@Ignore"))
				}
			}
			c.all[one.name] = one
		}
	}
}

func (j *javaTested) method(m *sitter.Node, text string, ignored bool) {
	name := m.ChildByFieldName("name")
	if name == nil {
		return
	}
	called := text[name.StartByte():name.EndByte()]
	marks := javaModifiers(m, text)
	t := Test{ID: j.name + nodeSeparator + called, Status: Passed}
	if ignored || slices.Contains(marks, "@Ignore") {
		t.Status = Skipped
	}
	parameters := m.ChildByFieldName("parameters")
	switch {
	case slices.Contains(marks, "@Test"):
		j.tests = append(j.tests, t)
	case strings.HasPrefix(called, "test") && slices.Contains(marks, "public") && parameters != nil && parameters.NamedChildCount() == 0:
		j.old = append(j.old, t)
	}
}

// javaModifiers are the modifiers of a declaration; annotations by their simple names behind an @.
func javaModifiers(n *sitter.Node, text string) []string {
	var all []string
	for i := range int(n.NamedChildCount()) {
		m := n.NamedChild(i)
		if m.Type() != "modifiers" {
			continue
		}
		for k := range int(m.ChildCount()) {
			one := m.Child(k)
			word := text[one.StartByte():one.EndByte()]
			if name := one.ChildByFieldName("name"); name != nil {
				word = text[name.StartByte():name.EndByte()]
				word = "@" + word[strings.LastIndex(word, ".")+1:]
			}
			all = append(all, word)
		}
	}
	return all
}
