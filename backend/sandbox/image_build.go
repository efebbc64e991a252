package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// imagePrefix is before the names of the images that are built here.
const imagePrefix = "localhost/redgreen/"

// basePackages are what every image of ours has beside the essential packages and its Containerfile's: small programs, public
// certificates and the zone names that tests like to read.
func basePackages() []string {
	return []string{"ca-certificates", "tzdata", "procps", "git"}
}

// BuildImage builds localhost/redgreen/NAME from the distribution's own packages, without a registry: mmdebstrap unpacks
// them into a root, of which Podman makes an image. Of the Containerfile it takes the packages of its apt-get install line
// and its ENV lines, so that one file says what an image has, for those who build it with a registry too. log gets what
// the tools say.
func (s *Sandbox) BuildImage(ctx context.Context, name string, containerfile []byte, log io.Writer) (Image, error) {
	if s.home.images == "" {
		return Image{}, errors.New("building an image: there is no folder for images")
	}
	packages, changes, err := readContainerfile(containerfile)
	if err != nil {
		return Image{}, fmt.Errorf("building an image: %w", err)
	}
	r, err := s.podman(ctx)
	if err != nil {
		return Image{}, fmt.Errorf("building an image: %w", err)
	}
	dir, err := s.home.newRun()
	if err != nil {
		return Image{}, err
	}
	defer removeAll(dir)
	tar := filepath.Join(dir, "root.tar")
	if err := s.unpack(ctx, tar, dir, append(basePackages(), packages...), log); err != nil {
		return Image{}, fmt.Errorf("building an image: %w", err)
	}
	ref := imagePrefix + name + ":latest"
	if err := r.importInto(ctx, s.home.images, ref, changes, tar); err != nil {
		return Image{}, fmt.Errorf("building an image: %w", err)
	}
	all, err := s.Images(ctx)
	if err != nil {
		return Image{}, err
	}
	if i := slices.IndexFunc(all, func(i Image) bool { return i.Ref == ref }); i >= 0 {
		return all[i], nil
	}
	return Image{}, fmt.Errorf("building an image: podman does not list %s after its import", ref)
}

// unpack runs mmdebstrap. It runs outside the sandbox: it is the distribution's own tool with packages that are ours to name.
func (s *Sandbox) unpack(ctx context.Context, tar, dir string, packages []string, log io.Writer) error {
	program, err := locate("mmdebstrap", "Debian, Ubuntu: sudo apt-get install --no-install-recommends mmdebstrap; elsewhere build the Containerfile with podman build and a registry")
	if err != nil {
		return err
	}
	args := []string{"--variant=minbase", "--include=" + strings.Join(packages, ","), "--dpkgopt=force-unsafe-io"}
	if !s.home.host.root {
		args = append(args, "--mode=unshare")
	}
	cmd := exec.CommandContext(ctx, program, append(args, codename(), tar)...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + toolPath(), "LANG=C.UTF-8", "HOME=" + dir, "TMPDIR=" + dir}
	var last bytes.Buffer
	cmd.Stdout, cmd.Stderr = log, io.MultiWriter(log, &last)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, tail(last.String(), 600))
	}
	return nil
}

func tail(s string, n int) string {
	s = strings.TrimSpace(s)
	return strings.ToValidUTF8(s[max(0, len(s)-n):], "")
}

// codename is the distribution's own, so that the image's packages are those that the host would get.
func codename() string {
	b, _ := os.ReadFile("/etc/os-release")
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "VERSION_CODENAME="); ok && v != "" {
			return strings.Trim(v, `"`)
		}
	}
	return "stable"
}

// importInto imports with a service that writes to the store of images.
func (r *podmanRuntime) importInto(ctx context.Context, store, ref string, changes []string, tar string) error {
	if err := os.MkdirAll(store, 0o711); err != nil {
		return err
	}
	set, err := r.set(r.home)
	if err != nil {
		return err
	}
	set.role, set.graph = "-build", store
	svc, err := startService(ctx, r.home, find(nil, "podman"), set)
	if err != nil {
		return err
	}
	f, err := os.Open(tar)
	if err == nil {
		err = svc.api.importImage(ctx, ref, changes, f)
		f.Close()
	}
	err = errors.Join(err, svc.stop())
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.imageSvc != nil { // it has read its stores at its start
		err = errors.Join(err, r.imageSvc.stop())
		r.imageSvc = nil
	}
	return err
}

// readContainerfile takes the packages and variables of a Containerfile of ours.
func readContainerfile(text []byte) (packages, changes []string, err error) {
	joined := strings.ReplaceAll(string(text), "\\\n", " ")
	for line := range strings.Lines(joined) {
		words := strings.Fields(line)
		switch {
		case len(words) > 1 && words[0] == "ENV":
			changes = append(changes, strings.Join(words, " "))
		case len(words) > 1 && words[0] == "RUN":
			at := slices.Index(words, "install")
			for _, w := range words[at+1:] {
				if w == "&&" || w == ";" || at < 0 {
					break
				}
				if !strings.HasPrefix(w, "-") {
					packages = append(packages, w)
				}
			}
		}
	}
	if len(packages) == 0 {
		return nil, nil, errors.New("the Containerfile names no packages after apt-get install")
	}
	return packages, changes, nil
}
