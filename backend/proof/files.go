package proof

import (
	"path"
	"regexp"
	"strings"
)

// fileKind sorts files by what a change to them can do to the tests' word.
type fileKind string

// The kinds; they are also the rules of the flags for such files.
const (
	ordinary   fileKind = ""
	testConfig fileKind = "test configuration changed"
	ciFile     fileKind = "CI file changed"
	buildFile  fileKind = "build script changed"
	manifest   fileKind = "dependency manifest changed"
)

// kinds maps names to kinds; the first that matches counts. Base names are matched unless the pattern has a slash.
var kinds = []struct {
	pattern *regexp.Regexp
	kind    fileKind
}{
	{regexp.MustCompile(`(^|/)(\.github/workflows|\.circleci|\.ci|\.buildkite|\.woodpecker|\.gitlab)/`), ciFile},
	{regexp.MustCompile(`(^|/)(\.gitlab-ci\.yml|\.travis\.yml|azure-pipelines\.ya?ml|Jenkinsfile|\.drone\.yml|bitbucket-pipelines\.yml|\.?appveyor\.yml|cloudbuild\.ya?ml)$`), ciFile},
	{regexp.MustCompile(`(^|/)(\.?pytest\.(ini|toml)|conftest\.py|tox\.ini|noxfile\.py|\.coveragerc|sitecustomize\.py|usercustomize\.py|[^/]+\.pth)$`), testConfig},
	{regexp.MustCompile(`(^|/)((jest|vitest|vite|karma|playwright|cypress|ava|wallaby)\.config\.[cm]?[jt]sx?|vitest\.(workspace|setup)\.\w+|jest\.config\.json|\.mocharc(\.\w+)?|jest\.setup\.\w+|setupTests\.\w+|\.babelrc(\.\w+)?|babel\.config\.\w+)$`), testConfig},
	{regexp.MustCompile(`(^|/)(phpunit\.xml(\.dist)?|\.rspec|spec_helper\.rb|rails_helper\.rb|test_helper\.rb|testng\.xml|junit-platform\.properties|nextest\.toml)$`), testConfig},
	{regexp.MustCompile(`(^|/)(GNUm|M|m)akefile$|\.mk$|(^|/)(\.?justfile|Justfile|Taskfile\.ya?ml|Rakefile|CMakeLists\.txt|meson\.build|build\.rs|setup\.py|gulpfile\.\w+|webpack\.config\.\w+|rollup\.config\.\w+|(Docker|Container)file|BUILD(\.bazel)?|WORKSPACE|MODULE\.bazel|gradlew(\.bat)?|mvnw(\.cmd)?|tsconfig(\.\w+)?\.json)$|\.cmake$`), buildFile},
	{regexp.MustCompile(`(^|/)(pom\.xml|(build|settings)\.gradle(\.kts)?|gradle\.properties|package\.json|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|\.npmrc|requirements[\w.-]*\.(txt|in)|constraints\.txt|Pipfile(\.lock)?|poetry\.lock|uv\.lock|pdm\.lock|pyproject\.toml|setup\.cfg|go\.(mod|sum|work)|go\.work\.sum|Cargo\.(toml|lock)|Gemfile(\.lock)?|\w+\.gemspec|composer\.(json|lock)|packages\.config|[\w.-]+\.(csproj|fsproj|sln|props|targets)|rust-toolchain(\.toml)?|\.(python|node|ruby|java|go|php)-version|\.nvmrc|\.sdkmanrc|\.tool-versions|\.?mise(\.[\w.-]+)?\.toml)$`), manifest},
	{regexp.MustCompile(`(^|/)vendor/modules\.txt$|(^|/)vendor/[\w-]+(\.[\w-]+)+/|(^|/)vendor/(autoload\.php$|composer/|bundle/)|(^|/)(node_modules|\.?venv)/`), manifest},
}

// kindOfFile sorts one path.
func kindOfFile(p string) fileKind {
	p = path.Clean(strings.ReplaceAll(p, `\`, "/"))
	for _, k := range kinds {
		if k.pattern.MatchString(p) {
			return k.kind
		}
	}
	return ordinary
}
