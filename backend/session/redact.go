package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// rule is one shape of secret. Needle is a text that every match holds: only around it is the pattern tried, since a
// pattern over a whole prompt costs more than all else that a step does. A first group, where there is one, is kept (the
// name in front of a value).
type rule struct {
	name, needle string
	bounded      bool // a match has at most lead bytes before its needle and reach behind it
	pattern      *regexp.Regexp
}

// The bytes around a needle that a bounded match can have, and those that its word boundaries look at: a URL's scheme
// before, a URL's user and password of four-byte characters behind.
const (
	lead  = 64
	reach = 1400
)

// pem is a private key block, whole or cut, also with line numbers or diff marks before its lines or with "\n" for line ends.
const (
	pemGap = `(?:[\s+|-]|\\[nrt]|\d|Proc-Type: 4,ENCRYPTED|DEK-Info: [A-Z0-9-]+,[0-9A-F]+)*`
	pem    = `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:` + pemGap + `[A-Za-z0-9+/=]{16,})+` +
		`(?:` + pemGap + `[A-Za-z0-9+/=]{0,15}` + pemGap + `-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)?`
)

// rules are the published shapes of well-known keys. None can match across a JSON string's end.
var rules = []rule{
	{"private key", "PRIVATE KEY", false, regexp.MustCompile(pem)},
	{"aws key id", "AKIA", true, regexp.MustCompile(`\bAKIA[A-Z2-7]{16}\b`)},
	{"aws key id", "ASIA", true, regexp.MustCompile(`\bASIA[A-Z2-7]{16}\b`)},
	{"github token", "ghp_", true, regexp.MustCompile(`\bghp_[A-Za-z0-9]{36,251}\b`)},
	{"github token", "gho_", true, regexp.MustCompile(`\bgho_[A-Za-z0-9]{36,251}\b`)},
	{"github token", "ghu_", true, regexp.MustCompile(`\bghu_[A-Za-z0-9]{36,251}\b`)},
	{"github token", "ghs_", true, regexp.MustCompile(`\bghs_[A-Za-z0-9]{36,251}\b`)},
	{"github token", "ghr_", true, regexp.MustCompile(`\bghr_[A-Za-z0-9]{36,251}\b`)},
	{"github token", "github_pat_", true, regexp.MustCompile(`\bgithub_pat_[A-Za-z0-9_]{50,251}\b`)},
	{"gitlab token", "glpat-", true, regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,64}\b`)},
	{"api key", "sk-", true, regexp.MustCompile(`\bsk-(?:ant-|proj-|or-|svcacct-)?[A-Za-z0-9_-]{20,250}`)},
	{"slack token", "xox", true, regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,250}`)},
	{"stripe key", "_live_", true, regexp.MustCompile(`\b[rs]k_live_[A-Za-z0-9]{16,128}\b`)},
	{"google key", "AIza", true, regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}`)},
	{"npm token", "npm_", true, regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}\b`)},
	{"json web token", "eyJ", false, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
	{"bearer token", "earer ", false, regexp.MustCompile(`(?i)(authorization["']?\s*[:=]\s*["']?bearer )[A-Za-z0-9._~+/=-]{16,}`)},
	{"password in a url", "://", true, regexp.MustCompile(`(\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@"'\\]{1,100}:)[^\s/@"'\\]{3,200}@`)},
}

// Redact replaces secrets of well-known shapes by "[secret removed: KIND]" and says how many it replaced. It finds what
// has a published shape, no more; a password that looks like a word passes.
func Redact(text string) (clean string, n int) {
	for _, r := range rules {
		text = r.replace(text, func(match string) string {
			n++
			return r.keep(match) + "[secret removed: " + r.name + "]" + r.tail(match)
		})
	}
	return text, n
}

// replace replaces the matches of a rule.
func (r rule) replace(text string, with func(match string) string) string {
	at := strings.Index(text, r.needle)
	if at < 0 {
		return text
	}
	if !r.bounded {
		return r.pattern.ReplaceAllStringFunc(text, with)
	}
	var b strings.Builder
	done := 0 // of text is in b
	for at >= 0 {
		start, end := max(at-lead, done), at
		for at >= 0 && at-lead <= end { // needles whose surroundings meet are tried together
			behind := at + len(r.needle)
			end = min(behind+reach, len(text))
			if at = strings.Index(text[behind:], r.needle); at >= 0 {
				at += behind
			}
		}
		b.WriteString(text[done:start])
		b.WriteString(r.pattern.ReplaceAllStringFunc(text[start:end], with))
		done = end
	}
	b.WriteString(text[done:])
	return b.String()
}

func (r rule) keep(match string) string {
	if r.pattern.NumSubexp() == 0 {
		return ""
	}
	return r.pattern.FindStringSubmatch(match)[1]
}

// tail keeps the @ that ends a password in a URL.
func (r rule) tail(match string) string {
	if strings.HasSuffix(match, "@") {
		return "@"
	}
	return ""
}

// redactJSON replaces secrets in the strings of an event's data. Fields named patch and receipt are left byte-exact: they
// are applied and undone. A provider's opaque form of a message is dropped when it holds a secret, since it is signed.
func redactJSON(raw []byte) ([]byte, error) {
	if _, n := Redact(string(raw)); n == 0 {
		return raw, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("reading an event back to redact it: %w", err)
	}
	return encode(redactValue(v))
}

func redactValue(v any) any {
	switch v := v.(type) {
	case string:
		clean, _ := Redact(v)
		return clean
	case []any:
		for i := range v {
			v[i] = redactValue(v[i])
		}
	case map[string]any:
		for key, field := range v {
			switch key {
			case "patch", "receipt":
			case "opaque":
				if raw, err := encode(field); err != nil || hasSecret(raw) {
					delete(v, key)
				}
			default:
				v[key] = redactValue(field)
			}
		}
	}
	return v
}

func hasSecret(raw []byte) bool {
	_, n := Redact(string(raw))
	return n > 0
}
