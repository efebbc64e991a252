package tools

import (
	"regexp"
	"strings"
	"testing"
)

// withoutKey stands for the record's redaction: it knows a key by its head and its end alone.
func withoutKey(text string) string {
	return regexp.MustCompile(`(?s)-----BEGIN KEY-----.*?-----END KEY-----`).ReplaceAllStringFunc(text, func(key string) string {
		return "[secret removed]" + strings.Repeat("\n", strings.Count(key, "\n"))
	})
}

// A secret of several lines is known as one only as a whole, so it is hidden before lines are picked out.
func TestThePartOfASecretIsNotShown(t *testing.T) {
	t.Parallel()
	const key = "-----BEGIN KEY-----\nqqqonefrombodies\nqqqtwofrombodies\nqqqthreefrombodies\n-----END KEY-----\n"
	s := bench(t, map[string]string{
		"keys.py":  "# the keys of the shop\nKEY = \"\"\"\n" + key + "\"\"\"\n\n\ndef open_shop():\n    return KEY\n",
		"plain.py": "def qqqtwo():\n    return 2\n",
	}, Options{Hide: withoutKey})
	for name, args := range map[string]map[string]any{
		"read_file":          {"path": "keys.py", "start_line": 5, "end_line": 9},
		"search_code":        {"query": "text: qqqtwofrombodies"},
		"search_code place":  {"query": "keys.py:5-6"},
		"search_code words":  {"query": "qqqthreefrombodies"},
		"search_code regex":  {"query": "regex: qqq\\w+frombodies"},
		"read_file to there": {"path": "keys.py", "start_line": 1, "end_line": 4},
	} {
		tool, _, _ := strings.Cut(name, " ")
		out := call(t, s, tool, args)
		if strings.Contains(strings.ReplaceAll(out.Text, "bodies:", ""), "frombodies\n") || strings.Contains(out.Text, "| qqq") {
			t.Errorf("%s shows a part of the key:\n%s", name, out.Text)
		}
	}
	if out := call(t, s, "read_file", map[string]any{"path": "keys.py"}); !strings.Contains(out.Text, "3| [secret removed]\n") || !strings.Contains(out.Text, "11| def open_shop():") {
		t.Errorf("the lines moved:\n%s", out.Text)
	}
	if out := call(t, s, "search_code", map[string]any{"query": "text: def qqqtwo"}); !strings.Contains(out.Text, "def qqqtwo") {
		t.Errorf("what is no secret is hidden:\n%s", out.Text)
	}
}
