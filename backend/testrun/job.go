package testrun

import (
	"bytes"
	"crypto/rand"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"redgreen/backend/lang"
	"redgreen/backend/sandbox"
)

// Places inside the sandbox.
const (
	workspacePath = "/workspace"
	reportersPath = "/redgreen"
	outPath       = "/out"
	cachePath     = "/cache"
)

// maxReport bounds what is read of one report. 100,000 tests of go test -json are 60 MB; what is larger is no report.
const maxReport = 256 << 20

// leastFree is the room that a run must leave for its reports, in bytes: with less, what was written last is not all of it.
const leastFree = 64 << 10

// cannotReport is the exit status of our reporters when a line cannot be written (EX_IOERR of sysexits.h).
const cannotReport = 74

//go:embed reporters
var reporters embed.FS

// job is one run being prepared: what a Kind's start fills in.
type job struct {
	command  Command
	tree     folder   // the tree's root
	selected []string // relative to the root
	spec     sandbox.Spec
	host     host
	source   string // "" none
	name     string // of the report file, not to be guessed: a test could write a report of its own
	key      []byte // that seals the report, nil where the runner writes it in a form of its own
	out      string // host folder of the reports
	temp     string

	prepared map[string]string // folder relative to the root, or place in the sandbox -> what Prepare installed, on the host
}

// newJob makes the temporary folders and the spec that all runners share.
func (r *Runner) newJob(dir string, c Command, paths []string) (*job, error) {
	temp, err := os.MkdirTemp(r.options.TempDir, "testrun-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the test reports: %w", err)
	}
	j := &job{command: c, tree: folder{root: dir}, selected: paths, host: r.host, source: r.options.Source,
		temp: temp, name: "report-" + rand.Text(), out: filepath.Join(temp, "out"), prepared: map[string]string{}}
	if err := j.writeReporters(); err != nil {
		j.close()
		return nil, err
	}
	if err := r.writable(j.out); err != nil {
		j.close()
		return nil, err
	}
	j.spec = sandbox.Spec{
		Args: slices.Clone(c.Args), Workspace: dir, Dir: c.Dir, Out: j.out, Limits: r.options.Limits, Image: r.image(kindOf(c.Runner).Language),
		Env:      map[string]string{},
		ReadOnly: []sandbox.Mount{{Source: filepath.Join(temp, "reporters"), Target: reportersPath}},
	}
	if cache := r.options.Cache; cache != "" {
		if r.apart {
			cache = filepath.Join(temp, "cache")
		}
		if err := r.writable(cache); err != nil {
			j.close()
			return nil, err
		}
		j.spec.Cache = cache
	}
	if r.options.Hang > 0 {
		j.spec.Env["REDGREEN_TEST_SECONDS"] = fmt.Sprintf("%g", r.options.Hang.Seconds())
	}
	r.showPrepared(j)
	j.showDependencies()
	return j, nil
}

// writable makes a folder that the sandbox's user may write to.
func (r *Runner) writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making a folder for the test run: %w", err)
	}
	uid, gid, ok := r.owner()
	if !ok {
		return nil
	}
	if err := os.Chown(dir, uid, gid); err != nil {
		return fmt.Errorf("giving the sandbox its folder: %w", err)
	}
	return nil
}

// writeReporters puts our reporters where the sandbox can read them.
func (j *job) writeReporters() error {
	sub, err := fs.Sub(reporters, "reporters")
	if err == nil {
		err = os.CopyFS(filepath.Join(j.temp, "reporters"), sub)
	}
	if err != nil {
		return fmt.Errorf("writing the test reporters: %w", err)
	}
	return nil
}

// close removes what the job made; what a run wrote belongs to the sandbox's user and may be read-only.
func (j *job) close() { _ = os.RemoveAll(j.temp) }

// cache is a folder below /cache, or below /tmp where nothing is kept.
func (j *job) cache(name string) string {
	if j.spec.Cache == "" {
		return path.Join("/tmp", name)
	}
	return path.Join(cachePath, name)
}

// report is the path inside the sandbox where the runner's report goes.
func (j *job) report() string { return path.Join(outPath, j.name) }

// toReport sends stdout to the report file instead, so that machine-readable output is never cut. The script is constant;
// the command stays an argument list.
func (j *job) toReport() {
	j.spec.Args = append([]string{"/bin/sh", "-c", `exec "$@" >` + j.report(), "sh"}, j.spec.Args...)
}

// inner gives the selected paths relative to the command's folder.
func (j *job) inner() []string {
	all := make([]string, 0, len(j.selected))
	for _, s := range j.selected {
		if p, ok := j.command.own(s); ok {
			all = append(all, p)
		}
	}
	return all
}

// mount shows a host folder read-only, once.
func (j *job) mount(source, target string) {
	m := sandbox.Mount{Source: source, Target: target}
	if !slices.Contains(j.spec.ReadOnly, m) {
		j.spec.ReadOnly = append(j.spec.ReadOnly, m)
	}
}

// showDependencies shows the dependency folders of the person's folder that git ignores at their own place.
func (j *job) showDependencies() {
	l, ok := lang.ByName(kindOf(j.command.Runner).Language)
	if !ok || j.source == "" {
		return
	}
	for _, dir := range upwards(j.command.Dir) {
		for _, dep := range l.Deps {
			rel := join(dir, dep)
			if source, ok := j.dependency(rel); ok && j.prepared[rel] == "" {
				j.mount(source, path.Join(workspacePath, rel))
			}
		}
	}
}

