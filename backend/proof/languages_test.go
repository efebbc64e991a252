package proof

import (
	"slices"
	"strings"
	"testing"

	"redgreen/backend/patch"
)

// source is a test file of one language, to be weakened in every way.
type source struct {
	path, text string
	// changes by kind: what is replaced by what. The rule that must be among the flags is the kind's.
	deleted, skipped, expected, removed, tolerance, narrowed, swallowed [2]string
	// fine are changes that weaken nothing.
	fine map[string][2]string
}

func sources() map[string]source {
	return map[string]source{
		"python": {
			path:    "tests/test_shop.py",
			text:    "import pytest\nfrom shop import total\n\n\ndef price(n):\n    return n * 2\n\n\ndef test_empty():\n    assert total([]) == 0\n\n\ndef test_sum():\n    got = total([price(1)])\n    assert got == pytest.approx(2.0, abs=1e-9)\n",
			deleted: [2]string{"def test_empty():\n    assert total([]) == 0\n\n\n", ""}, skipped: [2]string{"def test_empty", "@pytest.mark.skip(reason=\"later\")\ndef test_empty"},
			expected: [2]string{"== 0", "== 1"}, removed: [2]string{"    assert got == pytest.approx(2.0, abs=1e-9)\n", "    print(got)\n"},
			tolerance: [2]string{"abs=1e-9", "abs=1e9"}, narrowed: [2]string{"import pytest\n", "import pytest\n\n__test__ = False\n"},
			swallowed: [2]string{"    got = total([price(1)])\n", "    try:\n        got = total([price(1)])\n    except Exception:\n        got = 2.0\n"},
			fine: map[string][2]string{
				"a new test":               {"def test_sum", "def test_none():\n    with pytest.raises(TypeError):\n        total(None)\n\n\ndef test_sum"},
				"a new case at the end":    {"abs=1e-9)\n", "abs=1e-9)\n    assert total([1, 2]) == 3\n"},
				"a local of a helper":      {"def price(n):\n    return n * 2\n", "def price(count):\n    return count * 2\n"},
				"a formatter's line break": {"    assert total([]) == 0\n", "    assert (\n        total([]) == 0\n    )\n"},
				"quotes":                   {"import pytest\n", "import pytest  # the runner\n"},
			},
		},
		"go": {
			path:    "shop_test.go",
			text:    "package shop\n\nimport (\n\t\"math\"\n\t\"testing\"\n)\n\nfunc price(n int) float64 {\n\treturn float64(n) * 2\n}\n\nfunc TestEmpty(t *testing.T) {\n\tif got := Total(nil); got != 0 {\n\t\tt.Errorf(\"Total = %v\", got)\n\t}\n}\n\nfunc TestSum(t *testing.T) {\n\tgot := Total([]float64{price(1)})\n\tif math.Abs(got-2) > 1e-9 {\n\t\tt.Fatalf(\"Total = %v\", got)\n\t}\n}\n",
			deleted: [2]string{"func TestEmpty(t *testing.T) {\n\tif got := Total(nil); got != 0 {\n\t\tt.Errorf(\"Total = %v\", got)\n\t}\n}\n\n", ""}, skipped: [2]string{"func TestEmpty(t *testing.T) {\n", "func TestEmpty(t *testing.T) {\n\tt.Skip(\"later\")\n"},
			expected: [2]string{"got != 0", "got != 1"}, removed: [2]string{"\t\tt.Fatalf(\"Total = %v\", got)\n", "\t\tt.Logf(\"Total = %v\", got)\n"},
			tolerance: [2]string{"1e-9", "1e9"}, narrowed: [2]string{"func price", "func TestMain(m *testing.M) {}\n\nfunc price"},
			swallowed: [2]string{"\tgot := Total([]float64{price(1)})\n", "\tdefer func() { recover() }()\n\tgot := Total([]float64{price(1)})\n"},
			fine: map[string][2]string{
				"a new test":          {"func TestSum", "func TestNone(t *testing.T) {\n\tif Total([]float64{}) != 0 {\n\t\tt.Error(\"not zero\")\n\t}\n}\n\nfunc TestSum"},
				"a local of a helper": {"func price(n int) float64 {\n\treturn float64(n) * 2\n", "func price(count int) float64 {\n\treturn float64(count) * 2\n"},
				"an import":           {"\t\"math\"\n", "\t\"math\"\n\t\"strings\"\n"},
				"gofmt":               {"\treturn float64(n) * 2\n", "\treturn float64(n)*2\n"},
			},
		},
		"typescript": {
			path:    "test/shop.test.ts",
			text:    "import { expect, test } from 'vitest';\nimport { total } from '../src/shop';\n\nconst price = (n: number) => n * 2;\n\ntest('empty', () => {\n  expect(total([])).toBe(0);\n});\n\ntest('sum', () => {\n  const got = total([price(1)]);\n  expect(got).toBeCloseTo(2, 9);\n});\n",
			deleted: [2]string{"test('empty', () => {\n  expect(total([])).toBe(0);\n});\n\n", ""}, skipped: [2]string{"test('empty'", "test.skip('empty'"},
			expected: [2]string{"toBe(0)", "toBe(1)"}, removed: [2]string{"  expect(got).toBeCloseTo(2, 9);\n", "  console.log(got);\n"},
			tolerance: [2]string{"toBeCloseTo(2, 9)", "toBeCloseTo(2, -9)"}, narrowed: [2]string{"test('empty'", "test.only('empty'"},
			swallowed: [2]string{"  const got = total([price(1)]);\n", "  let got = 2;\n  try { got = total([price(1)]); } catch { return; }\n"},
			fine: map[string][2]string{
				"a new test":          {"test('sum'", "test('none', () => {\n  expect(() => total(null as never)).toThrow();\n});\n\ntest('sum'"},
				"a local of a helper": {"const price = (n: number) => n * 2;", "const price = (count: number) => count * 2;"},
				"an import":           {"import { total }", "import { count, total }"},
			},
		},
		"java": {
			path:    "src/test/java/ShopTest.java",
			text:    "import static org.junit.jupiter.api.Assertions.*;\nimport org.junit.jupiter.api.Test;\n\nclass ShopTest {\n    private double price(int n) {\n        return n * 2;\n    }\n\n    @Test\n    void emptyIsZero() {\n        assertEquals(0, Shop.total());\n    }\n\n    @Test\n    void sums() {\n        double got = Shop.total(price(1));\n        assertEquals(2.0, got, 1e-9);\n    }\n}\n",
			deleted: [2]string{"    @Test\n    void emptyIsZero() {\n        assertEquals(0, Shop.total());\n    }\n\n", ""}, skipped: [2]string{"    @Test\n    void emptyIsZero", "    @Disabled(\"later\")\n    @Test\n    void emptyIsZero"},
			expected: [2]string{"assertEquals(0,", "assertEquals(1,"}, removed: [2]string{"        assertEquals(2.0, got, 1e-9);\n", "        System.out.println(got);\n"},
			tolerance: [2]string{"1e-9", "1e9"}, narrowed: [2]string{"class ShopTest {", "@EnabledIfSystemProperty(named = \"x\", matches = \"y\")\nclass ShopTest {"},
			swallowed: [2]string{"        double got = Shop.total(price(1));\n", "        double got = 2;\n        try { got = Shop.total(price(1)); } catch (Exception e) { }\n"},
			fine: map[string][2]string{
				"a new test":          {"    @Test\n    void sums", "    @Test\n    void none() {\n        assertThrows(Exception.class, () -> Shop.total(null));\n    }\n\n    @Test\n    void sums"},
				"a local of a helper": {"    private double price(int n) {\n        return n * 2;\n", "    private double price(int count) {\n        return count * 2;\n"},
			},
		},
		"rust": {
			path:    "tests/shop.rs",
			text:    "use shop::total;\n\nfn price(n: u32) -> f64 {\n    f64::from(n) * 2.0\n}\n\n#[test]\nfn empty() {\n    assert_eq!(total(&[]), 0.0);\n}\n\n#[test]\nfn sums() {\n    let got = total(&[price(1)]);\n    assert!((got - 2.0).abs() < 1e-9);\n}\n",
			deleted: [2]string{"#[test]\nfn empty() {\n    assert_eq!(total(&[]), 0.0);\n}\n\n", ""}, skipped: [2]string{"#[test]\nfn empty", "#[test]\n#[ignore]\nfn empty"},
			expected: [2]string{"total(&[]), 0.0", "total(&[]), 1.0"}, removed: [2]string{"    assert!((got - 2.0).abs() < 1e-9);\n", "    println!(\"{got}\");\n"},
			tolerance: [2]string{"1e-9", "1e9"}, narrowed: [2]string{"#[test]\nfn empty", "#[test]\n#[cfg(feature = \"never\")]\nfn empty"},
			swallowed: [2]string{"    let got = total(&[price(1)]);\n", "    let got = std::panic::catch_unwind(|| total(&[price(1)])).unwrap_or(2.0);\n"},
			fine: map[string][2]string{
				"a new test":          {"#[test]\nfn sums", "#[test]\nfn two() {\n    assert_eq!(total(&[1.0, 1.0]), 2.0);\n}\n\n#[test]\nfn sums"},
				"a local of a helper": {"fn price(n: u32) -> f64 {\n    f64::from(n) * 2.0\n", "fn price(count: u32) -> f64 {\n    f64::from(count) * 2.0\n"},
			},
		},
		"ruby": {
			path:    "spec/shop_spec.rb",
			text:    "require 'shop'\n\ndef price(n)\n  n * 2\nend\n\nRSpec.describe Shop do\n  it 'is zero when empty' do\n    expect(Shop.total([])).to eq 0\n  end\n\n  it 'sums' do\n    got = Shop.total([price(1)])\n    expect(got).to be_within(1e-9).of(2)\n  end\nend\n",
			deleted: [2]string{"  it 'is zero when empty' do\n    expect(Shop.total([])).to eq 0\n  end\n\n", ""}, skipped: [2]string{"  it 'is zero", "  xit 'is zero"},
			expected: [2]string{"to eq 0", "to eq 1"}, removed: [2]string{"    expect(got).to be_within(1e-9).of(2)\n", "    puts got\n"},
			tolerance: [2]string{"1e-9", "1e9"}, narrowed: [2]string{"  it 'is zero when empty' do", "  fit 'is zero when empty' do"},
			swallowed: [2]string{"    got = Shop.total([price(1)])\n", "    got = begin Shop.total([price(1)]) rescue 2 end\n"},
			fine: map[string][2]string{
				"a new test":          {"  it 'sums' do", "  it 'takes two' do\n    expect(Shop.total([1, 1])).to eq 2\n  end\n\n  it 'sums' do"},
				"a local of a helper": {"def price(n)\n  n * 2\n", "def price(count)\n  count * 2\n"},
			},
		},
		"php": {
			path:    "tests/ShopTest.php",
			text:    "<?php\nuse PHPUnit\\Framework\\TestCase;\n\nfinal class ShopTest extends TestCase\n{\n    private function price(int $n): float\n    {\n        return $n * 2;\n    }\n\n    public function testEmpty(): void\n    {\n        $this->assertSame(0, Shop::total([]));\n    }\n\n    public function testSum(): void\n    {\n        $got = Shop::total([$this->price(1)]);\n        $this->assertEqualsWithDelta(2.0, $got, 1e-9);\n    }\n}\n",
			deleted: [2]string{"    public function testEmpty(): void\n    {\n        $this->assertSame(0, Shop::total([]));\n    }\n\n", ""}, skipped: [2]string{"        $this->assertSame(0", "        $this->markTestSkipped('later');\n        $this->assertSame(0"},
			expected: [2]string{"assertSame(0", "assertSame(1"}, removed: [2]string{"        $this->assertEqualsWithDelta(2.0, $got, 1e-9);\n", "        echo $got;\n"},
			tolerance: [2]string{"1e-9", "1e9"}, narrowed: [2]string{"    public function testEmpty", "    #[RequiresPhp('>= 99')]\n    public function testEmpty"},
			swallowed: [2]string{"        $got = Shop::total([$this->price(1)]);\n", "        try { $got = Shop::total([$this->price(1)]); } catch (Exception $e) { return; }\n"},
			fine: map[string][2]string{
				"a new test":          {"    public function testSum", "    public function testTwo(): void\n    {\n        $this->assertSame(2, Shop::total([1, 1]));\n    }\n\n    public function testSum"},
				"a local of a helper": {"    private function price(int $n): float\n    {\n        return $n * 2;\n", "    private function price(int $count): float\n    {\n        return $count * 2;\n"},
			},
		},
		"csharp": {
			path:    "Shop.Tests/ShopTests.cs",
			text:    "using Xunit;\n\npublic class ShopTests\n{\n    private static double Price(int n)\n    {\n        return n * 2;\n    }\n\n    [Fact]\n    public void Empty()\n    {\n        Assert.Equal(0, Shop.Total());\n    }\n\n    [Fact]\n    public void Sums()\n    {\n        var got = Shop.Total(Price(1));\n        Assert.Equal(2.0, got, 9);\n    }\n}\n",
			deleted: [2]string{"    [Fact]\n    public void Empty()\n    {\n        Assert.Equal(0, Shop.Total());\n    }\n\n", ""}, skipped: [2]string{"    [Fact]\n    public void Empty", "    [Fact(Skip = \"later\")]\n    public void Empty"},
			expected: [2]string{"Equal(0, Shop", "Equal(1, Shop"}, removed: [2]string{"        Assert.Equal(2.0, got, 9);\n", "        System.Console.WriteLine(got);\n"},
			tolerance: [2]string{"got, 9)", "got, -9)"}, narrowed: [2]string{"    [Fact]\n    public void Empty", "    [Conditional(\"NEVER\")]\n    public void Empty"},
			swallowed: [2]string{"        var got = Shop.Total(Price(1));\n", "        var got = 2.0;\n        try { got = Shop.Total(Price(1)); } catch { }\n"},
			fine: map[string][2]string{
				"a new test":          {"    [Fact]\n    public void Sums", "    [Fact]\n    public void Two()\n    {\n        Assert.Equal(2, Shop.Total(1, 1));\n    }\n\n    [Fact]\n    public void Sums"},
				"a local of a helper": {"    private static double Price(int n)\n    {\n        return n * 2;\n", "    private static double Price(int count)\n    {\n        return count * 2;\n"},
			},
		},
	}
}

