package repair

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"redgreen/backend/lang"
	"redgreen/backend/model"
)

// state is all that the engine knows: read from the conversation anew for each reply, so that a session that goes on in
// another process goes on with the search as well.
type state struct {
	first    string    // the first message: task, baseline, map
	failing  []failure // as the first message tells them
	traced   bool
	red      map[string]map[int][2]int // file → line → failing and passing tests that execute it
	reds     int
	files    map[string]*reading
	batches  []batch
	applied  string   // the text of the last candidate that was applied, "" none
	patched  string   // its diff
	refused  []string // texts of candidates that a proof refused, or the person
	asked    int      // replies so far
	rejected string   // the person's last words on a patch
}

// failure is one failing test of the baseline.
type failure struct {
	id, file string
	line     int
	message  string
}

// reading is how much of a file was read.
type reading struct {
	lines  map[int]string
	total  int
	failed bool
}

func (r *reading) whole() bool { return r.total > 0 && len(r.lines) >= r.total }

// next is the first line that was not read yet.
func (r *reading) next() int {
	n := 1
	for {
		if _, ok := r.lines[n]; !ok {
			return n
		}
		n++
	}
}

func (r *reading) text() string {
	var b strings.Builder
	for i := 1; i <= r.total; i++ {
		b.WriteString(r.lines[i] + "\n")
	}
	return b.String()
}

// batch is one call of try_patches and what came of it.
type batch struct {
	texts   []string
	untried map[int]bool
	pass    []int            // numbers, from 0
	part    map[int][]string // number → failing tests that pass
	breaks  map[int][]string // number → tests that break, of those that pass the failing ones
	failed  bool
	head    string
}

// read builds the state from a conversation.
func read(messages []model.Message) *state {
	st := &state{red: map[string]map[int][2]int{}, files: map[string]*reading{}}
	var calls []model.Call
	var pending string // candidate whose finish is awaited
	for _, m := range messages {
		switch m.Role {
		case model.User:
			if st.first == "" {
				st.first = m.Text
				st.failing = failures(m.Text)
				continue
			}
			if strings.Contains(m.Text, "The person rejected the patch") {
				st.rejected = m.Text
				if pending != "" {
					st.refused = append(st.refused, pending)
				}
			}
		case model.Assistant:
			st.asked++
			calls = m.Calls
		case model.Tool:
			for _, res := range m.Results {
				i := slices.IndexFunc(calls, func(c model.Call) bool { return c.ID == res.CallID })
				if i < 0 {
					continue
				}
				st.result(calls[i], res)
				if res.Name == "finish" {
					if res.Error && st.applied != "" {
						st.refused = append(st.refused, st.applied)
					}
					pending = st.applied
				}
			}
		}
	}
	return st
}

func (st *state) result(c model.Call, res model.Result) {
	switch c.Name {
	case "trace_coverage":
		st.traced = true
		if !res.Error {
			st.spectrum(res.Text)
		}
	case "read_file":
		var a struct{ Path string }
		_ = json.Unmarshal([]byte(c.Args), &a)
		r := st.files[a.Path]
		if r == nil {
			r = &reading{lines: map[int]string{}}
			st.files[a.Path] = r
		}
		r.take(res)
	case "try_patches":
		st.batches = append(st.batches, readBatch(c, res))
	case "apply_patch":
		var a struct{ Patch string }
		_ = json.Unmarshal([]byte(c.Args), &a)
		if !res.Error {
			st.patched = a.Patch
			st.applied = a.Patch
		}
	}
}

var atLine = regexp.MustCompile(`^\s*at (\S+):(\d+)$`)

// failures reads the failing tests out of the first message.
func failures(text string) []failure {
	var out []failure
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		for _, mark := range []string{"FAILED ", "ERROR "} {
			if id, ok := strings.CutPrefix(line, mark); ok {
				out = append(out, failure{id: id})
			}
		}
		if len(out) == 0 {
			continue
		}
		f := &out[len(out)-1]
		if m := atLine.FindStringSubmatch(line); m != nil && f.file == "" {
			f.file = m[1]
			f.line, _ = strconv.Atoi(m[2])
		} else if rest, ok := strings.CutPrefix(line, "  "); ok && len(f.message) < 4000 {
			f.message += rest + "\n"
		}
	}
	return out
}

var tracedTests = regexp.MustCompile(`of (\d+) failing and (\d+) passing tests`)

func (st *state) spectrum(text string) {
	if m := tracedTests.FindStringSubmatch(text); m != nil {
		st.reds, _ = strconv.Atoi(m[1])
	}
	for line := range strings.Lines(text) {
		parts := strings.Fields(line)
		if len(parts) < 2 {
			continue
		}
		if _, ok := lang.ByPath(parts[0]); !ok {
			continue
		}
		lines := map[int][2]int{}
		for _, p := range parts[1:] {
			at, counts, ok := strings.Cut(p, ":")
			f, g, ok2 := strings.Cut(counts, "/")
			if !ok || !ok2 {
				continue
			}
			n, _ := strconv.Atoi(at)
			a, _ := strconv.Atoi(f)
			b, _ := strconv.Atoi(g)
			lines[n] = [2]int{a, b}
		}
		if len(lines) > 0 {
			st.red[parts[0]] = lines
		}
	}
}

var readHead = regexp.MustCompile(`^Lines (\d+) to (\d+) of (\d+)\.`)
var readLine = regexp.MustCompile(`^ *(\d+)\| (.*)$`)

func (r *reading) take(res model.Result) {
	m := readHead.FindStringSubmatch(res.Text)
	if res.Error || m == nil {
		r.failed = true
		return
	}
	r.total, _ = strconv.Atoi(m[3])
	for line := range strings.Lines(res.Text) {
		if l := readLine.FindStringSubmatch(strings.TrimRight(line, "\n")); l != nil {
			n, _ := strconv.Atoi(l[1])
			r.lines[n] = l[2]
		}
	}
}

var notable = regexp.MustCompile(`^#(\d+) (passes all tests|passes the failing tests, breaks: (.*)|passes \d+ of \d+ failing tests: (.*)|refused: .*)$`)
var untriedList = regexp.MustCompile(`^not tried: (.*)$`)

func readBatch(c model.Call, res model.Result) batch {
	var a struct{ Candidates []string }
	_ = json.Unmarshal([]byte(c.Args), &a)
	b := batch{texts: a.Candidates, untried: map[int]bool{}, part: map[int][]string{}, breaks: map[int][]string{}, failed: res.Error}
	b.head, _, _ = strings.Cut(res.Text, "\n")
	for line := range strings.Lines(res.Text) {
		line = strings.TrimRight(line, "\n")
		if m := untriedList.FindStringSubmatch(line); m != nil {
			for _, r := range strings.Fields(m[1]) {
				from, to, ok := strings.Cut(r, "-")
				f, _ := strconv.Atoi(from)
				t := f
				if ok {
					t, _ = strconv.Atoi(to)
				}
				for i := f; i <= t && i <= len(a.Candidates); i++ {
					b.untried[i-1] = true
				}
			}
		}
		m := notable.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[1])
		switch n--; {
		case m[2] == "passes all tests":
			b.pass = append(b.pass, n)
		case m[3] != "":
			b.breaks[n] = strings.Split(m[3], " | ")
		case m[4] != "":
			b.part[n] = strings.Split(m[4], " | ")
		}
	}
	return b
}
