package testrun

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Custom is the person's own command. Where its arguments start a runner that is known, its results are read test by
// test; else from JUnit XML that it writes to /out, or TAP, or what JUnit's own launchers print; else by its exit status alone.
func Custom(args []string) Command {
	c := Command{Runner: "custom", Args: slices.Clone(args), Source: "--test-cmd"}
	if len(args) == 0 {
		return c
	}
	for _, k := range Kinds() {
		if k.matches != nil && k.matches(args) {
			c.Runner = k.Name
			break
		}
	}
	return c
}

func customKind() Kind {
	return Kind{Name: "custom", start: startCustom, read: readCustom}
}

// startCustom shows the toolchains that the command may need, as far as they are there.
func startCustom(j *job) error {
	if isPython := strings.HasPrefix(j.spec.Args[0], "python"); isPython {
		if err := j.interpreter(""); err != nil {
			return err
		}
	}
	if _, err := j.tool("go"); err == nil {
		j.goEnv()
	}
	_, _ = j.node()
	if path.Base(j.spec.Args[0]) == "java" {
		if err := j.jvm("java"); err != nil {
			return err
		}
	}
	j.spec.Env["NO_COLOR"] = "1"
	return nil
}

// readCustom takes the best that is there.
func readCustom(o output) reading {
	if len(o.xml) > 0 {
		if r := readXML(o, "the command"); len(r.tests) > 0 {
			placeJava(o, r)
			return r
		}
	}
	if text := clean(o.stdout); isTAP(text) {
		if tests, finished, trouble := readTAP(text); len(tests) > 0 || trouble != "" {
			return reading{tests: tests, perTest: true, finished: finished, trouble: trouble}
		}
	}
	for _, read := range []func(output) (reading, bool){readJUnitCore, readJUnitConsole} {
		if r, ok := read(o); ok {
			return r
		}
	}
	return exitOnly(o)
}

// placeJava says of failures that are Java traces where they are, as readJava does.
func placeJava(o output, r reading) {
	sources := javaSources{o, map[string]string{}}
	for i := range r.tests {
		if t := &r.tests[i]; t.File == "" && javaFrame.MatchString(t.Message) {
			t.Message, t.File, t.Line = sources.message(clean([]byte(t.Message)))
		}
	}
}

// exitOnly is all that the exit status tells: one result that stands for the command. finish gives it its id.
func exitOnly(o output) reading {
	if o.stopped || o.exit == 126 || o.exit == 127 {
		return reading{}
	}
	log := joinLogs(o.stdout, o.stderr)
	if did := strings.TrimSpace(clean(log)); o.exit == 0 && madeNothing.MatchString(did) {
		return reading{trouble: did + " A file or folder has the name of the target, so make ran nothing: write .PHONY: and that name into the Makefile"}
	}
	t := Test{ID: commandID, Status: Passed, Message: "only the exit status is known"}
	if o.exit != 0 {
		t.Status = Failed
		text := javaSources{o, map[string]string{}}.own(lastLines(log, 60))
		t.Message = fmt.Sprintf("exit status %d; only the exit status is known\n%s", o.exit, lastLines([]byte(text), 20))
	}
	return reading{tests: []Test{t}, finished: true}
}

// madeNothing is all that make prints where a file has the name of its target: its exit status 0 says nothing of any test.
var madeNothing = regexp.MustCompile("^make: [`']\\S+' is up to date\\.$")

// commandID is the id of the one result where only the exit status is known.
const commandID = "(exit status)"