// showCaches shows what the home holds of a language's dependencies and tells the tools where; it gives the places.
func (j *job) showCaches(language string) []string {
	l, _ := lang.ByName(language)
	var shown []string
	for _, c := range l.Caches {
		source, ok := j.host.cache(c)
		target := c.Target
		if target == "" {
			target = source
		}
		if j.preparedBelow(c.Env, target) {
			shown = append(shown, target)
			continue
		}
		if !ok || slices.Contains(shown, target) || c.Target == "" && len(shown) > 0 {
			continue
		}
		j.mount(source, target)
		for k, v := range c.Env {
			j.spec.Env[k] = strings.ReplaceAll(v, "$", target)
		}
		shown = append(shown, target)
	}
	return shown
}

// preparedBelow reports whether Prepare installed what a cache would show: the same place, one above it, or what the same
// variable names.
func (j *job) preparedBelow(env map[string]string, target string) bool {
	for place := range j.prepared {
		if place == target || strings.HasPrefix(target, place+"/") {
			return true
		}
	}
	_, isGo := env["GOMODCACHE"]
	return isGo && j.prepared["/deps/go"] != ""
}

// dependency is the real path of a folder of the source that the tree lacks. A symlink out of the person's folder is not
// followed: a hostile repository would name any folder of the home.
func (j *job) dependency(rel string) (string, bool) {
	if _, err := os.Lstat(filepath.Join(j.tree.root, filepath.FromSlash(rel))); err == nil {
		return "", false
	}
	root, err := filepath.EvalSymlinks(j.source)
	if err != nil {
		return "", false
	}
	real, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(rel)))
	if err != nil || !inside(root, real) {
		return "", false
	}
	info, err := os.Stat(real)
	return real, err == nil && info.IsDir()
}

// upwards lists a folder and those above it up to the root "".
func upwards(dir string) []string {
	all := []string{""}
	if dir == "" || dir == "." {
		return all
	}
	for i, r := range dir {
		if r == '/' {
			all = append(all, dir[:i])
		}
	}
	return append(all, dir)
}

// inside reports whether p lies below root; both are real paths.
func inside(root, p string) bool {
	return strings.HasPrefix(p, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator))
}

// goModule is the module line of a go.mod.
var goModule = regexp.MustCompile(`(?m)^module\s+(\S+)`)

// output collects what a run left.
func (j *job) output(res sandbox.Result) (o output) {
	o = output{dir: j.command.Dir, exit: res.ExitCode, stopped: res.Reason != "", stdout: res.Stdout, stderr: res.Stderr,
		selected: j.selected, tree: j.tree.sub(j.command.Dir)}
	if m := goModule.FindStringSubmatch(j.tree.sub(j.command.Dir).read("go.mod")); m != nil {
		o.module = strings.Trim(m[1], `"`)
	}
	root, err := os.OpenRoot(j.out)
	if err != nil {
		return o
	}
	defer root.Close()
	o.report = readReport(root, j.name)
	o.cut = sandbox.Free(j.out) < leastFree
	switch {
	case j.key != nil:
		var whole bool
		o.report, whole, o.tampered = unseal(o.report, j.key)
		o.cut = o.cut || !whole || res.ExitCode == cannotReport && !ended(o.report)
	case j.command.Runner == "go":
		o.cut = o.cut || len(o.report) > 0 && !bytes.HasSuffix(o.report, []byte("\n"))
	}
	defer o.translate(res.Paths)
	names, _ := fs.Glob(root.FS(), "*.xml")
	more, _ := fs.Glob(root.FS(), "xml/*.xml")
	for _, name := range append(names, more...) {
		if data := readReport(root, name); data != nil {
			o.xml = append(o.xml, data)
		}
	}
	names, _ = fs.Glob(root.FS(), "trx/*.trx")
	for _, name := range names {
		if data := readReport(root, name); data != nil {
			o.trx = append(o.trx, data)
		}
	}
	o.tap = readTAPs(root)
	return o
}

// translate names the sandbox's paths in what a run without a sandbox wrote.
func (o *output) translate(paths func([]byte) []byte) {
	if paths == nil {
		return
	}
	o.report = paths(o.report)
	for _, all := range [][][]byte{o.xml, o.trx} {
		for i := range all {
			all[i] = paths(all[i])
		}
	}
	for name, text := range o.tap {
		o.tap[name] = paths(text)
	}
}

// readTAPs reads the TAP of single files that a harness kept below tap/.
func readTAPs(root *os.Root) map[string][]byte {
	all := map[string][]byte{}
	_ = fs.WalkDir(root.FS(), "tap", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && len(all) < maxWalk {
			all[strings.TrimPrefix(p, "tap/")] = readReport(root, p)
		}
		return nil
	})
	return all
}

// readReport reads a regular file of the out folder; what the sandbox wrote there is hostile, so a symlink, a device or an
// endless file is nothing.
func readReport(root *os.Root, name string) []byte {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := root.OpenFile(name, readOnly, 0)
	return regular(f, err, maxReport)
}
