package sandbox

import (
	"archive/tar"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// busybox writes a root with a static busybox as a tar archive.
func busybox(t *testing.T) string {
	t.Helper()
	program := find(nil, "busybox")
	if program == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("busybox is needed for this test: install busybox-static")
		}
		t.Skip("busybox is not installed")
	}
	if out, err := exec.CommandContext(t.Context(), program, "env", "true").CombinedOutput(); err != nil {
		t.Skipf("this busybox has no env: %v %s", err, out)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data[:4096]), "ld-linux") {
		if os.Getenv("CI") == "true" {
			t.Fatal("this busybox is not static: install busybox-static")
		}
		t.Skip("this busybox is not static")
	}
	p := filepath.Join(t.TempDir(), "root.tar")
	f, err := os.Create(p)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := tar.NewWriter(f)
	add := func(h tar.Header, text []byte) {
		h.Size = int64(len(text))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{"bin", "usr", "usr/bin", "etc", "tmp"} {
		add(tar.Header{Name: d + "/", Mode: 0o755, Typeflag: tar.TypeDir}, nil)
	}
	add(tar.Header{Name: "bin/busybox", Mode: 0o755, Typeflag: tar.TypeReg}, data)
	for _, l := range []string{"bin/sh", "bin/cat", "bin/ls", "bin/id", "bin/echo", "bin/env", "bin/true", "bin/touch", "bin/date"} {
		add(tar.Header{Name: l, Linkname: "/bin/busybox", Typeflag: tar.TypeSymlink}, nil)
	}
	add(tar.Header{Name: "usr/bin/env", Linkname: "/bin/busybox", Typeflag: tar.TypeSymlink}, nil)
	add(tar.Header{Name: "etc/image", Mode: 0o644, Typeflag: tar.TypeReg}, []byte("of the image\n"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestImage runs in an image that was imported before: its files are seen and the host's are not, limits and the
// workspace are as ever, and one that is missing is an error that says what to do.
func TestImage(t *testing.T) {
	root := busybox(t)
	for _, name := range []string{"crun", "runc"} {
		t.Run(name, func(t *testing.T) {
			b := openFor(t, name)
			store := filepath.Join(t.TempDir(), "images")
			b.sb.home.images = store
			r := b.sb.runtimes[0].(*podmanRuntime)
			if err := r.importInto(t.Context(), store, imagePrefix+"tiny:latest", []string{"ENV GREETING=hello", "ENV PATH=/opt/x:/bin"}, root); err != nil {
				t.Fatal(err)
			}
			all, err := b.sb.Images(t.Context())
			if err != nil || !hasImage(all, imagePrefix+"tiny:latest") {
				t.Fatalf("Images = %+v, %v", all, err)
			}
			out := b.folder(t, nil)
			res := b.run(t, Spec{Image: imagePrefix + "tiny", Out: out, Path: []string{"/first"}, Args: sh(
				`cat /etc/image file; echo changed > file; echo kept > /out/kept; ls /usr; echo "$GREETING $PATH $HOME"; id -u; touch /etc/x 2>/dev/null && echo wrote; ls -d /usr/lib /root/.ssh 2>/dev/null; exit 5`)})
			want := "of the image\noriginal\nbin\nhello /first:/opt/x:/bin /home/sandbox\n"
			if res.ExitCode != 5 || !strings.HasPrefix(string(res.Stdout), want) || strings.Contains(string(res.Stdout), "wrote") || strings.Contains(string(res.Stdout), "/usr/lib") {
				t.Errorf("exit %d %s, %q, want %q\n%s", res.ExitCode, res.Reason, res.Stdout, want, res.Stderr)
			}
			if uid := strings.Fields(strings.TrimPrefix(string(res.Stdout), want)); len(uid) == 0 || uid[0] == "0" {
				t.Errorf("runs as %q", uid)
			}
			if !strings.HasPrefix(res.Image, imagePrefix+"tiny@") || res.Runtime.Name != name {
				t.Errorf("image %q on %s", res.Image, res.Runtime.Name)
			}
			if _, err := os.Stat(filepath.Join(out, "kept")); err != nil {
				t.Error(err)
			}
			if res := b.run(t, Spec{Image: imagePrefix + "tiny", Args: sh("cat /etc/x; while :; do :; done"), Limits: Limits{Wall: 500 * time.Millisecond}}); res.Reason != Timeout {
				t.Errorf("an endless run ends with %q", res.Reason)
			}
			for ref, fix := range map[string]string{imagePrefix + "python": "redgreen image build python", "docker.io/library/nosuch:1": "podman pull docker.io/library/nosuch:1", "../x": "not an image"} {
				_, err := b.sb.Run(t.Context(), Spec{Image: ref, Args: sh("true"), Workspace: b.folder(t, nil)})
				if err == nil || !strings.Contains(err.Error(), fix) {
					t.Errorf("%s: %v, want %q in it", ref, err, fix)
				}
			}
			if res := b.run(t, Spec{Args: sh("cat /etc/image 2>/dev/null; ls -d /usr/lib")}); string(res.Stdout) != "/usr/lib\n" || res.Image != "" {
				t.Errorf("a run without an image: %q, image %q", res.Stdout, res.Image)
			}
		})
	}
}

func hasImage(all []Image, ref string) bool {
	for _, i := range all {
		if i.Ref == ref && i.Size > 0 && len(i.ID) == 64 {
			return true
		}
	}
	return false
}

// TestNoImageWithoutEngine refuses an image where there is no container engine.
func TestNoImageWithoutEngine(t *testing.T) {
	b := openFor(t, "bwrap")
	_, err := b.sb.Run(t.Context(), Spec{Image: "localhost/x", Args: sh("true"), Workspace: b.folder(t, nil)})
	if err == nil || !strings.Contains(err.Error(), "needs Podman") {
		t.Errorf("bwrap with an image: %v", err)
	}
}

func TestContainerfiles(t *testing.T) {
	found, err := filepath.Glob("../../build/images/*/Containerfile")
	if err != nil || len(found) < 8 {
		t.Fatalf("%d Containerfiles, %v", len(found), err)
	}
	for _, f := range found {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		packages, _, err := readContainerfile(text)
		if err != nil || len(packages) < 3 {
			t.Errorf("%s: %q, %v", f, packages, err)
		}
	}
	packages, changes, err := readContainerfile([]byte("FROM x\nRUN apt-get update && apt-get install -y --no-install-recommends \\\n  a b-c \\\n  && rm -rf /x\nENV A=1 B=2\n"))
	if diff := cmp.Diff([]string{"a", "b-c"}, packages); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if diff := cmp.Diff([]string{"ENV A=1 B=2"}, changes); diff != "" {
		t.Error(diff)
	}
	if _, _, err := readContainerfile([]byte("FROM x\nRUN true\n")); err == nil {
		t.Error("a Containerfile without packages is taken")
	}
}

// TestBuildNeedsAFolder and a tool; building itself takes minutes and is tried by hand, see the README.
func TestBuildNeedsAFolder(t *testing.T) {
	b := openFor(t, "runc")
	if _, err := b.sb.BuildImage(context.Background(), "x", []byte("RUN apt-get install a"), io.Discard); err == nil || !strings.Contains(err.Error(), "no folder for images") {
		t.Errorf("BuildImage = %v", err)
	}
}
