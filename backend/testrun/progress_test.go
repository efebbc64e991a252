package testrun

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgress: a run tells what its report says so far, and the next one of the same tests how long it will take, by what
// the tests took the last time.
func TestProgress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var told []Progress
		m := NewMeter(func(p Progress) { told = append(told, p) })
		at := func(after time.Duration) Progress {
			for _, p := range told {
				if p.Elapsed >= after {
					return p
				}
			}
			t.Fatalf("nothing was told after %s", after)
			return Progress{}
		}
		run := func(name string, slow int) { // 100 tests: half of them take 0.1 s, the others 1 s; slow is how many times that
			told = nil
			j := &job{command: Command{Runner: "go", Args: []string{"go", "test"}}, out: dir, name: name}
			end := m.follow(j, [2]int{})
			file, err := os.Create(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			for n := range 100 {
				time.Sleep(time.Duration(slow) * []time.Duration{100 * time.Millisecond, time.Second}[n/50])
				fmt.Fprintf(file, `{"Action":"output","Package":"a","Test":"Test%d","Output":"\"Action\":\"pass\",\"Test\":\"x\"\n"}`+"\n", n)
				fmt.Fprintf(file, `{"Action":"pass","Package":"a","Test":"Test%d","Elapsed":0.1}`+"\n", n)
			}
			fmt.Fprintln(file, `{"Action":"pass","Package":"a","Elapsed":5}`)
			end(true)
		}
		run("first", 1)
		if p := at(4 * time.Second); p.Done < 38 || p.Done > 40 || p.Total != 0 || p.Left != 0 || p.Rate < 9 || p.Rate > 12 {
			t.Errorf("the first run told after 4 s: %+v", p)
		}
		if p := told[len(told)-1]; !p.Over || p.Done != 100 || p.Elapsed != 55*time.Second {
			t.Errorf("the first run ended with %+v", p)
		}
		run("second", 2) // on a busier machine
		p := at(8 * time.Second)
		if p.Total != 100 || !p.About || p.Last != 55*time.Second || p.Left < 95*time.Second || p.Left > 110*time.Second {
			t.Errorf("the second run told after 8 s of 110 s: %+v", p)
		}
		if p := told[0]; p.Rate != 0 || p.Left != 0 {
			t.Errorf("after half a second nothing is known yet: %+v", p)
		}
	})
}

// TestProgressTotal: a number of tests that the runner tells is taken, and one that turns out too small is not held on to.
func TestProgressTotal(t *testing.T) {
	t.Parallel()
	line := func(text string) []byte { return []byte("5ea1 " + text + "\n") }
	lines := func(n int) (all []byte) {
		for range n {
			all = append(all, line(`{"event": "test", "id": "a", "text": "\"event\": \"test\""}`)...)
		}
		return all
	}
	g := &gauge{count: countLines("pytest"), before: pace{tests: 7, took: time.Second}}
	g.read(line(`{"event": "collected", "collected": 40}`), time.Second)
	g.read(lines(10)[:300], 3*time.Second)
	g.read(lines(10)[300:], 4*time.Second)
	if p := g.progress(6 * time.Second); p.Done != 10 || p.Total != 40 || p.About || p.Rate != 2 || p.Left != 15*time.Second {
		t.Errorf("10 of 40 tests in 5 s are %+v", p)
	}
	g.read(lines(31), 20*time.Second)
	if p := g.progress(20 * time.Second); p.Done != 41 || p.Total != 0 || p.Left != 0 {
		t.Errorf("41 tests of 40 are %+v", p)
	}
	suite := &gauge{count: countLines("node")}
	suite.read(line(`{"event":"test","nesting":0,"name":"a","status":"passed","ms":1,"type":"suite"}`), 0)
	suite.read(line(`{"event":"test","nesting":1,"name":"event","status":"passed","ms":1,"type":"test"}`), 0)
	if p := suite.progress(time.Second); p.Done != 1 {
		t.Errorf("a suite and a test are %+v", p)
	}
	late := &gauge{count: countLines("maven"), before: pace{took: time.Minute}}
	if p := late.progress(time.Second); p != (Progress{Elapsed: time.Second, Last: time.Minute}) {
		t.Errorf("a runner that reports at its end tells %+v", p)
	}
}

// TestProgressForged: numbers that no run has, which code under test can write into a report, give no time and no total.
func TestProgressForged(t *testing.T) {
	t.Parallel()
	for _, collected := range []string{"9223372036854775807", "92233720368547758080", "-5", "1e300", "NaN", `"40"`, "null"} {
		g := &gauge{count: countLines("pytest")}
		g.read([]byte(`5ea1 {"event": "collected", "collected": `+collected+"}\n"+`5ea1 {"event": "test", "id": "a"}`+"\n"), time.Second)
		if p := g.progress(6 * time.Second); p.Done != 1 || p.Total != 0 || p.Left != 0 {
			t.Errorf("1 of %s tests is %+v", collected, p)
		}
	}
	g := &gauge{count: countLines("pytest"), before: pace{points: []point{{9_000_000, 500 * time.Millisecond}}, tests: 9_000_000, took: 100 * time.Hour}}
	g.read([]byte(`5ea1 {"event": "test", "id": "a"}`+"\n"), time.Second)
	if p := g.progress(time.Hour); p.Left != 0 {
		t.Errorf("beside a run of 100 hours: %+v", p)
	}
}
