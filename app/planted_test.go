package app

import (
	"bytes"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"redgreen/backend/session"
)

// secret is one that is made at test time: how it stands in a text, and the part that must be nowhere.
type secret struct{ kind, text, core string }

// plant makes n secrets of each of 20 kinds.
func plant(chance *rand.Rand, n int) (out []secret) {
	const (
		digits = "0123456789"
		hex    = digits + "abcdef"
		lower  = "abcdefghijklmnopqrstuvwxyz"
		upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		all    = digits + lower + upper
	)
	of := func(set string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = set[chance.IntN(len(set))]
		}
		return string(b)
	}
	add := func(kind, before, core, after string) { out = append(out, secret{kind, before + core + after, core}) }
	for range n {
		add("private key", "-----BEGIN "+"PRIVATE KEY-----\n", of(all, 64)+"\n"+of(all, 64), "\n-----END "+"PRIVATE KEY-----")
		add("aws key id", "AKIA", of(upper+"234567", 16), "")
		add("aws secret", "aws_secret_access_key = ", of(all+"+/", 40), "")
		add("github", "ghp_", of(all, 36), "")
		add("github fine", "github_pat_", of(all, 82), "")
		add("gitlab", "glpat-", of(all, 20), "")
		add("openai", "sk-proj-", of(all, 48), "")
		add("anthropic", "sk-ant-api03-", of(all, 93), "")
		add("slack", "xoxb-", of(digits, 12)+"-"+of(all, 24), "")
		add("stripe", "sk_live_", of(all, 24), "")
		add("google", "AIza", of(all, 35), "")
		add("npm", "npm_", of(all, 36), "")
		add("pypi", "pypi-AgEIcHlwaS5vcmc", of(all, 70), "")
		add("sendgrid", "SG.", of(all, 22)+"."+of(all, 43), "")
		add("digitalocean", "dop_v1_", of(hex, 64), "")
		add("jwt", "eyJhbGciOiJIUzI1NiJ9.eyJ", of(all, 40)+"."+of(all, 43), "")
		add("bearer", "Authorization: Bearer ", of(all, 32), "")
		add("url", "postgres://app:", of(all, 16), "@db.internal/shop")
		add("password", `DB_PASSWORD="`, of(all+"!#%^*", 24), `"`)
		add("api key", `"api_key": "`, of(all, 32), `",`)
	}
	return out
}

// spoken is what the fake provider says: a text, and one call.
type spoken struct {
	text, tool string
	args       map[string]any
}

