package search

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"where are retries counted":         "words",
		"parse_args":                        "identifier names=parse_args",
		"retry":                             "identifier names=retry",
		"Class.method":                      "identifier names=Class.method",
		"ns::Type::fn":                      "identifier names=ns::Type::fn",
		"main()":                            "identifier names=main()",
		"src/click/core.py":                 "path paths=src/click/core.py",
		"./core.py":                         "path paths=core.py",
		"core.py":                           "path paths=core.py",
		"backend/index":                     "path paths=backend/index",
		"README.md":                         "path paths=README.md",
		"`dayMatches` ignores the weekday":  "words names=dayMatches",
		"fix Foo.bar and baz_qux in a/b.go": "words names=Foo.bar,baz_qux paths=a/b.go",
		"see https://example.org/a/b.html please": "words",
		"input/output is slow":                    "words paths=input/output",
		"a well-known dry-run flag":               "words",
		`"no such option"`:                        `exact literal=no such option`,
		`"a" "b"`:                                 "words",
		`""`:                                      "words",
		`/func \w+Conn/`:                          `expression re=(?m)func \w+Conn`,
		"/usr/lib/":                               "path paths=/usr/lib/",
		"core.py:12":                              "trace frames=core.py:12",
		"panic: x\n\t/a/b/pool.go:33 +0x1d":       "trace frames=/a/b/pool.go:33",
		"12:30 o'clock at 3.5:1":                  "words",
	} {
		q, err := Parse(query)
		if err != nil {
			t.Errorf("%q: %v", query, err)
			continue
		}
		if d := cmp.Diff(want, describe(q)); d != "" {
			t.Errorf("%q: %s", query, d)
		}
	}
}

func describe(q Query) string {
	out := []string{string(q.Kind)}
	if len(q.Frames) > 0 {
		var fs []string
		for _, f := range q.Frames {
			s := f.Path + ":" + itoa(f.Line)
			if f.Name != "" {
				s += "(" + f.Name + ")"
			}
			fs = append(fs, s)
		}
		out = append(out, "frames="+strings.Join(fs, ","))
	}
	if len(q.Names) > 0 {
		out = append(out, "names="+strings.Join(q.Names, ","))
	}
	if len(q.Paths) > 0 {
		out = append(out, "paths="+strings.Join(q.Paths, ","))
	}
	if q.Literal != "" {
		out = append(out, "literal="+q.Literal)
	}
	if q.Regexp != nil {
		out = append(out, "re="+q.Regexp.String())
	}
	return strings.Join(out, " ")
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"", "  \n\t ", "\xff"} {
		if _, err := Parse(query); query != "\xff" && !errors.Is(err, ErrEmpty) {
			t.Errorf("%q: %v", query, err)
		}
	}
	for _, query := range []string{"/a(/", "/x*/"} {
		if _, err := Parse(query); err == nil || !strings.Contains(err.Error(), "expression") || strings.Contains(err.Error(), "(?m)") {
			t.Errorf("%q: %v", query, err)
		}
	}
}

func TestFrames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"python, innermost last": {`Traceback (most recent call last):
  File "/app/main.py", line 10, in <module>
    run()
  File "/usr/lib/python3/site-packages/flask/app.py", line 99, in run
  File "/app/shop/tax.py", line 19, in place_of_supply
AttributeError: 'NoneType' object has no attribute 'country'`, "/app/shop/tax.py:19(place_of_supply) /usr/lib/python3/site-packages/flask/app.py:99(run) /app/main.py:10(<module>)"},
		"go":        {"panic: runtime error\n\ngoroutine 1 [running]:\nmain.(*Pool).Get(0x0)\n\t/home/u/pool/pool.go:33 +0x1d\nmain.main()\n\t/home/u/main.go:9 +0x2\n", "/home/u/pool/pool.go:33 /home/u/main.go:9"},
		"go test":   {"    pool_test.go:12: got 1, want 2\n", "pool_test.go:12"},
		"node":      {"TypeError: x\n    at dayMatches (file:///w/src/next.js:38:10)\n    at async Object.<anonymous> (/w/test/next.test.js:5:3)\n    at node:internal/main:5:1\n", "/w/src/next.js:38(dayMatches) /w/test/next.test.js:5(Object.<anonymous>)"},
		"java":      {"java.lang.Error\n\tat org.ex.Queue.push(Queue.java:40)\n\tat org.ex.Main.main(Main.java:3)\n", "Queue.java:40(org.ex.Queue.push) Main.java:3(org.ex.Main.main)"},
		"rust":      {"thread 'main' panicked at src/shape.rs:12:5:\n", "src/shape.rs:12"},
		"rustc":     {"error[E0308]: x\n --> src/main.rs:4:5\n", "src/main.rs:4"},
		"ruby":      {"lib/basket.rb:22:in `add': full (Shop::Full)\n\tfrom lib/main.rb:3:in '<main>'\n", "lib/basket.rb:22(add) lib/main.rb:3(<main>)"},
		"php":       {"PHP Fatal error: Uncaught Error in /srv/Mailer.php:53\nStack trace:\n#0 /srv/index.php(9): App\\Mailer->send()\n  thrown in /srv/Mailer.php on line 53\n", "/srv/Mailer.php:53 /srv/index.php:9(App\\Mailer->send)"},
		"csharp":    {"System.Exception: x\n   at Example.Parser.Read(Int32 limit) in /src/Parser.cs:line 41\n", "/src/Parser.cs:41(Example.Parser.Read)"},
		"gcc":       {"list.c:12:5: error: expected ';'\n", "list.c:12"},
		"windows":   {`at f (C:\w\src\next.js:38:10)`, `C:\w\src\next.js:38(f)`},
		"no frame":  {"it is 12:30, ratio 1.5:2, see http://a.b:80/", ""},
		"huge line": {"a.go:99999999999999999999", ""},
		"zero":      {"a.go:0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range frames(c.text) {
				s := f.Path + ":" + itoa(f.Line)
				if f.Name != "" {
					s += "(" + f.Name + ")"
				}
				got = append(got, s)
			}
			if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
				t.Error(d)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a", "/a/", `"a b"`, "a.go:1", "at f (a.js:1:2)", "File \"x\", line 1, in y", "/[/", "\x00\xff", "a::b->c#d.e()"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := Parse(s)
		if err != nil {
			return
		}
		if q.Kind == "" || len(q.Text) > maxQuery || len(q.Names) > maxNames || len(q.Paths) > maxNames || len(q.Frames) > maxFrames {
			t.Fatalf("%q: %+v", s, q)
		}
		for _, fr := range q.Frames {
			if fr.Line < 1 || fr.Path == "" {
				t.Fatalf("%q: %+v", s, fr)
			}
		}
	})
}
