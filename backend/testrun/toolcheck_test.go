package testrun

import (
	"fmt"
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

// TestMavenPluginsForTheDoctor: a folder of Maven can only run its tests when the plugins of mvn test are in what its runs see.
func TestMavenPluginsForTheDoctor(t *testing.T) {
	dir := tree(t, "-- pom.xml --\n<project/>\n")
	plugin := func(name string) string {
		return ".m2/repository/org/apache/maven/plugins/maven-" + name + "-plugin/3.1.0/maven-" + name + "-plugin-3.1.0.jar = x\n"
	}
	pom := ".m2/repository/org/apache/maven/plugins/maven-surefire-plugin/3.1.0/maven-surefire-plugin-3.1.0.pom = x\n"
	for name, tt := range map[string]struct {
		home string
		want []string // in the detail
	}{
		"an empty home":         {"", []string{"no maven-resources-plugin", "no maven-compiler-plugin", "no maven-surefire-plugin"}},
		"the POM of one only":   {plugin("resources") + plugin("compiler") + pom, []string{"no maven-surefire-plugin"}},
		"all that mvn test has": {plugin("resources") + plugin("compiler") + plugin("surefire"), nil},
	} {
		r := &Runner{host: host{home: madeHome(t, tt.home)}}
		checks, err := r.Toolchains(dir)
		if err != nil || len(checks) == 0 {
			t.Fatalf("%s: %v, %v", name, checks, err)
		}
		got := checks[len(checks)-1]
		if got.Name != "plugins: maven" || got.OK != (tt.want == nil) || got.OK == strings.Contains(got.Fix, "redgreen prepare") || strings.Count(got.Detail, "no maven-") != len(tt.want) {
			t.Errorf("%s: %+v", name, got)
		}
		for _, w := range tt.want {
			if !strings.Contains(got.Detail, w) {
				t.Errorf("%s: %q does not hold %q", name, got.Detail, w)
			}
		}
	}
	r := &Runner{host: host{home: t.TempDir()}, options: Options{Image: "an-image"}}
	if checks, err := r.Toolchains(dir); err != nil || strings.Contains(fmt.Sprint(checks), "plugins: maven") {
		t.Errorf("in an image, whose repository is not this machine's: %+v, %v", checks, err)
	}
}
