package exchange

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"

	"redgreen/backend/session"
)

// The page's frame and its look. The look is the one style that the page's policy lets a browser use, known by its hash.
var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle string
)

// pagePolicy forbids the page everything but its own style and the pictures within it: whatever a hostile text might get past the escaping has
// nothing to run, load or send with.
func pagePolicy() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

// renderHTML draws the story as one page: no script, no network, folds by <details>, light and dark as the reader's system
// is. html/template escapes every text by where it stands.
func renderHTML(w io.Writer, events []session.Event, source string, body bodies) error {
	t, err := tell(events, source, body)
	if err != nil {
		return err
	}
	page, err := template.New("page").Funcs(template.FuncMap{
		"places": places,
		"prose":  prose,
		"lines":  func(s string) []string { return strings.Split(strings.TrimSpace(s), "\n") },
		"size":   func(s string) string { return plural(strings.Count(strings.TrimSpace(s), "\n")+1, "line") },
		"short": func(hash string) string {
			if len(hash) > 40 && !strings.Contains(hash, " ") {
				return hash[:12]
			}
			return hash
		},
	}).Parse(pageText)
	if err != nil {
		return err
	}
	return page.Execute(w, struct {
		story
		Policy string
		Style  template.CSS
	}{t, pagePolicy(), template.CSS(pageStyle)})
}
