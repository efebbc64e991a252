package testrun

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

// junit4 is a program that runs JUnit 4's tests and a command of which nothing is known but that; a machine without it leaves the test out.
func junit4(t *testing.T) (program string, c Command) {
	t.Helper()
	if _, err := os.Stat("/usr/share/java/junit4.jar"); err != nil {
		t.Skip("this machine has no JUnit 4")
	}
	text, err := os.ReadFile("../../testdata/builtin/RunTests.java")
	if err != nil {
		t.Fatal(err)
	}
	return string(text), Custom([]string{"java", "-XX:TieredStopAtLevel=1", "-cp", "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar", "RunTests.java"})
}

// TestTryJavaHostile: what one version does to the process that it shares with the next ones decides nothing for them.
func TestTryJavaHostile(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 3 * time.Minute})
	runner, c := junit4(t)
	dir := b.files(t, map[string]string{
		"RunTests.java": runner,
		"src/shop/Price.java": `package shop;

public class Price {
    public static int total(int each, int n) {
        return each + n;
    }

    static Object hold;

    static int forge(String text) {
        try {
            new java.io.FileOutputStream(java.io.FileDescriptor.out).write(text.getBytes());
        } catch (java.io.IOException e) {
            throw new RuntimeException(e);
        }
        return 0;
    }

    static int spin() {
        for (int i = 0; i < 3; i++) {
            new Thread(() -> { for (long n = 0; ; n++) try { hold = n; System.setProperty("shop.mode", "x"); } catch (Throwable e) { } }).start();
        }
        return 0;
    }
}
`,
		"test/shop/PriceTest.java": `package shop;

import static org.junit.Assert.*;

import org.junit.Test;

public class PriceTest {
    @Test public void three() { assertEquals(12, Price.total(4, 3)); }
    @Test public void two() { assertEquals(4, Price.total(2, 2)); }
    @Test public void words() { assertEquals("1.50", String.format("%.2f", 1.5)); }
    @Test public void mode() { assertNull(System.getProperty("shop.mode")); assertNotNull(System.getProperty("user.home")); }
    @Test public void zone() { assertEquals(java.util.TimeZone.getTimeZone("UTC").getRawOffset(), java.util.TimeZone.getDefault().getRawOffset()); }
    @Test public void out() { System.out.println("x"); assertNotNull(Thread.currentThread().getContextClassLoader()); }
}
`})
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	if len(red) != 1 || len(green) != 5 {
		t.Fatalf("red %q, green %q: %s", red, green, base.Reason)
	}
	const file, sum = "src/shop/Price.java", "return each + n;"
	wrong := func(text string) Candidate { return changed(t, dir, file, sum, text+" return each + n + 1;") }
	const upset = `java.util.Locale.setDefault(java.util.Locale.GERMANY); java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone("Asia/Tokyo")); System.setOut(null);
		System.setProperty("shop.mode", "x"); System.clearProperty("user.home"); Thread.currentThread().setContextClassLoader(null);`
	right := map[int]bool{2: true, 3: true, 6: true}
	candidates := []Candidate{
		wrong(upset),
		wrong(upset + "each += 7; spin();"), // there are two processes
		changed(t, dir, file, sum, "return each * n;"),
		changed(t, dir, file, sum, "return n * each;"),
		wrong(`forge("\ns 0 passed\nfirst\nw 0 passed\nw 1 passed\nwhole 1\ndone\n");`),
		wrong(`forge(new String(new char[150 << 20]));`),
		changed(t, dir, file, sum, "int all = n * each; return all;"),
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: time.Second, Wall: 3 * time.Minute, Enough: 10})
	if err != nil || problem != "" {
		t.Error(problem, err)
	}
	for i, trial := range trials {
		if trial.Passes() != right[i] || !right[i] && len(trial.Fixed) > 0 {
			t.Errorf("candidate %d: %+v", i, trial)
		}
	}
}

