package lang

import (
	"slices"
	"strings"
	"testing"
)

// TestBrokenCodeCostsOnlyTheBrokenDefinition puts what a person leaves in the middle of typing between two whole
// definitions of each language: both must still be there. In styles, settings and pages what is not closed goes on, as parts
// of them may stand at the left margin inside others.
func TestBrokenCodeCostsOnlyTheBrokenDefinition(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang, before, after string
		broken              []string // the middle, each a file of its own
	}{
		{"python", "def one():\n    return 1\n", "def three():\n    return 3\n",
			[]string{"def two(a):\n    x = call(a,\n    return x\n", "def two(a\n    return 2\n", "class Two:\n    def\n"}},
		{"go", "func one() int {\n\treturn 1\n}\n", "func three() int {\n\treturn 3\n}\n",
			[]string{"func two() {\n\tx := call(a,\n}\n", "func two( {{{ x := \n", "func two() {\n\tif x {\n\treturn\n}\n"}},
		{"javascript", "function one() {\n  return 1;\n}\n", "function three() {\n  return 3;\n}\n",
			[]string{"function two() {\n  const x = call(a,\n}\n", "function two( {\n  return 2;\n", "function two() {\n  if (x) {\n  return 2;\n}\n"}},
		{"typescript", "export function one(): number {\n  return 1;\n}\n", "export function three(): number {\n  return 3;\n}\n",
			[]string{"function two(a: ) {\n  const x = call(a,\n}\n", "function two(a: string {\n  return 2;\n", "function two() {\n  if (x) {\n  return 2;\n}\n"}},
		{"tsx", "function one() {\n  return <a/>;\n}\n", "function three() {\n  return <b/>;\n}\n",
			[]string{"function two() {\n  return <div><span></div>;\n}\n", "function two() {\n  if (x) {\n  return 2;\n}\n"}},
		{"java", "class one {\n  int a() { return 1; }\n}\n", "class three {\n  int c() { return 3; }\n}\n",
			[]string{"class two {\n  int b() { return call(a, }\n}\n", "class two {\n  int b( {\n}\n", "class two {\n  int b() { if (x) { return 2; }\n}\n"}},
		{"rust", "fn one() -> i32 {\n    1\n}\n", "fn three() -> i32 {\n    3\n}\n",
			[]string{"fn two() {\n    let x = call(a,\n}\n", "fn two( {\n", "fn two() {\n    if x {\n    2\n}\n"}},
		{"c", "int one(void)\n{\n    return 1;\n}\n", "int three(void)\n{\n    return 3;\n}\n",
			[]string{"int two(void)\n{\n    int x = call(a,\n}\n", "int two(int a {\n    return 2;\n}\n", "int two(void)\n{\n    if (x) {\n    return 2;\n}\n"}},
		{"cpp", "int one()\n{\n    return 1;\n}\n", "int three()\n{\n    return 3;\n}\n",
			[]string{"int two()\n{\n    auto x = call<int>(a,\n}\n", "template <typename T\nint two(T a) { return 2; }\n", "int two()\n{\n    if (x) {\n    return 2;\n}\n"}},
		{"ruby", "def one\n  1\nend\n", "def three\n  3\nend\n", []string{"def two(a\n  call(a,\nend\n", "def two\n  x = call(a,\nend\n", "def two\n  if x\n  2\nend\n"}},
		{"php", "<?php\nfunction one() {\n  return 1;\n}\n", "function three() {\n  return 3;\n}\n",
			[]string{"function two() {\n  $x = call($a,\n}\n", "function two($a {\n  return 2;\n}\n", "function two() {\n  if ($x) {\n  return 2;\n}\n"}},
		{"csharp", "class one {\n  int A() { return 1; }\n}\n", "class three {\n  int C() { return 3; }\n}\n",
			[]string{"class two {\n  int B() { return Call(a, }\n}\n", "class two {\n  int B( {\n}\n", "class two {\n  int B() { if (x) { return 2; }\n}\n"}},
		{"kotlin", "fun one(): Int {\n    return 1\n}\n", "fun three(): Int {\n    return 3\n}\n",
			[]string{"fun two() {\n    val x = call(a,\n}\n", "fun two(a: {\n    return 2\n}\n", "fun two() {\n    if (x) {\n    return 2\n}\n"}},
		{"swift", "func one() -> Int {\n    return 1\n}\n", "func three() -> Int {\n    return 3\n}\n",
			[]string{"func two() {\n    let x = call(a,\n}\n", "func two(a: {\n    return 2\n}\n", "func two() {\n    if x {\n    return 2\n}\n"}},
		{"scala", "object one {\n  def a = 1\n}\n", "object three {\n  def c = 3\n}\n",
			[]string{"object two {\n  def b = call(a,\n}\n", "object two {\n  def b( = {\n}\n", "object two {\n  def b = if (x) { 2\n}\n"}},
		{"bash", "one() {\n  echo 1\n}\n", "three() {\n  echo 3\n}\n", []string{"two() {\n  if [ -f x ]\n}\n", "two() {\n  echo $(ls\n}\n"}},
		{"lua", "function one()\n  return 1\nend\n", "function three()\n  return 3\nend\n", []string{"function two()\n  local x = call(a,\nend\n", "function two(a\n  return 2\nend\n", "function two()\n  if x then\n  return 2\nend\n"}},
		{"sql", "CREATE TABLE one (a INT);\n", "CREATE TABLE three (c INT);\n", []string{"CREATE TABLE two (b INT,);\n", "CREATE TABLE two (b\n;\n"}},
		{"html", "<section id=\"one\"><p>1</p></section>\n", "<section id=\"three\"><p>3</p></section>\n", []string{"<section id=\"two\"><p>2</section>\n", "<section id=\"two\"><p 2</p></section>\n"}},
		{"css", ".one {\n  color: red;\n}\n", ".three {\n  color: blue;\n}\n", []string{".two {\n  color: \n}\n", ".two {\n  color red;;: 1\n}\n"}},
		{"dockerfile", "FROM a AS one\nRUN x\n", "FROM c AS three\nRUN z\n", []string{"FROM b AS\nCOPY\n", "RNU y\n"}},
		{"markdown", "# one\n\ntext\n", "# three\n\ntext\n", []string{"# two\n\n[a](b\n\n<div\n", "# two\n\n**a `b\n"}},
		{"yaml", "one:\n  a: 1\n", "three:\n  c: 3\n", []string{"two:\n  b: [1, 2\n", "two\n  b: 2\n", "two:\n  b: \"x\n"}},
		{"toml", "[one]\na = 1\n", "[three]\nc = 3\n", []string{"[two]\nb =\n", "[two\nb = 2\n"}},
	} {
		t.Run(c.lang, func(t *testing.T) {
			t.Parallel()
			l, ok := ByName(c.lang)
			if !ok {
				t.Fatal("no such language")
			}
			p := NewParser()
			defer p.Close()
			for _, middle := range c.broken {
				defs, _, err := p.Definitions(l, []byte(c.before+"\n"+middle+"\n"+c.after))
				if err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, d := range defs {
					names = append(names, d.Qualified)
				}
				for _, want := range []string{"one", "three"} {
					if !slices.ContainsFunc(names, func(n string) bool { return n == want || n == "."+want || strings.HasPrefix(n, want+".") }) {
						t.Errorf("%s is lost beside %q: %v", want, middle, names)
					}
				}
			}
		})
	}
}
