package testrun

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"
)

var (
	number     = regexp.MustCompile(`\d+(?:\.\d+)*`)
	goNumber   = regexp.MustCompile(`(?:^|go)(\d+(?:\.\d+)*)`)
	oldJava    = regexp.MustCompile(`^1\.(\d\d)`) // Debian's java-1.17.0-openjdk is Java 17
	leading    = regexp.MustCompile(`^\d+(?:\.\d+)*`)
	vendor     = regexp.MustCompile(`^[a-zA-Z][a-zA-Z_-]*-`)
	rangeSigns = regexp.MustCompile(`[<>=^~|*, ]|\.[xX]\b|^[xX]$`)
)

// numberOf reads the number out of a version's name; of an environment with a name of its own from its files.
func numberOf(tool, name, dir string) string {
	switch tool {
	case "rust":
		return leading.FindString(name) // stable-x86_64-… has none
	case "go":
		if m := goNumber.FindStringSubmatch(name); m != nil {
			return m[1]
		}
		return ""
	case "java":
		if n := number.FindString(name); n != "" || dir == "" {
			return oldJava.ReplaceAllString(n, "$1")
		}
		return number.FindString(smallFile(dir, "release"))
	case "python":
		if n := leading.FindString(strings.TrimPrefix(name, "cpython-")); n != "" || dir == "" {
			return n
		}
		if found, _ := filepath.Glob(filepath.Join(escapeGlob(dir), "conda-meta", "python-[0-9]*.json")); len(found) > 0 {
			return number.FindString(filepath.Base(found[0]))
		}
		if m := regexp.MustCompile(`(?m)^version(?:_info)?\s*=\s*(\d+\.\d+\.\d+)`).FindStringSubmatch(smallFile(dir, "pyvenv.cfg")); m != nil {
			return m[1]
		}
		if found, _ := filepath.Glob(filepath.Join(escapeGlob(dir), "lib", "python3*")); len(found) > 0 {
			return number.FindString(filepath.Base(found[0]))
		}
		return ""
	}
	return number.FindString(name)
}

// compareVersions orders numbers by their parts; what has none comes first.
func compareVersions(a, b string) int {
	x, y := parts(a), parts(b)
	for i := range max(len(x), len(y)) {
		var p, q int
		if i < len(x) {
			p = x[i]
		}
		if i < len(y) {
			q = y[i]
		}
		if p != q {
			return p - q
		}
	}
	return len(x) - len(y)
}

func parts(v string) []int {
	var all []int
	for _, p := range strings.Split(leading.FindString(v), ".") {
		if n, err := strconv.Atoi(p); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// longTerm are the names of Node's long-term lines (https://github.com/nodejs/Release).
func longTerm() []string {
	return []string{"argon 4", "boron 6", "carbon 8", "dubnium 10", "erbium 12", "fermium 14", "gallium 16", "hydrogen 18", "iron 20", "jod 22", "krypton 24"}
}

// matches reports whether a version is what a folder asks for: by name, by its first parts (3.11 is met by 3.11.7), by
// an alias, or by a range as package.json's engines has it.
func matches(tool, name, version, asked string) bool {
	asked = strings.TrimSpace(asked)
	if asked == "" || asked == "system" {
		return false
	}
	if name == asked || name == "v"+asked || "v"+name == asked {
		return true
	}
	switch tool {
	case "rust":
		return strings.HasPrefix(name, asked+"-") || leading.FindString(asked) == asked && beginsWith(version, asked)
	case "node":
		if done, ok := nodeAlias(version, asked); done {
			return ok
		}
	case "python":
		asked = strings.TrimPrefix(asked, "cpython-")
		if leading.FindString(asked) == "" {
			return false // pypy3.9, or an environment's name
		}
	}
	if version == "" {
		return false
	}
	if rangeSigns.MatchString(asked) {
		return inRange(version, asked)
	}
	return beginsWith(version, number.FindString(vendor.ReplaceAllString(asked, "")))
}

// nodeAlias settles the names that nvm and its kin know; done tells that asked is one.
func nodeAlias(version, asked string) (done, ok bool) {
	major := 0
	if p := parts(version); len(p) > 0 {
		major = p[0]
	}
	switch line, isLong := strings.CutPrefix(strings.ToLower(asked), "lts/"); {
	case slices.Contains([]string{"node", "latest", "stable", "current"}, asked):
		return true, version != ""
	case asked == "lts" || isLong && (line == "*" || line == "-1"):
		return true, major > 0 && major%2 == 0
	case isLong:
		return true, slices.Contains(longTerm(), line+" "+strconv.Itoa(major))
	}
	return false, false
}

// inRange is npm's range over a number.
func inRange(version, asked string) bool {
	c, err := semver.NewConstraint(asked)
	if err != nil {
		return false
	}
	v, err := semver.NewVersion(version)
	return err == nil && c.Check(v)
}

// beginsWith reports whether a number has the parts of another first.
func beginsWith(version, asked string) bool {
	v, a := parts(version), parts(asked)
	if len(a) == 0 {
		return false
	}
	for len(v) < len(a) && len(v) > 0 && a[len(a)-1] == 0 { // 1.22.0 is met by what calls itself 1.22
		a = a[:len(a)-1]
	}
	return len(v) >= len(a) && slices.Equal(v[:len(a)], a)
}
