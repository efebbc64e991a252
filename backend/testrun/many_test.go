package testrun

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

// many is how many tests the largest suites have. Each tenth of a generated suite fails with its runner's own words.
const many = 100_000

// crowd is a generated run of one reader.
type crowd struct {
	name, kind string
	make       func(n int) output
	last       string // the id of the last test
}

// repeated joins what each gives for the numbers below n.
func repeated(n int, each func(b *strings.Builder, i int)) []byte {
	var b strings.Builder
	for i := range n {
		each(&b, i)
	}
	return []byte(b.String())
}

func fails(i int) bool { return i%10 == 9 }

// either is the second where a test fails.
func either(i int, passed, failed string) string {
	if fails(i) {
		return failed
	}
	return passed
}

// reportOf is a report of our own reporters.
func reportOf(n int, id func(i int) string, text string) []byte {
	return append(repeated(n, func(b *strings.Builder, i int) {
		fmt.Fprintf(b, `{"event":"start","id":%q}`+"\n", id(i))
		fmt.Fprintf(b, `{"event":"test","id":%q,"phase":"call","status":%q,"ms":1,"text":%q}`+"\n", id(i), either(i, "passed", "failed"), either(i, "", text))
	}), []byte(`{"event":"end"}`+"\n")...)
}

// junitOf is a JUnit report.
func junitOf(n int, class func(i int) string, failure string) []byte {
	all := repeated(n, func(b *strings.Builder, i int) {
		fmt.Fprintf(b, `<testcase classname=%q name="t%d" time="0.001"`, class(i), i)
		if fails(i) {
			fmt.Fprintf(b, `><failure message="expected 1">%s</failure></testcase>`+"\n", failure)
		} else {
			b.WriteString("/>\n")
		}
	})
	return slices.Concat([]byte("<testsuites><testsuite>"), all, []byte("</testsuite></testsuites>"))
}

func idf(format string) func(int) string { return func(i int) string { return fmt.Sprintf(format, i) } }

func one(s string) func(int) string { return func(int) string { return s } }

const javaTrace = "java.lang.AssertionError: expected 1\n\tat org.junit.Assert.fail(Assert.java:88)\n\tat org.junit.Assert.assertEquals(Assert.java:645)\n\tat app.PriceTest.t(PriceTest.java:7)\n\tat java.base/java.lang.reflect.Method.invoke(Method.java:566)\n"