// provider speaks OpenAI's chat completions, plays replies in their order and keeps what it was sent. After the last it
// refuses the key, and repeats it.
type provider struct {
	mu      sync.Mutex
	replies []spoken
	got     [][]byte // the bodies of the requests
	other   []string // what else was asked, its headers but the key's too
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	key := r.Header.Get("Authorization")
	r.Header.Del("Authorization")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.other = append(p.other, fmt.Sprint(r.Method, r.URL, r.Header))
	if r.Method != http.MethodPost {
		fmt.Fprint(w, `{"data":[]}`)
		return
	}
	p.got = append(p.got, body)
	if len(p.replies) == 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","type":"invalid_request_error","code":"invalid_api_key"}}`, strings.TrimPrefix(key, "Bearer "))
		return
	}
	one := p.replies[0]
	p.replies = p.replies[1:]
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(v any) {
		raw, _ := json.Marshal(v) // a test's own literals
		fmt.Fprintf(w, "data: %s\n\n", raw)
		w.(http.Flusher).Flush()
	}
	type object = map[string]any
	choice := func(delta object, end any) object {
		return object{"id": "c", "object": "chat.completion.chunk", "model": "fake", "choices": []object{{"index": 0, "delta": delta, "finish_reason": end}}}
	}
	for text := one.text; text != ""; {
		n := min(11, len(text)) // in pieces that cut every secret
		send(choice(object{"role": "assistant", "content": text[:n]}, nil))
		text = text[n:]
	}
	args, _ := json.Marshal(one.args)
	send(choice(object{"tool_calls": []object{{"index": 0, "id": fmt.Sprintf("call_%d", len(p.got)), "type": "function", "function": object{"name": one.tool, "arguments": string(args)}}}}, nil))
	last := choice(object{}, "tool_calls")
	last["usage"] = object{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
	send(last)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// Secrets in the task, in files that are read and found, in what the tests print, in what the model says, in the environment
// of this process, and the person's own key, which the provider repeats: none reaches the database, its write-ahead log, a
// body, a request, an export, the trace, what the terminal shows of a session, or the program's log.
func TestNoPlantedSecretLeaves(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a sandbox and seconds")
	}
	secrets := plant(rand.New(rand.NewPCG(20, 10)), 10) // always the same: what has no shape is found by chance, 97 times of 100 or more
	var task, said, printed strings.Builder
	files := map[string]string{
		"calc.py":      "def add(a, b):\n    return a - b\n",
		"test_calc.py": "import unittest\n\nimport calc\n\n\nclass CalcTest(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(2, 3), 5)\n",
	}
	plan := []spoken{{"I look.", "search_code", map[string]any{"query": "settings of shop number"}}, {"I run them.", "run_tests", map[string]any{}}}
	for i, s := range secrets {
		switch (i + i/20) % 5 { // so that each kind is in each place
		case 0:
			fmt.Fprintf(&task, "\n%s\n", s.text)
		case 1:
			name := fmt.Sprintf("notes/n%03d.md", i)
			files[name] = "The settings of shop number " + fmt.Sprint(i) + ":\n\n" + s.text + "\n"
			switch {
			case s.kind == "private key": // from its middle on
				plan = append(plan, spoken{"I read on.", "read_file", map[string]any{"path": name, "start_line": 5}})
			case i < 100:
				plan = append(plan, spoken{"I read on.", "read_file", map[string]any{"path": name}})
			}
		case 2:
			fmt.Fprintf(&printed, "%s\n", s.text)
		case 3:
			t.Setenv(fmt.Sprintf("PLANTED_%d", i), s.text)
			fmt.Fprintf(&printed, "PLANTED_%d=%s\n", i, s.text) // as if the sandbox let it through
		case 4:
			fmt.Fprintf(&said, "%s\n", s.text)
		}
	}
	const own = "an-own-key-without-any-shape"
	// The tests print what stands there in a form that no rule knows.
	files["data.b64"] = base64.StdEncoding.EncodeToString([]byte(printed.String() + "\n" + own + "\n"))
	files["test_print.py"] = "import base64, os, unittest\n\n\nclass PrintTest(unittest.TestCase):\n    def test_print(self):\n        text = base64.b64decode(open('data.b64').read()).decode()\n" +
		"        print(text)\n        for k, v in os.environ.items():\n            print(k + '=' + v)\n        self.fail(text)\n"
	plan = append(plan, spoken{"I found:\n" + said.String(), "read_file", map[string]any{"path": "calc.py", "note": said.String()}},
		spoken{"I read it.", "read_file", map[string]any{"path": "calc.py"}},
		spoken{"It subtracts.", "apply_patch", map[string]any{"path": "calc.py", "old": "return a - b", "new": "return a + b"}},
		spoken{"Done.", "finish", map[string]any{"summary": "add subtracted; " + said.String()}})

	folder := filepath.Join(t.TempDir(), "folder")
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := &provider{replies: plan}
	srv := httptest.NewServer(p)
	defer srv.Close()
	home := t.TempDir()
	if err := os.Chmod(home, 0o711); err != nil { // the sandbox's user passes through
		t.Fatal(err)
	}
	env := func(name string) string {
		return map[string]string{"REDGREEN_HOME": home, "OPENAI_BASE_URL": srv.URL + "/v1", "OPENAI_API_KEY": own}[name]
	}
	places := map[string][]byte{}
	run := func(name string, want int, args ...string) {
		t.Helper()
		var out, said bytes.Buffer
		c := &command{assets: testAssets(), env: env, in: strings.NewReader(""), out: &out, err: &said}
		if code := c.run(t.Context(), append([]string{"--debug"}, args...)); code != want {
			t.Fatalf("%s ended with %d:\n%s\n%s", name, code, out.String(), said.String())
		}
		places["stdout of "+name], places["stderr of "+name] = out.Bytes(), said.Bytes()
	}
	core := coreAt(t, home)
	if box, err := core.sandbox(""); err != nil {
		t.Fatal(err)
	} else if _, err := box.Rung(t.Context()); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("no sandbox on this machine: %v", err)
	}
	wrong := "adding is wrong; see" + task.String()
	run("fix", exitOK, "fix", folder, "-m", wrong, "--model", "openai/fake", "--test-cmd", "python3 -m unittest -v", "--approve", "auto")
	if len(p.replies) > 0 {
		t.Fatalf("%d replies were not asked for", len(p.replies))
	}
	run("a fix whose key is refused", exitError, "fix", folder, "-m", wrong, "--model", "openai/fake", "--json")

	store, err := core.sessions()
	if err != nil {
		t.Fatal(err)
	}
	all, err := store.List(t.Context(), "", 0)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	for _, s := range all {
		for _, form := range []string{"jsonl", "markdown", "html"} {
			run("export "+form+" "+s.ID, exitOK, "sessions", "export", s.ID, "--as", form)
		}
		run("show "+s.ID, exitOK, "sessions", "show", s.ID)
		run("replay "+s.ID, exitOK, "sessions", "replay", "--speed", "1000000", s.ID)
	}
	run("list", exitOK, "sessions", "list", "settings")
	run("why", exitOK, "sessions", "why", all[1].ID, "calc.py:2")
	requestsKept(t, store, all[1].ID, p.got)

	var log bytes.Buffer
	logger := newLog(&log, slog.LevelDebug)
	for i, s := range secrets { // whatever comes into it, as a value, in an error, below a group
		logger.Info("a call failed", slog.String("text", s.text), slog.Any("error", fmt.Errorf("reading %d: %s", i, s.text)), slog.Group("at", slog.Any("text", []byte(s.text))))
	}
	places["the log"] = log.Bytes()
	for i, body := range p.got {
		places[fmt.Sprintf("request %d", i+1)] = body
	}
	places["the requests' heads"] = []byte(strings.Join(p.other, "\n"))
	for _, dir := range []string{core.paths.Data, core.paths.Config} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			places[path], err = os.ReadFile(path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for hash, body := range bodiesOf(t, store, core.paths.sessions()) {
		places["body "+hash] = body
	}
	for name, must := range map[string]string{core.paths.sessions(): "PLANTED_3=", "stdout of export html " + all[1].ID: "PLANTED_3=", "stderr of fix": "I found:", "the log": "a call failed"} {
		if !bytes.Contains(places[name], []byte(must)) {
			t.Errorf("%s lacks %q: nothing was looked at", name, must)
		}
	}
	t.Logf("%d secrets looked for in %d places", len(secrets)+1, len(places))
	for i, s := range append(secrets, secret{"own", own, own}) {
		for _, part := range halves(s.core) {
			for where, data := range places {
				if at := bytes.Index(data, []byte(part)); at >= 0 {
					t.Errorf("secret %d (%s) is in %s: …%q…", i, s.kind, where, data[max(at-60, 0):min(at+80, len(data))])
				}
			}
		}
	}
}

