package testrun

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Progress is how far a run of tests is. Nothing in it is guessed: what is not known is zero.
type Progress struct {
	Done    int // tests that have a result, as far as the runner reports while it runs
	Total   int // tests in all; where the runner does not tell, those of the same run the last time
	About   bool
	Part    int // of several commands, which one is running, from 1; 0 there is one
	Parts   int
	Elapsed time.Duration // since the run began
	Last    time.Duration // what the same run took the last time
	Rate    float64       // tests a second
	Left    time.Duration // until the end
	Over    bool          // the run has ended
}

// tellEvery is how often a run tells how far it is.
const tellEvery = 500 * time.Millisecond

// mostTests is more than any project has; a report that says more, which code under test can write, is not believed.
const mostTests = 10_000_000

// rateAfter is how long the tests must have run before their rate says something.
const rateAfter = 2 * time.Second

// Meter tells how far runs of tests are, and keeps what they took so that the next run of the same tests knows how many
// there are and how long they take. Runners may share one; a nil Meter tells nobody. Safe for concurrent use.
type Meter struct {
	tell func(Progress)
	mu   sync.Mutex
	last map[string]pace
}

// NewMeter makes a Meter. tell is called twice a second while tests run, and once more with Over before Run returns; it must
// not block.
func NewMeter(tell func(Progress)) *Meter { return &Meter{tell: tell, last: map[string]pace{}} }

// pace is how a run went: after how long how many tests had a result.
type pace struct {
	points []point
	tests  int
	took   time.Duration
}

type point struct {
	done int
	at   time.Duration
}

// reach is when so many tests had a result, between the points in proportion.
func (p pace) reach(done int) time.Duration {
	before := point{}
	for _, next := range append(slices.Clone(p.points), point{p.tests, p.took}) {
		if next.done >= done {
			share := float64(done-before.done) / float64(max(1, next.done-before.done))
			return before.at + time.Duration(share*float64(next.at-before.at))
		}
		before = next
	}
	return p.took
}

// gauge follows one run.
type gauge struct {
	count  func(line []byte) (tests, total int)
	before pace // of the same run the last time; zero there was none
	part   [2]int

	rest  []byte // the beginning of a line
	now   pace
	total int
	began time.Duration // when the first line was there
	lines bool
}

// read takes what was added to the report.
func (g *gauge) read(text []byte, at time.Duration) {
	if len(text) > 0 && !g.lines {
		g.lines, g.began = true, at
	}
	g.rest = append(g.rest, text...)
	for {
		line, rest, whole := bytes.Cut(g.rest, []byte("\n"))
		if !whole {
			break
		}
		tests, total := g.count(line)
		g.now.tests += tests
		g.total = max(g.total, total)
		g.rest = rest
	}
	g.now.points = append(g.now.points, point{g.now.tests, at})
}

// progress is how far the run is after so long.
func (g *gauge) progress(at time.Duration) Progress {
	p := Progress{Done: g.now.tests, Total: g.total, Part: g.part[0], Parts: g.part[1], Elapsed: at, Last: g.before.took}
	if p.Total == 0 && g.before.tests > 0 {
		p.Total, p.About = g.before.tests, true
	}
	if p.Done > p.Total { // then it is not the number of what is counted
		p.Total, p.About = 0, false
	}
	if running := at - g.began; g.lines && p.Done > 0 && running >= rateAfter {
		p.Rate = float64(p.Done) / running.Seconds()
	}
	switch reached := g.before.reach(p.Done); {
	case p.Rate == 0 || p.Total == 0:
	case reached > 0 && g.before.tests == p.Total: // the same tests in the same order: what was slow then is slow now
		p.Left = left(float64(g.before.took-reached) * float64(at) / float64(reached))
	default:
		p.Left = left(float64(p.Total-p.Done) / p.Rate * float64(time.Second))
	}
	return p
}