// crowds has a row for each reader; TestManyTests holds that no runner is missing.
func crowds() []crowd {
	const nodeTrace = "AssertionError: 1 == 2\n    at fn (file:///workspace/a.test.js:3:5)\n    at node:internal/x:1:1"
	return []crowd{
		{"pytest", "pytest", func(n int) output {
			return output{exit: 1, report: reportOf(n, idf("test_a.py::test_x[%d]"), "    def test_x():\n>       assert 1 == 2\nE       assert 1 == 2\n\ntest_a.py:3: AssertionError")}
		}, "test_a.py::test_x[99999]"},
		{"unittest", "unittest", func(n int) output {
			return output{exit: 1, report: reportOf(n, idf("test_a.A.test_%d"), "Traceback (most recent call last):\n  File \"/workspace/test_a.py\", line 3, in test_x\nAssertionError: 1 != 2")}
		}, "test_a.A.test_99999"},
		{"go", "go", func(n int) output {
			report := repeated(n, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, `{"Action":"run","Package":"m/p","Test":"TestX/%d"}`+"\n", i)
				fmt.Fprintf(b, `{"Action":"output","Package":"m/p","Test":"TestX/%d","Output":"    a_test.go:3: 1 != 2\n"}`+"\n", i)
				fmt.Fprintf(b, `{"Action":%q,"Package":"m/p","Test":"TestX/%d","Elapsed":0.1}`+"\n", either(i, "pass", "fail"), i)
			})
			return output{exit: 1, module: "m", report: slices.Concat([]byte(`{"Action":"start","Package":"m/p"}`+"\n"), report, []byte(`{"Action":"fail","Package":"m/p"}`+"\n"))}
		}, "p.TestX/99999"},
		{"node", "node", func(n int) output {
			report := repeated(n, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, `{"event":"start","nesting":0,"name":"t %d","file":"/workspace/a.test.js"}`+"\n", i)
				fmt.Fprintf(b, `{"event":"test","nesting":0,"name":"t %d","file":"/workspace/a.test.js","status":%q,"text":%q}`+"\n", i, either(i, "passed", "failed"), either(i, "", nodeTrace))
			})
			return output{exit: 1, report: append(report, []byte(`{"event":"end"}`)...)}
		}, "a.test.js > t 99999"},
		{"node, a test in each file", "node", func(n int) output {
			report := repeated(n, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, `{"event":"test","nesting":0,"name":"t","file":"/workspace/%d.test.js","status":%q,"text":%q}`+"\n", i, either(i, "passed", "failed"), either(i, "", nodeTrace))
				fmt.Fprintf(b, `{"event":"test","nesting":0,"name":"/workspace/%d.test.js","file":"/workspace/%d.test.js","status":%q,"kind":%q}`+"\n", i, i, either(i, "passed", "failed"), either(i, "", "subtestsFailed"))
			})
			return output{exit: 1, report: append(report, []byte(`{"event":"end"}`)...)}
		}, "99999.test.js > t"},
		{"jest", "jest", func(n int) output {
			return output{exit: 1, report: reportOf(n, idf("a.test.js > t %d"), nodeTrace)}
		}, "a.test.js > t 99999"},
		{"mocha", "mocha", func(n int) output {
			return output{exit: 1, report: reportOf(n, idf("test/a.js > t %d"), nodeTrace)}
		}, "test/a.js > t 99999"},
		{"vitest", "vitest", func(n int) output {
			return output{exit: 1, xml: [][]byte{junitOf(n, one("a.test.ts"), "AssertionError: expected 1\n ❯ a.test.ts:3:5")}}
		}, "a.test.ts > t99999"},
		{"cargo", "cargo", func(n int) output {
			all := repeated(n, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "test tests::t%d ... %s\n", i, either(i, "ok", "FAILED"))
			})
			all = append(all, "\nfailures:\n\n"...)
			all = append(all, repeated(n, func(b *strings.Builder, i int) {
				if fails(i) {
					fmt.Fprintf(b, "---- tests::t%d stdout ----\nthread 'tests::t%d' panicked at src/lib.rs:3:5:\nassertion failed\n\n", i, i)
				}
			})...)
			return output{exit: 101, stdout: append(all, "test result: FAILED. x\n"...)}
		}, "tests::t99999"},
		{"cargo, one name in many crates", "cargo", func(n int) output {
			return output{exit: 101, stdout: append(repeated(n, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "test tests::it_works ... %s\n", either(i, "ok", "FAILED"))
			}), "test result: FAILED. x\n"...)}
		}, "tests::it_works #100000"},
		{"cargo nextest", "cargo", func(n int) output {
			all := repeated(n, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "        %s [   0.005s] m tests::t%d\n", either(i, "PASS", "FAIL"), i)
				if fails(i) {
					fmt.Fprintf(b, "  stderr ───\n    thread 'tests::t%d' panicked at src/lib.rs:3:5:\n    assertion failed\n    note: run with x\n", i)
				}
			})
			return output{exit: 100, stderr: slices.Concat([]byte(" Nextest run ID x\n"), all, []byte("     Summary [   9.0s] x\n"))}
		}, "m tests::t99999"},
		{"maven", "maven", func(n int) output {
			o := output{exit: 1}
			for i := range n / 100 {
				o.xml = append(o.xml, junitOf(100, one(fmt.Sprintf("app.C%dTest", i)), javaTrace))
			}
			return o
		}, "app.C999Test > t99"},
		{"gradle", "gradle", func(n int) output {
			return output{exit: 1, xml: [][]byte{junitOf(n, one("app.PriceTest"), javaTrace)}}
		}, "app.PriceTest > t99999"},
		{"rspec", "rspec", func(n int) output {
			return output{exit: 1, report: reportOf(n, idf("spec/a_spec.rb > does %d"), "expected: 1\n     got: 2")}
		}, "spec/a_spec.rb > does 99999"},
		{"minitest", "minitest", func(n int) output {
			return output{exit: 1, report: reportOf(n, idf("test/a_test.rb > A#test_%d"), "Expected: 1\n  Actual: 2")}
		}, "test/a_test.rb > A#test_99999"},
		{"phpunit", "phpunit", func(n int) output {
			return output{exit: 1, xml: [][]byte{junitOf(n, one("ShopTest"), "ShopTest::t\nFailed asserting that 1 is 2.\n\n/workspace/tests/ShopTest.php:7")}}
		}, "ShopTest > t99999"},
		{"ctest", "ctest", func(n int) output {
			return output{exit: 8, xml: [][]byte{junitOf(n, one(""), "/workspace/t.c:3: assert")}}
		}, "t99999"},
		{"dotnet", "dotnet", func(n int) output {
			results := repeated(n, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, `<UnitTestResult testId="%d" testName="T%d" outcome=%q duration="00:00:00.001">%s</UnitTestResult>`+"\n", i, i, either(i, "Passed", "Failed"),
					either(i, "", "<Output><ErrorInfo><Message>1 is not 2</Message><StackTrace>at T() in /workspace/T.cs:line 3</StackTrace></ErrorInfo></Output>"))
			})
			tests := repeated(n, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, `<UnitTest id="%d"><TestMethod className="Shop.Tests" name="T%d"/></UnitTest>`+"\n", i, i)
			})
			return output{exit: 1, trx: [][]byte{slices.Concat([]byte("<TestRun><Results>"), results, []byte("</Results><TestDefinitions>"), tests, []byte("</TestDefinitions></TestRun>"))}}
		}, "Shop.Tests > T99999"},
		{"prove", "prove", func(n int) output {
			tap := append(repeated(n, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "%s %d - does %d\n", either(i, "ok", "not ok"), i+1, i)
			}), fmt.Sprintf("1..%d\n", n)...)
			stderr := repeated(n, func(b *strings.Builder, i int) {
				if fails(i) {
					fmt.Fprintf(b, "#   Failed test 'does %d'\n#   at t/a.t line %d.\n#          got: '1'\n#     expected: '2'\n", i, i)
				}
			})
			return output{exit: 1, tap: map[string][]byte{"t/a.t": tap}, stderr: stderr, stdout: []byte("t/a.t (Wstat: 65024 Tests: 100000 Failed: 10000)\n  Non-zero exit status: 254\nResult: FAIL\n")}
		}, "t/a.t > does 99999"},
		{"TAP", "custom", func(n int) output {
			return output{exit: 1, stdout: slices.Concat([]byte("TAP version 13\n"), repeated(n, func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "%s %d - does %d\n%s", either(i, "ok", "not ok"), i+1, i, either(i, "", "  ---\n  message: no\n  ...\n"))
			}), fmt.Appendf(nil, "1..%d\n", n))}
		}, "does 99999"},
		{"JUnit XML", "custom", func(n int) output {
			return output{exit: 1, xml: [][]byte{junitOf(n, one("A"), "no")}}
		}, "A > t99999"},
	}
}

