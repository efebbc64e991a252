package tools

import (
	"cmp"
	"errors"

	"redgreen/backend/patch"
)

// Seen is a file as the model last saw it: read with read_file, or written by its own edit. A line in a search hit does
// not count.
type Seen struct {
	Path string `json:"path"`
	Hash string `json:"hash"` // patch.Hash of its whole content then
}

func (s *Set) remember(list []Seen) {
	for _, f := range list {
		s.seen[f.Path] = f.Hash
	}
}

// wrote is what the model knows after its edit: it wrote these files itself.
func wrote(p patch.Patch) []Seen {
	var list []Seen
	for _, f := range p.Files {
		if f.After != "" {
			list = append(list, Seen{f.Path, f.After})
		}
	}
	return list
}

// view is what of a file's content stands in the model's view: reads of it, by their first and last lines.
type view struct {
	hash  string
	spans [][2]int
}

// stands says that the lines of a file stand whole in one earlier result, unchanged since; it then takes them for
// unread, so that a model which asks once more gets them. Otherwise it notes that they now do.
func (s *Set) stands(f Seen, first, last int) bool {
	v := s.view[f.Path]
	if v.hash != f.Hash {
		v = view{hash: f.Hash}
	}
	for i, span := range v.spans {
		if span[0] <= first && last <= span[1] {
			v.spans = append(v.spans[:i:i], v.spans[i+1:]...)
			s.view[f.Path] = v
			return true
		}
	}
	v.spans = append(v.spans, [2]int{first, last})
	s.view[f.Path] = v
	return false
}

// Forget says that what the tools gave left the model's view: nothing of it stands for a later result.
func (s *Set) Forget() { s.view, s.red = map[string]view{}, map[string]string{} }

// unseen refuses a change of files that the model has not read, or that are not as it read them: an edit can fit by
// chance, or throw away what a test run wrote.
func (s *Set) unseen(p patch.Patch) error {
	var bad []patch.Failure
	for _, f := range p.Files {
		if f.Before == "" {
			continue // a new file
		}
		if fail := s.judgeSeen(cmp.Or(f.OldPath, f.Path), f.Before); fail != nil {
			bad = append(bad, *fail)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return &patch.Error{Failures: bad}
}

func (s *Set) judgeSeen(path, now string) *patch.Failure {
	switch then, ok := s.seen[path]; {
	case !ok:
		return &patch.Failure{Path: path, Code: patch.NotRead, Message: "the file has not been read yet; read it with read_file, then send the edit again"}
	case then != now:
		return &patch.Failure{Path: path, Code: patch.Stale,
			Message: "the file changed since you read it (a test run may have written it); read it again with read_file, then make the edit fit"}
	}
	return nil
}

// explain puts the likelier reason in the place of "no match" where the file is not as the model read it.
func (s *Set) explain(err *patch.Error) {
	for i, f := range err.Failures {
		if f.Code != patch.NoMatch {
			continue
		}
		c, readErr := s.o.Workspace.Content(f.Path)
		if readErr != nil {
			continue
		}
		if why := s.judgeSeen(f.Path, patch.Hash(c.Data)); why != nil && why.Code == patch.Stale {
			err.Failures[i].Code, err.Failures[i].Message = why.Code, why.Message+". "+f.Message
		}
	}
}

// refusal gives the failures of a refused edit, nil for any other error.
func refusal(err error) *patch.Error {
	var refused *patch.Error
	if errors.As(err, &refused) && len(refused.Failures) > 0 {
		return refused
	}
	return nil
}
