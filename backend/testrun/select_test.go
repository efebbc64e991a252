package testrun

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// selectTree has one good test of each runner, files whose names are hostile, and a link out.
const selectTree = `
-- go.mod --
module m
-- pkg/a_test.go --
package pkg

func TestA(t *testing.T) {}
-- tests/test_a.py --
def test_a(): pass
-- test/a.test.js --
x
-- spec/a_spec.rb --
x
-- test/a_test.rb --
x
-- tests/ATest.php --
x
-- t/a.t --
x
-- src/test/java/app/ATest.java --
package app;
-- src/test/kotlin/app/BTest.kt --
package app
-- src/test/java/app/Bad,!*Test.java --
x
-- --require=x_spec.rb --
x
-- -x_spec.rb --
x
-- -x_test.rb --
x
-- t/-x.t --
x
-- -x/t/x.t --
x
-- @x/t/x.t --
x
-- -x.test.js --
x
-- -x/test_x.py --
def test_x(): pass
-- -xTest.php --
x
-- -x/x_test.go --
package x

func TestX(t *testing.T) {}
-- -x/XTest.java --
x
-- tests/test_a b$(id).py --
def test_a(): pass
-- test/[id] $(x).test.js --
x
-- spec/ä ö_spec.rb --
x
`

// selecting are the runners that take a selection, with a test file each of which all else is made.
func selecting() map[string]string {
	return map[string]string{
		"pytest": "tests/test_a.py", "unittest": "tests/test_a.py", "go": "pkg/a_test.go",
		"node": "test/a.test.js", "jest": "test/a.test.js", "vitest": "test/a.test.js", "mocha": "test/a.test.js",
		"rspec": "spec/a_spec.rb", "minitest": "test/a_test.rb", "phpunit": "tests/ATest.php", "prove": "t/a.t",
		"maven": "src/test/java/app/ATest.java", "gradle": "src/test/java/app/ATest.java",
	}
}

// selectionCommand is a command that starts the runner.
func selectionCommand(t *testing.T, runner string) Command {
	t.Helper()
	args := map[string][]string{"pytest": {"python3", "-m", "pytest"}, "unittest": {"python3", "-m", "unittest"}, "go": {"go", "test", "./..."},
		"node": {"node", "--test"}, "jest": {"npx", "jest"}, "vitest": {"npx", "vitest"}, "mocha": {"npx", "mocha"}, "rspec": {"rspec"},
		"minitest": {"rake", "test"}, "phpunit": {"phpunit"}, "prove": {"prove", "-lr", "t"}, "maven": {"mvn", "-o", "-q", "test"}, "gradle": {"gradle", "--offline", "test"}}[runner]
	c := Custom(args)
	if c.Runner != runner {
		t.Fatalf("%q starts %s", args, c.Runner)
	}
	return c
}

