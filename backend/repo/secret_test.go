package repo

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestIsSecret(t *testing.T) {
	t.Parallel()
	for _, p := range []string{
		".env", ".env.local", ".env.production", ".envrc", ".ENV", "a/b/.Env", ".env.", ".env ", ".env...", ".env~", ".env.bak", "#.env#", "..env.swp", ".env::$DATA", ".en\u200bv", ".\ufeffenv",
		"prod.env", "config/docker.env", ".env/bin/activate", `a\.env`,
		"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "id_rsa_work", "id_rsa-github", "id_rsa.old", "ID_RSA", "keys/id_ed25519.2019", "id_rsa.txt", "id_rsa2",
		"server.pem", "a.key", "a.p12", "a.pfx", "release.jks", "debug.keystore", "k.ppk", "k.kdbx", "server.KEY", "server.key.bak", "ſerver.ᴋey.pem",
		".netrc", "_netrc", ".pgpass", ".git-credentials", ".my.cnf", ".htpasswd", ".dockercfg", ".vault-token",
		".docker/config.json", "home/.docker/config.json", ".kube/config", "kubeconfig", "prod.kubeconfig", ".aws/credentials", ".aws", ".azure/x", ".ssh/config", ".gnupg/x",
		".config/gcloud/x", "application_default_credentials.json", "service-account.json", "my/service_account_prod.json", "serviceAccountKey.json",
		"terraform.tfstate", "terraform.tfstate.backup", "prod.tfvars", "secrets.yml", "config/secrets.yaml", "Secrets.YML", ".streamlit/secrets.toml",
		".ſſh/x", // a case-insensitive disk takes ſ for s
	} {
		if !IsSecret(p) {
			t.Errorf("%q is not refused", p)
		}
	}
	for _, p := range []string{
		".env.example", ".env.sample", ".env.template", ".env.dist", ".env.local.example", "example.env", "env", "env/x", "environment.py", "env.go", "src/env.d.ts",
		"id_rsa.pub", "id_ed25519.pub", "id_generator.py", "id_map.go", "id_rsa_test.go", "id_rsa.py", "id_token.ts", "ids", "idea",
		"keys.go", "key.py", "pem.go", "keystore.java", "monkey", "turkey.txt", "a.keys", "secrets.py", "secret.go", "secrets/readme.md", "secrets_test.go",
		"docker/config.json", "config.json", ".docker/daemon.json", "kube/config", "config", "aws/credentials.go", ".npmrc", ".pypirc", ".yarnrc.yml",
		"account-service.json", "package.json", "service.json", ".gitignore", ".github/workflows/ci.yml", ".envoy/x"[1:], "README.md", ".", "tfstate.go", "cert.crt", "known_hosts",
	} {
		if IsSecret(p) {
			t.Errorf("%q is refused: %s", p, whySecret(p))
		}
	}
}

