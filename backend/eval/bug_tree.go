package eval

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"redgreen/backend/patch"
)

// shelf is where the trees of bugs come from: the samples, and libraries as their registries have them, fetched once.
type shelf struct {
	bugs    fs.FS  // with RunTests.java
	samples fs.FS  // as Options.Samples
	dir     string // for what is fetched
}

// lay writes the tree of a bug into dir, broken as the bug says, and gives the line where the bug begins.
func (s shelf) lay(ctx context.Context, b Bug, dir string) (int, error) {
	fail := func(err error) (int, error) { return 0, fmt.Errorf("laying the tree of %s: %w", b.Name, err) }
	if err := s.right(ctx, b, dir); err != nil {
		return fail(err)
	}
	c, err := readContent(dir, b.File)
	if err != nil {
		return fail(err)
	}
	if n := strings.Count(string(c.Data), b.Good); n != 1 {
		return fail(fmt.Errorf("its right text stands %d times in %s, not once", n, b.File))
	}
	text := strings.Replace(string(c.Data), b.Good, b.Bad, 1)
	before, rest, _ := strings.Cut(text, b.Bad)
	if strings.Contains(rest, b.Bad) {
		return fail(fmt.Errorf("its broken text stands more than once in %s", b.File))
	}
	return 1 + strings.Count(before, "\n"), writeTree(dir, map[string]string{b.File: text})
}

// right lays the tree without the bug.
func (s shelf) right(ctx context.Context, b Bug, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	kind, what, _ := strings.Cut(b.Source, " ")
	var from fs.FS
	var err error
	switch kind {
	case "own":
	case "sample":
		return errors.Join(s.sample(what, dir), writeTree(dir, b.Tree))
	case "go":
		from, err = goModule(ctx, what, s.dir)
	case "npm":
		from, err = s.fetched(kind, what, func(to string) error { return npmPackage(ctx, what, to) })
	case "deb":
		from, err = s.fetched(kind, what, func(to string) error { return debPackage(ctx, what, to) })
	case "debsrc":
		from, err = s.fetched(kind, what, func(to string) error { return debSource(ctx, what, to) })
	default:
		err = fmt.Errorf("no source is called %q", b.Source)
	}
	if err != nil {
		return err
	}
	if from != nil {
		if err := copyKept(from, dir, b.Keep); err != nil {
			return err
		}
	}
	if b.Language == "java" {
		data, err := fs.ReadFile(s.bugs, javaRunner)
		if err != nil {
			return err
		}
		if err := writeTree(dir, map[string]string{javaRunner: string(data)}); err != nil {
			return err
		}
	}
	return writeTree(dir, b.Tree)
}

// sample lays a sample repository whose own bug is cured.
func (s shelf) sample(name, dir string) error {
	files, err := fs.Sub(s.samples, name)
	if err != nil {
		return err
	}
	if err := copyKept(files, dir, nil); err != nil {
		return err
	}
	raw, err := fs.ReadFile(s.samples, name+".task.json")
	if err != nil {
		return err
	}
	var task struct{ Solution string }
	if err := json.Unmarshal(raw, &task); err != nil {
		return err
	}
	edits, err := patch.Parse(task.Solution)
	if err != nil {
		return err
	}
	p, _, err := patch.Resolve(edits, func(name string) (*patch.Content, error) { return readContent(dir, name) })
	if err != nil {
		return err
	}
	return applyTree(dir, p)
}

func readContent(dir, name string) (*patch.Content, error) {
	full := filepath.Join(dir, filepath.FromSlash(name))
	data, err := os.ReadFile(full)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(full)
	if err != nil {
		return nil, err
	}
	return &patch.Content{Data: data, Mode: uint32(info.Mode().Perm())}, nil
}

// applyTree applies a patch to a folder of ours.
func applyTree(dir string, p patch.Patch) error {
	for _, f := range p.Files {
		before, err := readContent(dir, f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			before, err = nil, nil
		}
		if err != nil {
			return err
		}
		after, err := patch.Apply(f, before)
		if err != nil {
			return err
		}
		if after == nil {
			if err := os.Remove(filepath.Join(dir, filepath.FromSlash(f.Path))); err != nil {
				return err
			}
			continue
		}
		if err := writeTree(dir, map[string]string{f.Path: string(after.Data)}); err != nil {
			return err
		}
	}
	return nil
}

func writeTree(dir string, files map[string]string) error {
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// copyKept copies the regular files that one of the patterns of path.Match fits, or lies below; none fits all.
func copyKept(from fs.FS, dir string, keep []string) error {
	return fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !kept(name, keep) {
			return err
		}
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		return writeTree(dir, map[string]string{name: string(data)})
	})
}