// hostileSelections makes of a good path what nothing may come of.
func hostileSelections(good string) []string {
	base, ext := strings.TrimSuffix(good, path.Ext(good)), path.Ext(good)
	return []string{
		"../" + good, "a/../../" + good, "..", "/" + good, "/etc/passwd", "file:///etc/passwd", `C:\x` + ext, `..\` + good, strings.ReplaceAll(good, "/", `\`),
		"-" + good, "--help", "-Dtest=X", "--tests=X", "--init-script=/out/x", "-e", "-r./x.rb", "--require=./x", "-I.", "--config=/out/x", "@" + good, "@/etc/passwd", " -x", "\t-x",
		good + "\n--x", good + "\r", good + "\x00", "\x00", "", " ", "\n", "\u202e" + good, good + "\u009b", strings.Repeat("a/", 700) + good,
		good + "; touch /out/x", good + " && id", "$(id)" + ext, "`id`" + ext, "| id", base + "*" + ext, base + "?" + ext, base + "[a-z]" + ext, "{a,b}" + ext,
		good + "," + good, "~/" + good, "$HOME/" + good, "%2e%2e/" + good, "tests/./../../" + good, good + "/", good + "/x", base + "ä" + ext, base + ext + ext,
		"link/" + path.Base(good), "link", "outside" + ext,
		"src/test/java/app/Bad,!*Test.java", "app.ATest,*", "app.*", "app.ATest#*", "!app.ATest", "%regex[.*]", "app.Gone > x", "app..ATest", ".app.ATest", "app.ATest$", "app.ATest\n > x",
	}
}

// TestHostileSelections holds what every runner takes for a test against hostile paths and ids: what it takes is inside, no
// option and no pattern, and on its command line only what our own arguments are made of.
func TestHostileSelections(t *testing.T) {
	dir := tree(t, selectTree)
	outside := tree(t, selectTree)
	for link, to := range map[string]string{"link": filepath.Join(outside, "tests"), "outside.py": filepath.Join(outside, "tests/test_a.py")} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	r := &Runner{options: Options{TempDir: t.TempDir()}, host: thisHost(), owner: func() (int, int, bool) { return 0, 0, false }}
	for _, k := range Kinds() {
		good := selecting()[k.Name]
		if (k.check != nil) != (good != "") {
			t.Errorf("%s takes a selection: %v, is tried: %v", k.Name, k.check != nil, good != "")
		}
		if good == "" {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			c := selectionCommand(t, k.Name)
			r.checkHostileNames(t, c)
			if err := Validate(dir, c, []string{good}); err != nil {
				t.Fatalf("%s: %v", good, err)
			}
			// A file and what follows it in an id: only the file is passed on, or the runner takes names alone.
			ids := []string{}
			if slices.Contains([]string{"node", "jest", "vitest", "mocha", "rspec", "minitest", "prove"}, k.Name) {
				for _, name := range []string{"-x", "$(id)", "a; id", "../x", "ü > ß", "`id`", "--require=x"} {
					ids = append(ids, good+nodeSeparator+name)
				}
			}
			for _, p := range append(hostileSelections(good), ids...) {
				err := Validate(dir, c, []string{p})
				if err == nil && !slices.Contains(ids, p) && !harmless(k.Name, good, p) {
					t.Errorf("takes %q", p)
				}
				if err == nil {
					r.checkLine(t, dir, c, p, good)
				}
			}
		})
	}
}

// checkHostileNames has the command run in a folder whose files are named as options, and selects them alone and by their
// folder.
func (r *Runner) checkHostileNames(t *testing.T, c Command) {
	t.Helper()
	root := t.TempDir()
	c.Dir = "sub"
	if err := os.CopyFS(filepath.Join(root, "sub"), os.DirFS(tree(t, selectTree))); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"sub/-x_spec.rb", "sub/-x_test.rb", "sub/-x.test.js", "sub/-xTest.php", "sub/-x/test_x.py", "sub/-x/t/x.t", "sub/@x/t/x.t", "sub/-x", "sub/--require=x_spec.rb", "sub/-x/x_test.go", "sub/-x.TestX", "sub/-x/XTest.java"} {
		if Validate(root, c, []string{p}) == nil {
			t.Errorf("takes %q in sub", p)
		}
	}
	for _, p := range []string{"sub", "sub/.", "sub/t", "sub/tests", "sub/test", "sub/spec"} {
		if Validate(root, c, []string{p}) == nil {
			r.checkLine(t, root, c, p, path.Join("sub", selecting()[c.Runner]))
		}
	}
}

// harmless are of the hostile ones those that mean nothing else to a runner than a test inside.
func harmless(runner, good, p string) bool {
	if p == good+"/" { // the same file, cleaned
		return true
	}
	java := runner == "maven" || runner == "gradle"
	return java && slices.Contains([]string{"app.ATest#*"}, p) // the whole class: "*" is no method
}

// checkLine starts a job and looks at what would be on its command line because of a selection.
func (r *Runner) checkLine(t *testing.T, dir string, c Command, p, good string) {
	t.Helper()
	line := func(paths []string) []string {
		j, err := r.newJob(dir, c, paths)
		if err != nil {
			t.Fatal(err)
		}
		defer j.close()
		if err := kindOf(c.Runner).begin(j); err != nil {
			t.Skip(err)
		}
		args := slices.Clone(j.spec.Args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], j.name, "REPORT")
		}
		return args
	}
	plain := line([]string{good})
	for _, a := range line([]string{p}) {
		// What another path adds may be a name or a path, never an option, a pattern or something for a shell.
		if !slices.Contains(plain, a) && (strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "-Dtest=") && !strings.HasPrefix(a, "-run=^(") || strings.ContainsAny(a, "\n\x00;`|&\\!") || strings.Contains(a, "..")) {
			t.Errorf("%q puts %q on the command line", p, a)
		}
	}
}