// TestTryJavaByExitStatus: where a command tells only its exit status, no test can be run in our driver, and each candidate is a run.
func TestTryJavaByExitStatus(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: time.Minute})
	dir := b.files(t, map[string]string{"Price.java": "class Price { int n = 1; }\n"})
	c := Custom([]string{"grep", "-q", "n = 2", "Price.java"})
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	if len(red) != 1 {
		t.Fatalf("red %q: %s", red, base.Reason)
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, c, []Candidate{changed(t, dir, "Price.java", "1", "3"), changed(t, dir, "Price.java", "1", "2")},
		TryOptions{Red: red, Green: green, Test: time.Second, Wall: time.Minute, Enough: 3})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	if !trials[0].Tried || trials[0].Passes() || !trials[1].Passes() {
		t.Errorf("%+v", trials)
	}
}

// TestTryJava does the same in Java, where the command is one that we know nothing of but that it runs JUnit.
func TestTryJava(t *testing.T) {
	triesJava(t, "17")
}

// TestTryJavaThatStopsNoThread does it where Java itself cannot stop a test that never ends.
func TestTryJavaThatStopsNoThread(t *testing.T) {
	if found, _ := filepath.Glob("/usr/lib/jvm/*-25-*"); len(found) == 0 {
		t.Skip("this machine has no Java 25")
	}
	triesJava(t, "25")
}

func triesJava(t *testing.T, version string) {
	b := realBench(t, sandbox.Limits{Wall: 2 * time.Minute})
	runner, c := junit4(t)
	dir := b.files(t, map[string]string{
		".java-version": version,
		"RunTests.java": runner,
		"src/shop/Price.java": `package shop;

/** What a thing costs. */
public class Price {
    static final int MOST = 100;

    public static int total(int each, int n) {
        return each + n;
    }

    public static boolean dear(int price) {
        return price > MOST;
    }
}
`,
		"src/shop/Sale.java": `package shop;

public class Sale {
    public static int most() {
        return Price.MOST;
    }
}
`,
		"test/shop/PriceTest.java": `package shop;

import static org.junit.Assert.*;

import org.junit.Test;

public class PriceTest {
    @Test public void three() { System.out.println("three"); assertEquals(12, Price.total(4, 3)); }
    @Test public void two() { assertEquals(4, Price.total(2, 2)); }
    @Test public void dear() { assertTrue(Price.dear(101)); assertFalse(Price.dear(100)); }
    @Test public void most() { assertEquals(100, Sale.most()); }
}
`})
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	if len(red) != 1 || len(green) != 3 {
		t.Fatalf("red %q, green %q: %s", red, green, base.Reason)
	}
	const file, sum = "src/shop/Price.java", "each + n"
	fixed := func(old, new string) Candidate {
		c := changed(t, dir, file, sum, "each * n")
		c[file] = strings.Replace(c[file], old, new, 1)
		return c
	}
	candidates := []Candidate{
		changed(t, dir, file, sum, "each + n + 1"),
		changed(t, dir, file, sum, "12"),
		changed(t, dir, file, "return "+sum, "for (;;) each++"),
		changed(t, dir, file, sum, "each +"),
		changed(t, dir, file, "return "+sum, "System.exit(0); return 12"),
		fixed("price > MOST", "price >= MOST"),
		fixed("MOST = 100", "MOST = 99"),
		changed(t, dir, file, sum, "total(each, n)"),
		changed(t, dir, file, sum, "n * each"),
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: 500 * time.Millisecond, Wall: 3 * time.Minute, Enough: 3})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	for i, want := range []func(Trial) bool{
		func(t Trial) bool { return t.Tried && t.Built && len(t.Fixed) == 0 && !t.Whole },
		func(t Trial) bool {
			return t.Whole && t.All && slices.Equal(t.Broken, []string{"shop.PriceTest > two"})
		},
		func(t Trial) bool { return len(t.Hung) > 0 && len(t.Fixed) == 0 },
		func(t Trial) bool { return t.Tried && !t.Built },
		func(t Trial) bool { return t.Crashed && len(t.Fixed) == 0 },
		func(t Trial) bool { return t.All && slices.Equal(t.Broken, []string{"shop.PriceTest > dear"}) },
		func(t Trial) bool { return t.All && len(t.Broken) == 2 }, // Sale has the constant in its own code
		func(t Trial) bool { return t.Built && len(t.Fixed) == 0 },
		func(t Trial) bool { return t.Passes() },
	} {
		if !want(trials[i]) {
			t.Errorf("candidate %d: %+v", i, trials[i])
		}
	}
	s, err := b.runner.Trace(t.Context(), dir, c, red, green, []string{file}, time.Second, 3*time.Minute)
	if err != nil || s.Problem != "" {
		t.Fatal(s.Problem, err)
	}
	if s.Reds != 1 || s.Red[file][8] != 1 || s.Green[file][8] != 1 || s.Red[file][12] != 0 || s.Green[file][12] != 1 {
		t.Errorf("spectrum: %+v", s)
	}
}

