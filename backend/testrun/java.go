package testrun

import (
	"path"
	"regexp"
	"strings"
)

// wholeWorkspace reports whether a crate is the root of a workspace, whose members its command tests too.
func wholeWorkspace(f folder) bool {
	return regexp.MustCompile(`(?m)^\s*\[workspace\]`).MatchString(f.read("Cargo.toml"))
}

// buildsBelow reports whether the build of a folder takes in those of the folders below it: a Cargo workspace, a Maven
// parent, a Gradle root project.
func buildsBelow(f folder, runner string) bool {
	switch runner {
	case "cargo":
		return wholeWorkspace(f)
	case "maven":
		return strings.Contains(f.read("pom.xml"), "<module>")
	case "gradle":
		return f.first("settings.gradle", "settings.gradle.kts") != ""
	case "ctest", "dotnet":
		return true
	}
	return false
}

// javaFrame is a frame of a Java trace; its file lies in a folder named as the package.
var javaFrame = regexp.MustCompile(`(?m)^\s*at (?:[\w.$]+/)?([\w.$]+)\.[\w$<>]+\(([\w$]+\.(?:java|kt|groovy|scala)):(\d+)\)`)

// javaSources finds the source files that traces name; each is looked for once, since most frames are the library's.
type javaSources struct {
	o     output
	found map[string]string
}

func (s javaSources) file(name string) string {
	f, known := s.found[name]
	if !known {
		f = javaFile(s.o.tree, name)
		s.found[name] = f
	}
	return f
}

// message keeps of a trace its message and the frames that lie in the tree, and says where the first one is.
func (s javaSources) message(text string) (message, file string, line int) {
	message = text
	if i := strings.Index(text, "\n\tat "); i >= 0 {
		message = text[:i]
	}
	for _, m := range javaFrame.FindAllStringSubmatch(text, 12) {
		f := s.file(path.Join(path.Dir(strings.ReplaceAll(m[1], ".", "/")), m[2]))
		if f == "" {
			continue
		}
		f = s.o.under(f)
		message += "\n    at " + f + ":" + m[3]
		if file == "" {
			file, line = f, atoi(m[3])
		}
	}
	return message, file, line
}

// own keeps of the frames in a text those that lie in the tree, by their path.
func (s javaSources) own(text string) string {
	var kept []string
	for _, line := range strings.Split(text, "\n") {
		if m := javaFrame.FindStringSubmatch(line); m != nil {
			f := s.file(path.Join(path.Dir(strings.ReplaceAll(m[1], ".", "/")), m[2]))
			if f == "" {
				continue
			}
			line = "\tat " + s.o.under(f) + ":" + m[3]
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}

// javaFile finds a source file by its package and name, below any source folder.
func javaFile(f folder, name string) string {
	for _, root := range []string{"src/test/java", "src/main/java", "src/test/kotlin", "src/main/kotlin", "src"} {
		if f.has(path.Join(root, name)) {
			return path.Join(root, name)
		}
	}
	all := f.files(1, func(p string) bool { return strings.HasSuffix(p, "/"+name) })
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// readJava reads the JUnit reports of Maven and Gradle.
func readJava(o output, name string) reading {
	r := readXML(o, name)
	sources := javaSources{o, map[string]string{}}
	for i := range r.tests {
		if t := &r.tests[i]; t.Status == Failed || t.Status == Errored {
			t.Message, t.File, t.Line = sources.message(clean([]byte(t.Message)))
		}
	}
	return r
}

// crashedClass is a class that Surefire lists because its process ended in the middle of it; such a class has no report.
var crashedClass = regexp.MustCompile(`(?m)^\[ERROR\] Crashed tests:\n((?:\[ERROR\] [\w.$]+\n)+)`)

// crashedClasses adds the classes of tests that took their process down.
func crashedClasses(o output, r reading) reading {
	m := crashedClass.FindStringSubmatch(clean(joinLogs(o.stdout, o.stderr)))
	if m == nil || o.stopped {
		return r
	}
	for line := range strings.Lines(m[1]) {
		class := strings.TrimSpace(strings.TrimPrefix(line, "[ERROR] "))
		t := Test{ID: class, Status: Errored, Message: "the test process ended in the middle of this class"}
		if f := javaFile(o.tree, strings.ReplaceAll(class, ".", "/")+".java"); f != "" {
			t.File, t.Line = o.under(f), 1
		}
		r.tests = append(r.tests, t)
	}
	r.perTest, r.finished, r.trouble = true, false, ""
	return r
}

func phpTest(p string) bool { return strings.HasSuffix(p, "Test.php") }

// phpPlace is a line of PHPUnit's trace.
var phpPlace = regexp.MustCompile(`(?m)^(\S+\.php):(\d+)$`)

// phpFatal is an error that ended PHP.
var phpFatal = regexp.MustCompile(`(?m)^(?:PHP )?(?:Parse|Fatal) error: +(.*?) in (\S+?\.php)(?::| on line )(\d+)`)

// readPHPUnit reads its JUnit report; a fatal error ends the process before one is written.
func readPHPUnit(o output) reading {
	r := readXML(o, "phpunit")
	for i := range r.tests {
		t := &r.tests[i]
		if t.File = ""; t.Status != Failed {
			continue
		}
		for _, m := range phpPlace.FindAllStringSubmatch(clean([]byte(t.Message)), -1) {
			if f := inTree(m[1]); f != "" && !strings.Contains(f, "vendor/") && t.File == "" {
				t.File, t.Line = o.under(strings.TrimPrefix(f, o.dir+"/")), atoi(m[2])
			}
		}
	}
	text := clean(joinLogs(o.stdout, o.stderr))
	if m := phpFatal.FindStringSubmatch(text); m != nil && len(r.tests) == 0 && !o.stopped {
		file := inTree(m[2])
		return reading{perTest: true, tests: []Test{{ID: buildID, Status: Errored, Message: m[0], File: file, Line: atoi(m[3])}}}
	}
	if len(r.tests) == 0 && !o.stopped && strings.Contains(text, "No tests executed!") {
		r.trouble = "phpunit found no test"
	}
	return r
}