// TestJavaSelection holds what Maven and Gradle are told and what of their results is kept.
func TestJavaSelection(t *testing.T) {
	dir := tree(t, selectTree)
	tests := []struct {
		selected     []string
		maven        string
		gradle       string
		kept, notOne string
	}{
		{[]string{"src/test/java/app/ATest.java"}, "-Dtest=ATest,ATest$*", "--tests *ATest --tests *ATest$*", "app.ATest > x", "app.BTest > x"},
		{[]string{"app.ATest"}, "-Dtest=ATest,ATest$*", "--tests app.ATest --tests app.ATest$*", "app.ATest$In > x", "other.ATest > x"},
		{[]string{"app.ATest > adds"}, "-Dtest=ATest#adds", "--tests app.ATest.adds", "app.ATest > adds", "app.ATest > addsMore"},
		{[]string{"app.ATest#adds", "app.ATest > sums"}, "-Dtest=ATest#adds+sums", "--tests app.ATest.adds --tests app.ATest.sums", "app.ATest > sums", "app.ATest > other"},
		{[]string{"app.ATest > adds"}, "-Dtest=ATest#adds", "--tests app.ATest.adds", "app.ATest > adds{int, int}[2]", "app.ATest > adds2[1]"},
		{[]string{"app.ATest > adds(int)[1]"}, "-Dtest=ATest,ATest$*", "--tests app.ATest --tests app.ATest$*", "app.ATest > adds(int)[1]", "app.ATest > adds(int)[2]"},
		{[]string{"app.ATest > adds", "app.BTest > x"}, "-Dtest=ATest,BTest", "--tests app.ATest.adds --tests app.BTest.x", "app.BTest > x", "app.BTest > y"},
		{[]string{"app.ATest$In > adds"}, "-Dtest=ATest,ATest$*", "--tests app.ATest --tests app.ATest$*", "app.ATest$In > adds", "app.ATest > adds"},
		{[]string{"src/test/java"}, "-Dtest=ATest,ATest$*", "--tests *ATest --tests *ATest$*", "app.ATest > x", ""},
		{[]string{"src/test/kotlin/app/BTest.kt"}, "-Dtest=BTest,BTest$*", "--tests *BTest --tests *BTest$*", "build", "app.ATest > x"},
	}
	for _, tt := range tests {
		for _, runner := range []string{"maven", "gradle"} {
			c := selectionCommand(t, runner)
			if err := Validate(dir, c, tt.selected); err != nil {
				t.Errorf("%q: %v", tt.selected, err)
			}
			j := &job{command: c, tree: folder{root: dir}, selected: tt.selected}
			if runner == "maven" {
				if got := mavenSelection(j.javaChoices())[0]; got != tt.maven {
					t.Errorf("%q for Maven: %q, want %q", tt.selected, got, tt.maven)
				}
			} else if got := strings.Join(gradleSelection(j.javaChoices())[2:], " "); got != tt.gradle {
				t.Errorf("%q for Gradle: %q, want %q", tt.selected, got, tt.gradle)
			}
		}
		keep := func(id string) bool {
			return slices.ContainsFunc(tt.selected, func(s string) bool { return keepJava(s, id) })
		}
		if !keep(tt.kept) || tt.notOne != "" && keep(tt.notOne) {
			t.Errorf("%q keeps %q: %v, %q: %v", tt.selected, tt.kept, keep(tt.kept), tt.notOne, keep(tt.notOne))
		}
	}
	sub := Command{Runner: "maven", Dir: "svc", Args: []string{"mvn", "test"}}
	if p, ok := sub.own("app.ATest > adds"); !ok || p != "app.ATest > adds" {
		t.Errorf("an id in a folder is %q, %v", p, ok)
	}
	if _, ok := sub.own("src/test/java/app/ATest.java"); ok {
		t.Error("a file outside the folder is the command's")
	}
	if got := withoutJavaSelection([]string{"gradle", "test", "--tests", "X", "-Dtest=Y", "--tests=Z", "-i"}); !slices.Equal(got, []string{"gradle", "test", "-i"}) {
		t.Errorf("left are %q", got)
	}
}
