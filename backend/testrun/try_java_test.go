package testrun

import (
	"os"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

// TestTryJavaHostile: what one version does to the process that it shares with the next ones decides nothing for them.
func TestTryJavaHostile(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 3 * time.Minute})
	if _, err := os.Stat("/usr/share/java/junit4.jar"); err != nil {
		t.Skip("this machine has no JUnit 4")
	}
	runner, err := os.ReadFile("../../testdata/builtin/RunTests.java")
	if err != nil {
		t.Fatal(err)
	}
	dir := b.files(t, map[string]string{
		"RunTests.java": string(runner),
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
            new Thread(() -> { for (long n = 0; ; n++) try { hold = n; } catch (Throwable e) { } }).start();
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
	c := Custom([]string{"java", "-XX:TieredStopAtLevel=1", "-cp", "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar", "RunTests.java"})
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
