package testrun

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"redgreen/backend/lang"
	"redgreen/backend/sandbox"
)

// What a lockfile names can be installed by a step that may use the network, when the person has seen its commands and
// hosts and said yes. It runs in the sandbox as tests do, on a throw-away copy, with a filter as its only way out. What it
// installed is kept by the lockfile's hash, outside the repository, and shown read-only to later runs of the same folder.

// Step is one installation: what would run, and what it may reach.
type Step struct {
	Language string     `json:"language"`
	Name     string     `json:"name"`      // pip, npm, …
	Dir      string     `json:"dir"`       // relative to the root, "" the root
	Lockfile string     `json:"lockfile"`  // the first, relative to the root
	Commands [][]string `json:"commands"`  // argument lists, one after the other
	Hosts    []string   `json:"hosts"`     // what it may reach
	Tool     string     `json:"tool"`      // the interpreter or compiler: its path
	ToolFrom string     `json:"tool_from"` // the version manager or "the system", and the file that asks for the version
	Ready    bool       `json:"ready"`     // installed for this lockfile already
	Problem  string     `json:"problem"`   // why it cannot run here, "" it can

	install lang.Install
	key     string
}

// Prepared is how a step ended.
type Prepared struct {
	Step
	OK      bool            `json:"ok"`
	Reason  string          `json:"reason"` // why not: what was said last, or which limit stopped it
	Log     string          `json:"log"`    // the end of its output
	Refused []sandbox.Count `json:"refused"`
	Millis  int64           `json:"ms"`
	Runtime sandbox.Rung    `json:"runtime"`
}

// installRecord lies beside what was installed.
type installRecord struct {
	Step    Step     `json:"step"`
	Folders []string `json:"folders"` // below tree, relative to the step's folder
}

// installLimits are wider than those of tests: installing downloads, unpacks and sometimes compiles.
func installLimits() sandbox.Limits {
	return sandbox.Limits{Wall: 20 * time.Minute, Memory: 4 << 30, Disk: 8 << 30, Processes: 1024}
}

// installFolders bounds how many folders of a monorepo are looked at for lockfiles.
const installFolders = 8

// Plan lists the installations of a tree, whose lockfiles are read, never run.
func (r *Runner) Plan(dir string) ([]Step, error) {
	root := folder{root: dir}
	steps := []Step{}
	for _, at := range root.lockFolders() {
		taken := map[string]bool{}
		for _, l := range lang.All() {
			for _, in := range l.Installs {
				if taken[in.Tool] || !root.sub(at).installs(in) {
					continue
				}
				taken[in.Tool] = true
				s, err := r.step(dir, l.Name, at, in)
				if err != nil {
					return nil, err
				}
				steps = append(steps, s)
			}
		}
	}
	return steps, nil
}

// lockFolders are the root and the folders below that have a lockfile.
func (f folder) lockFolders() []string {
	names := map[string]bool{}
	for _, l := range lang.All() {
		for _, in := range l.Installs {
			for _, lock := range in.Locks {
				names[path.Base(lock)] = true
			}
		}
	}
	dirs := []string{""}
	f.walk(func(p string) bool {
		if d := path.Dir(p); d != "." && names[path.Base(p)] && depth(d) <= findDepth && !slices.Contains(dirs, d) && path.Base(d) != "requirements" {
			dirs = append(dirs, d)
		}
		return len(dirs) < installFolders
	})
	return dirs
}

// installs reports whether a way of installing fits a folder.
func (f folder) installs(in lang.Install) bool {
	return slices.ContainsFunc(in.Locks, f.has) && !slices.ContainsFunc(in.With, func(n string) bool { return !f.has(n) })
}

// step fills in one installation.
func (r *Runner) step(dir, language, at string, in lang.Install) (Step, error) {
	f := folder{root: dir, dir: at}
	s := Step{Language: language, Name: in.Name, Dir: at, Hosts: slices.Clone(in.Hosts), install: in}
	locks := slices.DeleteFunc(slices.Clone(in.Locks), func(n string) bool { return !f.has(n) })
	s.Lockfile = join(at, locks[0])
	j, err := r.installJob(dir, s)
	if err != nil {
		return s, err
	}
	defer j.close()
	if err := j.startInstall(&s, locks); err != nil {
		s.Problem = err.Error()
	}
	s.key = r.installKey(dir, j.spec.Image, s, f, locks)
	_, s.Ready = r.installed(s.key)
	return s, nil
}

