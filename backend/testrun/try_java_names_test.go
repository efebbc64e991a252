package testrun

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"redgreen/backend/sandbox"
)

// grades are the files of a small program with tests of JUnit 5 and 4, cases and nested classes among them, by their paths below its
// source folders.
func grades(t *testing.T) map[string]string {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("..", "..", "testdata", "testrun", "custom", "junitconsole.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range a.Files {
		if p, ok := strings.CutPrefix(f.Name, "in/"); ok {
			all[p] = string(f.Data)
		}
	}
	return all
}

// triesGrades tries edits of it in our driver: only that tells that a version ended its process.
func triesGrades(t *testing.T, b bench, dir string, c Command, file string, red []string, passing int, broken string) {
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	reds, green := sides(base)
	slices.Sort(reds)
	if !slices.Equal(reds, red) || len(green) != passing {
		t.Fatalf("red %q, green %q: %s\n%s", reds, green, base.Reason, base.Log)
	}
	candidates := []Candidate{
		changed(t, dir, file, "percent > 90", "percent > 91"),
		changed(t, dir, file, "int percent", "System.exit(7); int percent"),
		changed(t, dir, file, "percent > 90", "percent >= 80"),
		changed(t, dir, file, "percent > 90", "percent >= 90"),
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: time.Second, Wall: 3 * time.Minute, Enough: 3})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	for i, want := range []func(Trial) bool{
		func(t Trial) bool { return t.Tried && t.Built && len(t.Fixed) == 0 && !t.Crashed },
		func(t Trial) bool { return t.Crashed },
		func(t Trial) bool { return t.All && slices.Equal(t.Broken, []string{broken}) },
		func(t Trial) bool { return t.Passes() },
	} {
		if !want(trials[i]) {
			t.Errorf("candidate %d: %+v", i, trials[i])
		}
	}
}

// TestTryJavaOfMaven tries edits under the names that Surefire's reports have.
func TestTryJavaOfMaven(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 4 * time.Minute})
	if _, err := exec.LookPath("mvn"); err != nil {
		t.Skip("this machine has no Maven")
	}
	for _, p := range []string{"org/apache/maven/surefire/surefire-junit-platform/2.22.3", "org/junit/jupiter/junit-jupiter/5.9.2", "org/junit/vintage/junit-vintage-engine/5.9.2"} {
		if _, err := os.Stat("/usr/share/maven-repo/" + p); err != nil {
			t.Skipf("this machine's Maven repository has no %s", p)
		}
	}
	files := map[string]string{"pom.xml": `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>app</groupId><artifactId>app</artifactId><version>1</version>
  <properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
  <dependencies>
    <dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.9.2</version><scope>test</scope></dependency>
    <dependency><groupId>org.junit.vintage</groupId><artifactId>junit-vintage-engine</artifactId><version>5.9.2</version><scope>test</scope></dependency>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency>
  </dependencies>
  <build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin><plugin><artifactId>maven-surefire-plugin</artifactId><version>2.22.3</version></plugin></plugins></build>
</project>
`}
	for p, text := range grades(t) {
		if rest, ok := strings.CutPrefix(p, "src/"); ok {
			files["src/main/java/"+rest] = text
		} else if rest, ok := strings.CutPrefix(p, "test/"); ok {
			files["src/test/java/"+rest] = text
		}
	}
	c := Custom([]string{"mvn", "-o", "-q", "-Dmaven.repo.local=/usr/share/maven-repo", "test"})
	triesGrades(t, b, b.files(t, files), c, "src/main/java/app/Grade.java",
		[]string{"app.GradeTest > grades{int, int}[2]", "app.GradeTest$Small > nine", "app.OldTest > ofTwenty[18 points]"}, 10, "app.GradeTest$Small > eight")
}

// TestTryJavaOfConsole tries them under the names that are read from what the console launcher prints.
func TestTryJavaOfConsole(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 4 * time.Minute})
	files := grades(t)
	for jar := range strings.SplitSeq(files["Makefile"], "$(J)/") {
		if name, _, ok := strings.Cut(jar, ".jar"); ok {
			if _, err := os.Stat("/usr/share/java/" + name + ".jar"); err != nil {
				t.Skipf("this machine has no %s.jar", name)
			}
		}
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("this machine has no make")
	}
	triesGrades(t, b, b.files(t, files), Custom([]string{"make", "test"}), "src/app/Grade.java",
		[]string{"app.GradeTest > grades [2] 90, 1", "app.GradeTest$Small > nine of ten is a one", "app.OldTest > ofTwenty[18 points]"}, 10, "app.GradeTest$Small > eight()")
}
