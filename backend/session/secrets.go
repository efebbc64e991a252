package session

import (
	"regexp"
	"sync"
)

// rule is one shape of secret. Every match holds one of its marks (of three bytes at least, with nothing in it that JSON
// would escape); the pattern is tried only where one stands. A first group, where there is one, is kept: the name in front
// of a value.
type rule struct {
	name    string
	marks   []string
	back    int    // bytes that a match may have in front of its mark; 0: it begins with it, at the beginning of a word
	holds   string // where back is not 0: what stands between the mark and the next blank, to rule most out early
	pattern string
	compile *regexp.Regexp
}

// pem is a private key block, whole or cut, also with line numbers or diff marks before its lines or with "\n" for line ends.
// Before its long lines may stand what a test runner or a logger puts there.
const (
	pemGap = `(?:[\s+|-]|\\[nrt]|\d|Proc-Type: 4,ENCRYPTED|DEK-Info: [A-Z0-9-]+,[0-9A-F]+)*`
	pemPut = `[^A-Za-z0-9+/=\n"\\]{0,4}(?:\\+r)?(?:\n|\\+n)[^\n"\\]{0,60}?`
	pem    = `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:` + pemGap + `[A-Za-z0-9+/=]{16,}|` + pemPut + `\b[A-Za-z0-9+/=]{40,})+(?:` + pemPut + `\b[A-Za-z0-9+/=]{16,39})?` +
		`(?:(?:` + pemGap + `|` + pemPut + `)[A-Za-z0-9+/=]{0,39}(?:` + pemGap + `|` + pemPut + `)-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)?`
)

