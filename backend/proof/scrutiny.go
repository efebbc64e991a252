package proof

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"redgreen/backend/patch"
	"redgreen/backend/testrun"
)

// Mark is a changed place that deserves a second look, whatever the proof says: what goes wrong there costs more than a
// red test shows.
type Mark struct {
	File string `json:"file"`
	Line int    `json:"line"` // in the new text; in the old one for what was removed
	Kind string `json:"kind"` // authentication, authorisation, money, privacy, migration, infrastructure, ci, build, dependency
	Why  string `json:"why"`
}

// subject is one thing to look twice at: words of a path's parts, words of changed lines, and what a line says. Words
// are compared whole, after identifiers are taken apart, so that an author is no auth and a price list no license.
type subject struct {
	kind  string
	paths []string       // words of a path
	words []string       // words of an identifier; a + stands between words that must follow each other
	line  *regexp.Regexp // of a changed line, nil none
}

// subjects is the table; its order is the order of marks of one line.
var subjects = []subject{
	{"authentication", list("auth authn authentication login logout signin signup password passwords credential credentials oauth oidc saml sso jwt mfa totp passkey webauthn"),
		list("password passwd credential credentials authenticate authenticated authentication login logout signin oauth oidc saml jwt bcrypt argon2 scrypt pbkdf2 totp webauthn passkey hmac set+cookie session+id csrf access+token refresh+token api+key verify+signature compare+digest"),
		nil},
	{"authorisation", list("authz authorization authorisation permission permissions acl rbac policy policies roles"),
		list("authorize authorise authorized authorised authorization authorisation unauthorized forbidden permission permissions acl rbac is+admin is+superuser is+staff is+owner has+role has+permission can+access access+control allow+any permit+all"),
		nil},
	{"money", list("billing payment payments payout payouts invoice invoices invoicing tax taxes vat pricing price prices checkout refund refunds accounting ledger"),
		list("payment payments payout refund refunds charge+card invoice+total tax+rate vat+rate unit+price gross net+amount cents currency iban round+half exchange+rate discount account+balance stripe paypal"),
		nil},
	{"privacy", list("privacy gdpr pii consent personal"),
		list("ssn passport birthdate date+of+birth phone+number email+address home+address personal+data pii gdpr consent anonymize anonymise pseudonymize ip+address geolocation medical"),
		nil},
	{"migration", list("migration migrations migrate alembic flyway liquibase"), list("add+column drop+column alter+column run+python create+table drop+table"),
		regexp.MustCompile(`(?i)\b(ALTER|DROP|TRUNCATE|CREATE)\s+(TABLE|COLUMN|INDEX|TYPE|SCHEMA|DATABASE|VIEW)\b|\bDELETE\s+FROM\b`)},
	{"infrastructure", list("terraform helm k8s kubernetes ansible deploy deployment deployments infra infrastructure nginx systemd cloudformation pulumi iam"),
		nil, regexp.MustCompile(`^\s*(apiVersion:|kind:\s*(Deployment|Ingress|Role|RoleBinding|ClusterRole|Secret|NetworkPolicy)\b|resource\s+"[a-z0-9_]+"|AWSTemplateFormatVersion|security_group)`)},
	{"ci", nil, nil, nil},         // by kindOfFile
	{"build", nil, nil, nil},      // by kindOfFile
	{"dependency", nil, nil, nil}, // by kindOfFile
}

func list(words string) []string { return strings.Fields(words) }

var infrastructureFile = regexp.MustCompile(`(?i)(\.tf|\.tfvars|\.bicep)$|(^|/)(docker-compose[\w.-]*|compose)\.ya?ml$|(^|/)(Dockerfile|Containerfile|Vagrantfile|Procfile|fly\.toml|serverless\.ya?ml|nginx[\w.-]*\.conf)$|\.(service|socket|timer)$`)

