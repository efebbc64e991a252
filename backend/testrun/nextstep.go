package testrun

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"redgreen/backend/lang"
)

// A run that says nothing about the tree says what to do instead: what is missing is recognised in what the runner printed,
// and the step is one that can be clicked or typed as it stands.

// lack is one way in which a runner says that something is missing. The first group of the pattern that matches is its name;
// the text begins with the reason.
type lack struct {
	language string // of the runner, "" any
	pattern  *regexp.Regexp
	what     string                   // "$" stands for the name; "" the reason says it already
	system   func(name string) string // the package of the system that brings it; nil where it is a dependency of the folder
	own      string                   // how a person installs a dependency without a lockfile; "$" stands for the name; "" as the language does
	machine  bool                     // no patch can cause or cure it
}

const (
	pipInstall = "install $ in the folder's .venv (.venv/bin/python -m pip install $)"
	npmInstall = "run npm install in the folder"
	gemInstall = "run bundle config set --local path vendor/bundle, then bundle install, in the folder"
)

// lacks are in the order in which they are tried: what is more exact comes first.
func lacks() []lack {
	debian := func(name string) func(string) string { return func(string) string { return name } }
	return []lack{
		{"python", regexp.MustCompile(`unrecognized arguments: (-[\w-]+)`), "the configuration of the tests uses an option of $, which is not installed", nil, "", false},
		{"python", regexp.MustCompile(`Missing required plugins: ([\w-]+)`), "the configuration of the tests asks for $, which is not installed", nil, "", false},
		{"python", regexp.MustCompile(`Error importing plugin "([\w.-]+)"`), "the configuration of the tests asks for the plugin $, which is not installed", nil, "", false},
		{"python", regexp.MustCompile(`^(pytest) is not installed`), "", nil, "", false},
		{"javascript", regexp.MustCompile(`^(jest|vitest|mocha) is not installed`), "", nil, "", false},
		{"", regexp.MustCompile("linker `cc` not found|C compiler \"\\w+\" not found|No CMAKE_C(?:XX)?_COMPILER could be found|CMAKE_C(?:XX)?_COMPILER not set|is not a full path to an existing compiler tool|\\b(?:g?cc|g\\+\\+|clang): (?:command )?not found"),
			"there is no C or C++ compiler", debian("build-essential"), "", true},
		{"", regexp.MustCompile(`\bmake: (?:command )?not found|CMAKE_MAKE_PROGRAM is not set`), "there is no make", debian("make"), "", true},
		{"", regexp.MustCompile(`^command not found in the sandbox: (\S+?);`), "", programPackage, "", true},
		{"java", regexp.MustCompile(`in offline mode and the artifact ([\w.:-]+)`), "$ is not in the local Maven repository", nil, "run mvn test once in the folder yourself, with the network", false},
		{"java", regexp.MustCompile(`No cached version of ([\w.:-]+) available for offline mode`), "$ is not in Gradle's cache", nil, "run gradle test once in the folder yourself, with the network", false},
		{"rust", regexp.MustCompile("no matching package named `([\\w-]+)` found|failed to (?:get|download|load source for dependency) `([\\w-]+)"), "the crate $ is not in cargo's registry here", nil, "run cargo fetch in the folder", false},
		{"ruby", regexp.MustCompile(`Could not find (?:gem )?'?([\w-]+?)'?(?:-\d[\w.]*)?(?:[\s(,]|$)`), "the gem $ is not installed", nil, gemInstall, false},
		{"ruby", regexp.MustCompile(`cannot load such file -- ([\w-]+)`), "$ is not installed for this Ruby", nil, gemInstall, false},
		{"php", regexp.MustCompile(`(vendor/autoload\.php)`), "$ is missing: the packages of Composer are not installed", nil, "run composer install in the folder", false},
		{"csharp", regexp.MustCompile(`NU11\d\d: Unable to find package ([\w.]*\w)`), "the package $ is not in NuGet's cache", nil, "run dotnet restore in the folder", false},
		{"", regexp.MustCompile(`Can't locate (\S+)\.pm in @INC`), "the Perl module $ is not installed", perlPackage, "", false},
		{"", regexp.MustCompile(`^missing dependency: ([\w.@/-]+)`), "", nil, "", false},
	}
}

// programPackage is the Debian package of a test program; "" for one that has none.
func programPackage(name string) string {
	name = path.Base(name)
	return cmp.Or(map[string]string{"mvn": "maven", "ctest": "cmake", "rspec": "ruby-rspec", "phpunit": "phpunit", "node": "nodejs", "npx": "npm", "npm": "npm", "go": "golang-go", "python3": "python3",
		"java": "default-jdk", "javac": "default-jdk", "gradle": "gradle", "cargo": "cargo", "cmake": "cmake", "make": "make", "ruby": "ruby", "rake": "rake", "bundle": "bundler", "php": "php-cli", "prove": "perl",
		"gcc": "build-essential", "cc": "build-essential", "g++": "build-essential", "tox": "tox", "nox": "nox", "just": "just"}[name])
}

// perlPackage is the Debian package of a Perl module, by Debian's own rule for their names.
func perlPackage(module string) string {
	return "lib" + strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(module, "::", "-"), "/", "-")) + "-perl"
}

