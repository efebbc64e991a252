package testrun

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"redgreen/backend/sandbox"
)

// TestTryComparesJava tells versions of Java apart that differ off the tests' inputs only, and takes for one what does the same; one that
// never ends, ends the process or throws costs only what is said of it.
func TestTryComparesJava(t *testing.T) {
	b := realBench(t, sandbox.Limits{Wall: 4 * time.Minute})
	runner, c := junit4(t)
	const file = "src/shop/Shop.java"
	dir := b.files(t, map[string]string{
		"RunTests.java": runner,
		file: `package shop;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

public class Shop extends Number {
    enum Size { SMALL, LARGE, HUGE }

    private final String name;
    private final List<String> tags = new ArrayList<>();
    private int room;

    public Shop(String name, int room) {
        super();
        this.name = name;
        this.room = room;
    }

    public static int twice(int n) {
        if (n > 3) {
            return n * 3;
        }
        return n * 2;
    }

    @Override public int intValue() { return room; }
    @Override public long longValue() { return room; }
    @Override public float floatValue() { return room; }
    @Override public double doubleValue() { return room; }

    int length() { return name.length(); }

    void add(String tag) { tags.add(tag); }

    int tags() { return tags.size(); }

    static int cost(Size s) { return s == Size.SMALL ? 1 : 2; }

    static int first(List<Integer> all) { return all.get(0); }

    private static String inner(String s) { return s; }

    public static String outer(String s) { return inner(s); }

    static <T> T last(T[] all, IntSupplier by) { return all[by.getAsInt()]; }
}
`,
		"test/shop/ShopTest.java": `package shop;

import static org.junit.Assert.*;

import java.util.ArrayList;
import java.util.Arrays;
import org.junit.Test;

public class ShopTest {
    @Test public void large() { assertEquals(14, Shop.twice(7)); }
    @Test public void small() { assertEquals(2, Shop.twice(1)); assertEquals(0, Shop.twice(0)); }
    @Test public void length() { assertEquals(2, new Shop("ab", 1).length()); }
    @Test public void tags() { Shop s = new Shop("ab", 1); s.add("x"); assertEquals(1, s.tags()); }
    @Test public void cost() { assertEquals(1, Shop.cost(Shop.Size.SMALL)); }
    @Test public void first() { assertEquals(3, Shop.first(new ArrayList<>(Arrays.asList(3, 1)))); }
    @Test public void outer() { assertEquals("ab", Shop.outer("ab")); }
    @Test public void last() { assertEquals("b", Shop.last(new String[] {"a", "b"}, () -> 1)); }
}
`})
	base, err := b.runner.Run(t.Context(), dir, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	red, green := sides(base)
	if len(red) != 1 || len(green) != 7 {
		t.Fatalf("red %q, green %q: %s", red, green, base.Reason)
	}
	fixed := func(old, new string) Candidate {
		c := changed(t, dir, file, "n * 3", "n * 2")
		if strings.Count(c[file], old) != 1 {
			t.Fatal(old)
		}
		c[file] = strings.Replace(c[file], old, new, 1)
		return c
	}
	all := []struct {
		is    Candidate
		group int
		input string // what tells it from the first holds this
		gives string // and what it gives there this
	}{
		{is: changed(t, dir, file, "n * 3", "n * 2"), group: 1},
		{is: changed(t, dir, file, "n * 3", "2 * n"), group: 1},
		{changed(t, dir, file, "n * 3", "n + 7"), 3, "Shop.twice(", ""},
		{changed(t, dir, file, "n * 3", "14 / (8 - n)"), 4, "Shop.twice(", ""},
		{fixed("return name.length()", "return 2"), 5, `Shop{name="`, "2"},
		{fixed("tags.add(tag)", `tags.add("x")`), 6, ".add(", "nothing and leaves Shop{"},
		{fixed("? 1 : 2", "? 1 : s == Size.HUGE ? 3 : 2"), 7, "Shop.cost(HUGE)", "3"},
		{fixed("return all.get(0)", "int a = all.get(0); all.set(0, 9); return a"), 8, "Shop.first([", "and changes what it is given to [9"},
		{fixed("inner(String s) { return s", `inner(String s) { return s.equals("ab") ? s : "x"`), 9, "Shop.inner(", `"x"`},
		{changed(t, dir, file, "return n * 3", "for (; n != 7; ) { } return 14"), 10, "Shop.twice(", "no end"},
		{changed(t, dir, file, "return n * 3", "if (n != 7) { System.exit(3); } return 14"), 11, "Shop.twice(", "the process ends"},
		{changed(t, dir, file, "n * 3", "n == 7 ? 14 : twice(n)"), 12, "Shop.twice(", "no end"},
		{fixed("this.room = room", "this.room = 1"), 13, "new Shop(", "room=1"},
	}
	var candidates []Candidate
	for _, one := range all {
		candidates = append(candidates, one.is)
	}
	trials, problem, err := b.runner.Try(t.Context(), dir, c, candidates, TryOptions{Red: red, Green: green, Test: time.Second, Wall: 6 * time.Minute, Enough: 20})
	if err != nil || problem != "" {
		t.Fatal(problem, err)
	}
	apart := map[int]Differ{}
	for _, d := range trials[0].Differs {
		apart[d.Other] = d
	}
	for i, want := range all {
		got := trials[i]
		if !got.Passes() || got.Group != want.group {
			t.Errorf("candidate %d: %+v", i, got)
		}
		d, ok := apart[i]
		if ok != (want.group != 1) || !strings.Contains(d.Input, want.input) || !strings.Contains(d.Gives[1], want.gives) || ok && d.Gives[0] == d.Gives[1] {
			t.Errorf("candidate %d differs from the first so: %+v", i, d)
		}
		if endless := slices.Contains([]int{9, 11}, i); (got.Endless > 0) != endless {
			t.Errorf("candidate %d does not end %d times", i, got.Endless)
		}
		if (got.Touches > 0) != (i == 7) {
			t.Errorf("candidate %d changes what it is given %d times", i, got.Touches)
		}
		if raises := slices.Contains([]int{3, 9, 10, 11}, i); (got.Raises[0] > trials[0].Raises[0]) != raises {
			t.Errorf("candidate %d raises on %v", i, got.Raises)
		}
	}
	if n := trials[0].Near; n[1] < 5 || n[0] != 0 {
		t.Errorf("near the passing tests the fix changes %v", n)
	}
	if strings.Contains(fmt.Sprint(trials), "Shop.last(") { // it is given a function
		t.Errorf("%+v", trials)
	}
}
