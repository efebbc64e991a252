package testrun

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNear(t *testing.T) {
	dir := tree(t, `
-- py/shop/money.py --
-- py/shop/__init__.py --
-- py/tests/test_money.py --
def test_a(): pass
-- py/tests/test_cart.py --
from shop import money
-- py/tests/test_far.py --
import json  # no word of the other
-- go/go.mod --
module m
-- go/a/a.go --
-- go/a/a_test.go --
package a
-- go/b/b_test.go --
package b
-- js/src/total.js --
-- js/test/total.test.js --
-- js/test/cart.test.js --
import { x } from '../src/total.js';
-- js/test/old.test.js --
const t = require('../src/total');
-- js/test/far.test.js --
// total
-- rb/lib/shop.rb --
-- rb/spec/shop_spec.rb --
-- rb/spec/far_spec.rb --
`)
	tests := []struct {
		runner, dir string
		changed     []string
		want        []string
	}{
		{"pytest", "py", []string{"py/shop/money.py"}, []string{"py/tests/test_cart.py", "py/tests/test_money.py"}},
		{"pytest", "py", []string{"py/tests/test_far.py"}, []string{"py/tests/test_far.py"}},
		{"pytest", "py", []string{"go/a/a.go"}, nil},
		{"go", "go", []string{"go/a/a.go"}, []string{"go/a/a_test.go"}},
		{"node", "js", []string{"js/src/total.js"}, []string{"js/test/cart.test.js", "js/test/old.test.js", "js/test/total.test.js"}},
		{"rspec", "rb", []string{"rb/lib/shop.rb"}, []string{"rb/spec/shop_spec.rb"}},
		{"maven", "", []string{"py/shop/money.py"}, nil},
	}
	for _, tt := range tests {
		got := Near(dir, Command{Runner: tt.runner, Dir: tt.dir, Args: []string{"x"}}, tt.changed)
		if diff := cmp.Diff(tt.want, got); diff != "" && len(tt.want)+len(got) > 0 {
			t.Errorf("%s, %v (-want +got):\n%s", tt.runner, tt.changed, diff)
		}
	}
	both := Together([]Command{{Runner: "pytest", Dir: "py", Args: []string{"x"}}, {Runner: "node", Dir: "js", Args: []string{"x"}}})
	if got := Near(dir, both, []string{"py/tests/test_far.py", "js/test/far.test.js"}); len(got) != 2 {
		t.Errorf("of two parts: %v", got)
	}
}
