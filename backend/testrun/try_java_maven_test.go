package testrun

import (
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

// TestTryJavaOfMaven tries edits where Surefire runs tests of JUnit 5 and 4, cases and nested classes among them, under the names that its
// reports have.
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
	const file = "src/main/java/app/Grade.java"
	dir := b.files(t, map[string]string{
		"pom.xml": `<project xmlns="http://maven.apache.org/POM/4.0.0">
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
`,
		file: `package app;

public class Grade {
    private final int most;

    public Grade(int most) {
        this.most = most;
    }

    /** 1 from 90 % on, 2 from 70 % on, else 3. */
    public int of(int points) {
        int percent = points * 100 / most;
        if (percent > 90) {
            return 1;
        }
        return percent >= 70 ? 2 : 3;
    }
}
`,
		"src/test/java/app/GradeTest.java": `package app;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GradeTest {
    @ParameterizedTest
    @CsvSource({"95, 1", "90, 1", "70, 2", "10, 3"})
    void grades(int points, int grade) {
        assertEquals(grade, new Grade(100).of(points));
    }

    @ParameterizedTest(name = "half of {0}")
    @ValueSource(ints = {10, 50})
    void half(int most) {
        assertEquals(3, new Grade(most).of(most / 2));
    }

    @RepeatedTest(2)
    void again() {
        assertEquals(1, new Grade(10).of(10));
    }

    @Nested
    class Small {
        @Test
        @DisplayName("nine of ten is a one")
        void nine() {
            assertEquals(1, new Grade(10).of(9));
        }

        @Test
        void eight() {
            assertEquals(2, new Grade(10).of(8));
        }
    }

    @TestFactory
    java.util.List<DynamicTest> made() {
        return java.util.List.of(DynamicTest.dynamicTest("seven", () -> assertEquals(2, new Grade(10).of(7))));
    }
}
`,
		"src/test/java/app/OldTest.java": `package app;

import static org.junit.Assert.*;

import java.util.*;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

@RunWith(Parameterized.class)
public class OldTest {
    @Parameterized.Parameters(name = "{0} points")
    public static Iterable<Object[]> all() {
        return Arrays.asList(new Object[] {18, 1}, new Object[] {14, 2});
    }

    private final int points;
    private final int grade;

    public OldTest(int points, int grade) {
        this.points = points;
        this.grade = grade;
    }

    @Test
    public void ofTwenty() {
        assertEquals(grade, new Grade(20).of(points));
    }
}
`})
	c := Custom([]string{"mvn", "-o", "-q", "-Dmaven.repo.local=/usr/share/maven-repo", "test"})
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	slices.Sort(red)
	if want := []string{"app.GradeTest > grades{int, int}[2]", "app.GradeTest$Small > nine", "app.OldTest > ofTwenty[18 points]"}; !slices.Equal(red, want) || len(green) != 10 {
		t.Fatalf("red %q, green %q: %s\n%s", red, green, base.Reason, base.Log)
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
		func(t Trial) bool { return t.Crashed }, // as only a process of its own tells
		func(t Trial) bool { return t.All && slices.Equal(t.Broken, []string{"app.GradeTest$Small > eight"}) },
		func(t Trial) bool { return t.Passes() },
	} {
		if !want(trials[i]) {
			t.Errorf("candidate %d: %+v", i, trials[i])
		}
	}
}