// table holds the published shapes of well-known keys: prefixes, alphabets and lengths as their issuers document them, held
// against the default rules of gitleaks 8.30.1 (MIT licence), whose coverage is the measure. gitleaks itself is not used:
// as a library it adds 371 packages and about 50 s to a cold build, and takes seconds for a megabyte (see
// build/docs/record.md). No pattern can match across a JSON string's end.
func table() []rule {
	return []rule{
		{name: "private key", marks: []string{"-----BEGIN "}, pattern: pem},
		{name: "age key", marks: []string{"AGE-SECRET-KEY-1"}, pattern: `AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}`},

		{name: "aws key id", marks: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, pattern: `A[KSBC][IC]A[A-Z2-7]{16}\b`},
		{name: "aws bedrock key", marks: []string{"ABSK"}, pattern: `ABSK[A-Za-z0-9+/]{100,}={0,2}`},
		{name: "google key", marks: []string{"AIza"}, pattern: `AIza[A-Za-z0-9_-]{35}`},
		{name: "google secret", marks: []string{"GOCSPX-"}, pattern: `GOCSPX-[A-Za-z0-9_-]{28}`},
		{name: "google access token", marks: []string{"ya29."}, pattern: `ya29\.[A-Za-z0-9_-]{30,}`},
		{name: "azure secret", marks: []string{"0Q~", "1Q~", "2Q~", "3Q~", "4Q~", "5Q~", "6Q~", "7Q~", "8Q~", "9Q~"}, back: 3, pattern: `\b[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}`},
		{name: "azure account key", marks: []string{"AccountKey="}, pattern: `(AccountKey=)[A-Za-z0-9+/]{86}==`},
		{name: "alibaba key id", marks: []string{"LTAI"}, pattern: `LTAI[A-Za-z0-9]{20}\b`},
		{name: "digitalocean token", marks: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, pattern: `do[por]_v1_[a-f0-9]{64}`},
		{name: "cloudflare key", marks: []string{"v1.0-"}, pattern: `v1\.0-[a-f0-9]{24}-[a-f0-9]{146}`},
		{name: "heroku key", marks: []string{"HRKU-"}, pattern: `HRKU-[A-Za-z0-9_-]{36,80}`},
		{name: "fly token", marks: []string{"fo1_", "fm2_", "fm1a_", "fm1r_"}, pattern: `(?:fo1_[A-Za-z0-9_-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{100,}={0,3})`},
		{name: "openshift token", marks: []string{"sha256~"}, pattern: `sha256~[A-Za-z0-9_-]{43}\b`},
		{name: "ibm or hashicorp cloud token", marks: []string{".atlasv1."}, back: 14, pattern: `\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}`},
		{name: "vault token", marks: []string{"hvs.", "hvb.", "hvr."}, pattern: `hv[sbr]\.[A-Za-z0-9_-]{24,}`},
		{name: "doppler token", marks: []string{"dp.pt.", "dp.st.", "dp.ct."}, pattern: `dp\.[psc]t\.[A-Za-z0-9._-]{40,80}`},
		{name: "pulumi token", marks: []string{"pul-"}, pattern: `pul-[a-f0-9]{40}\b`},
		{name: "databricks token", marks: []string{"dapi"}, pattern: `dapi[a-f0-9]{32}(?:-\d)?\b`},
		{name: "planetscale secret", marks: []string{"pscale_"}, pattern: `pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{32,64}`},
		{name: "supabase token", marks: []string{"sbp_", "sb_secret_"}, pattern: `(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,64})\b`},
		{name: "clickhouse key", marks: []string{"4b1d"}, pattern: `4b1d[A-Za-z0-9]{38}\b`},

		{name: "github token", marks: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, pattern: `gh[pousr]_[A-Za-z0-9]{36,}\b`},
		{name: "github token", marks: []string{"github_pat_"}, pattern: `github_pat_[A-Za-z0-9_]{50,}\b`},
		{name: "gitlab token", marks: []string{"glpat-", "gldt-", "glrt-", "glft-", "glptt-", "glcbt-", "glimt-", "gloas-", "glsoat-", "glagent-", "glffct-", "GR1348941"},
			pattern: `(?:gl[a-z]{2,5}-|GR1348941)[A-Za-z0-9_.-]{20,}`},
		{name: "atlassian token", marks: []string{"ATATT3", "ATCTT3", "ATBB"}, pattern: `(?:AT[AC]TT3[A-Za-z0-9_=-]{100,}|ATBB[A-Za-z0-9]{32}\b)`},
		{name: "linear key", marks: []string{"lin_api_", "lin_oauth_"}, pattern: `lin_(?:api|oauth)_[A-Za-z0-9]{40,64}\b`},
		{name: "notion token", marks: []string{"ntn_"}, pattern: `ntn_[0-9]{11}[A-Za-z0-9]{35}\b`},
		{name: "postman key", marks: []string{"PMAK-"}, pattern: `PMAK-[a-f0-9]{24}-[a-f0-9]{34}\b`},
		{name: "figma token", marks: []string{"figd_"}, pattern: `figd_[A-Za-z0-9_-]{40,60}`},
		{name: "sourcegraph token", marks: []string{"sgp_"}, pattern: `sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}\b`},
		{name: "octopus key", marks: []string{"API-"}, pattern: `API-[A-Z0-9]{26}\b`},

		{name: "npm token", marks: []string{"npm_"}, pattern: `npm_[A-Za-z0-9]{36}\b`},
		{name: "pypi token", marks: []string{"pypi-Ag"}, pattern: `pypi-Ag[A-Za-z0-9_-]{50,}`},
		{name: "rubygems key", marks: []string{"rubygems_"}, pattern: `rubygems_[a-f0-9]{48}\b`},
		{name: "crates token", marks: []string{"cio"}, pattern: `cio[A-Za-z0-9]{32}\b`},
		{name: "docker token", marks: []string{"dckr_pat_", "dckr_oat_"}, pattern: `dckr_[po]at_[A-Za-z0-9_-]{27,40}`},
		{name: "clojars token", marks: []string{"CLOJARS_"}, pattern: `CLOJARS_[A-Za-z0-9]{60}\b`},
		{name: "artifactory key", marks: []string{"AKCp", "cmVmd"}, pattern: `(?:AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59})\b`},

		{name: "api key", marks: []string{"sk-"}, pattern: `sk-(?:ant-|proj-|or-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}`},
		{name: "hugging face token", marks: []string{"hf_", "api_org_"}, pattern: `(?:hf|api_org)_[A-Za-z]{34}\b`},
		{name: "groq key", marks: []string{"gsk_"}, pattern: `gsk_[A-Za-z0-9]{48,60}\b`},
		{name: "xai key", marks: []string{"xai-"}, pattern: `xai-[A-Za-z0-9]{70,90}\b`},
		{name: "perplexity key", marks: []string{"pplx-"}, pattern: `pplx-[A-Za-z0-9]{48}\b`},
		{name: "replicate token", marks: []string{"r8_"}, pattern: `r8_[A-Za-z0-9]{37}\b`},
		{name: "nvidia key", marks: []string{"nvapi-"}, pattern: `nvapi-[A-Za-z0-9_-]{60,70}`},

		{name: "slack token", marks: []string{"xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", "xoxd-"}, pattern: `xox[a-z]-[A-Za-z0-9%-]{10,}`},
		{name: "slack token", marks: []string{"xapp-", "xoxe.xox"}, pattern: `(?:xapp-|xoxe\.xox[bp]-)\d-[A-Za-z0-9-]{20,}`},
		{name: "webhook", marks: []string{"hooks.slack.com/"}, pattern: `(hooks\.slack\.com/)(?:services|workflows|triggers)/[A-Za-z0-9+/]{20,80}`},
		{name: "webhook", marks: []string{"/api/webhooks/"}, pattern: `(/api/webhooks/)\d{17,20}/[A-Za-z0-9_-]{60,80}`},
		{name: "telegram token", marks: []string{":AA"}, back: 10, pattern: `\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b`},
		{name: "sendgrid key", marks: []string{"SG."}, pattern: `SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}`},
		{name: "mailchimp key", marks: []string{"-us"}, back: 32, pattern: `\b[a-f0-9]{32}-us\d{1,2}\b`},
		{name: "brevo key", marks: []string{"xkeysib-"}, pattern: `xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}\b`},
		{name: "twilio key", marks: []string{"SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb", "SKc", "SKd", "SKe", "SKf"}, pattern: `SK[a-f0-9]{32}\b`},

		{name: "stripe key", marks: []string{"sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"}, pattern: `(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9+/=]{16,}`},
		{name: "square token", marks: []string{"sq0atp-", "sq0csp-", "EAAA"}, pattern: `(?:sq0[ac][ts]p-[A-Za-z0-9_-]{22,60}|EAAA[A-Za-z0-9_-]{56,64}\b)`},
		{name: "shopify token", marks: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, pattern: `shp[acps][ats]_[A-Fa-f0-9]{32}\b`},
		{name: "shippo token", marks: []string{"shippo_"}, pattern: `shippo_(?:live|test)_[A-Fa-f0-9]{40}\b`},
		{name: "easypost key", marks: []string{"EZAK", "EZTK"}, pattern: `EZ[AT]K[A-Za-z0-9]{54}\b`},
		{name: "duffel token", marks: []string{"duffel_"}, pattern: `duffel_(?:test|live)_[A-Za-z0-9_=-]{43}`},
		{name: "facebook token", marks: []string{"EAAM", "EAAC"}, pattern: `EAA[MC][A-Za-z0-9]{100,}`},

		{name: "grafana token", marks: []string{"glc_", "glsa_"}, pattern: `(?:glc_[A-Za-z0-9+/]{32,}={0,3}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})`},
		{name: "sentry token", marks: []string{"sntrys_", "sntryu_"}, pattern: `(?:sntrys_[A-Za-z0-9+/=_-]{60,}|sntryu_[a-f0-9]{64})`},
		{name: "new relic key", marks: []string{"NRAK-", "NRII-", "NRRA-"}, pattern: `NR[AIR][KIA]-[A-Za-z0-9-]{27,42}`},
		{name: "dynatrace token", marks: []string{"dt0c01.", "dt0s"}, pattern: `dt0[cs]\d\d\.[A-Za-z0-9]{8,24}\.[A-Za-z0-9]{64}`},
		{name: "maxmind key", marks: []string{"_mmk"}, back: 36, pattern: `\b[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b`},
		{name: "adobe secret", marks: []string{"p8e-"}, pattern: `p8e-[A-Za-z0-9]{32}\b`},
		{name: "prefect key", marks: []string{"pnu_", "pnb_"}, pattern: `pn[ub]_[A-Za-z0-9]{36}\b`},
		{name: "readme key", marks: []string{"rdme_"}, pattern: `rdme_[a-z0-9]{70}\b`},
		{name: "infracost key", marks: []string{"ico-"}, pattern: `ico-[A-Za-z0-9]{32}\b`},
		{name: "1password token", marks: []string{"ops_eyJ"}, pattern: `ops_eyJ[A-Za-z0-9+/]{200,}={0,3}`},

		{name: "json web token", marks: []string{"eyJ"}, pattern: `eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`},
		{name: "bearer token", marks: []string{"earer "}, back: 40, pattern: `(?i)(authorization\\?["']?\s*[:=]\s*\\?["']?bearer )[A-Za-z0-9._~+/=-]{16,}`},
		{name: "basic credentials", marks: []string{"Basic "}, back: 40, pattern: `(?i)(authorization\\?["']?\s*[:=]\s*\\?["']?basic )[A-Za-z0-9+/]{12,}={0,2}`},
		{name: "password in a url", marks: []string{"://"}, back: 21, holds: "@", pattern: `(\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@"'\\]{0,100}:)[^\s/@"'\\]{3,200}@`},
	}
}

