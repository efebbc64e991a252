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
	first   string    // the first message: task, baseline, map
	failing []failure // as the first message tells them
	levels  []*level  // the search over the untouched copy, then over what helped in part, one on the other
	patched string    // the diff that was proposed and is in the workspace, "" none
	refused []string  // diffs that a proof refused, or the person
	unlike  int       // proofs in which the failing tests did not pass, or not each time, with an edit that had passed them
	tried   int       // candidates so far
}

// level is the search over one state of the workspace.
type level struct {
	step    string // the diff that led to it, "" the untouched copy
	traced  bool
	red     map[string]map[int][2]int // file → line → failing and passing tests that execute it
	reds    int
	files   map[string]*reading
	batches []batch
	dropped []string // steps that led nowhere
	early   []string // steps that were taken back before anything was tried on top of them
	kept    []string // failing tests of the untouched copy that pass on it
}

func (st *state) top() *level { return st.levels[len(st.levels)-1] }

func newLevel(step string) *level {
	return &level{step: step, red: map[string]map[int][2]int{}, files: map[string]*reading{}}
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

// gain is what a candidate that helps in part turns green.
type gain struct {
	n     int
	tests []string // the first of them
	sound bool     // nothing that it breaks is known
}

// batch is one call of try_patches and what came of it.
type batch struct {
	texts   []string
	untried map[int]bool
	late    map[int]bool     // had little time and need more, or never end
	patient bool             // each had all of its time
	pass    []int            // numbers, from 0
	beside  map[int]float64  // number → how much it changes or breaks beside what tests look at, 0 to 2
	part    map[int]gain     // number → failing tests that pass
	breaks  map[int][]string // number → tests that break, of those that pass the failing ones
	endless map[int]int      // number of one that passes → of those inputs, on how many it does not end
	alike   map[int]int      // number of one that passes → of the first that does the same with inputs that no test has
	differ  map[[2]int]differ
	failed  bool
	why     string // of one that failed
	head    string
}

// differ is an input with which two candidates do something else.
type differ struct{ input, one, other string }

// read builds the state from a conversation.
func read(messages []model.Message) *state {
	st := &state{levels: []*level{newLevel("")}}
	var calls []model.Call
	for _, m := range messages {
		switch m.Role {
		case model.User:
			if st.first == "" {
				st.first = m.Text
				st.failing = failures(m.Text)
			} else if strings.Contains(m.Text, "The person rejected the patch") && st.patched != "" {
				st.refused = append(st.refused, st.patched)
			}
		case model.Assistant:
			calls = m.Calls
		case model.Tool:
			for _, res := range m.Results {
				if i := slices.IndexFunc(calls, func(c model.Call) bool { return c.ID == res.CallID }); i >= 0 {
					st.result(calls[i], res, slices.ContainsFunc(calls, func(c model.Call) bool { return c.Name == "finish" }))
				}
			}
		}
	}
	return st
}

// result takes in what a call gave; final says that its reply proposed a patch.
func (st *state) result(c model.Call, res model.Result, final bool) {
	l := st.top()
	switch c.Name {
	case "trace_coverage":
		if l.traced {
			return // of a step that was not made
		}
		var a struct{ Kept []string }
		_ = json.Unmarshal([]byte(c.Args), &a)
		l.traced, l.kept = true, a.Kept
		if !res.Error {
			l.spectrum(res.Text)
		}
	case "read_file":
		var a struct{ Path string }
		_ = json.Unmarshal([]byte(c.Args), &a)
		if l.files[a.Path] == nil {
			l.files[a.Path] = &reading{lines: map[int]string{}}
		}
		l.files[a.Path].take(res)
	case "try_patches":
		b := readBatch(c, res)
		l.batches = append(l.batches, b)
		if !b.failed {
			st.tried += b.count()
		}
	case "apply_patch":
		var a struct{ Patch string }
		_ = json.Unmarshal([]byte(c.Args), &a)
		if !res.Error {
			st.applied(a.Patch, final)
		} else if final {
			st.refused = append(st.refused, a.Patch)
		} else {
			l.dropped = append(l.dropped, a.Patch)
		}
	case "finish":
		if res.Error && st.patched != "" {
			st.refused = append(st.refused, st.patched)
			if unsteady.MatchString(res.Text) {
				st.unlike++
			}
		}
	}
}

// unsteady are the reasons of a proof that say that tests do not do the same each time.
var unsteady = regexp.MustCompile(`(?m)^(No test went from red to green:|\d+ tests? gives? different results when run again)`)

// maxUnlike is how many proofs may tell that: one more edit that happens to pass would show nothing.
const maxUnlike = 2

// applied follows a change of the workspace: a proposal, a step, or one of them taken back.
func (st *state) applied(diff string, final bool) {
	l := st.top()
	switch {
	case st.patched != "" && diff == invert(st.patched):
		st.patched = ""
	case l.step != "" && diff == invert(l.step):
		st.levels = st.levels[:len(st.levels)-1]
		if under := st.top(); len(l.batches) == 0 {
			under.early = append(under.early, l.step)
		} else {
			under.dropped = append(under.dropped, l.step)
		}
	case final:
		st.patched = diff
	default:
		st.levels = append(st.levels, newLevel(diff))
	}
}

var hunkHead = regexp.MustCompile(`^@@ -(\S+) \+(\S+) @@`)

// invert is the unified diff that takes one of ours back.
func invert(diff string) string {
	var out, plus, minus []string
	flush := func() {
		out = append(append(out, minus...), plus...)
		plus, minus = nil, nil
	}
	for _, l := range strings.SplitAfter(diff, "\n") {
		switch {
		case strings.HasPrefix(l, "--- ") || strings.HasPrefix(l, "+++ "):
			flush()
			out = append(out, l)
		case strings.HasPrefix(l, "+"):
			minus = append(minus, "-"+l[1:])
		case strings.HasPrefix(l, "-"):
			plus = append(plus, "+"+l[1:])
		default:
			flush()
			if strings.HasPrefix(l, "index ") {
				continue
			}
			out = append(out, hunkHead.ReplaceAllString(l, "@@ -$2 +$1 @@"))
		}
	}
	flush()
	return strings.Join(out, "")
}

var atLine = regexp.MustCompile(`^\s*at (.+):(\d+)$`)

// redBaseline is what stands before the failing tests in the first message; the task before it may say what it likes.
var redBaseline = regexp.MustCompile(`(?m)^On the untouched copy \d+ tests pass, \d+ fail, \d+ are skipped\.\nTheir output, trimmed:$`)

// failures reads the failing tests out of the first message.
func failures(text string) []failure {
	var out []failure
	all := redBaseline.FindAllStringIndex(text, -1)
	if len(all) == 0 {
		return nil
	}
	text = text[all[len(all)-1][1]:]
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

// tracedFile is a file, the name of which may have blanks, with its lines.
var tracedFile = regexp.MustCompile(`^(.+?)((?: \d+:\d+/\d+)+)$`)

func (l *level) spectrum(text string) {
	if m := tracedTests.FindStringSubmatch(text); m != nil {
		l.reds, _ = strconv.Atoi(m[1])
	}
	for line := range strings.Lines(text) {
		m := tracedFile.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		if _, ok := lang.ByPath(m[1]); !ok {
			continue
		}
		lines := map[int][2]int{}
		for _, p := range strings.Fields(m[2]) {
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
			l.red[m[1]] = lines
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

var notable = regexp.MustCompile(`^#(\d+) (passes all tests(?:; .*)?|passes the failing tests, breaks: (.*)|passes (\d+) of \d+ failing tests(?:, the others were not run|(, breaks some))?: (.*)|refused: .*)$`)
var besides = regexp.MustCompile(`changes (\d+) of (\d+) results, .* raises on (\d+) of (\d+)`)

// touching is how much it counts against a candidate that it changes its arguments, which the code as it is does not.
const touching = 1.5

var endlessOn = regexp.MustCompile(`, does not end on (\d+)`)

// share is one number of another, both as text; 0 of none.
func share(part, whole string) float64 {
	a, _ := strconv.ParseFloat(part, 64)
	b, _ := strconv.ParseFloat(whole, 64)
	if b == 0 {
		return 0
	}
	return a / b
}

var numberList = regexp.MustCompile(`^(not tried|late): (.*)$`)

// count is how many candidates were tried to the end.
func (b batch) count() int { return len(b.texts) - len(b.untried) - len(b.late) }

// none reports that the time was over before one candidate was tried.
func (b batch) none() bool { return !b.failed && len(b.texts) > 0 && len(b.untried) == len(b.texts) }

// numbers reads which candidates were not tried, or not to the end.
func (b *batch) numbers(what, list string) {
	to := b.untried
	if what == "late" {
		to = b.late
	}
	for _, r := range strings.Fields(list) {
		from, last, ok := strings.Cut(r, "-")
		f, _ := strconv.Atoi(from)
		t := f
		if ok {
			t, _ = strconv.Atoi(last)
		}
		for i := max(f, 1); i <= t && i <= len(b.texts); i++ {
			to[i-1] = true
		}
	}
}

// delimiters are what tools put around text that is not theirs; a person is told the text.
var delimiters = regexp.MustCompile(`</?untrusted-data [^<>]*>`)

func readBatch(c model.Call, res model.Result) batch {
	var a struct {
		Candidates []string
		Quick      int `json:"quick_millis"`
	}
	_ = json.Unmarshal([]byte(c.Args), &a)
	b := batch{texts: a.Candidates, untried: map[int]bool{}, late: map[int]bool{}, patient: a.Quick > 0, beside: map[int]float64{}, part: map[int]gain{}, breaks: map[int][]string{}, endless: map[int]int{}, alike: map[int]int{}, differ: map[[2]int]differ{}, failed: res.Error}
	b.head, _, _ = strings.Cut(res.Text, "\n")
	if b.why = strings.Join(strings.Fields(delimiters.ReplaceAllString(strings.TrimPrefix(res.Text, "It could not be done."), "")), " "); !res.Error {
		b.why = ""
	}
	for line := range strings.Lines(res.Text) {
		line = strings.TrimRight(line, "\n")
		if m := numberList.FindStringSubmatch(line); m != nil {
			b.numbers(m[1], m[2])
		}
		b.compared(line)
		m := notable.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[1])
		switch n--; {
		case strings.HasPrefix(m[2], "passes all tests"):
			b.pass = append(b.pass, n)
			if f := besides.FindStringSubmatch(m[2]); f != nil {
				b.beside[n] = share(f[1], f[2]) + share(f[3], f[4])
				if e := endlessOn.FindStringSubmatch(m[2]); e != nil {
					b.endless[n], _ = strconv.Atoi(e[1])
				}
				if strings.Contains(m[2], ", and changes what it is given on ") {
					b.beside[n] += touching
				}
			}
		case m[3] != "":
			b.breaks[n] = strings.Split(m[3], " | ")
		case m[6] != "":
			count, _ := strconv.Atoi(m[4])
			b.part[n] = gain{count, strings.Split(m[6], " | "), m[5] == ""}
		}
	}
	return b
}
