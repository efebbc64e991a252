package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// An image can stand in for the host's toolchain. It is never pulled: it is there, built here or in the person's own
// Podman, or the run does not happen. Images need a storage driver that puts a container on top of an image without copying
// it, so they have a service of their own, started when the first one is asked for; runs without an image stay independent
// of it.

// Image is one that a run can use.
type Image struct {
	Ref  string    `json:"ref"`  // as it is named
	ID   string    `json:"id"`   // sha256 of its configuration, in hex
	Size int64     `json:"size"` // bytes
	Made time.Time `json:"made"`
}

// imageDetails is what inspect tells of an image.
type imageDetails struct {
	ID     string `json:"Id"`
	Config struct{ Env []string }
}

// validRef keeps what is no reference out of a request's path.
var validRef = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._:/@-]{0,255}$`)

// errNoImage says what to do about an image that is not there.
func errNoImage(ref string) error {
	if lang, ok := strings.CutPrefix(ref, imagePrefix); ok {
		lang, _, _ = strings.Cut(lang, ":")
		return fmt.Errorf("the image %s is not there, and nothing is pulled by itself (redgreen image build %s)", ref, lang)
	}
	return fmt.Errorf("the image %s is not there, and nothing is pulled by itself (podman pull %s)", ref, ref)
}

// findImage looks an image up.
func (a *api) findImage(ctx context.Context, ref string) (imageDetails, error) {
	var d imageDetails
	if !validRef.MatchString(ref) {
		return d, fmt.Errorf("%q is not an image's reference", ref)
	}
	err := a.call(ctx, "look at image", http.MethodGet, "/images/"+ref+"/json", nil, nil, &d)
	if isNotFound(err) {
		return d, errNoImage(ref)
	}
	return d, err
}

// images lists all that have a name.
func (a *api) images(ctx context.Context) ([]Image, error) {
	var all []struct {
		ID       string `json:"Id"`
		RepoTags []string
		Size     int64
		Created  int64
	}
	if err := a.call(ctx, "list images", http.MethodGet, "/images/json", nil, nil, &all); err != nil {
		return nil, err
	}
	out := []Image{}
	for _, i := range all {
		for _, tag := range i.RepoTags {
			out = append(out, Image{Ref: tag, ID: i.ID, Size: i.Size, Made: time.Unix(i.Created, 0)})
		}
	}
	return out, nil
}

// importImage makes an image of a tar archive of a root.
func (a *api) importImage(ctx context.Context, ref string, changes []string, tar io.Reader) error {
	q := url.Values{"reference": {ref}, "changes": changes}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://podman/"+apiVersion+"/libpod/images/import?"+q.Encode(), tar)
	if err != nil {
		return fmt.Errorf("import image: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-tar")
	resp, err := a.http.Do(req)
	if err != nil {
		return fmt.Errorf("import image: no answer from the podman service: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		return decodeError("import image", resp)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// imageService is the service whose containers stand on images.
func (r *podmanRuntime) imageService(ctx context.Context) (*service, error) {
	if _, err := r.service(ctx); err != nil { // it has learned what the runtime is
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.imageSvc != nil && r.imageSvc.alive() {
		return r.imageSvc, nil
	}
	set, err := r.set(r.home)
	if err != nil {
		return nil, err
	}
	set.role, set.stores = "-images", imageStores(r.home)
	svc, err := startService(ctx, r.home, find(nil, "podman"), set)
	if err != nil {
		return nil, err
	}
	r.imageSvc = svc
	return svc, nil
}

// imageStores are the folders that hold images: our own, and the person's Podman's. They are only read.
func imageStores(h *home) []string {
	dirs := []string{h.images}
	if h.host.root {
		dirs = append(dirs, "/var/lib/containers/storage")
	} else if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, ".local", "share", "containers", "storage"))
	}
	var out []string
	for _, d := range dirs {
		if _, err := os.Stat(filepath.Join(d, "overlay-images")); d != "" && err == nil {
			out = append(out, d)
		}
	}
	return out
}

// useImage looks the run's image up and gives its service.
func (r *podmanRuntime) useImage(ctx context.Context, ref string) (*service, imageDetails, error) {
	svc, err := r.imageService(ctx)
	if err != nil {
		return nil, imageDetails{}, err
	}
	d, err := svc.api.findImage(ctx, ref)
	return svc, d, err
}

// onImage turns the spec of a run with the host's toolchain into one that stands on an image: its programs and libraries,
// and of ours only the workspace, what is shown beside it, and the entries of the sandbox's user.
func (p *podmanRun) onImage(c containerSpec, dir string) (containerSpec, error) {
	c.Rootfs, c.Image = "", p.image.ID
	c.Entrypoint, c.Command = c.Command[:1], c.Command[1:] // in place of the image's own
	for _, e := range p.image.Config.Env {
		if path, ok := strings.CutPrefix(e, "PATH="); ok && path != "" {
			c.Env["PATH"] = strings.Join(append(append([]string{}, p.spec.Path...), path), ":")
		}
	}
	etc := etcFiles(p.runtime.home.host)
	for _, name := range []string{"passwd", "group", "hosts"} {
		file := filepath.Join(dir, "etc-"+name)
		if err := os.WriteFile(file, []byte(etc[name]), 0o644); err != nil {
			return c, fmt.Errorf("writing the sandbox's /etc: %w", err)
		}
		c.Mounts = append(c.Mounts, specMount{"/etc/" + name, "bind", file, []string{"bind", "ro", "nosuid", "nodev"}})
	}
	return c, nil
}

// name is how a result tells which image it had.
func (p *podmanRun) imageName() string {
	if p.spec.Image == "" {
		return ""
	}
	id := p.image.ID
	return p.spec.Image + "@" + id[:min(12, len(id))]
}

// noImages is why a runtime without a container engine cannot run in one.
func noImages(name, image string) error {
	return fmt.Errorf("%s runs without a container engine and so in no image; %s needs Podman (sudo apt-get install --no-install-recommends podman crun conmon netavark, or leave the image out)", name, image)
}

// Images lists the images that runs can use: those built here, and those of the person's own Podman.
func (s *Sandbox) Images(ctx context.Context) ([]Image, error) {
	r, err := s.podman(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing images: %w", err)
	}
	svc, err := r.imageService(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing images: %w", err)
	}
	return svc.api.images(ctx)
}

// podman is the chosen runtime, if it is one of Podman's.
func (s *Sandbox) podman(ctx context.Context) (*podmanRuntime, error) {
	rt, _, err := s.choose(ctx)
	if err != nil {
		return nil, err
	}
	r, ok := rt.(*podmanRuntime)
	if !ok {
		return nil, errors.New(noImages(rt.Name(), "an image").Error())
	}
	return r, nil
}
