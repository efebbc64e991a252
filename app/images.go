package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redgreen/backend/sandbox"
)

// ImageLanguage is a language that an image can be built for.
type ImageLanguage struct {
	Name  string         `json:"name"`
	For   []string       `json:"for"`   // the languages whose tests run in it, as Images.Languages names them
	Image *sandbox.Image `json:"image"` // nil when it is not built
}

// ImageList is what can be named and what can be built.
type ImageList struct {
	Images    []sandbox.Image `json:"images"`    // those that are there
	Languages []ImageLanguage `json:"languages"` // those with a Containerfile
	Chosen    Images          `json:"chosen"`
	Problem   string          `json:"problem"` // why images cannot be used here, "" they can
}

// containerfile is the bundled one of a language.
func (c *core) containerfile(language string) ([]byte, error) {
	data, err := fs.ReadFile(c.assets.Images, path.Join("build/images", language, "Containerfile"))
	if err != nil {
		return nil, fail(NotFound, fmt.Sprintf("there is no Containerfile for %q; there is one for %s", language, strings.Join(c.imageLanguages(), ", ")))
	}
	return data, nil
}

func (c *core) imageLanguages() []string {
	var names []string
	if c.assets.Images == nil {
		return names
	}
	found, _ := fs.Glob(c.assets.Images, "build/images/*/Containerfile") // the pattern is ours
	for _, f := range found {
		names = append(names, path.Base(path.Dir(f)))
	}
	return names
}

// languagesOf gives the languages, by the names of their runners' rows, that the tests of a bundled image are for.
func languagesOf(image string) []string {
	switch image {
	case "node":
		return []string{"javascript"}
	case "cpp":
		return []string{"c"} // ctest is one row for both
	}
	return []string{image}
}

// images lists the images; that there can be none is part of the answer.
func (c *core) images(ctx context.Context) (ImageList, error) {
	list := ImageList{Images: []sandbox.Image{}, Languages: []ImageLanguage{}, Chosen: c.current().Images}
	box, err := c.sandbox("")
	if err != nil {
		return list, err
	}
	all, err := box.Images(ctx)
	if err != nil {
		list.Problem = err.Error()
	}
	list.Images = append(list.Images, all...)
	for _, name := range c.imageLanguages() {
		l := ImageLanguage{Name: name, For: languagesOf(name)}
		if i := slices.IndexFunc(all, func(i sandbox.Image) bool { return i.Ref == "localhost/redgreen/"+name+":latest" }); i >= 0 {
			l.Image = &all[i]
		}
		list.Languages = append(list.Languages, l)
	}
	return list, nil
}

// buildImage builds a language's image from the distribution's packages.
func (c *core) buildImage(ctx context.Context, language string, log io.Writer) (sandbox.Image, error) {
	file, err := c.containerfile(language)
	if err != nil {
		return sandbox.Image{}, err
	}
	box, err := c.sandbox("")
	if err != nil {
		return sandbox.Image{}, err
	}
	return box.BuildImage(ctx, language, file, log)
}

// chooseImage sets the image of a folder or, without one, of a language; ref "" takes the choice back.
func (c *core) chooseImage(folder, language, ref string) (Settings, error) {
	return c.change(func(s Settings) Settings {
		of, key := cloneMap(s.Images.Languages), language
		if folder != "" {
			of, key = cloneMap(s.Images.Folders), folder
		}
		if ref == "" {
			delete(of, key)
		} else {
			of[key] = ref
		}
		if folder != "" {
			s.Images.Folders = of
		} else {
			s.Images.Languages = of
		}
		return s
	})
}

func cloneMap(m map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

// ImageList gives the images that can be named and the languages that one can be built for.
func (a *App) ImageList() (ImageList, error) {
	return guard(a.h, func() (ImageList, error) { return a.h.core.images(a.h.context) })
}

// ChooseImage sets the image that a folder's tests run in or, with folder "", those of a language; ref "" goes back to
// the host's toolchains.
func (a *App) ChooseImage(folder, language, ref string) (Settings, error) {
	return guard(a.h, func() (Settings, error) {
		if folder == "" && language == "" {
			return Settings{}, fail(Invalid, "an image is chosen for a folder or for a language; name one of them")
		}
		if folder != "" {
			f, err := a.h.core.open(folder)
			if err != nil {
				return Settings{}, err
			}
			folder = f.repo.Root()
		}
		return a.h.core.chooseImage(folder, language, ref)
	})
}

func (c *command) imageCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "image",
		Short: "Build and choose images that tests run in",
		Long: "By default tests run with this machine's own toolchains, shown read-only. An image can be named instead, with\n" +
			"--image or for a folder or language with `redgreen image use`. No image is ever pulled by itself.",
		Example: "  redgreen image build python\n  redgreen image list\n  redgreen image use localhost/redgreen/python .",
	}
	cmd.AddCommand(c.imageBuildCommand(), c.imageListCommand(), c.imageUseCommand())
	return cmd
}

