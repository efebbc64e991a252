package exchange

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"redgreen/backend/session"
)

// certificate is the part of proof.Certificate that a reader is shown; session may not import proof.
type certificate struct {
	State        string
	Reasons      []string
	RedToGreen   []string `json:"red_to_green"`
	Broken       []string
	PreExisting  []string `json:"pre_existing"`
	Flaky        []string
	NoVerdict    []string `json:"infrastructure"`
	Integrity    []finding
	StillGreen   int `json:"still_green"`
	Skipped      int
	NotCovered   []string `json:"not_covered"`
	Runtime      string
	RuntimeLabel string `json:"runtime_label"`
	Warnings     []string
	Command      []string
	Dir          string
	BaseHash     string `json:"base_hash"`
	PatchHash    string `json:"patch_hash"`
	Hash         string
	BaseMillis   int64 `json:"baseline_ms"`
	PatchMillis  int64 `json:"patched_ms"`
	Issued       time.Time
	Reruns       int
	Toolchain    []struct{ Name, Version string }
	Base         string
	Linters      []string
	Static       []finding
	Uncovered    []struct {
		File        string
		First, Last int
	}

	Checked string
	Breaks  []struct {
		File     string
		Line     int
		Was, Now string
		Tests    []string
	}
	Criteria []criterion

	Title, Mood string
	Facts       []fact
}

// criterion is an acceptance criterion with the tests that cover it, or the places that name it.
type criterion struct {
	ID, Text      string
	Tests, Places []string
}

// Covered says which tests cover a criterion, in words.
func (c criterion) Covered() string {
	switch {
	case len(c.Tests) > 0:
		return strings.Join(c.Tests, ", ")
	case len(c.Places) > 0:
		return "not covered: named at " + strings.Join(c.Places, ", ") + ", but no test there is known to have passed"
	}
	return "not covered by any test"
}

// Broke says how new tests were made to fail.
func (c certificate) Broke() (out []string) {
	for _, b := range c.Breaks {
		out = append(out, fmt.Sprintf("%s:%d changed from %s to %s makes red: %s", b.File, b.Line, b.Was, b.Now, strings.Join(b.Tests, ", ")))
	}
	return out
}

// held are the criteria that hold now, each with what the certificate shows of it.
func held(now []session.Criterion, c *certificate) (out []criterion) {
	for _, k := range now {
		row := criterion{ID: k.ID, Text: k.Text, Places: k.Tests}
		if c != nil {
			for _, shown := range c.Criteria {
				if shown.ID == k.ID && shown.Text == k.Text {
					row = shown
				}
			}
		}
		out = append(out, row)
	}
	return out
}

// finding is a place with what is to be said of it.
type finding struct {
	Tool, File string
	Line       int
	Rule, Text string
}

func readCertificate(raw json.RawMessage) *certificate {
	var c certificate
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &c) != nil || c.State == "" {
		return nil
	}
	c.Title, c.Mood = strings.ToUpper(c.State[:1])+strings.ReplaceAll(c.State[1:], "_", " "), "care"
	if c.State == "proven" {
		c.Mood = "good"
	}
	if len(c.Broken) > 0 {
		c.Mood = "bad"
	}
	add := func(name, value string) {
		if value != "" {
			c.Facts = append(c.Facts, fact{name, value})
		}
	}
	add("Command", strings.Join(c.Command, " "))
	add("In", c.Dir)
	add("Isolation", isolation(c.Runtime, c.RuntimeLabel))
	var tools []string
	for _, t := range c.Toolchain {
		tools = append(tools, strings.TrimSpace(t.Name+" "+t.Version))
	}
	add("Toolchain", strings.Join(tools, ", "))
	add("Linters", strings.Join(c.Linters, ", "))
	if len(c.Command) > 0 {
		add("Times", fmt.Sprintf("%s before, %s with the patch", took(c.BaseMillis), took(c.PatchMillis)))
	}
	if c.Reruns > 0 {
		add("Reruns", fmt.Sprintf("%d of each test that turned green", c.Reruns))
	}
	add("Hash of the files before", c.BaseHash)
	add("Hash of the diff", c.PatchHash)
	add("Hash of the certificate", c.Hash)
	if !c.Issued.IsZero() {
		add("Issued", c.Issued.UTC().Format("2 January 2006, 15:04:05 UTC"))
	}
	return &c
}

// isolation names what tests ran in, as in "container (runc)".
func isolation(name, label string) string {
	if label == "" || name == "" || name == "none" || name == label {
		return cmp.Or(label, name)
	}
	return label + " (" + name + ")"
}

// stripMost is how many tests the strip shows, one cell each.
const stripMost = 240

// Strip is the tests as cells, what changed first.
func (c *certificate) Strip() (cells []string) {
	for _, part := range []struct {
		kind string
		n    int
	}{{"bad", len(c.Broken)}, {"turned", len(c.RedToGreen)}, {"red", len(c.PreExisting)}, {"care", len(c.Flaky)}, {"green", c.StillGreen}, {"off", c.Skipped}} {
		for range min(part.n, stripMost-len(cells)) {
			cells = append(cells, part.kind)
		}
	}
	return cells
}
