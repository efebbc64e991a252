package testrun

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Maven and Gradle select by class and method. What is selected here is a test's source file, a folder of them, or an id
// of a result: "app.PriceTest > roundsHalfUp", "app.PriceTest"; "app.PriceTest#roundsHalfUp" is understood too. Only names
// of the language reach a command line, so that nothing of a path can be read as a pattern or an option.

var (
	javaName  = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_]*$`)
	javaClass = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*(?:\$[\p{L}\p{N}_]+)*$`)
)

// javaExtensions are those of languages whose tests the JVM's build tools run.
func javaExtensions() []string { return []string{".java", ".kt", ".groovy", ".scala"} }

// javaTest tells the files of tests by the names that Surefire looks for
// (https://maven.apache.org/surefire/maven-surefire-plugin/examples/inclusion-exclusion.html), and Spock's.
func javaTest(p string) bool {
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	return slices.Contains(javaExtensions(), path.Ext(p)) && javaName.MatchString(stem) &&
		(strings.HasPrefix(stem, "Test") || slices.ContainsFunc([]string{"Test", "Tests", "TestCase", "IT", "Spec"}, func(end string) bool { return strings.HasSuffix(stem, end) }))
}

// isJavaPath tells a path from an id: ids have no slash, and no extension of a source file.
func isJavaPath(p string) bool {
	return strings.Contains(p, "/") && !strings.Contains(p, nodeSeparator) && !strings.Contains(p, "#") || slices.Contains(javaExtensions(), path.Ext(p))
}

// splitJavaID takes an id apart; method is "" for a whole class, and may be anything that a runner calls a test.
func splitJavaID(id string) (class, method string, ok bool) {
	class, method, ok = strings.Cut(id, nodeSeparator)
	if !ok {
		class, method, _ = strings.Cut(id, "#")
	}
	return class, method, javaClass.MatchString(class)
}

// outerClass is the class in whose file a nested one stands.
func outerClass(class string) string {
	outer, _, _ := strings.Cut(class, "$")
	return outer
}

// classFile finds the source of a class, "" none.
func (f folder) classFile(class string) string {
	name := strings.ReplaceAll(outerClass(class), ".", "/")
	for _, ext := range javaExtensions() {
		if p := javaFile(f, name+ext); p != "" {
			return p
		}
	}
	return ""
}

// checkJava takes test files, folders with one, and ids whose class has a source file here.
func checkJava(f folder, p string) error {
	if isJavaPath(p) || f.hasDir(p) {
		return f.checkPath(p, "a *Test.java, *Tests.java, *IT.java or Test*.java file", javaTest)
	}
	class, _, ok := splitJavaID(p)
	if !ok {
		return errors.New("it is neither a test file nor an id such as app.PriceTest > roundsHalfUp")
	}
	if f.classFile(class) == "" {
		return fmt.Errorf("no source file of the class %s is in the folder; there are %s", class, list(f.tests(javaTest)))
	}
	return nil
}

// keepJava keeps what belongs to a selected file or id, and a build that failed. What a selected folder holds is known to
// start alone.
func keepJava(selected, id string) bool {
	if id == buildID {
		return true
	}
	of, _, _ := strings.Cut(id, nodeSeparator)
	if isJavaPath(selected) {
		stem := strings.TrimSuffix(selected, path.Ext(selected))
		return stem == selected || strings.HasSuffix("/"+stem, "/"+strings.ReplaceAll(outerClass(of), ".", "/"))
	}
	class, method, ok := splitJavaID(selected)
	switch {
	case !ok:
		return true // a folder without a slash
	case method == "":
		return of == class || strings.HasPrefix(of, class+"$")
	}
	rest, begins := strings.CutPrefix(id, class+nodeSeparator+method)
	return of == class && (id == class || begins && (rest == "" || strings.ContainsAny(rest[:1], "([{"))) // Surefire 2.22 has the types of parameters in braces
}

// javaChoice is one class of a selection; no methods, the whole of it.
type javaChoice struct {
	class   string // with its package where that is known
	methods []string
}

// javaChoices turns the selection into classes, each once.
func (j *job) javaChoices() []javaChoice {
	var all []javaChoice
	add := func(class, method string) {
		i := slices.IndexFunc(all, func(c javaChoice) bool { return c.class == class })
		switch {
		case i < 0 && method == "":
			all = append(all, javaChoice{class: class})
		case i < 0:
			all = append(all, javaChoice{class, []string{method}})
		case method == "":
			all[i].methods = nil
		case len(all[i].methods) > 0:
			all[i].methods = append(all[i].methods, method)
		}
	}
	here := j.tree.sub(j.command.Dir)
	for _, p := range j.inner() {
		switch {
		case here.hasDir(p):
			for _, file := range here.sub(p).files(maxWalk, javaTest) {
				add(strings.TrimSuffix(path.Base(file), path.Ext(file)), "")
			}
		case isJavaPath(p):
			add(strings.TrimSuffix(path.Base(p), path.Ext(p)), "")
		default:
			class, method, _ := splitJavaID(p)
			if outer := outerClass(class); outer != class || !javaName.MatchString(method) { // a nested class, a case of a table, a name for people
				class, method = outer, ""
			}
			add(class, method)
		}
	}
	return all
}

// mavenSelection is Surefire's -Dtest. Classes go by their simple names, which every version of it understands, and methods
// only where there is one class, as before 2.19; keepJava takes the rest out. A module without a match is no error.
func mavenSelection(all []javaChoice) []string {
	var names []string
	for _, c := range all {
		name := c.class[strings.LastIndex(c.class, ".")+1:]
		if len(all) == 1 && len(c.methods) > 0 {
			name += "#" + strings.Join(unique(c.methods), "+")
		}
		names = append(names, name)
		if len(c.methods) == 0 {
			names = append(names, name+"$*")
		}
	}
	return []string{"-Dtest=" + strings.Join(unique(names), ","), "-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false"}
}

// gradleSelection is Gradle's --tests, with a script of ours by which a project without a match is no error.
func gradleSelection(all []javaChoice) []string {
	args := []string{"--init-script", path.Join(reportersPath, "select.gradle")}
	for _, c := range all {
		if len(c.methods) == 0 {
			args = append(args, "--tests", star(c.class), "--tests", star(c.class)+"$*")
		}
		for _, m := range unique(c.methods) {
			args = append(args, "--tests", c.class+"."+m)
		}
	}
	return args
}

// star lets a class match in any package where its own is not known.
func star(class string) string {
	if strings.Contains(class, ".") {
		return class
	}
	return "*" + class
}

// withoutJavaSelection drops what a command selects itself: a selection replaces it.
func withoutJavaSelection(args []string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--tests":
			i++
		case !strings.HasPrefix(args[i], "-Dtest=") && !strings.HasPrefix(args[i], "--tests="):
			kept = append(kept, args[i])
		}
	}
	return kept
}
