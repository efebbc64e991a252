package proof

// samplePairs are bugs in the sample repositories, whose own bug is cured first.
func samplePairs() []pair {
	return []pair{
		{
			name: "tenths read as cents", from: "sample ledger", file: "amount/amount.go",
			good: "if len(digits) == 1 {", bad: "if len(digits) == 0 {", wrong: "if len(digits) == 3 {", breaks: "if len(digits) >= 1 {",
			test: "amount/amount_test.go", title: "func TestParse(", weak: [2]string{`"12.5", 1250`, `"12.5", 1205`},
			red: []string{"amount.TestParse", "amount.TestParse/one_decimal"},
		},
		{
			name: "comma before the first digit", from: "sample ledger", file: "amount/amount.go",
			good: "i > 0; i -= 3", bad: "i >= 0; i -= 3", wrong: "i >= 0 && len(digits) > 2; i -= 3", breaks: "i > 0 && false; i -= 3",
			test: "report/report_test.go", title: "func TestBalancesOfOneBranch(", weak: [2]string{"if got := balances(t, \"expenses:home\"); got != want {", "if got := balances(t, \"expenses:home\"); len(got) < len(want) {"},
			red: []string{"amount.TestString", "report.TestBalancesCountSmallRefunds", "report.TestBalancesOfOneBranch"},
		},
		{
			name: "hash comments taken for dates", from: "sample ledger", file: "journal/journal.go",
			good: "strings.HasPrefix(trimmed, \";\") || strings.HasPrefix(trimmed, \"#\"):", bad: "strings.HasPrefix(trimmed, \";\"):",
			wrong:  "strings.HasPrefix(trimmed, \";\") || strings.HasPrefix(trimmed, \"//\"):",
			breaks: "strings.HasPrefix(trimmed, \";\") || strings.HasPrefix(trimmed, \"#\") || strings.HasPrefix(trimmed, \"1\"):",
			test:   "journal/journal_test.go", title: "func TestReadSkipsComments(", weak: [2]string{"# since March", "; since March"},
			red: []string{"journal.TestReadSkipsComments"},
		},
		{
			name: "line numbers one short", from: "sample ledger", file: "journal/journal.go",
			good: "\t\t\ttx.Line = number\n", bad: "\t\t\ttx.Line = number - 1\n", wrong: "\t\t\ttx.Line = number + 1\n", breaks: "\t\t\ttx.Line = number\n\t\t\tnumber++\n",
			test: "journal/journal_test.go", title: "func TestReadSkipsComments(", weak: [2]string{"txs[0].Line != 3", "txs[0].Line > 3"},
			red: []string{"journal.TestReadRefuses", "journal.TestReadRefuses/two_missing", "journal.TestReadRefuses/unbalanced", "journal.TestReadSkipsComments"},
		},
		{
			name: "small differences pass for balanced", from: "sample ledger", file: "journal/journal.go",
			good: "\tif sum != 0 {\n", bad: "\tif sum > 100 {\n", wrong: "\tif sum < 0 {\n", breaks: "\tif sum >= 0 {\n",
			test: "journal/journal_test.go", title: "func TestReadRefuses(",
			weak: [2]string{"		{\"unbalanced\", \"2024-03-01 Rent\\n a 10\\n b -9\\n\", \"line 1: Rent: postings sum to 1.00, not to zero\"},\n", ""},
			red:  []string{"journal.TestReadRefuses", "journal.TestReadRefuses/unbalanced"},
		},
		{
			name: "prefix of half a name", from: "sample ledger", file: "report/report.go",
			good: "account == prefix || strings.HasPrefix(account, prefix+\":\")", bad: "strings.HasPrefix(account, prefix)",
			wrong: "account == prefix || strings.HasPrefix(account, prefix)", breaks: "account == prefix",
			test: "report/report_test.go", title: "func TestPrefixStopsAtAWholeName(", weak: [2]string{"balances(t, \"exp\"); got != \"\"", "balances(t, \"exp\"); got == \"\""},
			red: []string{"report.TestPrefixStopsAtAWholeName"},
		},
		{
			name: "half a cent rounded to even", from: "sample invoice", file: "invoice/money.py",
			good: "rounding=ROUND_HALF_UP", bad: "rounding=\"ROUND_HALF_EVEN\"", wrong: "rounding=\"ROUND_HALF_DOWN\"",
			breaks: "rounding=ROUND_HALF_UP if cents in (100, 150) else \"ROUND_DOWN\"",
			test:   "tests/test_money.py", title: "def test_share_rounds_half_up", weak: [2]string{"assert money.share(150, 23) == 35", "assert money.share(150, 23) in (34, 35)"},
			red: []string{"tests/test_money.py::test_share_rounds_half_up"},
		},
		{
			name: "country in lower case is abroad", from: "sample invoice", file: "invoice/order.py",
			with: map[string]string{"tests/test_country.py": "def test_country_in_any_case(client, order):\n    order[\"customer\"][\"address\"][\"country\"] = \"ie\"\n    assert '\"gross\": \"56.38\"' in client.request(\"POST\", \"/invoices\", order)[1]\n"},
			good: "data[\"country\"].upper()", bad: "data[\"country\"]", wrong: "data[\"country\"].title()", breaks: "data[\"country\"].lower()",
			test: "tests/test_country.py", title: "def test_country_in_any_case", weak: [2]string{"'\"gross\": \"56.38\"'", "'\"gross\": '"},
			red: []string{"tests/test_country.py::test_country_in_any_case"},
		},
		{
			name: "reverse charge at home", from: "sample invoice", file: "invoice/tax.py",
			good: "country != HOME and country in RATES", bad: "country in RATES", wrong: "country in RATES and country is not None", breaks: "country != HOME and country not in RATES",
			test: "tests/test_tax.py", title: "def test_business_at_home_pays_vat",
			weak: [2]string{"    assert not tax.reverse_charge(customer(\"IE\", \"IE1234567T\"))\n    assert tax.rate(customer(\"IE\", \"IE1234567T\"), \"standard\") == 23\n", "    assert tax.reverse_charge(customer(\"IE\", \"IE1234567T\")) is not None\n"},
			red:  []string{"tests/test_tax.py::test_business_at_home_pays_vat"},
		},
		{
			name: "no rate for the rest of the world", from: "sample invoice", file: "invoice/tax.py",
			good: "    if country not in RATES or reverse_charge(customer):\n", bad: "    if reverse_charge(customer):\n",
			wrong: "    if country is None or reverse_charge(customer):\n", breaks: "    if country != HOME or reverse_charge(customer):\n",
			test: "tests/test_tax.py", title: "def test_export_is_free_of_vat",
			weak: [2]string{"    assert tax.rate(customer(\"US\"), \"standard\") == 0\n", "    try:\n        assert tax.rate(customer(\"US\"), \"standard\") == 0\n    except KeyError:\n        pass\n"},
			red:  []string{"tests/test_tax.py::test_export_is_free_of_vat"},
		},
		{
			name: "long lines leave the paper", from: "sample invoice", file: "invoice/render.py",
			good: "label[: room - 1] + \"…\"", bad: "label[: room] + \"…\"", wrong: "label[: room + 1] + \"…\"",
			test: "tests/test_render.py", title: "def test_no_line_is_wider_than_the_paper", weak: [2]string{") == render.WIDTH", ") >= render.WIDTH"},
			red: []string{"tests/test_render.py::test_no_line_is_wider_than_the_paper"},
		},
		{
			name: "Sunday as 7", from: "sample cronline", file: "src/parse.js",
			good: "if (schedule.weekday.delete(7)) schedule.weekday.add(0);", bad: "schedule.weekday.delete(7);",
			wrong: "if (schedule.weekday.has(7)) schedule.weekday.add(7);", breaks: "schedule.weekday.delete(7); schedule.weekday.add(0);",
			test: "test/parse.test.js", title: "test('takes 7 for Sunday'", weak: [2]string{"[0, 5, 6]", "[5, 6]"},
			red: []string{"test/parse.test.js > parse > takes 7 for Sunday"},
		},
		{
			name: "ranges that run backwards", from: "sample cronline", file: "src/parse.js",
			good: "if (to < from) throw", bad: "if (to < from - 100) throw", wrong: "if (to === from - 100) throw", breaks: "if (to <= from) throw",
			test: "test/parse.test.js", title: "test(`refuses", weak: [2]string{"    ['* * * * fri-mon', 'weekday: range fri-mon runs backwards'],\n", ""},
			red: []string{"test/parse.test.js > parse > refuses \"* * * * fri-mon\""},
		},
		{
			name: "runs again in the same minute", from: "sample cronline", file: "src/next.js",
			good: "/ MINUTE) * MINUTE + MINUTE);", bad: "/ MINUTE) * MINUTE);", wrong: "/ MINUTE) * MINUTE + 1);",
			test: "test/next.test.js", title: "test('is strictly later'", weak: [2]string{"['2024-03-09T06:30', '2024-03-10T06:30']", "['2024-03-08T06:30', '2024-03-08T06:30']"},
			red: []string{"test/next.test.js > next > is strictly later", "test/next.test.js > next > keeps to the weekday when the day is open", "test/next.test.js > next > skips months without a 31st",
				"test/next.test.js > next > steps within the hour", "test/next.test.js > next > takes either the day or the weekday when both are given"},
		},
		{
			name: "leap day after a century", from: "sample cronline", file: "src/next.js",
			good: "HORIZON_YEARS = 8;", bad: "HORIZON_YEARS = 4;", wrong: "HORIZON_YEARS = 7;", breaks: "HORIZON_YEARS = 0;",
			test: "test/next.test.js", title: "test('waits for the leap day'", weak: [2]string{"'2104-02-29T00:00'", "null"},
			red: []string{"test/next.test.js > next > waits for the leap day"},
		},
		{
			name: "names in capitals", from: "sample cronline", file: "src/parse.js",
			good: "text.trim().toLowerCase();", bad: "text.trim();", wrong: "text.trimStart().trimEnd();", breaks: "text.trim().toUpperCase();",
			test: "test/parse.test.js", title: "test('reads names in any case'", weak: [2]string{"Jan,JUN mon-fri", "jan,jun mon-fri"},
			red: []string{"test/parse.test.js > parse > reads names in any case"},
		},
		{
			name: "hours with one digit", from: "sample cronline", file: "src/describe.js",
			good: "padStart(2, '0')", bad: "padStart(1, '0')", wrong: "padStart(1, ' ')",
			test: "test/describe.test.js", title: "test(`describes", weak: [2]string{"assert.equal(inWords(parse(text)), words);", "assert.ok(inWords(parse(text)));"},
			red: []string{"test/describe.test.js > describes \"0 9 * * mon-wed\"", "test/describe.test.js > describes \"0 9 1 * mon\"",
				"test/describe.test.js > describes \"0 9 1 jan,jul *\"", "test/describe.test.js > describes \"30 6,18 * * *\""},
		},
	}
}

