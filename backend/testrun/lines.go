package testrun

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// event is one line of our own reporters (reporters/).
type event struct {
	Event     string `json:"event"` // start, test, end
	ID        string `json:"id"`
	Status    Status `json:"status"`
	Phase     string `json:"phase"` // pytest: collect, setup, call, teardown
	Millis    int64  `json:"ms"`
	Text      string `json:"text"`  // traceback, or why it was skipped
	Crash     string `json:"crash"` // the exception alone
	File      string `json:"file"`
	Line      int    `json:"line"`
	Output    string `json:"output"` // captured output and log of a failed test
	Collected int    `json:"collected"`

	Nesting int    `json:"nesting"` // node
	Name    string `json:"name"`
	Type    string `json:"type"`
	Kind    string `json:"kind"`
}

// events reads the lines of a report whose seal was taken off (unseal). A last line that was cut by a crash is passed
// over; ended tells whether the reporter came to its end.
func events(report []byte, visit func(event)) (ended bool) {
	eachLine(report, func(line []byte) {
		var e event
		if ended || json.Unmarshal(line, &e) != nil {
			return
		}
		if e.Event == "end" {
			ended = true
		}
		visit(e)
	})
	return ended
}

// ended reports whether the lines of one of our reporters have their end.
func ended(report []byte) bool { return events(report, func(event) {}) }

// eachLine visits lines without a limit on their length.
func eachLine(data []byte, visit func(line []byte)) {
	r := bufio.NewReader(bytes.NewReader(data))
	for {
		line, err := r.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			visit(line)
		}
		if err == io.EOF || err != nil {
			return
		}
	}
}

// crashed is the result of the test that was running when its process went down.
func crashed(id string, o output) Test {
	message := "the test process ended in the middle of this test"
	switch {
	case o.stopped:
		message = "this test was running when the run was stopped"
	case o.exit > 128 && o.exit < 160:
		message += " (killed by signal " + strconv.Itoa(o.exit-128) + ")"
	case o.exit >= 0:
		message += " (exit status " + strconv.Itoa(o.exit) + ")"
	}
	if last := ownLines(o.stderr, 8); last != "" {
		message += "\n" + last
	}
	return Test{ID: id, Status: Errored, Message: message}
}

// lastLines is the end of an output.
func lastLines(data []byte, n int) string {
	lines := strings.Split(strings.TrimSpace(clean(data)), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "\n")
}

// ownLines is the end of an output without the frames of the language's own library.
func ownLines(data []byte, n int) string {
	var kept []string
	library := false
	for _, line := range strings.Split(strings.TrimSpace(clean(data)), "\n") {
		if m := pythonFrame.FindStringSubmatch(line); m != nil {
			library = inTree(m[1]) == "" || strings.HasPrefix(m[1], "<")
		} else if library && strings.HasPrefix(line, "    ") {
			continue // the frame's source line
		} else {
			library = false
		}
		if !library {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept[max(0, len(kept)-n):], "\n")
}

// frame matches "path:line" at the start of a traceback's line, as pytest and Python print it.
var (
	pytestFrame = regexp.MustCompile(`(?m)^([^\s:]+\.py):(\d+): ?(.*)$`)
	pythonFrame = regexp.MustCompile(`(?m)^E?\s*File "([^"]+)", line (\d+)`)
)

// location is the last frame of a Python traceback that lies inside the tree.
func location(text string) (file string, line int) {
	for _, re := range []*regexp.Regexp{pytestFrame, pythonFrame} {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			if f := inTree(m[1]); f != "" && !strings.Contains(f, "site-packages/") {
				file, line = f, atoi(m[2])
			}
		}
		if file != "" {
			return file, line
		}
	}
	return "", 0
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
