package proof

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/testrun"
)

// run makes a finished run of "id=status" words; statuses are passed, failed, skipped, error, and uncompiled, an error of a
// compiler.
func run(words ...string) testrun.Run {
	r := testrun.Run{PerTest: true, Finished: true, Tests: []testrun.Test{}}
	for _, w := range words {
		id, status, _ := strings.Cut(w, "=")
		s, message := testrun.Status(status), "message of "+id
		if status == "uncompiled" {
			s, message = testrun.Errored, "build failed\n# "+id+"\n"+id+"/x.go:3:1: syntax error\n"
		}
		if status == "vetted" {
			s, message = testrun.Errored, "go vet failed\n# "+id+"\n# ["+id+"]\n"+id+"/x.go:3:1: unreachable code\n"
		}
		if s == testrun.Failed || s == testrun.Errored {
			r.ExitCode = 1
		}
		r.Tests = append(r.Tests, testrun.Test{ID: id, Status: s, Message: message})
	}
	return r
}

// noVerdict is a run without a verdict, with what it had until then.
func noVerdict(reason string, words ...string) testrun.Run {
	r := run(words...)
	r.Infrastructure, r.Reason, r.Finished, r.ExitCode = true, reason, false, -1
	return r
}

// unbuilt is a run in which nothing compiled.
func unbuilt(words ...string) testrun.Run {
	r := run(words...)
	r.Infrastructure, r.Unbuilt, r.Reason = true, true, "no test could run: x"
	return r
}

// empty is a run of a tree without a test.
func empty() testrun.Run {
	r := run()
	r.Infrastructure, r.NoTests, r.Reason = true, true, "no test"
	return r
}

func twice(r testrun.Run) []testrun.Run { return []testrun.Run{r, r} }

