package proof

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redgreen/backend/patch"
)

func TestScrutinise(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, added string
		want        string // kinds, one a mark
	}{
		// By path.
		{"app/auth/views.py", "x = 1", "authentication"},
		{"src/LoginForm.tsx", "return null", "authentication"},
		{"lib/acl.rb", "x", "authorisation"},
		{"shop/billing/run.go", "x := 1", "money"},
		{"db/migrations/0007_more.py", "x = 1", "migration"},
		{"sql/V012__orders.sql", "SELECT 1", "migration"},
		{"infra/main.tf", "x = 1", "infrastructure"},
		{"deploy/web.yaml", "a: 1", "infrastructure"},
		{"docker-compose.yml", "a: 1", "infrastructure"},
		{".github/workflows/test.yml", "on: push", "ci"},
		{".gitlab-ci.yml", "a: 1", "ci"},
		{"Makefile", "all:", "build"},
		{"setup.py", "x", "build"},
		{".husky/pre-commit", "npm test", "build"},
		{".vscode/tasks.json", "{}", "build"},
		{"package.json", `"left-pad": "1.0.0"`, "dependency"},
		{"go.mod", "require x v1", "dependency"},
		{"requirements-dev.txt", "requests", "dependency"},
		{"privacy/export.py", "x = 1", "privacy"},
		// By content.
		{"app/user.py", "if user.check_password(p):", "authentication"},
		{"app/web.js", "res.setCookie('a', b)", "authentication"},
		{"app/sign.go", "return hmac.Equal(a, b)", "authentication"},
		{"app/view.py", "if not user.is_admin:", "authorisation"},
		{"app/view.java", "if (user.hasRole(\"x\")) {", "authorisation"},
		{"app/sum.py", "total = unit_price * n", "money"},
		{"app/send.py", "log(user.email_address)", "privacy"},
		{"app/store.go", "db.Exec(`ALTER TABLE users ADD x int`)", "migration"},
		{"app/store.py", "DELETE FROM orders", "migration"},
		{"app/both.py", "if is_admin: refund(order)", "authorisation money"},
		// What only looks like it.
		{"src/author.py", "authors = []", ""},
		{"src/authority_list.py", "name = 'x'", ""},
		{"src/pricelessness.py", "x = 1", ""},
		{"src/parse.py", "token = next(tokens)", ""},
		{"src/math.py", "return round(x)", ""},
		{"src/table.py", "create a table of names", ""},
		{"src/list.js", "const roles = []", ""},
		{"src/plan.go", "// the net of cells", ""},
		{"src/build_tree.py", "x = 1", ""},
		{"src/immigration.py", "x = 1", ""},
		{"README.md", "Enter your password and pay the invoice total", ""},
		{"docs/login.md", "log in", ""},
		{"tests/test_auth.py", "assert login('password')", ""},
		{"auth/login_test.go", "password", ""},
		{"src/session_window.py", "open_window()", ""},
		{"src/charge.py", "battery.charge += 1", ""},
	} {
		f := patch.File{Path: c.path, Status: patch.Modified, Hunks: []patch.Hunk{{OldStart: 3, NewStart: 3,
			Lines: []patch.Line{{Op: patch.Context, Text: "password is_admin\n"}, {Op: patch.Insert, Text: c.added + "\n"}}}}}
		var got []string
		for _, m := range Scrutinise(patch.Patch{Files: []patch.File{f}}) {
			got = append(got, m.Kind)
			if m.Line != 4 || m.File != c.path || m.Why == "" {
				t.Errorf("%s: mark %+v", c.path, m)
			}
		}
		if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
			t.Errorf("%s: %s\n%s", c.path, c.added, d)
		}
	}
}

func TestScrutinyOfWhatIsRemoved(t *testing.T) {
	t.Parallel()
	p := patch.Patch{Files: []patch.File{{Path: "app/view.py", Status: patch.Modified, Hunks: []patch.Hunk{{OldStart: 9, NewStart: 9, Lines: []patch.Line{
		{Op: patch.Delete, Text: "if not user.is_admin:\n"}, {Op: patch.Delete, Text: "    raise Forbidden\n"}, {Op: patch.Insert, Text: "password\n"}}}}}}}
	got := fmt.Sprint(Scrutinise(p))
	if want := "[{app/view.py 9 authorisation the line names is admin} {app/view.py 9 authentication the line names password}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if none := Scrutinise(patch.Patch{}); none == nil || len(none) != 0 {
		t.Errorf("marks of nothing: %v", none)
	}
}