// installJob is a run without the folders that are to be made anew.
func (r *Runner) installJob(dir string, s Step) (*job, error) {
	bare := r.With(r.options.Cache)
	bare.options.Source, bare.options.Prepared, bare.options.Cache = "", "", ""
	j, err := bare.newJob(dir, Command{Runner: "custom", Dir: s.Dir, Args: []string{"install"}}, nil)
	if err != nil {
		return nil, err
	}
	j.source = r.options.Source
	j.spec.Image = r.image(s.Language)
	return j, nil
}

// startInstall settles the tool, the programs and the commands.
func (j *job) startInstall(s *Step, locks []string) error {
	in := s.install
	start := in.Tool
	if j.spec.Image == "" {
		all := j.host.choices(in.Tool, j.wants(in.Tool))
		if len(all) == 0 {
			return fmt.Errorf("%s was %w on this machine; install it first", in.Tool, errNoTool)
		}
		j.use(all[0])
		start = all[0].start
		s.Tool, s.ToolFrom = start, strings.TrimSuffix(all[0].manager+", as "+all[0].why+" asks", ", as  asks")
		if in.Tool == "java" {
			j.spec.Env["JAVA_HOME"] = filepath.Dir(filepath.Dir(start))
		}
		for _, p := range in.Programs {
			if err := j.helper(p); err != nil {
				return err
			}
		}
	}
	for _, c := range in.Commands {
		var args []string
		for _, a := range c {
			switch {
			case a == "{-r}":
				for _, l := range locks {
					args = append(args, "-r", l)
				}
			case a == "python3" && j.spec.Image == "":
				args = append(args, start)
			default:
				args = append(args, a)
			}
		}
		s.Commands = append(s.Commands, args)
	}
	maps.Copy(j.spec.Env, in.Env)
	// The machine's own certificates count also for those who bring their own list.
	for _, name := range []string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "PIP_CERT", "CARGO_HTTP_CAINFO"} {
		if const_ := "/etc/ssl/certs/ca-certificates.crt"; j.spec.Image == "" && exists(const_) {
			j.spec.Env[name] = const_
		}
	}
	if !visible(start) && in.Name == "uv" {
		j.spec.Env["UV_PYTHON"] = start
	}
	return nil
}

// helper makes a program usable that belongs to no version of a tool: one under /usr, one beside a tool that is shown, a
// tool's own environment, or else that one file.
func (j *job) helper(name string) error {
	for _, p := range append(slices.Clone(j.spec.Path), j.host.path...) {
		p = filepath.Join(p, name)
		real, err := filepath.EvalSymlinks(p)
		if err != nil || !isProgram(real) {
			continue
		}
		isShown := func(p string) bool {
			return visible(p) || slices.ContainsFunc(j.spec.ReadOnly, func(m sandbox.Mount) bool { return inside(m.Target, p) })
		}
		dir := filepath.Dir(filepath.Dir(real))
		switch {
		case isShown(real):
			if isShown(p) { // npm is a link to a script that looks about itself
				real = p
			}
		case layoutOf("python").fits(dir) && j.host.exposable(dir):
			j.show("python", dir, dir)
			j.showBase(dir)
		case rustupProxy(p, real) || slices.Contains([]string{"shims"}, filepath.Base(filepath.Dir(p))):
			continue // it would ask a version manager that is not there
		default:
			j.mount(real, real)
		}
		j.usePath(filepath.Dir(real))
		return nil
	}
	if len(j.host.programs(name)) > 0 {
		return nil // one of the system's own folders
	}
	return fmt.Errorf("%s was %w on this machine; install it first", name, errNoTool)
}

