package app

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"redgreen/backend/model"
	"redgreen/backend/repair"
	"redgreen/backend/repo"
)

// GuideChoice is what a person decided on what a folder's repository says to agents.
type GuideChoice struct {
	Seen string `json:"seen"`          // repo.HashGuides of what they were shown last
	Off  bool   `json:"off,omitempty"` // it is not given to the model
}

// Guides are what a folder's repository says to agents, for the page.
type Guides struct {
	Files []Guide `json:"files"`
	Hash  string  `json:"hash"` // goes back with the task, as the proof that they were shown
	Seen  bool    `json:"seen"` // as they are
	Off   bool    `json:"off"`
}

// Guide is one such file, cleaned for a person's eyes.
type Guide struct {
	Path string `json:"path"` // from the folder: AGENTS.md, ../CLAUDE.md
	Text string `json:"text"`
}

// guides reads a folder's guides with what the person decided on them.
func (c *core) guides(r *repo.Repo) (Guides, error) {
	all, err := r.Guides()
	if err != nil {
		return Guides{}, err
	}
	chosen := c.current().Guides[r.Root()]
	g := Guides{Files: []Guide{}, Hash: repo.HashGuides(all), Off: chosen.Off}
	g.Seen = g.Hash == "" || g.Hash == chosen.Seen
	for _, f := range all {
		g.Files = append(g.Files, Guide{Path: f.Path, Text: visible(strings.TrimSpace(f.Text))})
	}
	return g, nil
}

// chooseGuides keeps that the person saw a folder's guides, and whether they are given to the model.
func (c *core) chooseGuides(root, hash string, off bool) error {
	if now := c.current().Guides[root]; now == (GuideChoice{hash, off}) || hash == "" {
		return nil
	}
	_, err := c.change(func(s Settings) Settings {
		s.Guides = maps.Clone(s.Guides)
		if s.Guides == nil {
			s.Guides = map[string]GuideChoice{}
		}
		s.Guides[root] = GuideChoice{Seen: hash, Off: off}
		return s
	})
	return err
}

// shownGuides holds a task against the rule that a person sees what the repository says before a model does: hash is of what
// they were shown. It gives the hash that the task is held to, and whether the guides are left out. The built-in engine reads
// none, so nobody is asked for it, and a fork of its session with another model has none either.
func (c *core) shownGuides(r *repo.Repo, m model.Model, hash string) (shown string, off bool, err error) {
	if m.Ref() == repair.Ref {
		return "", true, nil
	}
	g, err := c.guides(r)
	if err != nil || g.Hash == "" {
		return "", false, err
	}
	if !g.Seen && !g.Off && hash != g.Hash {
		return "", false, fail(Conflict, fmt.Sprintf("%s would be given to the model and was not shown to you as it is now; open the folder again and look at it, or leave it out", g.names()))
	}
	return g.Hash, g.Off, c.chooseGuides(r.Root(), g.Hash, g.Off)
}

func (g Guides) names() string {
	var names []string
	for _, f := range g.Files {
		names = append(names, f.Path)
	}
	return strings.Join(names, ", ")
}

// Guides reads what a folder's repository says to agents, as it is now.
func (a *App) Guides(path string) (Guides, error) {
	return guard(a.h, func() (Guides, error) {
		f, err := a.h.core.open(expandHome(path))
		if err != nil {
			return Guides{}, err
		}
		return a.h.core.guides(f.repo)
	})
}

// ChooseGuides keeps for a folder whether what its repository says to agents is given to the model, and that the person saw
// it: hash is of what they saw.
func (a *App) ChooseGuides(path, hash string, use bool) (Guides, error) {
	return guard(a.h, func() (Guides, error) {
		f, err := a.h.core.open(expandHome(path))
		if err != nil {
			return Guides{}, err
		}
		if err := a.h.core.chooseGuides(f.repo.Root(), hash, !use); err != nil {
			return Guides{}, err
		}
		return a.h.core.guides(f.repo)
	})
}

// guideLines is how much of a guide a terminal shows before the first use, and guideWidth of a line of it, in characters.
const guideLines, guideWidth = 20, 400

// showGuides shows what the repository says to agents before the first model sees it, and asks where there is somebody to
// ask. It gives the hash that the task is held to, and whether the guides are left out of it.
func (c *command) showGuides(ctx context.Context, core *core, r *repo.Repo, m model.Model, without bool) (shown string, off bool, err error) {
	g, err := core.guides(r)
	if err != nil || g.Hash == "" || m.Ref() == repair.Ref {
		return "", without || m.Ref() == repair.Ref, err
	}
	if without || g.Off || g.Seen {
		return g.Hash, without || g.Off, nil
	}
	for _, f := range g.Files {
		lines := strings.Split(f.Text, "\n")
		fmt.Fprintf(c.err, "%s speaks to the model:\n", f.Path)
		for _, line := range lines[:min(len(lines), guideLines)] {
			fmt.Fprintf(c.err, "  │ %s\n", printable(line, guideWidth))
		}
		if n := len(lines) - guideLines; n > 0 {
			fmt.Fprintf(c.err, "  │ … and %d more lines\n", n)
		}
	}
	fmt.Fprintln(c.err, "It is given as data about this repository and can widen nothing that the model may do. (--no-guides leaves it out.)")
	if c.tty && !c.yes(ctx, "Give it to the model? [Y/n] ", true) {
		return "", true, ctx.Err()
	}
	if !c.tty { // perhaps nobody read it
		return g.Hash, false, nil
	}
	return g.Hash, false, core.chooseGuides(r.Root(), g.Hash, false)
}