func (c *command) imageBuildCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "build LANGUAGE…",
		Short: "Build images from the distribution's packages, without a registry",
		Long: "Builds localhost/redgreen/LANGUAGE with mmdebstrap and Podman from the packages that the bundled Containerfile names.\n" +
			"It takes a minute or more and a few hundred megabytes.",
		Example: "  redgreen image build python node",
		Args:    atLeast("a LANGUAGE", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			core, err := c.house()
			if err != nil {
				return err
			}
			for _, language := range args {
				begin := time.Now()
				image, err := core.buildImage(cmd.Context(), language, c.err)
				if err != nil {
					return err
				}
				fmt.Fprintf(c.out, "%s  %s  %d MB, built in %d s\n", image.Ref, image.ID[:min(12, len(image.ID))], image.Size>>20, int(time.Since(begin).Seconds()))
			}
			return nil
		},
	}
}

func (c *command) imageListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the images that tests can run in", Example: "  redgreen image list", Args: noMore,
		RunE: func(cmd *cobra.Command, _ []string) error {
			core, err := c.house()
			if err != nil {
				return err
			}
			list, err := core.images(cmd.Context())
			if err != nil {
				return err
			}
			t := table{columns: []column{{title: "IMAGE", give: tail}, {title: "ID"}, {title: "SIZE", right: true}, {title: "MADE"}}}
			for _, i := range list.Images {
				t.rows = append(t.rows, []string{printable(i.Ref, 300), printable(i.ID[:min(12, len(i.ID))], 12), fmt.Sprintf("%d MB", i.Size>>20), i.Made.Format(time.DateOnly)})
			}
			if len(t.rows) > 0 {
				t.print(c.out, c.width)
			}
			var left []string
			for _, l := range list.Languages {
				if l.Image == nil {
					left = append(left, l.Name)
				}
			}
			if list.Problem != "" {
				fmt.Fprintln(c.err, printable(list.Problem, 1000))
			}
			if len(left) > 0 {
				fmt.Fprintln(c.err, "not built yet; `redgreen image build LANGUAGE` makes one for", strings.Join(left, ", "))
			}
			return nil
		},
	}
}

func (c *command) imageUseCommand() *cobra.Command {
	var language string
	cmd := &cobra.Command{
		Use:   "use IMAGE [FOLDER]",
		Short: "Choose the image of a folder or, with --language, of a language",
		Long:  "The choice is stored in your settings, never in the folder. IMAGE host goes back to this machine's toolchains.",
		Example: "  redgreen image use localhost/redgreen/python .\n  redgreen image use localhost/redgreen/node --language javascript\n" +
			"  redgreen image use host .",
		Args: between("an IMAGE, and a FOLDER or --language", 1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 2) == (language != "") {
				return errors.New("name a FOLDER or a --language, one of them, for example: redgreen image use localhost/redgreen/python .")
			}
			core, err := c.house()
			if err != nil {
				return err
			}
			ref, folder := args[0], ""
			if ref == "host" {
				ref = ""
			}
			if len(args) == 2 {
				f, err := core.open(expandHome(args[1]))
				if err != nil {
					return err
				}
				folder = f.repo.Root()
			}
			if _, err = core.chooseImage(folder, language, ref); err != nil {
				return err
			}
			fmt.Fprintf(c.out, "tests of %s run %s\n", printable(folder+language, 4096), map[bool]string{true: "with this machine's toolchains", false: "in " + printable(ref, 300)}[ref == ""])
			return nil
		},
	}
	cmd.Flags().StringVar(&language, "language", "", "choose it for `LANGUAGE`: python, go, javascript, java, rust, ruby, php, c, cpp")
	return cmd
}
