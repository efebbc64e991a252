package testrun

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestToolchainsForTheDoctor(t *testing.T) {
	home := madeHome(t, nodeAt(".nvm/versions/node/v20.11.0")+goAt("sdk/go1.99.1"))
	h := host{home: home}
	for _, tt := range []struct {
		name, files string
		ok          bool
		want        string
	}{
		{"what the folder asks for", "-- .nvmrc --\n20\n", true, filepath.Join(home, ".nvm/versions/node/v20.11.0/bin/node") + " 20.11.0 from nvm, as .nvmrc asks"},
		{"a version that is not there", "-- .nvmrc --\n4.1\n", false, "asks for 4.1, which is not installed"},
		{"no wish", "", true, "from "},
	} {
		checks := toolchains(h, tree(t, "-- x --\n"+tt.files), []Command{{Runner: "node", Args: []string{"node", "--test"}}, {Runner: "custom", Args: []string{"x"}}})
		if len(checks) != 1 || checks[0].OK != tt.ok || !strings.Contains(checks[0].Detail, tt.want) || checks[0].OK == (checks[0].Fix != "") {
			t.Errorf("%s: %+v, want %v and %q", tt.name, checks, tt.ok, tt.want)
		}
	}
	venv := toolchains(h, tree(t, venvWith("pytest")), []Command{{Runner: "pytest", Args: []string{"python3", "-m", "pytest"}}})
	if len(venv) != 1 || !venv[0].OK || !strings.Contains(venv[0].Detail, ".venv") {
		t.Errorf("with a .venv: %+v", venv)
	}
}