// halves are what must not be found of a secret: each half of its lines, or a whole line that is short.
func halves(core string) (out []string) {
	for _, line := range strings.Split(core, "\n") {
		if n := len(line) / 2; n >= 12 {
			out = append(out, line[:n], line[n:])
		} else {
			out = append(out, line)
		}
	}
	return out
}

// requestsKept wants the exact bytes of each request in the record of its session.
func requestsKept(t *testing.T, store *session.Store, id string, got [][]byte) {
	t.Helper()
	events, err := store.Events(t.Context(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range events {
		data, err := session.Decode(e)
		d, ok := data.(session.ModelReplied)
		if err != nil || !ok {
			continue
		}
		body, err := store.Body(t.Context(), d.Body)
		if err != nil || n >= len(got) || !bytes.Equal(body, got[n]) {
			t.Fatalf("request %d is not kept as it was sent: %v", n+1, err)
		}
		n++
	}
	if n < 17 {
		t.Errorf("%d requests are kept", n)
	}
}

// bodiesOf gives every body of a store, unpacked.
func bodiesOf(t *testing.T, store *session.Store, path string) map[string][]byte {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT hash FROM bodies`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := map[string][]byte{}
	for rows.Next() {
		var hash string
		if err := rows.Scan(&hash); err != nil {
			t.Fatal(err)
		}
		if out[hash], err = store.Body(t.Context(), hash); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