// TestIntegrityOfEveryLanguage weakens a test of each language in every way, and changes it in ways that weaken nothing.
func TestIntegrityOfEveryLanguage(t *testing.T) {
	for language, s := range sources() {
		weak := []struct {
			kind   string
			change [2]string
			rules  []string // one of them must be among the flags
		}{
			{"deleted", s.deleted, []string{ruleDeleted}},
			{"skipped", s.skipped, []string{ruleSkipped}},
			{"expected value", s.expected, []string{ruleExpected, ruleChanged}},
			{"assertion removed", s.removed, []string{ruleAssertion, ruleExpected}},
			{"tolerance", s.tolerance, []string{ruleExpected, ruleChanged}},
			{"narrowed", s.narrowed, []string{ruleNarrowed, ruleSkipped, ruleChanged}},
			{"swallowed", s.swallowed, []string{ruleExit, ruleChanged}},
		}
		for _, w := range weak {
			t.Run(language+"/"+w.kind, func(t *testing.T) {
				flags := inspect(s.changed(t, w.change), nil, nil)
				i := slices.IndexFunc(flags, func(f Flag) bool { return slices.Contains(w.rules, f.Rule) })
				if i < 0 {
					t.Fatalf("no flag of %q in %+v", w.rules, flags)
				}
				if f := flags[i]; f.File != s.path || f.Line < 1 || f.Text == "" {
					t.Errorf("the flag does not show the place: %+v", f)
				}
			})
		}
		t.Run(language+"/file deleted", func(t *testing.T) {
			if flags := inspect(change(t, s.path, s.text, ""), nil, nil); len(flags) == 0 || flags[0].Rule != ruleDeletedFile {
				t.Errorf("flags are %+v", flags)
			}
		})
		t.Run(language+"/new file", func(t *testing.T) {
			if flags := inspect(change(t, s.path, "", s.text), nil, nil); len(flags) > 0 {
				t.Errorf("a new test file is flagged: %+v", flags)
			}
		})
		for name, c := range s.fine {
			t.Run(language+"/fine/"+name, func(t *testing.T) {
				if flags := inspect(s.changed(t, c), nil, nil); len(flags) > 0 {
					t.Errorf("flagged: %+v", flags)
				}
			})
		}
	}
}

func (s source) changed(t *testing.T, c [2]string) patch.Patch {
	t.Helper()
	if strings.Count(s.text, c[0]) != 1 {
		t.Fatalf("%q is %d times in the test", c[0], strings.Count(s.text, c[0]))
	}
	return change(t, s.path, s.text, strings.Replace(s.text, c[0], c[1], 1))
}