// sqlMigration is a numbered or dated SQL file.
var sqlMigration = regexp.MustCompile(`(^|/)(V?\d{3,}[\w.-]*)\.sql$`)

// Scrutinise marks what in a patch deserves a second look, by path and by content; pure. A file has one mark of a kind, at
// its first changed line of it. Prose and tests are marked for nothing that their words say: they do not run in production.
func Scrutinise(p patch.Patch) []Mark {
	marks := []Mark{}
	for _, f := range p.Files {
		marks = append(marks, scrutiniseFile(f)...)
	}
	slices.SortStableFunc(marks, func(a, b Mark) int { return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line) })
	return marks
}

func scrutiniseFile(f patch.File) []Mark {
	line, _ := firstChange(f)
	var marks []Mark
	mark := func(line int, kind, why string) {
		if !slices.ContainsFunc(marks, func(m Mark) bool { return m.Kind == kind }) {
			marks = append(marks, Mark{File: f.Path, Line: max(line, 1), Kind: kind, Why: why})
		}
	}
	switch kindOfFile(f.Path) {
	case ciFile:
		mark(line, "ci", "what runs in CI, with its secrets")
	case buildFile:
		mark(line, "build", "what runs when this is built")
	case manifest:
		mark(line, "dependency", "what others' code is taken in")
	case testConfig, ordinary:
	}
	if hook.MatchString(f.Path) {
		mark(line, "build", "what runs on its own beside git or an editor")
	}
	if infrastructureFile.MatchString(f.Path) {
		mark(line, "infrastructure", "what it runs on")
	}
	if sqlMigration.MatchString(f.Path) {
		mark(line, "migration", "a numbered change of stored data")
	}
	if prose(f.Path) || testrun.TestFile(f.Path) {
		return marks
	}
	parts := wordsOf(f.Path)
	for _, s := range subjects {
		for _, w := range s.paths {
			if slices.Contains(parts, w) {
				mark(line, s.kind, "its path names "+w)
			}
		}
	}
	eachChange(f, func(n int, text string) {
		words := wordsOf(text)
		for _, s := range subjects {
			if w := s.says(words, text); w != "" {
				mark(n, s.kind, "the line names "+w)
			}
		}
	})
	return marks
}

// hook is a file that programs run by themselves.
var hook = regexp.MustCompile(`(^|/)(\.husky|\.githooks|hooks)/[^/]+$|(^|/)(\.pre-commit-config\.yaml|lefthook\.ya?ml|\.envrc)$|(^|/)\.vscode/(tasks|settings|launch)\.json$`)

func prose(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".rst", ".txt", ".adoc":
		return kindOfFile(p) == ordinary
	}
	return false
}

func (s subject) says(words []string, text string) string {
	for _, w := range s.words {
		if follow(words, strings.Split(w, "+")) {
			return strings.ReplaceAll(w, "+", " ")
		}
	}
	if s.line != nil {
		return strings.ToLower(strings.Trim(s.line.FindString(text), " \t:"))
	}
	return ""
}

// follow says whether the words of want stand in all one after another.
func follow(all, want []string) bool {
	for i := 0; i+len(want) <= len(all); i++ {
		if slices.Equal(all[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

// wordsOf takes a text's identifiers apart at case, digits and marks, in lower case: isAdmin_2 is is, admin, 2.
func wordsOf(text string) []string {
	var out []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) && unicode.IsUpper(runes[i-1])):
			end()
		}
		word = append(word, r)
	}
	end()
	return out
}

// eachChange gives every changed line with its number: in the new text, of removed ones in the old text.
func eachChange(f patch.File, do func(line int, text string)) {
	for _, h := range f.Hunks {
		before, after := h.OldStart, h.NewStart
		for _, l := range h.Lines {
			switch l.Op {
			case patch.Insert:
				do(after, l.Text)
				after++
			case patch.Delete:
				do(before, l.Text)
				before++
			default:
				before, after = before+1, after+1
			}
		}
	}
}
