package session

import (
	"strings"
	"testing"
)

func TestAssigned(t *testing.T) {
	t.Parallel()
	const v = "q7Rf9" + "Tz2LmX4vB8w" // put together, so that no scanner takes this file for a leak
	for _, found := range []string{
		`password = "` + v + `"`, `API_TOKEN=` + v, `export API_TOKEN=` + v + "\nnext", `"api_key": "` + v + `",`, `{\"client_secret\":\"` + v + `\"}`,
		`apiKey: '` + v + `'`, `const apiKey: string = "` + v + `"`, `x-api-key: ` + v, `os.environ["DB_PASSWORD"] = "` + v + `"`, `t.Setenv("AUTH_TOKEN", "` + v + `")`,
		`.setPassword("` + v + `")`, `--password ` + v, `--token=` + v + ` --x`, `<password>` + v + `</password>`, `aws_secret_access_key = ` + v + v + "\n",
		"db.passwd: " + v, `token == "` + v + `"`, `secret := []string{}; secret = "` + v + `"`, `+    "accessToken" => "` + v + `",`, `12| PRIVATE_KEY='` + v + `'`,
		`SIGNING_KEY="` + v + `"`, `pwd: "p@ss#W0rd!42x"`, `pwd: "%gpqvLaIK4Thtj%4WhKX"`,
	} {
		clean, n := Redact(found)
		if n != 1 || strings.Contains(clean, v) || !strings.Contains(clean, "[secret removed: the value of ") {
			t.Errorf("missed: %q: %q", found, clean)
		}
		if again, n := Redact(clean); n != 0 || again != clean {
			t.Errorf("not idempotent: %q", again)
		}
	}
	for _, plain := range []string{
		`token := parser.nextToken()`, `key = "user_id_of_the_order"`, `tokens = tokenizer.encode(text2)`, `password = os.environ["DB_PASSWORD_2"]`, `api_key: ${API_KEY}`,
		`token = getUserTokenFromRequest2(r)`, `"token_type": "` + v + `"`, `publicKey = "` + v + `"`, `token_hash = "` + v + `"`, `secret: "your_secret_key_1234"`,
		`PASSWORD_FILE=/run/secrets/db_password_1`, `token > ` + v, `key="` + v + `"`, `const Token = "https://example.com/a1B2c3D4e5"`, `secretName: my-app-secret-v2-prod-eu1`,
		`password: "correct horse battery staple"`, `private_key_path: id_rsa_2048_backup_v3`, `case token.IDENT, token.INT16, token.FLOAT64:`, `sessionKey: "2024-01-02T15:04:05Z07:00"`,
		`API_TOKEN=$MY_2ND_TOKEN_V3_B4`, `password: "%DB_PASSWORD_2_X9_Y8%"`, `accessKey = [...]byte{0x1a, 0x2b}`, `<token>`, `password=`, `--password`, `token: "`, `x.token = "aaaaaaaaaaaaaaaaaaaaaaaa"`, `apiKey = "abcdefghijklmnop1234"`,
	} {
		if clean, n := Redact(plain); n != 0 {
			t.Errorf("false alarm on %q: %q", plain, clean)
		}
	}
}

func TestHide(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	const key = "my own key with blanks"
	s.Hide(key, "short", " "+key+"-and-more ", "")
	l := create(t, s, Started{Task: "use " + key + ", or " + key + "-and-more, for a short test"})
	hash, err := s.PutBody(t.Context(), []byte("x"+key+"x"))
	if err != nil {
		t.Fatal(err)
	}
	body, err := s.Body(t.Context(), hash)
	if err != nil || strings.Contains(string(body), key) {
		t.Errorf("body %q, %v", body, err)
	}
	if task := l.State().Task; strings.Contains(task, key) || strings.Contains(task, "and-more") || !strings.Contains(task, "short test") {
		t.Errorf("task %q", task)
	}
}

// FuzzRedact holds that nothing panics, that what was replaced stays, and that a text without a mark is left alone.
func FuzzRedact(f *testing.F) {
	for _, s := range secrets() {
		f.Add(s)
		f.Add(`{"token":"` + s + `"}`)
	}
	f.Add("token: \\")
	f.Add("--token \xff")
	f.Fuzz(func(t *testing.T, text string) {
		clean, n := Redact(text)
		if n == 0 && clean != text {
			t.Fatalf("changed without a secret: %q", clean)
		}
		if strings.Count(clean, "[secret removed: ") < strings.Count(text, "[secret removed: ") {
			t.Fatalf("a note was taken away: %q", clean)
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	var text strings.Builder
	for text.Len() < 1<<20 {
		for _, e := range []string{"func (p *parser) next() token.Token {\n\tp.tok = p.scanner.Scan()\n\treturn p.tok\n}\n", "tests/test_app.py::test_customer PASSED\n",
			"    password = settings.get(\"DB_PASSWORD\")\n", "see https://example.com/docs/keys#api for the key of an order\n", "key, value := range headers\n"} {
			text.WriteString(e)
		}
	}
	s := text.String()
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		if _, n := Redact(s); n != 0 {
			b.Fatal(n)
		}
	}
}