// TestManyTests reads 100,000 results of each runner: all are counted, in bounded time and memory, in a tree of some size.
func TestManyTests(t *testing.T) {
	dir := t.TempDir()
	for i := range 2000 {
		writeFile(t, dir, fmt.Sprintf("src/%d/f%d.txt", i%40, i), "")
	}
	read := map[string]bool{}
	for _, c := range crowds() {
		read[c.kind] = true
		t.Run(c.name, func(t *testing.T) {
			o := c.make(many)
			o.tree = folder{root: dir}
			size := len(o.report) + len(o.stdout) + len(o.stderr)
			for _, part := range slices.Concat(o.xml, o.trx) {
				size += len(part)
			}
			for _, part := range o.tap {
				size += len(part)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := cpuTime(t)
			r := finish(Run{Tests: []Test{}}, kindOf(c.kind), Command{Runner: c.kind, Args: []string{"x"}}, o, sandbox.Result{ExitCode: o.exit})
			took := cpuTime(t) - began
			runtime.ReadMemStats(&after)
			if passed, failed, skipped := r.Counts(); passed != many/10*9 || failed != many/10 || skipped != 0 || r.Infrastructure || !r.Finished || !r.PerTest {
				t.Fatalf("%d passed, %d failed, %d skipped, %q, finished %v; want %d and %d", passed, failed, skipped, r.Reason, r.Finished, many/10*9, many/10)
			}
			if !slices.ContainsFunc(r.Tests, func(t Test) bool { return t.ID == c.last }) {
				t.Errorf("no test %q; the first is %q", c.last, r.Tests[0].ID)
			}
			// A reader that takes each test against all others needs minutes; one that copies the output for each of them, terabytes.
			if made := int64(after.TotalAlloc - before.TotalAlloc); took > 10*time.Second || made > 2<<30 {
				t.Errorf("%d MB were read in %s with %d MB of memory, want at most 10 s and 2 GB", size>>20, took, made>>20)
			}
			t.Logf("%3d MB in %s, %d MB allocated", size>>20, took.Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>20)
		})
	}
	for _, k := range Kinds() {
		if !read[k.Name] {
			t.Errorf("no suite of %s is generated", k.Name)
		}
	}
}

// cpuTime is what this process has used of the processor, which says more than the clock on a machine that others use too.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
