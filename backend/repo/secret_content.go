package repo

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// headSize is how much of a file is looked at for secrets and for NUL bytes where it is not read as a whole; a private
// key or a token file shows within its first lines.
const headSize = 8 << 10

// secretContent says what kind of secret a file holds whose name says nothing, "" for none. head is its beginning.
//
// A program or a test that quotes a key is no key file: only a file made of PEM blocks and their furniture is.
func secretContent(name string, head []byte) string {
	switch {
	case bytes.Contains(head, []byte("PRIVATE KEY")) && keyFile(head), bytes.HasPrefix(head, []byte("PuTTY-User-Key-File-")):
		return "a private key"
	case bytes.Contains(head, []byte(`"private_key"`)) && bytes.Contains(head, []byte(`"service_account"`)),
		bytes.Contains(head, []byte(`"refresh_token"`)) && bytes.Contains(head, []byte(`"authorized_user"`)):
		return "cloud credentials"
	case bytes.Contains(head, []byte("client-key-data:")) && bytes.Contains(head, []byte("clusters:")):
		return "cluster credentials"
	case tokenFile(name) && tokenLine().Match(head):
		return "a file of passwords or tokens"
	}
	return ""
}

// keyFile reports whether the first line that is not PEM furniture (other blocks, comments, "Key: value" attributes)
// begins a private key.
func keyFile(head []byte) bool {
	inside := false
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte("\uFEFF"))) {
		text := strings.TrimSpace(string(line))
		switch {
		case strings.HasPrefix(text, "-----BEGIN ") && strings.Contains(text, "PRIVATE KEY"):
			return true
		case strings.HasPrefix(text, "-----BEGIN "):
			inside = true
		case strings.HasPrefix(text, "-----END "):
			inside = false
		case inside, text == "", text[0] == '#', attribute(text):
		default:
			return false
		}
	}
	return false
}

// attribute reports a line such as "friendlyName: server" or "subject=/CN=x", which tools write between PEM blocks.
func attribute(text string) bool {
	if text == "Bag Attributes" || strings.HasPrefix(text, "Key Attributes") {
		return true
	}
	i := strings.IndexAny(text, ":=")
	return i > 0 && !strings.ContainsAny(text[:i], "\"'`(){}") && !strings.ContainsAny(text[len(text)-1:], "\"'`({") && !strings.Contains(text, "<<")
}

// tokenFile reports the package managers' settings files, which are harmless until a token is put in.
func tokenFile(name string) bool {
	switch fold(name) {
	case ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", "pip.conf", ".bowerrc", ".composer-auth.json", "auth.json", "nuget.config":
		return true
	}
	return false
}

// tokenLine matches a setting that holds a token or password itself and not the name of an environment variable.
var tokenLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)(_authToken|_auth|_password|npmAuthToken|npmAuthIdent|\bpassword|\bcleartextpassword"?\s+value)"?[ \t]*[:=][ \t]*["']?[^\s"'$%{]` +
		`|https?://[^\s/:@$]+:[^\s/@${]+@`)
})
