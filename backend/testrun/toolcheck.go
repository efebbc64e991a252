package testrun

import (
	"fmt"
	"path/filepath"
	"strings"

	"redgreen/backend/sandbox"
)

// Toolchains says for the doctor which toolchain each test command of a folder gets and where it comes from, and what Maven
// would miss without the network. Only files are looked at. A version that the folder asks for and that is not installed is no
// OK, with what is taken instead.
func (r *Runner) Toolchains(dir string) ([]sandbox.Check, error) {
	commands, err := Find(dir)
	if err != nil {
		return nil, err
	}
	checks := toolchains(r.host, dir, commands)
	for _, c := range commands {
		if c.Runner == "maven" && r.image("java") == "" {
			checks = append(checks, r.mavenPlugins(dir, c))
		}
	}
	return checks, nil
}

// mavenPlugins looks for the plugins that every mvn test runs, at the place where a run of c finds its repository.
func (r *Runner) mavenPlugins(dir string, c Command) sandbox.Check {
	check := sandbox.Check{Name: "plugins: maven"}
	if c.Dir != "" {
		check.Name += " in " + c.Dir
	}
	j := &job{command: c, tree: folder{root: dir}, host: r.host, prepared: map[string]string{}, spec: sandbox.Spec{Env: map[string]string{}}}
	r.showPrepared(j)
	j.showCaches("java")
	local := ""
	for _, m := range j.spec.ReadOnly {
		if m.Target == "/deps/m2" {
			local = m.Source
		}
	}
	var missing []string
	for _, name := range []string{"maven-resources-plugin", "maven-compiler-plugin", "maven-surefire-plugin"} {
		if found, _ := filepath.Glob(filepath.Join(local, "org/apache/maven/plugins", name, "*", name+"-*.jar")); local == "" || len(found) == 0 {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		check.OK, check.Detail = true, "in "+local
		return check
	}
	check.Detail = "the local Maven repository has no " + strings.Join(missing, ", no ") + ": no test can run, since the sandbox has no network"
	check.Fix = "run redgreen prepare FOLDER" + InWindow + " or run mvn test once yourself, with the network"
	return check
}

func toolchains(h host, dir string, commands []Command) []sandbox.Check {
	checks := []sandbox.Check{}
	seen := map[string]bool{}
	for _, c := range commands {
		tool := map[string]string{"javascript": "node"}[kindOf(c.Runner).Language]
		if tool == "" {
			tool = kindOf(c.Runner).Language
		}
		if tool == "" || len(layoutOf(tool).programs) == 0 || seen[tool+c.Dir] {
			continue
		}
		seen[tool+c.Dir] = true
		checks = append(checks, toolCheck(h, dir, tool, c))
	}
	return checks
}

// toolCheck is one line.
func toolCheck(h host, dir, tool string, c Command) sandbox.Check {
	check := sandbox.Check{Name: "toolchain: " + tool}
	if c.Dir != "" {
		check.Name += " in " + c.Dir
	}
	module := ""
	if c.Runner == "pytest" {
		module = "pytest"
	}
	if tool == "python" {
		if venv, ok := venvPython(dir, c.Dir, module); ok {
			check.OK, check.Detail = true, "the folder's own "+venv
			return check
		}
	}
	wants := folder{root: dir, dir: c.Dir}.wants(tool)
	chosen, ok := choice{}, false
	if all := h.choices(tool, wants); tool == "python" {
		chosen, ok = pythonWith(all, module)
	} else if len(all) > 0 {
		chosen, ok = all[0], true
	}
	if !ok {
		check.Detail = strings.TrimSuffix(fmt.Sprintf("no %s with %s was found", tool, module), " with  was found")
		check.Fix = "install it, or name an image with --image"
		return check
	}
	check.OK = true
	check.Detail = strings.Join(strings.Fields(fmt.Sprintf("%s %s from %s", chosen.start, chosen.version, chosen.manager)), " ")
	switch {
	case chosen.why != "":
		check.Detail += ", as " + cleanLine(chosen.why) + " asks"
	case len(wants) > 0:
		check.OK = false
		check.Detail += fmt.Sprintf("; %s asks for %s, which is not installed%s", cleanLine(wants[0].source), shorten(cleanLine(wants[0].version), 60),
			map[bool]string{true: " or has no " + module}[module != ""])
		check.Fix = "install that version with the version manager that you use for " + tool
	}
	return check
}
