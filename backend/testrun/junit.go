package testrun

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// junitCase is one test of a JUnit XML report, as Maven's Surefire first wrote it and nearly all runners do since.
type junitCase struct {
	Name      string      `xml:"name,attr"`
	Class     string      `xml:"classname,attr"`
	File      string      `xml:"file,attr"`
	Line      int         `xml:"line,attr"`
	Seconds   string      `xml:"time,attr"`
	Failures  []junitText `xml:"failure"`
	Errors    []junitText `xml:"error"`
	Skipped   *junitText  `xml:"skipped"`
	Status    string      `xml:"status,attr"` // ctest: run, fail, notrun, disabled
	SystemOut string      `xml:"system-out"`
}

type junitText struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// readJUnit reads the tests of one report; complete tells whether its root element was closed. Reports are read element
// by element, so that one that was cut off by a crash still gives what came before.
func readJUnit(data []byte) (tests []Test, complete bool) {
	if bytes.Contains(data, []byte("&#")) || bytes.ContainsFunc(data, func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' }) {
		data = badXML.ReplaceAll(colours.ReplaceAll(data, nil), nil)
	}
	d := xml.NewDecoder(bytes.NewReader(bytes.ToValidUTF8(data, []byte("\uFFFD"))))
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	depth := 0
	for {
		token, err := d.Token()
		if err != nil {
			return tests, complete
		}
		switch el := token.(type) {
		case xml.StartElement:
			if el.Name.Local != "testcase" {
				depth++
				continue
			}
			var c junitCase
			if d.DecodeElement(&c, &el) != nil {
				return tests, false
			}
			tests = append(tests, c.result())
		case xml.EndElement:
			if depth--; depth == 0 {
				complete = true
			}
		}
	}
}

// colours are terminal colours whose escape is a reference.
var colours = regexp.MustCompile(`(?:&#(?:27|x0*1[bB]);|\x1b)\[[0-9;]*m`)

// badXML are the bytes and references that XML 1.0 forbids and that runners write nevertheless.
var badXML = regexp.MustCompile("[\x00-\x08\x0b\x0c\x0e-\x1f]|&#(x[0-9A-Fa-f]+|[0-9]+);")

// result makes a Test: the id is "class > name", or "file > name" where there is a file.
func (c junitCase) result() Test {
	seconds, _ := strconv.ParseFloat(c.Seconds, 64)
	t := Test{ID: c.Name, Status: Passed, Millis: int64(seconds * 1000), File: c.File, Line: c.Line}
	if c.Class != "" && c.Class != c.Name {
		t.ID = c.Class + nodeSeparator + c.Name
	}
	switch {
	case len(c.Errors) > 0:
		t.Status, t.Message = Errored, c.Errors[0].String()
	case len(c.Failures) > 0:
		t.Status, t.Message = Failed, c.Failures[0].String()
	case c.Skipped != nil:
		t.Status, t.Message = Skipped, c.Skipped.Message
	case c.Status == "disabled":
		t.Status = Skipped
	}
	if t.Status == Failed && t.Message == "" { // ctest says what failed only by the program's output
		t.Message = lastLines([]byte(c.SystemOut), 20)
	}
	return t
}

func (t junitText) String() string {
	text, message := strings.TrimSpace(controls.ReplaceAllString(t.Text, "")), strings.TrimSpace(controls.ReplaceAllString(t.Message, ""))
	if message == "" || strings.Contains(text, message) {
		return text
	}
	return message + "\n" + text
}

// controls are the control characters, and the colours that begin with one, that XML forbids and that Surefire writes as text.
var controls = regexp.MustCompile(`&(?:amp;?)?#(?:27;\[[0-9;]*m|(?:[0-8]|1[124-9]|2\d|3[01]);)`)

// readXML reads all JUnit reports that a run left; an error in a test counts as that test's failure, since these runners
// use it for an exception that no assertion raised.
func readXML(o output, name string) reading {
	r := reading{perTest: true, finished: len(o.xml) > 0}
	for _, data := range o.xml {
		tests, complete := readJUnit(data)
		r.finished = r.finished && complete
		for _, t := range tests {
			if t.Status == Errored {
				t.Status = Failed
			}
			if t.File = inTree(t.File); t.File != "" {
				t.File = o.under(t.File)
			}
			r.tests = append(r.tests, t)
		}
	}
	switch {
	case o.stopped || len(r.tests) > 0:
	case len(o.xml) > 0 && r.finished:
		r.trouble, r.empty = name+" found no test", true
	case o.exit != 0 && o.exit != 127 && o.exit != 126:
		r.trouble = name + " wrote no report" + withError(clean(joinLogs(o.stdout, o.stderr)))
	}
	return r
}
