package model

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

const (
	testID     = "AKIDEXAMPLE"
	testSecret = "wJalr-SENTINEL-secret"
)

func accessKeys(url string, token string) Options {
	o := options("bedrock", url, &waits{})
	o.Key = func(name string) string {
		return map[string]string{accessKey: testID, secretKey: testSecret, lentToken: token}[name]
	}
	o.Env = func(name string) string { return map[string]string{"AWS_REGION": "eu-central-1"}[name] }
	return o
}

// signature is computed here from the request as the server got it, by the steps of AWS's description of Signature
// Version 4: the server's side of it, written apart from the signer that is used.
func signature(s seen, host, day, region string, signed []string) string {
	mac := func(key, data []byte) []byte {
		h := hmac.New(sha256.New, key)
		h.Write(data)
		return h.Sum(nil)
	}
	sum := func(text string) string { h := sha256.Sum256([]byte(text)); return hex.EncodeToString(h[:]) }
	var segments []string
	for _, part := range strings.Split(s.uri, "/") {
		segments = append(segments, strings.ReplaceAll(url.QueryEscape(part), "+", "%20"))
	}
	var headers strings.Builder
	for _, name := range signed {
		value := s.header.Get(name)
		switch name {
		case "host":
			value = host
		case "content-length":
			value = s.header.Get("Content-Length")
		}
		headers.WriteString(name + ":" + strings.TrimSpace(value) + "\n")
	}
	canonical := strings.Join([]string{"POST", strings.Join(segments, "/"), "", headers.String(), strings.Join(signed, ";"), sum(string(s.body))}, "\n")
	scope := day + "/" + region + "/bedrock/aws4_request"
	text := "AWS4-HMAC-SHA256\n" + s.header.Get("X-Amz-Date") + "\n" + scope + "\n" + sum(canonical)
	key := mac(mac(mac(mac([]byte("AWS4"+testSecret), []byte(day)), []byte(region)), []byte("bedrock")), []byte("aws4_request"))
	return hex.EncodeToString(mac(key, []byte(text)))
}

var authorization = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=` + testID + `/(\d{8})/eu-central-1/bedrock/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$`)

// Requests with access keys carry a signature that the server's side finds right, again after a retry, and no secret.
func TestBedrockSigns(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"", "lent-SENTINEL-token"} {
		p := newPlayer(t, "bedrock", "500", "text")
		m := open(t, "bedrock", "", accessKeys(p.url, token))
		reply, err := m.Chat(t.Context(), ask(), nil)
		if err != nil || reply.Message.Text != said {
			t.Fatalf("%+v, %v", reply, err)
		}
		sent := p.requests()
		if len(sent) != 2 {
			t.Fatalf("%d requests", len(sent))
		}
		for _, s := range sent {
			m := authorization.FindStringSubmatch(s.header.Get("Authorization"))
			if m == nil {
				t.Fatalf("authorization %q", s.header.Get("Authorization"))
			}
			if got := signature(s, strings.TrimPrefix(p.url, "http://"), m[1], "eu-central-1", strings.Split(m[2], ";")); got != m[3] {
				t.Errorf("signature %s, the server finds %s over %s", m[3], got, m[2])
			}
			if s.header.Get("X-Amz-Security-Token") != token || strings.Contains(string(s.body)+s.uri, "SENTINEL") {
				t.Errorf("token %q, or a secret in the request", s.header.Get("X-Amz-Security-Token"))
			}
		}
	}
}

func TestBedrockKeys(t *testing.T) {
	t.Parallel()
	p := newPlayer(t, "bedrock", "badkey", "text")
	_, err := open(t, "bedrock", "", accessKeys(p.url, "lent-SENTINEL-token")).Chat(t.Context(), ask(), nil)
	if code(err) != Denied || !strings.Contains(err.Error(), accessKey+" was refused") {
		t.Errorf("%v", err)
	}
	noLeak(t, nil, Reply{}, err, nil)
	both := accessKeys(p.url, "")
	own := both.Key
	both.Key = func(name string) string {
		if name == bedrockKey {
			return "api-key"
		}
		return own(name)
	}
	if _, err := open(t, "bedrock", "", both).Chat(t.Context(), ask(), nil); err != nil {
		t.Fatal(err)
	}
	if got := p.requests()[1].header.Get("Authorization"); got != "Bearer api-key" {
		t.Errorf("with both: %q", got)
	}
	o := accessKeys("http://example.com", "")
	if _, err := Open("bedrock/x", o); code(err) != Denied {
		t.Errorf("over http: %v", err)
	}
	if _, err := Open("bedrock/x", Options{Key: func(string) string { return "" }, Env: func(string) string { return "" }}); err != nil {
		t.Fatal(err)
	}
}