func TestJudge(t *testing.T) {
	flag := Flag{File: "test_a.py", Line: 3, Rule: ruleSkipped, Text: "skip"}
	tests := []struct {
		name string
		e    evidence
		want Certificate // State and the lists; nil lists are empty ones
		says []string    // parts of Reasons
	}{
		{
			name: "right fix",
			e: evidence{base: run("a=failed", "b=passed"), patched: run("a=passed", "b=passed"),
				again: twice(run("a=passed")), without: twice(run("a=failed"))},
			want: Certificate{State: Proven, RedToGreen: []string{"a"}, StillGreen: 1},
		},
		{
			name: "an error counts as red",
			e: evidence{base: run("a=error", "b=passed"), patched: run("a=passed", "b=passed"),
				again: twice(run("a=passed")), without: twice(run("a=error"))},
			want: Certificate{State: Proven, RedToGreen: []string{"a"}, StillGreen: 1},
		},
		{
			name: "a case added to a test that was there",
			e: evidence{base: run("a=passed", "b=passed"), patched: run("a=passed", "b=passed"), touchesTests: true, grown: []string{"a"},
				again: twice(run("a=passed")), without: twice(run("a=failed"))},
			want: Certificate{State: Proven, RedToGreen: []string{"a"}, StillGreen: 1},
		},
		{
			name: "empty patch",
			e:    evidence{empty: true, base: run("a=failed")},
			want: Certificate{State: NotProven}, says: []string{"changes nothing"},
		},
		{
			name: "no-op",
			e:    evidence{base: run("a=failed", "b=passed"), patched: run("a=failed", "b=passed")},
			want: Certificate{State: NotProven, PreExisting: []string{"a"}, StillGreen: 1}, says: []string{"1 test failed before and still does: a"},
		},
		{
			name: "all green before",
			e:    evidence{base: run("b=passed"), patched: run("b=passed")},
			want: Certificate{State: NotProven, StillGreen: 1}, says: []string{"none fails on the base"},
		},
		{
			name: "breaks another",
			e: evidence{base: run("a=failed", "b=passed"), patched: run("a=passed", "b=failed"),
				again: twice(run("a=passed", "b=failed")), without: twice(run("a=failed")), baseAgain: twice(run("b=passed"))},
			want: Certificate{State: NotProven, RedToGreen: []string{"a"}, Broken: []string{"b"}}, says: []string{"1 test is broken by the patch: b"},
		},
		{
			name: "leaves one red",
			e: evidence{base: run("a=failed", "b=failed"), patched: run("a=passed", "b=failed"),
				again: twice(run("a=passed")), without: twice(run("a=failed"))},
			want: Certificate{State: Proven, RedToGreen: []string{"a"}, PreExisting: []string{"b"}},
		},
		{
			name: "flaky on the base",
			e: evidence{base: run("a=failed", "b=passed"), patched: run("a=passed", "b=passed"),
				again: twice(run("a=passed")), without: []testrun.Run{run("a=failed"), run("a=passed")}},
			want: Certificate{State: NotProven, Flaky: []string{"a"}, StillGreen: 1}, says: []string{"1 test gives different results", "No test went reliably"},
		},
		{
			name: "failed on the base by chance",
			e: evidence{base: run("a=failed"), patched: run("a=passed"),
				again: twice(run("a=passed")), without: twice(run("a=passed"))},
			want: Certificate{State: NotProven, Flaky: []string{"a"}}, says: []string{"different results"},
		},
		{
			name: "flaky with the patch",
			e: evidence{base: run("a=failed"), patched: run("a=passed"),
				again: []testrun.Run{run("a=passed"), run("a=failed")}, without: twice(run("a=failed"))},
			want: Certificate{State: NotProven, Flaky: []string{"a"}}, says: []string{"different results"},
		},
		{
			name: "one sure, one flaky",
			e: evidence{base: run("a=failed", "b=failed"), patched: run("a=passed", "b=passed"),
				again: []testrun.Run{run("a=passed", "b=passed"), run("a=passed", "b=failed")}, without: twice(run("a=failed", "b=failed"))},
			want: Certificate{State: NotProven, RedToGreen: []string{"a"}, Flaky: []string{"b"}}, says: []string{"different results"},
		},
		{
			name: "a new failure that was flaky all along is not broken",
			e: evidence{base: run("a=failed", "b=passed"), patched: run("a=passed", "b=failed"),
				again: twice(run("a=passed", "b=failed")), without: twice(run("a=failed")), baseAgain: []testrun.Run{run("b=passed"), run("b=failed")}},
			want: Certificate{State: Proven, RedToGreen: []string{"a"}, Flaky: []string{"b"}},
		},
		{
			name: "a new failure that does not come again is flaky",
			e: evidence{base: run("a=failed", "b=passed"), patched: run("a=passed", "b=failed"),
				again: []testrun.Run{run("a=passed", "b=passed"), run("a=passed", "b=failed")}, without: twice(run("a=failed")), baseAgain: twice(run("b=passed"))},
			want: Certificate{State: Proven, RedToGreen: []string{"a"}, Flaky: []string{"b"}},
		},
		{
			name: "integrity",
			e: evidence{base: run("a=failed"), patched: run("a=passed"), flags: []Flag{flag}, touchesTests: true,
				again: twice(run("a=passed")), without: twice(run("a=failed"))},
			want: Certificate{State: NotProven, RedToGreen: []string{"a"}, Integrity: []Flag{flag}}, says: []string{"test skipped (test_a.py:3)"},
		},
		{
			name: "only tests changed",
			e: evidence{base: run("a=failed"), patched: run("a=passed"), touchesTests: true, onlyTests: true,
				again: twice(run("a=passed"))},
			want: Certificate{State: NotProven}, says: []string{"1 test turns green only because the patch changes the tests"},
		},
		{
			name: "green by the test's change, beside a change elsewhere",
			e: evidence{base: run("a=failed"), patched: run("a=passed"), touchesTests: true,
				again: twice(run("a=passed")), without: twice(run("a=passed"))},
			want: Certificate{State: NotProven}, says: []string{"only because the patch changes the tests", "by the fix"},
		},
		{
			name: "new test that fails without the fix",
			e: evidence{base: run("b=passed"), patched: run("new=passed", "b=passed"), touchesTests: true,
				again: twice(run("new=passed")), without: twice(run("new=failed"))},
			want: Certificate{State: Proven, RedToGreen: []string{"new"}, StillGreen: 1},
		},
		{
			name: "new test that does not compile without the fix",
			e: evidence{base: run("p.TestB=passed"), patched: run("p.TestNew=passed", "p.TestB=passed"), touchesTests: true,
				again: twice(run("p.TestNew=passed")), without: twice(unbuilt("p=error"))},
			want: Certificate{State: Proven, RedToGreen: []string{"p.TestNew"}, StillGreen: 1},
		},
		{
			name: "new test that passes anyway",
			e: evidence{base: run("b=passed"), patched: run("new=passed", "b=passed"), touchesTests: true,
				again: twice(run("new=passed")), without: twice(run("new=passed"))},
			want: Certificate{State: NotProven, StillGreen: 1}, says: []string{"by the fix"},
		},
		{
			name: "new test that fails with the patch",
			e: evidence{base: run("a=failed"), patched: run("a=passed", "new=failed"), touchesTests: true,
				again: twice(run("a=passed", "new=failed")), without: twice(run("a=failed"))},
			want: Certificate{State: NotProven, RedToGreen: []string{"a"}, Broken: []string{"new"}}, says: []string{"broken"},
		},
		{
			name: "skipped instead of fixed",
			e:    evidence{base: run("a=failed", "b=passed"), patched: run("a=skipped", "b=passed")},
			want: Certificate{State: NotProven, PreExisting: []string{"a"}, StillGreen: 1, Skipped: 1}, says: []string{"skipped or gone with the patch: a", "No test went from red to green."},
		},
		{
			name: "deleted instead of fixed",
			e:    evidence{base: run("a=failed", "b=passed"), patched: run("b=passed")},
			want: Certificate{State: NotProven, PreExisting: []string{"a"}, StillGreen: 1}, says: []string{"skipped or gone with the patch: a", "No test went from red to green."},
		},
		{
			name: "a passing test is now skipped",
			e: evidence{base: run("a=failed", "b=passed"), patched: run("a=passed", "b=skipped"),
				again: twice(run("a=passed")), without: twice(run("a=failed"))},
			want: Certificate{State: NotProven, RedToGreen: []string{"a"}, Broken: []string{"b"}, Skipped: 1}, says: []string{"now skipped"},
		},
		{
			name: "a passing test is gone",
			e: evidence{base: run("a=failed", "b=passed"), patched: run("a=passed"),
				again: twice(run("a=passed")), without: twice(run("a=failed"))},
			want: Certificate{State: NotProven, RedToGreen: []string{"a"}, Broken: []string{"b"}}, says: []string{"no longer there"},
		},
		{
			name: "part of the tree no longer builds",
			e: evidence{base: run("p.TestA=failed", "q.TestB=passed"), patched: run("p.TestA=passed", "q=error"),
				again: twice(run("p.TestA=passed", "q=error")), without: twice(run("p.TestA=failed"))},
			want: Certificate{State: NotProven, RedToGreen: []string{"p.TestA"}, Broken: []string{"q", "q.TestB"}},
			says: []string{"1 test did not run: q: message of q"},
		},
		{
			name: "nothing builds any more",
			e:    evidence{base: run("p.TestA=failed", "p.TestB=passed"), patched: unbuilt("p=error"), again: twice(unbuilt("p=error"))},
			want: Certificate{State: NotProven, Broken: []string{"p", "p.TestB"}, PreExisting: []string{"p.TestA"}}, says: []string{"no test could run", "did not run: p"},
		},
		{
			name: "a package does not compile any more",
			e: evidence{base: run("p.TestA=failed", "q.TestB=passed"), patched: run("p.TestA=passed", "q=uncompiled"),
				again: twice(run("p.TestA=passed")), without: twice(run("p.TestA=failed"))},
			want: Certificate{State: NotProven, RedToGreen: []string{"p.TestA"}, Broken: []string{"q.TestB"}},
			says: []string{"With the patch, q does not compile: q/x.go:3:1: syntax error.", "1 test did not run, since the code does not compile"},
		},
		{
			name: "go vet refuses a package now",
			e: evidence{base: run("p.TestA=failed", "q.TestB=passed"), patched: run("p.TestA=passed", "q=vetted"),
				again: twice(run("p.TestA=passed")), without: twice(run("p.TestA=failed"))},
			want: Certificate{State: NotProven, RedToGreen: []string{"p.TestA"}, Broken: []string{"q.TestB"}},
			says: []string{"With the patch, go vet, which go test runs first, refuses q: q/x.go:3:1: unreachable code.", "1 test did not run, since go vet, which go test runs first, refuses the code"},
		},
		{
			name: "a package without a test does not compile any more",
			e: evidence{base: run("p.TestA=failed"), patched: run("p.TestA=passed", ".=uncompiled"),
				again: twice(run("p.TestA=passed")), without: twice(run("p.TestA=failed"))},
			want: Certificate{State: NotProven, RedToGreen: []string{"p.TestA"}}, says: []string{"With the patch, . does not compile: ./x.go:3:1: syntax error."},
		},
		{
			name: "nothing compiles any more",
			e:    evidence{base: run("p.TestA=failed", "p.TestB=passed"), patched: unbuilt(".=uncompiled", "p=uncompiled")},
			want: Certificate{State: NotProven, Broken: []string{"p.TestB"}, PreExisting: []string{"p.TestA"}}, says: []string{"no test could run"},
		},
		{
			name: "the bug is that it does not build",
			e: evidence{base: unbuilt("p=error"), patched: run("p.TestA=passed"),
				again: twice(run("p.TestA=passed")), without: twice(unbuilt("p=error"))},
			want: Certificate{State: Proven, RedToGreen: []string{"p.TestA"}},
		},
		{
			name: "the first test, with its fix",
			e: evidence{base: empty(), patched: run("new=passed"), touchesTests: true,
				again: twice(run("new=passed")), without: twice(run("new=failed"))},
			want: Certificate{State: Proven, RedToGreen: []string{"new"}},
		},
		{
			name: "the first test passes without the fix as well",
			e: evidence{base: empty(), patched: run("new=passed"), touchesTests: true,
				again: twice(run("new=passed")), without: twice(run("new=passed"))},
			want: Certificate{State: NotProven}, says: []string{"by the fix"},
		},
		{
			name: "no test, before and after",
			e:    evidence{base: empty(), patched: empty()},
			want: Certificate{State: Unverifiable, Infrastructure: []string{"On the base: no test", "With the patch: no test"}}, says: []string{"There is no test"},
		},
		{
			name: "the patch takes every test away",
			e:    evidence{base: run("a=failed", "b=passed"), patched: empty()},
			want: Certificate{State: NotProven, Broken: []string{"b"}, PreExisting: []string{"a"}}, says: []string{"With the patch, no test", "no longer there"},
		},
		{
			name: "a test that appears with the code is no red to green",
			e: evidence{base: run("b=passed"), patched: run("b=passed", "t[new]=passed"),
				again: twice(run("t[new]=passed")), without: twice(run("b=passed"))},
			want: Certificate{State: NotProven, StillGreen: 1}, says: []string{"1 test is not there without the fix"},
		},
		{
			name: "a new test that is skipped without the fix",
			e: evidence{base: run("b=passed"), patched: run("b=passed", "new=passed"), touchesTests: true,
				again: twice(run("new=passed")), without: twice(run("b=passed", "new=skipped"))},
			want: Certificate{State: NotProven, StillGreen: 1}, says: []string{"not shown to fail"},
		},
		{
			name: "no verdict on the base",
			e:    evidence{base: noVerdict("timeout", "a=passed"), flags: []Flag{flag}},
			want: Certificate{State: Unverifiable, Infrastructure: []string{"On the base: timeout"}, Integrity: []Flag{flag}}, says: []string{"nothing to compare with"},
		},
		{
			name: "no verdict with the patch",
			e:    evidence{base: run("a=failed", "b=passed"), patched: noVerdict("timeout", "b=passed")},
			want: Certificate{State: Unverifiable, Infrastructure: []string{"With the patch: timeout"}, PreExisting: []string{"a"}, StillGreen: 1},
			says: []string{"no verdict with the patch: timeout"},
		},
		{
			name: "no verdict with the patch, and a weakened test",
			e:    evidence{base: run("a=failed"), patched: noVerdict("no test was collected"), flags: []Flag{flag}},
			want: Certificate{State: NotProven, Infrastructure: []string{"With the patch: no test was collected"}, PreExisting: []string{"a"}, Integrity: []Flag{flag}},
			says: []string{"no test was collected", "test skipped"},
		},
		{
			name: "reruns without a verdict",
			e: evidence{base: run("a=failed"), patched: run("a=passed"),
				again: []testrun.Run{run("a=passed"), noVerdict("memory")}, without: twice(run("a=failed"))},
			want: Certificate{State: Unverifiable, Infrastructure: []string{"Again with the patch: memory"}}, says: []string{"could not be run again"},
		},
		{
			name: "a new failure without a rerun's word is broken",
			e: evidence{base: run("a=failed", "b=passed"), patched: run("a=passed", "b=failed"),
				again: twice(noVerdict("timeout")), without: twice(run("a=failed")), baseAgain: twice(run("b=passed"))},
			want: Certificate{State: NotProven, Broken: []string{"b"}, Infrastructure: []string{"Again with the patch: timeout"}}, says: []string{"broken"},
		},
		{
			name: "a run that did not come to its end",
			e: evidence{base: run("a=failed"), patched: func() testrun.Run { r := run("a=passed"); r.Finished = false; return r }(),
				again: twice(run("a=passed")), without: twice(run("a=failed"))},
			want: Certificate{State: NotProven, RedToGreen: []string{"a"}}, says: []string{"did not come to its end"},
		},
		{
			name: "no longer skipped is no red to green",
			e:    evidence{base: run("a=skipped", "b=passed"), patched: run("a=passed", "b=passed")},
			want: Certificate{State: NotProven, StillGreen: 1}, says: []string{"none fails on the base"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.e.reruns, tt.e.greens = 2, 2
			got := judge(tt.e)
			checkForm(t, got)
			for _, part := range tt.says {
				if !strings.Contains(strings.Join(got.Reasons, "\n"), part) {
					t.Errorf("reasons %q do not say %q", got.Reasons, part)
				}
			}
			if (len(got.Reasons) == 0) != (got.State == Proven) {
				t.Errorf("%s has reasons %q", got.State, got.Reasons)
			}
			if diff := cmp.Diff(results(tt.want), results(got)); diff != "" {
				t.Errorf("certificate (-want +got):\n%s", diff)
			}
			if again := judge(tt.e); !cmp.Equal(got, again) {
				t.Errorf("judged again it differs:\n%s", cmp.Diff(got, again))
			}
		})
	}
}

