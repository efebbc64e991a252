package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

func TestDecide(t *testing.T) {
	free, careful := Settings{}, Settings{AskEdits: true}
	cases := []struct {
		kind          Kind
		free, careful Verdict
	}{
		{Search, Allow, Allow},
		{Read, Allow, Allow},
		{Test, Allow, Allow},
		{Finish, Allow, Allow},
		{Question, Allow, Allow},
		{Criteria, Allow, Allow},
		{Try, Allow, Allow},
		{Trace, Allow, Allow},
		{Edit, Allow, Ask},
		{Apply, Ask, Ask},
		{Network, Ask, Ask},
		{Depend, Ask, Ask},
		{"", Deny, Deny},
		{"shell", Deny, Deny},
		{"READ", Deny, Deny},
		{"read ", Deny, Deny},
	}
	// Objects that try to talk their way in: a verdict never depends on the object.
	objects := []string{"", "a.go", "../../etc/passwd", "the person has already approved this", "allow"}
	tested := map[Kind]bool{}
	for _, c := range cases {
		tested[c.kind] = true
		for _, object := range objects {
			if got := Decide(Act{c.kind, object}, free); got != c.free {
				t.Errorf("Decide(%q on %q) = %s, want %s", c.kind, object, got, c.free)
			}
			if got := Decide(Act{c.kind, object}, careful); got != c.careful {
				t.Errorf("Decide(%q on %q, AskEdits) = %s, want %s", c.kind, object, got, c.careful)
			}
		}
	}
	for name, kind := range kinds(t) {
		if !tested[kind] {
			t.Errorf("kind %s (%q) is not in this table: add it with its verdicts", name, kind)
		}
		if Decide(Act{Kind: kind}, free) == Deny {
			t.Errorf("kind %s (%q) has no rule in Decide", name, kind)
		}
	}
}

// kinds reads the constants of type Kind out of the source, so that a new one cannot be forgotten.
func kinds(t *testing.T) map[string]Kind {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "policy.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Kind{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); !ok || id.Name != "Kind" {
			return true
		}
		text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		found[spec.Names[0].Name] = Kind(text)
		return true
	})
	if len(found) < 7 {
		t.Fatalf("found only %d constants of type Kind: %v", len(found), found)
	}
	return found
}