// pytestOption is the plugin that brings an option of pytest, "" for an option that none of the common ones has.
func pytestOption(option string) string {
	for _, p := range [][2]string{{"--cov", "pytest-cov"}, {"--no-cov", "pytest-cov"}, {"--numprocesses", "pytest-xdist"}, {"--dist", "pytest-xdist"}, {"--maxprocesses", "pytest-xdist"},
		{"--timeout", "pytest-timeout"}, {"--reruns", "pytest-rerunfailures"}, {"--asyncio", "pytest-asyncio"}, {"--random-order", "pytest-random-order"}, {"--randomly", "pytest-randomly"},
		{"--benchmark", "pytest-benchmark"}, {"--mypy", "pytest-mypy"}, {"--flake8", "pytest-flake8"}, {"--black", "pytest-black"}, {"--ruff", "pytest-ruff"}, {"--isort", "pytest-isort"},
		{"--ds", "pytest-django"}, {"--reuse-db", "pytest-django"}, {"--create-db", "pytest-django"}, {"--nomigrations", "pytest-django"}, {"--no-migrations", "pytest-django"}, {"--html", "pytest-html"},
		{"--self-contained-html", "pytest-html"}, {"--json-report", "pytest-json-report"}, {"--snapshot", "syrupy"}, {"--mpl", "pytest-mpl"}, {"--nbval", "nbval"}, {"--disable-socket", "pytest-socket"},
		{"--allow-hosts", "pytest-socket"}, {"--forked", "pytest-forked"}, {"--typeguard", "typeguard"}, {"--hypothesis", "hypothesis"}, {"--splits", "pytest-split"}, {"--testmon", "pytest-testmon"}} {
		if strings.HasPrefix(option, p[0]) {
			return p[1]
		}
	}
	if regexp.MustCompile(`^-n\d*$`).MatchString(option) {
		return "pytest-xdist"
	}
	return ""
}

// srcHint is for tests that lack a package which lies in src, where it is not looked for.
func srcHint(tree folder, tests []Test) string {
	for _, t := range tests {
		if m := missingName.FindStringSubmatch(t.Message); m != nil && m[1] != "" && !tree.hasDir(m[1]) && (tree.hasDir("src/"+m[1]) || tree.has("src/"+m[1]+".py")) {
			return "the package " + m[1] + " lies in src, which is not on Python's path: write pythonpath = src under [pytest] in pytest.ini, or give the folder a pyproject.toml"
		}
	}
	return ""
}

// nextStep completes the reason of a run without a verdict. lacking tells that something of the machine is missing, which
// no patch can cause or cure.
func nextStep(reason string, tree folder, c Command, o output, tests []Test) (full string, lacking bool) {
	text := reason + "\n" + clean(o.stderr) + "\n" + clean(o.stdout)
	for _, t := range tests {
		text += "\n" + t.Message
	}
	language := kindOf(c.Runner).Language
	for _, l := range lacks() {
		m := l.pattern.FindStringSubmatch(text)
		if m == nil || l.language != "" && l.language != language {
			continue
		}
		name := strings.Join(m[1:], "")
		if strings.HasPrefix(name, "-") {
			name = pytestOption(name)
		}
		step := l.step(name, tree, language)
		if step == "" || len(m) > 1 && name == "" || tree.defines(name) {
			continue
		}
		if l.what != "" {
			reason += "; " + strings.ReplaceAll(l.what, "$", name)
		}
		return reason + ". " + strings.ToUpper(step[:1]) + step[1:], l.machine
	}
	if hint := srcHint(tree, tests); hint != "" {
		return reason + ". " + strings.ToUpper(hint[:1]) + hint[1:], false
	}
	return reason, false
}

// defines reports whether a name is the tree's own: then it is not missing on the machine.
func (f folder) defines(name string) bool {
	top, _, _ := strings.Cut(name, "/")
	return top != "" && (f.has("lib/"+top+".rb") || f.hasDir("lib/"+top) || f.has("lib/"+top+".pm"))
}

// step is what to do about a lack; "" nothing is known.
func (l lack) step(name string, tree folder, language string) string {
	if l.system != nil {
		if name = l.system(name); name == "" {
			return ""
		}
		return "on Debian or Ubuntu: sudo apt-get install " + name + "; or run the tests in an image that has it (redgreen image use IMAGE FOLDER)"
	}
	own := strings.ReplaceAll(cmp.Or(l.own, map[string]string{"python": pipInstall, "javascript": npmInstall, "go": "run go mod download in the folder, or go get where go.mod does not name it"}[language]), "$", name)
	lock := tree.prepares(language)
	switch {
	case lock == "":
		return own
	case own == "":
		own = "install it yourself"
	}
	return "run redgreen prepare FOLDER" + InWindow + " for what " + lock + " names; else " + own
}

// InWindow is the part of a reason that names what to click instead; on a terminal it is left out.
const InWindow = ", or click Install at Dependencies in the folder's settings,"

// prepares is the lockfile that Prepare would install a language's dependencies from, "" none.
func (f folder) prepares(language string) string {
	l, _ := lang.ByName(language)
	for _, in := range l.Installs {
		for _, dir := range slices.Backward(upwards(f.dir)) {
			if at := (folder{root: f.root, dir: cleanRel(dir)}); at.installs(in) {
				return join(dir, at.first(in.Locks...))
			}
		}
	}
	return ""
}