// installKey names a result: the same lockfiles in the same folder with the same tool.
func (r *Runner) installKey(dir, image string, s Step, f folder, locks []string) string {
	h := sha256.New()
	origin := r.options.Source
	if origin == "" {
		origin = dir
	}
	for _, part := range []string{origin, s.Name, s.Dir, s.Tool, image} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	for _, l := range f.included(locks) {
		text := f.read(l)
		fmt.Fprintf(h, "%s %d:%s", l, len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// otherRequirements is how a file of requirements takes in another one (pip's -r and -c).
var otherRequirements = regexp.MustCompile(`(?m)^\s*(?:-r|-c|--requirement|--constraint)[ =]*([^\s#]+)`)

// included are the lockfiles and what they take in, each once.
func (f folder) included(locks []string) []string {
	all := slices.Clone(locks)
	for i := 0; i < len(all) && len(all) < 100; i++ {
		if path.Ext(all[i]) != ".txt" {
			continue
		}
		for _, m := range otherRequirements.FindAllStringSubmatch(f.read(all[i]), -1) {
			if p := path.Join(path.Dir(all[i]), m[1]); filepath.IsLocal(filepath.FromSlash(p)) && !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// installed reads the record of a result; false when there is none that is whole.
func (r *Runner) installed(key string) (installRecord, bool) {
	var rec installRecord
	if r.options.Prepared == "" || key == "" {
		return rec, false
	}
	data, err := os.ReadFile(filepath.Join(r.options.Prepared, key, "record.json"))
	return rec, err == nil && json.Unmarshal(data, &rec) == nil
}

// PrepareOptions say what the person agreed to.
type PrepareOptions struct {
	Allow []string          // hosts beside the step's own: a mirror
	Fixed map[string]string // see sandbox.Proxy; for tests
}

// Prepare runs a step of Plan over the tree in dir and keeps what it installed. An installation that fails is a result.
// Only what the person has agreed to may be passed here.
func (r *Runner) Prepare(ctx context.Context, dir string, s Step, o PrepareOptions) (Prepared, error) {
	p := Prepared{Step: s, Refused: []sandbox.Count{}}
	switch {
	case r.options.Prepared == "":
		return p, errors.New("installing dependencies: there is no folder to keep them in")
	case s.Problem != "":
		p.Reason = s.Problem
		return p, nil
	}
	if err := os.MkdirAll(r.options.Prepared, 0o711); err != nil {
		return p, fmt.Errorf("installing dependencies: %w", err)
	}
	making, err := os.MkdirTemp(r.options.Prepared, "making-")
	if err != nil {
		return p, fmt.Errorf("installing dependencies: %w", err)
	}
	defer os.RemoveAll(making)
	out := filepath.Join(making, "out")
	if err := errors.Join(os.Chmod(making, 0o711), r.writable(out)); err != nil {
		return p, fmt.Errorf("installing dependencies: %w", err)
	}
	j, err := r.installJob(dir, s)
	if err != nil {
		return p, err
	}
	defer j.close()
	again := s
	again.Commands = nil
	f := folder{root: dir, dir: s.Dir}
	if err := j.startInstall(&again, slices.DeleteFunc(slices.Clone(s.install.Locks), func(n string) bool { return !f.has(n) })); err != nil {
		return p, err
	}
	locks := slices.DeleteFunc(slices.Clone(s.install.Locks), func(n string) bool { return !f.has(n) })
	if !slices.EqualFunc(again.Commands, s.Commands, slices.Equal) || r.installKey(dir, j.spec.Image, s, f, locks) != s.key {
		return p, errors.New("installing dependencies: the folder has changed since the commands were shown; look at them again")
	}
	var refusals sandbox.Refusals
	j.spec.Out, j.spec.Limits = out, installLimits()
	j.spec.Args = []string{"/bin/sh", "-c", installScript(again)}
	j.spec.Proxy = &sandbox.Proxy{Allow: append(slices.Clone(s.Hosts), o.Allow...), Refused: refusals.Add, Fixed: o.Fixed}
	res, err := r.run(ctx, j.spec)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return p, fmt.Errorf("installing dependencies: %w", err)
	}
	p.Runtime, p.Millis, p.Refused = res.Runtime, res.Duration.Milliseconds(), refusals.All()
	p.Log = lastLines(joinLogs(res.Stdout, res.Stderr), 60)
	if res.Reason != "" || res.ExitCode != 0 {
		p.Reason = failure(res, p.Refused)
		return p, nil
	}
	if err := r.keep(making, s); err != nil {
		return p, err
	}
	p.OK, p.Ready = true, true
	return p, nil
}

// failure says in one line why an installation failed.
func failure(res sandbox.Result, refused []sandbox.Count) string {
	reason := fmt.Sprintf("exit status %d", res.ExitCode)
	if res.Reason != "" {
		reason = "stopped by a limit: " + string(res.Reason)
	}
	for _, c := range refused {
		if c.Reason == "the host is not on the list" {
			return reason + "; it asked for " + cleanLine(c.Host) + ", which is not on the list of hosts (--allow adds one)"
		}
	}
	return reason
}

// installScript runs the commands in turn and copies what they made to /out. Every word of it is ours or quoted.
func installScript(s Step) string {
	var b strings.Builder
	b.WriteString("set -e\nmkdir -p /out/keep/tree\n")
	for _, c := range s.Commands {
		for _, a := range c {
			b.WriteString("'" + strings.ReplaceAll(a, "'", `'\''`) + "' ")
		}
		b.WriteString("\n")
	}
	for _, k := range s.install.Keep {
		if path.Base(k) == "node_modules" { // the packages of a workspace have their own
			b.WriteString("find . -name node_modules -type d -prune | while IFS= read -r d; do mkdir -p \"/out/keep/tree/$(dirname \"$d\")\"; cp -a \"$d\" \"/out/keep/tree/$d\"; done\n")
			continue
		}
		fmt.Fprintf(&b, "if [ -d '%[1]s' ]; then mkdir -p '/out/keep/tree/%[2]s'; cp -a '%[1]s' '/out/keep/tree/%[1]s'; fi\n", k, path.Dir(k))
	}
	return b.String()
}

// keep looks at what was made and puts it in its place. It was written by code of strangers: what counts is a folder,
// never a link.
func (r *Runner) keep(making string, s Step) error {
	kept := filepath.Join(making, "out", "keep")
	rec := installRecord{Step: s, Folders: []string{}}
	for _, dir := range []string{kept, filepath.Join(kept, "tree")} { // OpenRoot follows a link that is the root itself
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			return errors.New("keeping the dependencies: the installation put something else in the place of what is kept")
		}
	}
	root, err := os.OpenRoot(filepath.Join(kept, "tree"))
	if err != nil {
		return fmt.Errorf("keeping the dependencies: %w", err)
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if slices.ContainsFunc(s.install.Keep, func(k string) bool { return p == k || path.Base(p) == "node_modules" && k == "node_modules" }) {
			rec.Folders = append(rec.Folders, p)
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keeping the dependencies: %w", err)
	}
	if info, err := os.Lstat(filepath.Join(kept, "cache")); s.install.Cache != nil && (err != nil || !info.IsDir()) {
		return errors.New("keeping the dependencies: the installation made no cache")
	}
	data, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	place := filepath.Join(r.options.Prepared, s.key)
	ready := filepath.Join(making, "ready")
	if err := os.Mkdir(ready, 0o711); err != nil {
		return fmt.Errorf("keeping the dependencies: %w", err)
	}
	err = errors.Join(os.Rename(kept, filepath.Join(ready, "keep")), os.WriteFile(filepath.Join(ready, "record.json"), data, 0o600))
	if err == nil && exists(place) {
		err = os.Rename(place, filepath.Join(making, "old"))
	}
	if err == nil {
		err = os.Rename(ready, place)
	}
	if err != nil {
		return fmt.Errorf("keeping the dependencies: %w", err)
	}
	return nil
}

// showPrepared shows what was installed for the tree's lockfiles, at and above the command's folder.
func (r *Runner) showPrepared(j *job) {
	language := kindOf(j.command.Runner).Language
	if r.options.Prepared == "" {
		return
	}
	for _, at := range upwards(j.command.Dir) {
		f := folder{root: j.tree.root, dir: at}
		for _, l := range lang.All() {
			for _, in := range l.Installs {
				if language != "" && l.Name != language || !f.installs(in) {
					continue
				}
				r.showInstalled(j, f, at, l.Name, in)
			}
		}
	}
}

func (r *Runner) showInstalled(j *job, f folder, at, language string, in lang.Install) {
	s := Step{Language: language, Name: in.Name, Dir: at, install: in}
	if j.spec.Image == "" {
		all := j.host.choices(in.Tool, j.wantsAt(at, in.Tool))
		if len(all) == 0 {
			return
		}
		s.Tool = all[0].start
	}
	key := r.installKey(j.tree.root, j.spec.Image, s, f, slices.DeleteFunc(slices.Clone(in.Locks), func(n string) bool { return !f.has(n) }))
	rec, ok := r.installed(key)
	if !ok {
		return
	}
	kept := filepath.Join(r.options.Prepared, key, "keep")
	for _, d := range rec.Folders {
		rel := join(at, d)
		source := filepath.Join(kept, "tree", filepath.FromSlash(d))
		if real, err := filepath.EvalSymlinks(source); err != nil || real != mustReal(kept)+strings.TrimPrefix(source, kept) || exists(j.tree.root, filepath.FromSlash(rel)) {
			continue
		}
		j.mount(source, path.Join(workspacePath, rel))
		j.prepared[rel] = source
	}
	if in.Cache != nil {
		j.mount(filepath.Join(kept, "cache"), in.Cache.Target)
		for k, v := range in.Cache.Env {
			j.spec.Env[k] = strings.ReplaceAll(v, "$", in.Cache.Target)
		}
		j.prepared[in.Cache.Target] = kept
	}
	if in.Name == "bundler" {
		j.spec.Env["BUNDLE_PATH"], j.spec.Env["BUNDLE_APP_CONFIG"], j.spec.Env["BUNDLE_FROZEN"] = path.Join(workspacePath, at, "vendor/bundle"), "/tmp/bundle", "true"
	}
}

// mustReal is the real path, or the path itself where it cannot be told.
func mustReal(p string) string {
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		return p
	}
	return real
}