// finder finds in one pass where any mark stands.
type finder struct {
	rules []rule
	first [1 << 16 / 64]uint64 // a set of hashes of the first three bytes of all marks
	marks map[[3]byte][]mark
}

// mark is one text that starts a closer look: by a rule, or, where rule is negative, as a part of the name of a secret.
type mark struct {
	text string
	rule int
}

// The parts of names that are followed by secrets, in the ways they are written.
var nameMarks = []string{"ecret", "ECRET", "oken", "OKEN", "assw", "ASSW", "assphrase", "ASSPHRASE", "redential", "REDENTIAL", "Key", "KEY", "key", "pwd", "PWD", "Pwd"}

// theFinder is compiled on first use: it never changes.
var theFinder = sync.OnceValue(func() *finder {
	f := &finder{rules: table(), marks: map[[3]byte][]mark{}}
	add := func(m mark) {
		head := [3]byte([]byte(m.text))
		f.marks[head] = append(f.marks[head], m)
		h := hash3(head[0], head[1], head[2])
		f.first[h/64] |= 1 << (h % 64)
	}
	for i := range f.rules {
		r := &f.rules[i]
		anchor := ""
		if r.back == 0 {
			anchor = "^"
		}
		r.compile = regexp.MustCompile(anchor + "(?:" + r.pattern + ")")
		for _, m := range r.marks {
			add(mark{m, i})
		}
	}
	for _, m := range nameMarks {
		add(mark{m, -1})
	}
	return f
})

// hash3 is a number of 16 bits for three bytes, with few collisions among ASCII texts.
func hash3(a, b, c byte) uint { return (uint(a)<<10 ^ uint(b)<<5 ^ uint(c)) & 0xffff }
