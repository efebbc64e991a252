package exchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"redgreen/backend/model"
	"redgreen/backend/session"
)

func outcomeWords(s session.State) (words, mood string) {
	switch s.Outcome {
	case session.Proven:
		return "Proven", "good"
	case session.NotProven:
		return "Not proven", "care"
	case session.Limit:
		return "Stopped at a limit", "care"
	case session.Cancelled:
		return "Cancelled", "plain"
	case session.Error:
		return "Ended by an error", "bad"
	case session.Review:
		return "Waits for review", "care"
	case session.Waiting:
		return "Waits for an answer", "care"
	case session.Answered:
		return "Answered", "plain"
	case session.Running:
		return "Not finished", "care"
	}
	return string(s.Outcome), "plain"
}

func kindWords(kind string) string {
	return map[string]string{"fix": "fix a bug", "feature": "add a feature", "new": "build something new", "tests": "write tests",
		"refactor": "refactor", "explain": "explain"}[kind]
}

func costWords(s session.State) string {
	switch {
	case s.Model.Local:
		return "local"
	case !s.Priced:
		return "price unknown"
	}
	return dollars(s.MicroUSD)
}

func dollars(m model.MicroUSD) string { return fmt.Sprintf("%.4f USD", float64(m)/1e6) }

// indented is JSON text over several lines; any other text stays.
func indented(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}

// titleMost is the longest title in characters; a longer first sentence is cut at a word.
const titleMost = 140

// headline divides a task into its first sentence and what follows.
func headline(task string) (title, rest string) {
	task = strings.TrimSpace(task)
	title, rest, _ = strings.Cut(task, "\n")
	if end := strings.Index(title, ". "); end >= 0 {
		title, rest = title[:end+1], task[end+2:]
	}
	if r := []rune(title); len(r) > titleMost {
		title = string(r[:titleMost])
		if at := strings.LastIndexByte(title, ' '); at > 0 {
			title = title[:at]
		}
		return title + " …", "… " + strings.TrimSpace(task[len(title):])
	}
	return title, strings.TrimSpace(rest)
}

// prose is a text in pieces; what stands between single backticks is code.
func prose(text string) (out []piece) {
	for {
		before, rest, ok := strings.Cut(text, "`")
		code, after, closed := strings.Cut(rest, "`")
		if !ok || !closed || code == "" || strings.Contains(code, "\n") {
			return append(out, piece{Text: text})
		}
		out, text = append(out, piece{Text: before}, piece{code, true}), after
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return group(int64(n)) + " " + noun + "s"
}

// group writes a number with narrow gaps between thousands, as 45 598.
func group(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

func took(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}

// clock writes a span as 0:24 or 1:02:03.
func clock(d time.Duration) string {
	s := int64(max(d, 0).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