func TestSecretContent(t *testing.T) {
	t.Parallel()
	const key = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----\n"
	for _, c := range []struct {
		name, text string
		secret     bool
	}{
		{"deploy", key, true},
		{"deploy.txt", "\n\n" + key, true},
		{"bom", "\uFEFF" + key, true},
		{"crlf", strings.ReplaceAll(key, "\n", "\r\n"), true},
		{"bundle", "Bag Attributes\n    friendlyName: x\nsubject=/CN=x\n-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n# key\n" + key, true},
		{"ssh", "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n", true},
		{"pgp", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nabc\n", true},
		{"ec", "-----BEGIN EC PARAMETERS-----\nabc\n-----END EC PARAMETERS-----\n-----BEGIN EC PRIVATE KEY-----\nabc\n", true},
		{"putty", "PuTTY-User-Key-File-2: ssh-rsa\n", true},
		{"k8s.yaml", "data:\n  tls.key: |\n    " + strings.ReplaceAll(key, "\n", "\n    "), true},
		{"cert", "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n", false},
		{"public", "-----BEGIN PUBLIC KEY-----\nabc\n", false},
		{"keys_test.go", "package keys\n\nconst key = `" + key + "`\n", false},
		{"test_keys.py", "KEY = \"\"\"\n" + key + "\"\"\"\n", false},
		{"doc.md", "A file that begins with -----BEGIN RSA PRIVATE KEY----- is a key.\n", false},
		{"account.json", `{"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----\nabc"}`, true},
		{"adc.json", `{"type": "authorized_user", "refresh_token": "x"}`, true},
		{"schema.json", `{"properties": {"private_key": {}}}`, false},
		{"cluster.yaml", "apiVersion: v1\nclusters: []\nusers:\n- user:\n    client-key-data: abc\n", true},
		{".npmrc", "//registry.example.com/:_authToken=npm_abc\n", true},
		{".npmrc", "_auth = YWJj\n", true},
		{".npmrc", "registry=https://me:pw@registry.example.com/\n", true},
		{".npmrc", "//registry.example.com/:_authToken=${NPM_TOKEN}\nengine-strict=true\n", false},
		{"npmrc.md", "//registry.example.com/:_authToken=npm_abc\n", false},
		{".yarnrc.yml", "npmAuthToken: abc\n", true},
		{".yarnrc.yml", "npmAuthToken: \"${TOKEN}\"\nnodeLinker: node-modules\n", false},
		{".pypirc", "[pypi]\nusername = __token__\npassword = pypi-abc\n", true},
		{".pypirc", "[distutils]\nindex-servers = pypi\n", false},
	} {
		if got := secretContent(c.name, []byte(c.text)); (got != "") != c.secret {
			t.Errorf("%s: %q, want secret %v", c.name, got, c.secret)
		}
	}
}

// TestSecretsNowhere: no door gives a secret, by its name, by its content or through a symlink.
func TestSecretsNowhere(t *testing.T) {
	t.Parallel()
	const mark = "topsecret"
	dir := folder(t, fixture{
		".env": mark, "sub/.env.local": mark, "id_rsa": mark, "a.pem": mark, ".aws/credentials": mark, "deploy": "-----BEGIN PRIVATE KEY-----\n" + mark + "\n",
		".npmrc": "//r.example.com/:_authToken=" + mark + "\n", "env.txt": "->.env", "sub/up": "->../.env", "two": "->env.txt", "d": "->.aws", "fine": "->ok", "ok": "ok\n",
		".git/config": mark, "conf": "->.git/config", ".env.example": "K=\n",
	})
	r := open(t, dir)
	w := copyOf(t, r)
	want := []string{".env.example", "deploy", "ok"}
	diff(t, want, paths(t, r.tree))
	diff(t, []string{".env.example", "ok"}, paths(t, w.tree))
	diff(t, map[string]bool{".env.example": true, "ok": true, "fine": true, "sub": true, ".": true}, keys(snapshot(t, w.Dir())))
	for _, p := range []string{".env", "sub/.env.local", "./.env", "sub/../.env"[4:], "id_rsa", "a.pem", ".aws/credentials", "deploy", ".npmrc", "env.txt", "sub/up", "two", "d/credentials", ".ENV", ".env.", "nothing/.env"} {
		data, err := r.Read(p)
		if !errors.Is(err, ErrSecret) && !errors.Is(err, ErrOutside) || data != nil {
			t.Errorf("%q: %q, %v", p, data, err)
		}
		if err != nil && (strings.Contains(err.Error(), mark) || !strings.Contains(err.Error(), "ask the person") && !errors.Is(err, ErrOutside)) {
			t.Errorf("%q: message %v", p, err)
		}
		if _, err := w.Read(p); err == nil {
			t.Errorf("%q can be read in the copy", p)
		}
	}
	for _, p := range []string{".git/config", "conf"} {
		if _, err := r.Read(p); !errors.Is(err, ErrOutside) {
			t.Errorf("%q: %v", p, err)
		}
	}
	if data, err := r.Read("fine"); err != nil || string(data) != "ok\n" {
		t.Error(err)
	}
	must(t, filepath.WalkDir(filepath.Dir(w.Dir()), func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if data, _ := os.ReadFile(p); strings.Contains(string(data), mark) {
				t.Errorf("%s was copied", p)
			}
		}
		return err
	}))
}

func keys(m map[string]string) map[string]bool {
	out := map[string]bool{}
	for k := range m {
		out[k] = true
	}
	return out
}

func FuzzIsSecret(f *testing.F) {
	for _, p := range []string{".env", "a/.env ", "id_rsa", "x.pem~", "..", "", "\xff.key", "a:b", "#.env#~"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		secret := IsSecret(p)
		if !secret {
			return
		}
		for _, other := range []string{strings.ToUpper(p), p + ".", "sub/" + p} {
			if !IsSecret(other) && !slices.Contains([]string{"/", `\`}, p[len(p)-1:]) {
				t.Errorf("%q is refused, %q is not", p, other)
			}
		}
	})
}