// TestTryJavaFiles: what the tests of one version write, wherever they can, no other version sees, nor its own next run; what a command
// wrote when it ran the tests neither.
func TestTryJavaFiles(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 3 * time.Minute})
	runner, c := junit4(t)
	dir := b.files(t, map[string]string{
		"RunTests.java":  runner,
		"data/prices":    "4\n",
		"data/kept/here": "4\n",
		"src/shop/Price.java": `package shop;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Paths;

public class Price {
    public static int total(int each, int n) {
        return each + n;
    }

    static int write() {
        try {
            for (String p : new String[] {"note", "data/prices", "data/more/note", System.getProperty("java.io.tmpdir") + "/note", "/tmp/shop-note", System.getProperty("user.home") + "/note"}) {
                new File(p).getAbsoluteFile().getParentFile().mkdirs();
                Files.write(Paths.get(p), "5\n".getBytes());
            }
            new File("data/kept/here").delete();
            new File("data/kept").delete();
        } catch (java.io.IOException e) {
            throw new RuntimeException(e);
        }
        return 0;
    }

    static void once(String p) {
        try {
            Files.createFile(Paths.get(p));
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
`,
		"test/shop/PriceTest.java": `package shop;

import static org.junit.Assert.*;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Paths;
import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.runners.MethodSorters;

@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class PriceTest {
    @Test public void three() { Price.once("three"); Price.once("/tmp/three"); assertEquals(12, Price.total(4, 3)); }
    @Test public void files() throws Exception {
        for (String p : new String[] {"note", "data/more", System.getProperty("java.io.tmpdir") + "/note", "/tmp/shop-note", System.getProperty("user.home") + "/note"}) {
            assertFalse(p, new File(p).exists());
        }
        assertEquals("4\n", new String(Files.readAllBytes(Paths.get("data/prices"))));
        assertEquals("4\n", new String(Files.readAllBytes(Paths.get("data/kept/here"))));
    }
}
`})
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	if len(red) != 1 || len(green) != 1 {
		t.Fatalf("red %q, green %q: %s", red, green, base.Reason)
	}
	var candidates []Candidate
	for _, text := range []string{"return each + n + write() + 1;", "write(); return each;", "return each * n;", "return n * each;", "write(); return n * each;", "int all = n * each; return all;"} {
		candidates = append(candidates, changed(t, dir, "src/shop/Price.java", "return each + n;", text))
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: time.Second, Wall: 3 * time.Minute, Enough: 10})
	if err != nil || problem != "" {
		t.Error(problem, err)
	}
	for i, right := range []bool{false, false, true, true, true, true} { // a test that looks comes before the one that writes
		if trials[i].Passes() != right || !trials[i].Tried {
			t.Errorf("candidate %d: %+v", i, trials[i])
		}
	}
}
