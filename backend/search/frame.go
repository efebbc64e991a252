package search

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Frame is one place of a stack trace or of a compiler's message.
type Frame struct {
	Path string // as written, of whatever machine
	Line int
	Name string // the function, where the trace says it
}

// longPath is the path, for a frame that has a file name only and a qualified name (Java, Kotlin) with the folders of its package.
func (f Frame) longPath() string {
	parts := strings.Split(f.Name, ".")
	if strings.ContainsAny(f.Path, `/\`) || len(parts) < 3 {
		return f.Path
	}
	return strings.Join(parts[:len(parts)-2], "/") + "/" + f.Path
}

// ofLibrary reports a frame of code that is installed, not of a repository.
func (f Frame) ofLibrary() bool {
	path := "/" + strings.ReplaceAll(f.Path, `\`, "/")
	return slices.ContainsFunc([]string{"/site-packages/", "/dist-packages/", "/node_modules/", "/pkg/mod/", "/.cargo/", "/rustc/", "/gems/", "/vendor/", "/usr/lib/", "/usr/local/"},
		func(dir string) bool { return strings.Contains(path, dir) }) ||
		slices.ContainsFunc([]string{"java.", "javax.", "jdk.", "sun.", "kotlin.", "org.junit."}, func(of string) bool { return strings.HasPrefix(f.Name, of) })
}

// maxFrames bounds a trace: the innermost ones tell what broke.
const maxFrames = 40

// framePatterns read one line of a trace each; groups: path, line, name by name. The first that fits counts.
func framePatterns() []*regexp.Regexp {
	return []*regexp.Regexp{
		// Python: File "a/b.py", line 3, in f
		regexp.MustCompile(`File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>[\w.<>]+))?`),
		// Java, Kotlin: at a.b.C.f(C.java:3)
		regexp.MustCompile(`\bat (?:[\w.]+/)?(?P<name>[\w.$<>]+)\((?P<path>[\w$]+\.\w+):(?P<line>\d+)\)`),
		// C#: at A.B.F(Int32 x) in /a/B.cs:line 3
		regexp.MustCompile(`\bat (?P<name>[\w.<>]+)\(.*\) in (?P<path>.+):line (?P<line>\d+)`),
		// PHP: in /a/b.php on line 3; /a/b.php(3): f()
		regexp.MustCompile(`\bin (?P<path>\S+\.\w+)(?: on line |:)(?P<line>\d+)`),
		regexp.MustCompile(`(?P<path>[\w./\\-]+\.\w+)\((?P<line>\d+)\)(?:: (?P<name>[\w\\:>-]+)\()?`),
		// JavaScript: at f (file:///a/b.js:3:5)
		regexp.MustCompile(`\bat (?:async )?(?:(?P<name>[\w.$<>\[\]# ]+) \()?(?:file://)?(?P<path>(?:[A-Za-z]:)?[^\s():]*[\w-]\.[A-Za-z]\w*):(?P<line>\d+)(?::\d+)?`),
		// Ruby: a/b.rb:3:in 'f'
		regexp.MustCompile("(?P<path>[\\w./-]+\\.\\w+):(?P<line>\\d+):in [`'](?P<name>[^']+)'"),
		// Go, Rust, C compilers, pytest: a/b.go:3:5
		regexp.MustCompile(`(?:^|[\s"'(\[=>])(?:file://)?(?P<path>(?:[A-Za-z]:)?[\w@./\\+-]*[\w-]\.[A-Za-z]\w*):(?P<line>\d+)\b`),
	}
}

// frames finds the places in a pasted text, innermost first, each once.
func frames(text string) []Frame {
	if !strings.ContainsAny(text, "0123456789") {
		return nil
	}
	patterns := framePatterns()
	var out []Frame
	for line := range strings.Lines(text) {
		for _, p := range patterns {
			if f, ok := frame(p, line); ok {
				if !slices.ContainsFunc(out, func(o Frame) bool { return o.Path == f.Path && o.Line == f.Line }) {
					out = append(out, f)
				}
				break
			}
		}
	}
	if strings.Contains(text, "most recent call last") {
		slices.Reverse(out) // Python prints the innermost frame last
	}
	return out[:min(len(out), maxFrames)]
}

func frame(p *regexp.Regexp, line string) (Frame, bool) {
	m := p.FindStringSubmatch(line)
	if m == nil {
		return Frame{}, false
	}
	var f Frame
	for i, group := range p.SubexpNames() {
		switch group {
		case "path":
			f.Path = strings.TrimSpace(m[i])
		case "name":
			f.Name = strings.TrimSpace(m[i])
		case "line":
			n, err := strconv.Atoi(m[i])
			if err != nil || n == 0 {
				return Frame{}, false
			}
			f.Line = n
		}
	}
	return f, f.Path != "" && !strings.Contains(f.Path, "://")
}
