package session

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"redgreen/backend/model"
	"redgreen/backend/patch"
)

// Every secret is put together here, so that no scanner takes this file for a leak.
func secrets() map[string]string {
	body := strings.Repeat("MIIEowIBAAKCAQEA7x+/", 8)
	return map[string]string{
		"pem":        "-----BEGIN RSA " + "PRIVATE KEY-----\n" + body + "\n" + body + "\n-----END RSA " + "PRIVATE KEY-----",
		"pem pytest": "-----BEGIN " + "PRIVATE KEY-----\nE       " + body[:64] + "\nE       " + body[64:128] + "\nE       " + body[:20] + "\nE       -----END " + "PRIVATE KEY-----",
		"pem logged": "-----BEGIN " + "PRIVATE KEY-----\\n2026-11-29T10:30:00Z INFO shop: " + body[:64] + "\\n2026-11-29T10:30:00Z INFO shop: " + body[64:128],
		"pem cut":    "-----BEGIN " + "PRIVATE KEY-----\n" + body,
		"aws":        "AKIA" + "IOSFODNN7EXAMPL2",
		"github":     "ghp_" + strings.Repeat("aB3", 12),
		"github 2":   "github_pat_" + strings.Repeat("aB3_", 16),
		"gitlab":     "glpat-" + strings.Repeat("x1Y", 7),
		"openai":     "sk-" + "proj-" + strings.Repeat("Ab1_", 10),
		"anthropic":  "sk-" + "ant-api03-" + strings.Repeat("Ab1-", 10),
		"slack":      "xoxb-" + "123456789012-abcdefABCDEF",
		"stripe":     "sk_" + "live_" + strings.Repeat("a1B", 8),
		"google":     "AIza" + strings.Repeat("Sy0_-", 7),
		"npm":        "npm_" + strings.Repeat("a1B", 12),
		"jwt":        "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N",
		"bearer":     "Authorization: Bearer " + "abcdef0123456789.XYZ",
		"url":        "postgres://app:" + "hunter2hunter2" + "@db.internal/x",
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	for name, secret := range secrets() {
		clean, n := Redact("before " + secret + " after")
		if n != 1 || !strings.HasPrefix(clean, "before ") || !strings.HasSuffix(clean, " after") || !strings.Contains(clean, "[secret removed: ") {
			t.Errorf("%s: %d replaced: %q", name, n, clean)
		}
		if again, n := Redact(clean); n != 0 || again != clean {
			t.Errorf("%s: not idempotent: %q", name, again)
		}
	}
	for _, plain := range []string{
		"-----BEGIN PRIVATE KEY-----", "task-list-of-the-whole-day-and-more", "sk-short", "AKIA1234", "eyJ.eyJ.x",
		"https://example.com:8080/a@b", "Authorization: Bearer $TOKEN", "ghp_short", "xoxo", "sha256:0123456789abcdef0123456789abcdef",
	} {
		if clean, n := Redact(plain); n != 0 {
			t.Errorf("false alarm on %q: %q", plain, clean)
		}
	}
}

// What is found must not depend on what stands around it, near or far.
func TestRedactInALongText(t *testing.T) {
	t.Parallel()
	for name, secret := range secrets() {
		alone, _ := Redact(secret)
		for _, gap := range []int{0, 1, 20, 63, 64, 65, 1399, 1400, 1401, 5000} {
			fill := " " + strings.Repeat("ä ", gap/2) + strings.Repeat(".", gap%2) + "\n"
			around := fill + "%s" + fill + "sk-no ://x/ AKIA ghp_ token: key=" + fill + "%s" + fill
			clean, n := Redact(fmt.Sprintf(around, secret, secret))
			if want := fmt.Sprintf(around, alone, alone); n != 2 || clean != want {
				t.Errorf("%s, gap %d: %d replaced:\n%.300q", name, gap, n, clean)
			}
		}
	}
}

func TestNoSecretReachesTheFileButInPatches(t *testing.T) {
	t.Parallel()
	for name, secret := range secrets() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openTemp(t)
			l := create(t, s, Started{Task: "my key is " + secret})
			args, err := json.Marshal(map[string]string{"patch": secret})
			if err != nil {
				t.Fatal(err)
			}
			add(t, l, KindModelReplied, ModelReplied{Message: model.Message{Text: secret, Calls: []model.Call{{ID: "1", Args: string(args)}},
				Opaque: json.RawMessage(args)}})
			add(t, l, KindToolFinished, ToolFinished{Text: "1 | " + secret, Run: &Run{Tests: []Test{{ID: "t", Message: secret}}}})
			body, err := s.PutBody(t.Context(), []byte("log\n"+secret+"\nend"))
			if err != nil {
				t.Fatal(err)
			}
			stored, err := s.Body(t.Context(), body)
			if err != nil || strings.Contains(string(stored), secret) || !strings.HasSuffix(string(stored), "\nend") {
				t.Fatalf("body: %q, %v", stored, err)
			}
			var b strings.Builder
			if err := s.Export(t.Context(), l.ID(), &b); err != nil {
				t.Fatal(err)
			}
			part := secret[len(secret)-12:]
			if name == "url" {
				part = "hunter2hunter2" // the host behind it is no secret
			}
			if strings.HasPrefix(name, "pem") {
				part = "MIIEowIBAAKCAQEA7x" // the lines around it are no secret
			}
			if strings.Contains(b.String(), part) {
				t.Fatalf("the record holds the secret:\n%s", b.String())
			}

			kept := patch.Patch{Files: []patch.File{{Path: "a", Hunks: []patch.Hunk{{Lines: []patch.Line{{Op: patch.Insert, Text: secret}}}}}}}
			add(t, l, KindPatchChanged, PatchChanged{Patch: kept, Hash: "h"})
			st, err := s.State(t.Context(), l.ID())
			if err != nil || st.Patch.Files[0].Hunks[0].Lines[0].Text != secret {
				t.Fatalf("the patch is not byte-exact: %+v, %v", st.Patch, err)
			}
		})
	}
}

func TestRedactionKeepsJSONWhole(t *testing.T) {
	t.Parallel()
	in := `{"a":"-----BEGIN PRIVATE KEY-----","b":"` + strings.Repeat("A", 60) + `","big":12345678901234567890,"patch":{"x":"AKIA` + `IOSFODNN7EXAMPL2"},"c":["AKIA` + `IOSFODNN7EXAMPL2"]}`
	out, err := redactJSON([]byte(in), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"a":"-----BEGIN PRIVATE KEY-----","b":"` + strings.Repeat("A", 60) + `","big":12345678901234567890,"c":["[secret removed: aws key id]"],"patch":{"x":"AKIA` + `IOSFODNN7EXAMPL2"}}`
	if string(out) != want {
		t.Fatalf("got  %s\nwant %s", out, want)
	}
}