// left is a time as it was reckoned; 0, not known, where it is no time that a person would wait.
func left(reckoned float64) time.Duration {
	if reckoned < 0 || reckoned > float64(1000*time.Hour) {
		return 0
	}
	return time.Duration(reckoned)
}

// follow tells how far a job is until the returned function is called, with whether it came to its end.
func (m *Meter) follow(j *job, part [2]int) (end func(whole bool)) {
	if m == nil {
		return func(bool) {}
	}
	key := strings.Join(slices.Concat([]string{j.command.Runner, j.command.Dir}, j.command.Args, []string{"\x00"}, j.selected), "\x00")
	m.mu.Lock()
	g := &gauge{count: countLines(j.command.Runner), before: m.last[key], part: part}
	m.mu.Unlock()
	begun, stop, done := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(tellEvery)
		defer tick.Stop()
		report := grown{job: j}
		defer report.close()
		for {
			select {
			case <-stop:
				g.read(report.more(), time.Since(begun))
				return
			case <-tick.C:
				g.read(report.more(), time.Since(begun))
				m.tell(g.progress(time.Since(begun)))
			}
		}
	}()
	return func(whole bool) {
		close(stop)
		<-done
		took := time.Since(begun)
		last := g.progress(took)
		last.Over, last.Rate, last.Left = true, 0, 0
		m.tell(last)
		if whole {
			g.now.took = took
			m.mu.Lock()
			m.last[key] = g.now
			m.mu.Unlock()
		}
	}
}

// grown reads a report while it is written.
type grown struct {
	job  *job
	file *os.File
	read int64
}

// more is what was added since the last time, nil nothing.
func (r *grown) more() []byte {
	if r.file == nil && !r.open() {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(r.file, maxReport-r.read))
	if err != nil {
		return nil
	}
	r.read += int64(len(text))
	return text
}

// open opens the report once it is there; like readReport it takes nothing but a regular file.
func (r *grown) open() bool {
	root, err := os.OpenRoot(r.job.out)
	if err != nil {
		return false
	}
	defer root.Close()
	if info, err := root.Lstat(r.job.name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := root.OpenFile(r.job.name, readOnly, 0)
	if err != nil {
		return false
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = file.Close()
		return false
	}
	r.file = file
	return true
}

func (r *grown) close() {
	if r.file != nil {
		_ = r.file.Close()
	}
}

// countLines tells of a line of a runner's report how many results it is, and how many tests it says there are; both 0 for
// runners that write their report at the end. What is looked for has quotes that within a JSON string would be escaped.
func countLines(runner string) func(line []byte) (tests, total int) {
	switch runner {
	case "go":
		return countGo
	case "pytest", "unittest", "node", "jest", "mocha", "rspec", "minitest":
		return countSealed
	}
	return func([]byte) (int, int) { return 0, 0 }
}

func countGo(line []byte) (int, int) {
	if !bytes.Contains(line, []byte(`"Test":"`)) {
		return 0, 0
	}
	for _, end := range []string{`"Action":"pass"`, `"Action":"fail"`, `"Action":"skip"`} {
		if bytes.Contains(line, []byte(end)) {
			return 1, 0
		}
	}
	return 0, 0
}

// countSealed counts the lines of our reporters; node's suites are results as well, but no tests.
func countSealed(line []byte) (int, int) {
	_, text, _ := bytes.Cut(line, []byte(" "))
	switch {
	case bytes.Contains(text, []byte(`"collected"`)):
		var e struct {
			Event     string `json:"event"`
			Collected int    `json:"collected"`
		}
		if json.Unmarshal(text, &e) == nil && e.Event == "collected" && e.Collected <= mostTests {
			return 0, e.Collected
		}
	case bytes.Contains(text, []byte(`"type":"suite"`)):
	case bytes.Contains(text, []byte(`"event":"test"`)), bytes.Contains(text, []byte(`"event": "test"`)):
		return 1, 0
	}
	return 0, 0
}