// libraryPairs are bugs in libraries as their registries have them, each a kind that such a library really had, made again
// in our own words; one is there still in the version that is named.
func libraryPairs() []pair {
	return []pair{
		{
			name: "111st", from: "go github.com/dustin/go-humanize@v1.0.1", file: "ordinals.go",
			with: map[string]string{"teens_test.go": "package humanize\n\nimport \"testing\"\n\nfunc TestTeensOfAHundred(t *testing.T) {\n\tif got := Ordinal(111); got != \"111th\" {\n\t\tt.Errorf(\"Ordinal(111) = %s\", got)\n\t}\n}\n"},
			good: "if x%100 != 11 {", bad: "if x != 11 {", wrong: "if x != 11 && x > 0 {", breaks: "if x > 111 {",
			test: "teens_test.go", title: "func TestTeensOfAHundred(", weak: [2]string{"got != \"111th\"", "got == \"\""},
			red: []string{"TestTeensOfAHundred"},
		},
		{
			name: "the smallest number has no negative", from: "go github.com/dustin/go-humanize@v1.0.1", file: "comma.go",
			good: "if v == math.MinInt64 {", bad: "if v == math.MinInt64+1 {", wrong: "if v == math.MinInt64+2 {", breaks: "if v < 0 {",
			test: "comma_test.go", title: "func TestCommas(", weak: [2]string{"{\"minint\", Comma(math.MinInt64)", "{\"minint\", Comma(math.MinInt64 + 3)"},
			red: []string{"TestCommas"},
		},
		{
			name: "rc.10 before rc.9", from: "go github.com/Masterminds/semver/v3@v3.2.1", file: "version.go",
			with: map[string]string{"counted_test.go": "package semver\n\nimport \"testing\"\n\nfunc TestPrereleasesAreCounted(t *testing.T) {\n\tif !MustParse(\"1.0.0-rc.9\").LessThan(MustParse(\"1.0.0-rc.10\")) {\n\t\tt.Error(\"rc.9 is not before rc.10\")\n\t}\n}\n"},
			good: "if si > oi {", bad: "if _, _ = si, oi; s > o {", wrong: "if _, _ = si, oi; s >= o {",
			test: "counted_test.go", title: "func TestPrereleasesAreCounted(", weak: [2]string{"\"1.0.0-rc.10\"", "\"1.0.0-rc.91\""},
		},
		{
			name: "caret of 0.0.x", from: "go github.com/Masterminds/semver/v3@v3.2.1", file: "constraints.go",
			with: map[string]string{"caret_test.go": "package semver\n\nimport \"testing\"\n\nfunc TestCaretOfNothing(t *testing.T) {\n\tc, err := NewConstraint(\"^0.0.3\")\n\tif err != nil || c.Check(MustParse(\"0.1.3\")) {\n\t\tt.Error(\"^0.0.3 takes 0.1.3\", err)\n\t}\n}\n"},
			good: "if c.con.Minor() == 0 && v.Minor() > 0 {", bad: "if c.con.Minor() == 0 && v.Minor() > 9 {", wrong: "if c.con.Minor() == 0 && v.Minor() > 1 {",
			test: "caret_test.go", title: "func TestCaretOfNothing(", weak: [2]string{"0.1.3\")) {", "0.10.3\")) {"},
			red: []string{"TestCaretOfNothing", "TestConstraintsCheck", "TestConstraintsValidate"},
		},
		{
			name: "empty quotes are a word", from: "go github.com/mattn/go-shellwords@v1.0.12", file: "shellwords.go",
			with: map[string]string{"empty_test.go": "package shellwords\n\nimport \"testing\"\n\nfunc TestEmptyWord(t *testing.T) {\n\tif got, err := Parse(`a \"\" b`); err != nil || len(got) != 3 {\n\t\tt.Errorf(\"Parse gives %q, %v\", got, err)\n\t}\n}\n"},
			good: "\t\t\t\tif doubleQuoted {\n\t\t\t\t\tgot = argQuoted", bad: "\t\t\t\tif doubleQuoted && buf != \"\" {\n\t\t\t\t\tgot = argQuoted", wrong: "\t\t\t\tif doubleQuoted && len(buf) > 0 {\n\t\t\t\t\tgot = argQuoted",
			test: "empty_test.go", title: "func TestEmptyWord(", weak: [2]string{"len(got) != 3", "len(got) < 2"},
		},
		{
			name: "any urn for a UUID", from: "go github.com/google/uuid@v1.6.0", file: "uuid.go",
			with: map[string]string{"urn_test.go": "package uuid\n\nimport \"testing\"\n\nfunc TestOtherURN(t *testing.T) {\n\tif _, err := Parse(\"urn:isbn:f47ac10b-58cc-0372-8567-0e02b2c3d479\"); err == nil {\n\t\tt.Error(\"an ISBN is no UUID\")\n\t}\n}\n"},
			good: "\t\tif !strings.EqualFold(s[:9], \"urn:uuid:\") {\n\t\t\treturn uuid, fmt.Errorf(\"invalid urn prefix: %q\", s[:9])\n\t\t}\n\t\ts = s[9:]\n\n\t// {xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}\n\tcase 36 + 2:\n\t\ts = s[1:]\n\n\t// xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n\tcase 32:\n\t\tvar ok bool\n\t\tfor i := range uuid {\n\t\t\tuuid[i], ok = xtob(s[i*2], s[i*2+1])",
			bad:  "\t\tif !strings.EqualFold(s[:4], \"urn:\") {\n\t\t\treturn uuid, fmt.Errorf(\"invalid urn prefix: %q\", s[:9])\n\t\t}\n\t\ts = s[9:]\n\n\t// {xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}\n\tcase 36 + 2:\n\t\ts = s[1:]\n\n\t// xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n\tcase 32:\n\t\tvar ok bool\n\t\tfor i := range uuid {\n\t\t\tuuid[i], ok = xtob(s[i*2], s[i*2+1])",
			test: "urn_test.go", title: "func TestOtherURN(", weak: [2]string{"err == nil", "err != nil"},
		},
		{
			name: "a release before its candidate", from: "go github.com/hashicorp/go-version@v1.6.0", file: "version.go",
			good: "\t\tif preSelf == \"\" {\n\t\t\treturn 1\n", bad: "\t\tif preSelf == \"\" {\n\t\t\treturn -1\n", wrong: "\t\tif preSelf == \"\" {\n\t\t\treturn -2\n",
			test: "version_test.go", title: "func TestComparePreReleases(", weak: [2]string{"{\"1.2\", \"1.2.alpha\", 1}", "{\"1.2\", \"1.2.alpha\", -1}"},
		},
		{
			name: "pollution by constructor", from: "npm minimist@1.2.8", file: "index.js",
			with: map[string]string{"test/own.test.js": "const assert = require('node:assert');\nconst { test } = require('node:test');\nconst parse = require('..');\n\ntest('leaves the prototype alone', () => {\n  parse(['--x.constructor.prototype.polluted', 'yes']);\n  const seen = {}.polluted;\n  delete Object.prototype.polluted;\n  assert.equal(seen, undefined);\n});\n\ntest('nests', () => {\n  assert.deepEqual(parse(['--a.b', '1']).a, { b: 1 });\n});\n"},
			good: "return (key === 'constructor' && typeof obj[key] === 'function') || key === '__proto__';", bad: "return key === '__proto__';",
			wrong: "return key === '__proto__' || key === 'construct';", breaks: "return key !== '_';",
			test: "test/own.test.js", title: "test('leaves the prototype alone'", weak: [2]string{"  assert.equal(seen, undefined);\n", ""},
			red: []string{"test/own.test.js > leaves the prototype alone"},
		},
		{
			name: "a key named __proto__", from: "npm ini@4.1.1", file: "lib/ini.js",
			with: map[string]string{"test/own.test.js": "const assert = require('node:assert');\nconst { test } = require('node:test');\nconst ini = require('..');\n\ntest('drops __proto__', () => {\n  assert.deepEqual(Object.keys(ini.parse('__proto__ = 1\\na = 2')), ['a']);\n});\n\ntest('reads keys', () => {\n  assert.equal(ini.parse('a = 2').a, '2');\n});\n"},
			good: "    if (key === '__proto__') {", bad: "    if (key === '__proto') {", wrong: "    if (key === '__prot__') {", breaks: "    if (key !== '') {",
			test: "test/own.test.js", title: "test('drops __proto__'", weak: [2]string{"assert.deepEqual(Object.keys(ini.parse('__proto__ = 1\\na = 2')), ['a']);", "assert.ok(Object.keys(ini.parse('__proto__ = 1\\na = 2')).includes('a'));"},
			red: []string{"test/own.test.js > drops __proto__"},
		},
		{
			name: "a cookie named hasOwnProperty", from: "npm cookie@0.7.1", file: "index.js",
			with: map[string]string{"test/own.test.js": "const assert = require('node:assert');\nconst { test } = require('node:test');\nconst cookie = require('..');\n\ntest('takes any name', () => {\n  assert.equal(cookie.parse('hasOwnProperty=1; a=b').a, 'b');\n});\n\ntest('keeps the first', () => {\n  assert.equal(cookie.parse('a=1; a=2').a, '1');\n});\n"},
			good: "if (!Object.prototype.hasOwnProperty.call(obj, key)) {", bad: "if (!obj.hasOwnProperty(key)) {",
			wrong: "if (!obj.hasOwnProperty(String(key))) {", breaks: "if (true) {",
			test: "test/own.test.js", title: "test('takes any name'", weak: [2]string{"hasOwnProperty=1; a=b", "x=1; a=b"},
			red: []string{"test/own.test.js > takes any name"},
		},
		{
			name: "fractions of a unit", from: "npm bytes@3.1.2", file: "index.js",
			with: map[string]string{"test/own.test.js": "const assert = require('node:assert');\nconst { test } = require('node:test');\nconst bytes = require('..');\n\ntest('reads fractions', () => {\n  assert.equal(bytes('1.5kb'), 1536);\n});\n\ntest('reads whole ones', () => {\n  assert.equal(bytes('2kb'), 2048);\n});\n"},
			good: `(\d+(?:\.\d+)?)) *(kb`, bad: `(\d+)) *(kb`, wrong: `(\d+(?:,\d+)?)) *(kb`, breaks: `(\d+\.\d+)) *(kb`,
			test: "test/own.test.js", title: "test('reads fractions'", weak: [2]string{"assert.equal(bytes('1.5kb'), 1536)", "assert.ok(bytes('1.5kb') > 0)"},
			red: []string{"test/own.test.js > reads fractions"},
		},
		{
			name: "ranges that touch", from: "npm range-parser@1.2.1", file: "index.js",
			with: map[string]string{"test/own.test.js": "const assert = require('node:assert');\nconst { test } = require('node:test');\nconst parse = require('..');\n\ntest('joins neighbours', () => {\n  assert.equal(parse(100, 'bytes=0-4,5-9', { combine: true }).length, 1);\n});\n\ntest('keeps apart', () => {\n  assert.equal(parse(100, 'bytes=0-4,20-29', { combine: true }).length, 2);\n});\n"},
			good: "if (range.start > current.end + 1) {", bad: "if (range.start > current.end) {", wrong: "if (range.start >= current.end + 1) {", breaks: "if (range.start > current.end + 100) {",
			test: "test/own.test.js", title: "test('joins neighbours'", weak: [2]string{".length, 1)", ".length, 2)"},
			red: []string{"test/own.test.js > joins neighbours"},
		},
		{
			name: "merging what the prototype has", from: "npm deepmerge@4.3.1", file: "dist/cjs.js",
			with: map[string]string{"test/own.test.js": "const assert = require('node:assert');\nconst { test } = require('node:test');\nconst merge = require('../dist/cjs.js');\n\ntest('leaves inherited names alone', () => {\n  const source = JSON.parse('{\"toString\": {\"polluted\": true}}');\n  assert.ok(!Object.hasOwn(merge({}, source), 'toString'));\n});\n\ntest('merges', () => {\n  assert.deepEqual(merge({ a: 1 }, { b: 2 }), { a: 1, b: 2 });\n});\n"},
			good: "\t\tif (propertyIsUnsafe(target, key)) {", bad: "\t\tif (propertyIsUnsafe(key, target)) {", wrong: "\t\tif (propertyIsUnsafe(source, key)) {", breaks: "\t\tif (key) {",
			test: "test/own.test.js", title: "test('leaves inherited names alone'", weak: [2]string{"assert.ok(!Object.hasOwn(merge({}, source), 'toString'))", "assert.ok(merge({}, source))"},
			red: []string{"test/own.test.js > leaves inherited names alone"},
		},
		{
			name: "-11th", from: "deb python3-inflection", file: "inflection.py",
			with: map[string]string{"tests/test_own.py": "import inflection\n\n\ndef test_negative_ordinals():\n    assert inflection.ordinalize(-11) == \"-11th\"\n\n\ndef test_ordinals():\n    assert inflection.ordinalize(1) == \"1st\"\n"},
			good: "abs(int(number))", bad: "int(number)", wrong: "int(number) % 100", breaks: "11",
			test: "tests/test_own.py", title: "def test_negative_ordinals", weak: [2]string{"assert inflection.ordinalize(-11) == \"-11th\"", "assert inflection.ordinalize(-11).startswith(\"-11\")"},
			red: []string{"tests/test_own.py::test_negative_ordinals"},
		},
		{
			name: "candidate 10 before candidate 9", from: "deb python3-semver", file: "semver.py",
			with: map[string]string{"tests/test_own.py": "import semver\n\n\ndef test_counted():\n    assert semver.VersionInfo.parse(\"1.0.0-rc.9\") < semver.VersionInfo.parse(\"1.0.0-rc.10\")\n\n\ndef test_words():\n    assert semver.VersionInfo.parse(\"1.0.0-alpha\") < semver.VersionInfo.parse(\"1.0.0-beta\")\n"},
			good: "re.match(\"^[0-9]+$\", text)", bad: "re.match(\"^[0-9]$\", text)", wrong: "re.match(\"^[0-9]*[0-8]$\", text)", breaks: "re.match(\"\", text)",
			test: "tests/test_own.py", title: "def test_counted", weak: [2]string{"rc.10", "zz.1"},
			red: []string{"tests/test_own.py::test_counted"},
		},
		{
			name: "nothing but blanks in an element", from: "deb python3-xmltodict", file: "xmltodict.py",
			with: map[string]string{"tests/test_own.py": "import xmltodict\n\n\ndef test_blanks():\n    assert xmltodict.parse(\"<a>  </a>\") == {\"a\": None}\n\n\ndef test_text():\n    assert xmltodict.parse(\"<a> x </a>\") == {\"a\": \"x\"}\n"},
			good: "data = data.strip() or None", bad: "data = data.strip()", wrong: "data = data.strip(\" \")", breaks: "data = None",
			test: "tests/test_own.py", title: "def test_blanks", weak: [2]string{"== {\"a\": None}", "!= {}"},
			red: []string{"tests/test_own.py::test_blanks"},
		},
	}
}
