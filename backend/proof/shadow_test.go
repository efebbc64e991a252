package proof

import "testing"

func TestShadows(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, path, old, new, dir string
		want                      bool
	}{
		{name: "the runner", path: "pytest.py", new: "print('all passed')\n", want: true},
		{name: "the runner as a package", path: "src/_pytest/__init__.py", new: "a = 1\n", want: true},
		{name: "our reporter", path: "redgreen_report.py", new: "a = 1\n", want: true},
		{name: "changed, not new", path: "lib/unittest.py", old: "a = 1\n", new: "a = 2\n", want: true},
		{name: "what the runner loads", path: "json.py", new: "a = 1\n", want: true},
		{name: "the same where the command runs", path: "server/json.py", new: "a = 1\n", dir: "server", want: true},
		{name: "the same in a package", path: "shop/types.py", new: "a = 1\n"},
		{name: "was there before", path: "types.py", old: "a = 1\n", new: "a = 2\n"},
		{name: "deleted", path: "json.py", old: "a = 1\n"},
		{name: "a folder of unit tests", path: "tests/unittest/test_shop.py", new: "a = 1\n"},
		{name: "a plain file", path: "shop.py", new: "a = 1\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			flags := shadows(change(t, tt.path, tt.old, tt.new), []string{tt.dir})
			if got := len(flags) > 0; got != tt.want {
				t.Errorf("got %v, want flagged %v", flags, tt.want)
			}
		})
	}
}