func kept(name string, keep []string) bool {
	if len(keep) == 0 {
		return true
	}
	for _, k := range keep {
		if ok, err := path.Match(k, name); ok && err == nil || strings.HasPrefix(name, k+"/") {
			return true
		}
	}
	return false
}

// fetched gives a folder of the shelf, filled when it is not there.
func (s shelf) fetched(kind, what string, fill func(to string) error) (fs.FS, error) {
	name := filepath.Join(s.dir, kind+"-"+strings.NewReplacer("/", "+").Replace(what))
	if _, err := os.Stat(name); err == nil {
		return os.DirFS(name), nil
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp(s.dir, "fetch-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	to := filepath.Join(temp, "tree")
	if err := fill(to); err != nil {
		return nil, fmt.Errorf("fetching %s: %w", what, err)
	}
	if err := os.Rename(to, name); err != nil {
		return nil, err
	}
	return os.DirFS(name), nil
}

// tell runs a client of a registry in a folder and gives what it prints.
func tell(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return out, nil
}

func goModule(ctx context.Context, what, dir string) (fs.FS, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	out, err := tell(ctx, dir, nil, "go", "mod", "download", "-json", what)
	if err != nil {
		return nil, err
	}
	var module struct{ Dir, Error string }
	if err := json.Unmarshal(out, &module); err != nil || module.Dir == "" {
		return nil, fmt.Errorf("fetching %s: %s %w", what, module.Error, err)
	}
	return os.DirFS(module.Dir), nil
}

// npmPackage unpacks a package without the tests that it may have: they need other packages.
func npmPackage(ctx context.Context, what, to string) error {
	dir := filepath.Dir(to)
	if _, err := tell(ctx, dir, nil, "npm", "pack", "--silent", what); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(names) != 1 {
		return fmt.Errorf("npm pack left %q", names)
	}
	f, err := os.Open(names[0])
	if err != nil {
		return err
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for files := tar.NewReader(zip); ; {
		h, err := files.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path.Clean(h.Name), "package/")
		if h.Typeflag != tar.TypeReg || strings.HasPrefix(name, "test/") || !filepath.IsLocal(name) {
			continue
		}
		data, err := io.ReadAll(files)
		if err != nil {
			return err
		}
		if err := writeTree(to, map[string]string{name: string(data)}); err != nil {
			return err
		}
	}
}

// debPackage gives the Python modules of a package of the distribution.
func debPackage(ctx context.Context, what, to string) error {
	dir := filepath.Dir(to)
	if _, err := tell(ctx, dir, nil, "apt-get", "download", "-qq", what); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil || len(names) != 1 {
		return fmt.Errorf("apt-get download left %q", names)
	}
	if _, err := tell(ctx, dir, nil, "dpkg-deb", "-x", names[0], "x"); err != nil {
		return err
	}
	return os.Rename(filepath.Join(dir, "x", "usr", "lib", "python3", "dist-packages"), to)
}

// debSource gives the source of a package of the distribution as its authors released it. The system's own lists name
// binary packages alone, so lists of sources are fetched into a folder of ours.
func debSource(ctx context.Context, what, to string) error {
	dir := filepath.Dir(to)
	parts := filepath.Join(dir, "parts")
	files, err := filepath.Glob("/etc/apt/sources.list.d/*.sources")
	if err != nil {
		return err
	}
	sources := map[string]string{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		if strings.Contains(string(data), "debian-archive-keyring") {
			sources[filepath.Base(f)] = strings.ReplaceAll(string(data), "Types: deb\n", "Types: deb-src\n")
		}
	}
	if len(sources) == 0 {
		return errors.New("this system has no list of Debian's sources in /etc/apt/sources.list.d")
	}
	config := filepath.Join(dir, "apt.conf")
	err = errors.Join(writeTree(parts, sources), os.MkdirAll(filepath.Join(dir, "lists", "partial"), 0o755), os.WriteFile(config, fmt.Appendf(nil,
		"Dir::Etc::SourceList \"/dev/null\";\nDir::Etc::SourceParts %q;\nDir::State::Lists %q;\nAPT::Sandbox::User \"root\";\n", parts, filepath.Join(dir, "lists")), 0o644))
	if err != nil {
		return err
	}
	env := []string{"APT_CONFIG=" + config}
	if _, err := tell(ctx, dir, env, "apt-get", "update", "-qq"); err != nil {
		return err
	}
	if _, err := tell(ctx, dir, env, "apt-get", "source", "-qq", "--download-only", what); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.orig.tar.*"))
	if err != nil || len(names) != 1 {
		return fmt.Errorf("apt-get source left %q", names)
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	_, err = tell(ctx, dir, nil, "tar", "-xf", names[0], "-C", to, "--strip-components=1")
	return err
}
