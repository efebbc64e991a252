package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"redgreen/backend/lang"
)

// How often people make each kind of edit when they fix a bug is counted over histories: for each small fix of one place,
// whether one of the built-in engine's edits gives the new text from the old one, and how many edits of each kind it would
// have had to try there. The quotient is what the engine ranks kinds by.

// PriorOptions say what is counted.
type PriorOptions struct {
	Clone string // a clone with its full history
	Name  string // what it is called in the sources
	Most  int    // the most fixes, newest first; 0 all
	// Explain names the kind of the edit that turns one text of a file into another, "" none, and counts the edits at that
	// place by kind; nil made: it is not counted.
	Explain func(path, before, after string) (kind string, made map[string]int)
}

// Priors are counts over some histories.
type Priors struct {
	Sources []PriorSource         `json:"sources"`
	Kinds   map[string]PriorCount `json:"kinds"`
}

// PriorSource is one history: how many small fixes were looked at, and how many of them one edit makes.
type PriorSource struct {
	Repository string `json:"repository"`
	Head       string `json:"head"` // the newest commit that was looked at
	Fixes      int    `json:"fixes"`
	Explained  int    `json:"explained"`
}

// PriorCount is of one kind: in how many fixes it was the edit, and how many edits of it were made at the places of all.
type PriorCount struct {
	Right int `json:"right"`
	Made  int `json:"made"`
}

// The bounds of a fix that is counted.
const (
	maxPriorLines = 6       // added and removed
	maxPriorFile  = 200_000 // bytes
)

// Count adds the small fixes of one history.
func (p *Priors) Count(ctx context.Context, o PriorOptions) (err error) {
	c, err := openClone(ctx, o.Clone)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	source := PriorSource{Repository: o.Name}
	if p.Kinds == nil {
		p.Kinds = map[string]PriorCount{}
	}
	err = c.history(ctx, func(one commit) error {
		if source.Head == "" {
			source.Head = one.id
		}
		t, ok := smallFix(one)
		if !ok {
			return nil
		}
		before, err := c.object(one.parent + ":" + t.path)
		if err == nil {
			var after []byte
			if after, err = c.object(one.id + ":" + t.path); err == nil && len(before) < maxPriorFile {
				source.add(p, o, t.path, string(before), string(after))
			}
		}
		if errors.Is(err, errMissing) {
			return nil
		}
		if err == nil && o.Most > 0 && source.Fixes >= o.Most {
			err = errEnough
		}
		return err
	})
	if err != nil && (ctx.Err() != nil || source.Fixes == 0) { // a clone may lack old objects: what it has counts
		return fmt.Errorf("counting the fixes of %s: %w", o.Name, err)
	}
	p.Sources = append(p.Sources, source)
	return nil
}

func (s *PriorSource) add(p *Priors, o PriorOptions, path, before, after string) {
	kind, made := o.Explain(path, before, after)
	if made == nil {
		return
	}
	s.Fixes++
	if kind == "" {
		return
	}
	s.Explained++
	for k, n := range made {
		c := p.Kinds[k]
		c.Made += n
		if k == kind {
			c.Right++
		}
		p.Kinds[k] = c
	}
}

// smallFix is the one source file of a commit whose first line speaks of a fix and that changes a few lines of one place.
func smallFix(one commit) (touched, bool) {
	title, _, _ := strings.Cut(one.message, "\n")
	if !fixWord.MatchString(title) {
		return touched{}, false
	}
	var found []touched
	for _, t := range one.files {
		l, ok := lang.ByPath(t.path)
		if !ok || l.Data || isTestPath(l, t.path) {
			continue
		}
		found = append(found, t)
	}
	if len(found) != 1 || len(found[0].at) != 1 || found[0].created || found[0].gone || found[0].added+found[0].removed > maxPriorLines {
		return touched{}, false
	}
	return found[0], true
}
