package agent

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"redgreen/backend/model"
	"redgreen/backend/session"
	"redgreen/backend/session/exchange"
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

// listener keeps every request of a model.
type listener struct {
	model.Provider
	mu   *sync.Mutex
	seen *bytes.Buffer
}

func (p listener) Chat(ctx context.Context, name string, req model.Request, onDelta func(model.Delta)) (model.Reply, error) {
	raw, err := json.Marshal(req)
	if err != nil {
		return model.Reply{}, err
	}
	p.mu.Lock()
	p.seen.Write(raw)
	p.mu.Unlock()
	return p.Provider.Chat(ctx, name, req, onDelta)
}

// Secrets in the task, in files that are read and found, in what the tests print, in what the model says, in the environment
// of this process and among the person's own keys: none reaches the database, its write-ahead log, a body, a request or an
// export.
func TestNoPlantedSecretLeaves(t *testing.T) {
	needSandbox(t)
	secrets := plant(rand.New(rand.NewPCG(20, 10)), 10) // always the same: what has no shape is found by chance, 97 times of 100 or more
	var task, said, printed strings.Builder
	files := calc()
	for i, s := range secrets {
		switch i % 5 {
		case 0:
			fmt.Fprintf(&task, "\n%s\n", s.text)
		case 1:
			files[fmt.Sprintf("notes/n%03d.md", i)] = "The settings of shop number " + fmt.Sprint(i) + ":\n\n" + s.text + "\n"
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
	f := folder(t, files)
	f.o.Store.Hide(own)
	var lines []string
	for i := range secrets {
		if i%5 == 1 {
			lines = append(lines, say("read_file", args{"path": fmt.Sprintf("notes/n%03d.md", i)}))
		}
	}
	lines = append(lines[:12:12], say("search_code", args{"query": "settings of shop number"}), say("run_tests", args{}))
	spoken, err := json.Marshal(map[string]any{"text": "I found:\n" + said.String(), "calls": []any{map[string]any{"name": "read_file", "args": map[string]any{"path": "calc.py", "note": said.String()}}}})
	if err != nil {
		t.Fatal(err)
	}
	lines = append(lines, string(spoken), readIt)
	m := script(t, lines...)
	heard := listener{m.Provider, &sync.Mutex{}, &bytes.Buffer{}}
	m.Provider = heard
	r := start(t, f, m, Task{Text: "adding is wrong; see" + task.String(), Limits: session.Limits{Steps: len(lines)}})
	work(t, r, session.Limit)

	places := map[string][]byte{"the requests": heard.seen.Bytes()}
	db := filepath.Join(f.state, "sessions.db")
	for _, name := range []string{db, db + "-wal"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		places[filepath.Base(name)] = data
	}
	events, err := f.o.Store.Events(t.Context(), r.ID(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range exchange.Forms() {
		var b bytes.Buffer
		if err := exchange.Render(&b, form, events, ""); err != nil {
			t.Fatal(err)
		}
		places["the export as "+string(form)] = b.Bytes()
	}
	bodies := 0
	for hash, body := range bodiesOf(t, f, db) {
		places["body "+hash] = body
		bodies++
	}
	if bodies == 0 || heard.seen.Len() == 0 {
		t.Fatal("nothing was kept")
	}
	if !bytes.Contains(places["the export as jsonl"], []byte("PLANTED_3=")) {
		t.Fatal("the tests did not print")
	}
	for i, s := range append(secrets, secret{"own", own, own}) {
		for _, part := range strings.Split(s.core, "\n") {
			for where, data := range places {
				if bytes.Contains(data, []byte(part)) {
					at := bytes.Index(data, []byte(part))
					t.Errorf("secret %d (%s) is in %s: …%q…", i, s.kind, where, data[max(at-60, 0):min(at+80, len(data))])
				}
			}
		}
	}
}

// bodiesOf gives every body of a store, unpacked.
func bodiesOf(t *testing.T, f *fixture, path string) map[string][]byte {
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
		if out[hash], err = f.o.Store.Body(t.Context(), hash); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