// results is the part of a certificate that a verdict consists of, with nil lists as empty ones.
func results(c Certificate) Certificate {
	list := func(all []string) []string { return append([]string{}, all...) }
	return Certificate{State: c.State, RedToGreen: list(c.RedToGreen), Broken: list(c.Broken), PreExisting: list(c.PreExisting), Flaky: list(c.Flaky),
		Infrastructure: list(c.Infrastructure), Integrity: append([]Flag{}, c.Integrity...), StillGreen: c.StillGreen, Skipped: c.Skipped}
}

// checkForm holds a certificate to its contract: no list is null, and those of ids are sorted.
func checkForm(t *testing.T, c Certificate) {
	t.Helper()
	c.Issued = time.Time{}
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), `":null`) {
		t.Errorf("the certificate has a null: %s", data)
	}
	for _, s := range append(append([]string{}, c.Reasons...), c.NotCovered...) {
		if !strings.HasSuffix(s, ".") || strings.TrimSpace(s) != s || strings.Contains(s, "..") {
			t.Errorf("%q is no plain sentence", s)
		}
	}
}

// TestJudgeSaysWhatIsNotCovered names the limits of a proof.
func TestJudgeSaysWhatIsNotCovered(t *testing.T) {
	e := evidence{reruns: 2, base: run("a=failed", "b=failed", "s=skipped"), patched: run("a=passed", "b=failed", "s=skipped"),
		again: twice(run("a=passed")), without: twice(run("a=failed"))}
	text := strings.Join(judge(e).NotCovered, "\n")
	for _, want := range []string{"1 test was skipped", "1 test failed before the patch and still does: b"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
	e = evidence{reruns: 2, base: run(), patched: run("(exit status)=passed"), again: twice(run("(exit status)=passed")), without: twice(run("(exit status)=failed"))}
	e.patched.PerTest = false
	text = strings.Join(judge(e).NotCovered, "\n")
	for _, want := range []string{"Only the exit status", "that the patch itself adds"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
}
