package session

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"redgreen/backend/patch"
)

// textMost is the most bytes of one event that can be found; what a model is given is cut far below it.
const textMost = 256 << 10

// textOf is what of an event's data can be found: what was said, read and changed, and how tests ended. "" nothing.
func textOf(data any) string {
	var parts []string
	add := func(more ...string) { parts = append(parts, more...) }
	switch d := data.(type) {
	case Started:
		add(d.Task, d.Folder)
	case Message:
		add(d.Text)
	case Question:
		add(d.Text)
	case Criteria:
		for _, c := range d.Items {
			add(c.Text)
		}
	case ModelReplied:
		add(d.Message.Text, d.Message.Thinking)
		for _, c := range d.Message.Calls {
			add(argText(c.Args))
		}
	case ToolFinished:
		add(d.Summary, d.Text)
	case TestsFinished:
		add(testText(d.Run))
	case ProofFinished:
		add(d.State, testText(d.Run))
	case PatchChanged:
		text, _ := Redact(patchText(d.Patch)) // the patch itself is kept byte-exact
		add(text)
	case ReviewAsked:
		add(d.Summary, d.Label, d.Doubt)
	case ReviewAnswered:
		add(d.Comment)
	case LimitReached:
		add(d.Message)
	case ModelFailed:
		add(d.Message)
	case Failed:
		add(d.Message)
	case Finished:
		add(d.Message)
	}
	text := strings.Join(parts, "\n")
	if len(text) > textMost {
		text = strings.ToValidUTF8(text[:textMost], "")
	}
	return strings.TrimSpace(text)
}

// argText is the strings of a call's arguments, without JSON's escapes, which would run into words.
func argText(args string) string {
	var v any
	if json.Unmarshal([]byte(args), &v) != nil {
		return args
	}
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(v)
	return b.String()
}

func testText(r Run) string {
	var b strings.Builder
	for _, t := range r.Tests {
		if t.Status == "failed" || t.Status == "error" {
			b.WriteString(t.ID + "\n" + t.Message + "\n")
		}
	}
	return b.String()
}

func patchText(p patch.Patch) string {
	var b strings.Builder
	for _, f := range p.Files {
		b.WriteString(f.Path + "\n")
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op != patch.Context {
					b.WriteString(l.Text)
				}
			}
		}
	}
	return b.String()
}

// bodyHash finds the hashes of bodies in an event; a hash of something else that looks like one does no harm.
var bodyHash = regexp.MustCompile(`"([0-9a-f]{64})"`)

// noted is what is kept beside an event: its words, "" none, and the bodies that it names.
type noted struct {
	text   string
	bodies []string
}

// notes makes what is kept beside an event, which has data (nil of a newer version: it is kept and not found).
func notes(e Event, data any) noted {
	n := noted{text: textOf(data)}
	for _, m := range bodyHash.FindAllSubmatch(e.Data, -1) {
		n.bodies = append(n.bodies, string(m[1]))
	}
	return n
}

// note makes an event findable and says which bodies it names; part of the transaction that stores it.
func note(tx *sql.Tx, key, seq int64, n noted) error {
	for _, hash := range n.bodies {
		if _, err := tx.Exec(`INSERT INTO uses (session, hash) VALUES (?, ?) ON CONFLICT DO NOTHING`, key, hash); err != nil {
			return err
		}
	}
	if n.text == "" {
		return nil
	}
	res, err := tx.Exec(`INSERT INTO texts (session, seq) VALUES (?, ?)`, key, seq)
	if err != nil {
		return err
	}
	docid, err := res.LastInsertId()
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO found (docid, text) VALUES (?, ?)`, docid, n.text)
	return err
}

// reindex notes all events of a store that was made before there was a full-text search.
func reindex(tx *sql.Tx) error {
	for key, seq := int64(0), int64(0); ; {
		rows, err := tx.Query(`SELECT session, seq, time, kind, data FROM events WHERE (session, seq) > (?, ?) ORDER BY session, seq LIMIT 500`, key, seq)
		if err != nil {
			return err
		}
		type one struct {
			key int64
			e   Event
		}
		var page []one
		for rows.Next() {
			var o one
			var at int64
			var data string
			if err := rows.Scan(&o.key, &o.e.Seq, &at, &o.e.Kind, &data); err != nil {
				rows.Close()
				return err
			}
			o.e.Time, o.e.Data = time.Unix(0, at).UTC(), json.RawMessage(data)
			page = append(page, o)
		}
		if err := rows.Close(); err != nil {
			return err
		}
		for _, o := range page {
			data, _ := Decode(o.e) // what cannot be read is not found
			if err := note(tx, o.key, o.e.Seq, notes(o.e, data)); err != nil {
				return err
			}
			key, seq = o.key, o.e.Seq
		}
		if len(page) == 0 {
			return rows.Err()
		}
	}
}

// word is one part of a query.
type word struct {
	text   string // one word, or a phrase
	phrase bool
	not    bool
}

// wordsOf splits a query into words, "phrases in quotes", and -words that must not occur.
func wordsOf(query string) []word {
	var out []word
	for query = strings.TrimSpace(query); query != ""; query = strings.TrimSpace(query) {
		var w word
		if rest, ok := strings.CutPrefix(query, "-"); ok && rest != "" && rest[0] != ' ' {
			w.not, query = true, rest
		}
		if rest, ok := strings.CutPrefix(query, `"`); ok {
			w.phrase = true
			w.text, query, _ = strings.Cut(rest, `"`)
		} else {
			end := strings.IndexFunc(query, func(r rune) bool {
				return r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u00a0'
			})
			if end < 0 {
				end = len(query)
			}
			w.text, query = query[:end], query[end:]
		}
		if strings.TrimSpace(w.text) != "" {
			out = append(out, w)
		}
	}
	return out
}

// match is the word in FTS4's own query language: in quotes, where nothing but a star has a meaning; "" where no letter or
// digit is in it, which FTS4 could not find.
func (w word) match() string {
	if !strings.ContainsFunc(w.text, isWordRune) {
		return ""
	}
	text := strings.NewReplacer(`"`, " ", `*`, " ", "\x00", " ").Replace(w.text)
	if w.phrase {
		return `"` + text + `"`
	}
	return `"` + strings.TrimRightFunc(text, func(r rune) bool { return !isWordRune(r) }) + `*"`
}

func isWordRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127
}

// where is the word as a condition on sessions, "" where there is nothing in it to find.
func (w word) where() (string, []any) {
	m := w.match()
	if m == "" {
		return "", nil
	}
	like := "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(w.text) + "%"
	cond := `task LIKE ? ESCAPE '\' OR folder LIKE ? ESCAPE '\' OR name LIKE ? ESCAPE '\'
		OR key IN (SELECT session FROM texts WHERE docid IN (SELECT docid FROM found WHERE found MATCH ?))`
	args := []any{like, like, like, m}
	if w.not {
		return "NOT (" + cond + ")", args
	}
	return "(" + cond + ")", args
}

// Hit is an event that holds words of a query. Snippet is its text around them, each in «».
type Hit struct {
	Session string `json:"session"`
	Seq     int64  `json:"seq"`
	Kind    Kind   `json:"kind"`
	Snippet string `json:"snippet"`
}

// Hits gives the first events of a session, at most limit, that hold all words of a query or, where none does, any of them.
func (s *Store) Hits(ctx context.Context, id, query string, limit int) ([]Hit, error) {
	var all []string
	for _, w := range wordsOf(query) {
		if m := w.match(); m != "" && !w.not {
			all = append(all, m)
		}
	}
	for _, match := range []string{strings.Join(all, " AND "), strings.Join(all, " OR ")} {
		if match == "" {
			return nil, nil
		}
		hits, err := s.hits(ctx, id, match, limit)
		if err != nil || len(hits) > 0 {
			return hits, err
		}
	}
	return nil, nil
}

func (s *Store) hits(ctx context.Context, id, match string, limit int) (hits []Hit, err error) {
	// The first hits by the index of words alone, then the text around them: one query for both looks at every event.
	rows, err := s.read.QueryContext(ctx, `SELECT h.seq, e.kind, snippet(found, '«', '»', '…', -1, 24) FROM
		(SELECT t.docid, t.session, t.seq FROM texts t WHERE t.session = (SELECT key FROM sessions WHERE id = ?)
			AND t.docid IN (SELECT docid FROM found WHERE found MATCH ?) ORDER BY t.seq LIMIT ?) h
		CROSS JOIN found ON found.docid = h.docid JOIN events e ON e.session = h.session AND e.seq = h.seq
		WHERE found MATCH ? ORDER BY h.seq`, id, match, limit, match)
	if err != nil {
		return nil, fmt.Errorf("searching session %s: %w", id, explain(s.path, err))
	}
	defer rows.Close()
	for rows.Next() {
		h := Hit{Session: id}
		if err := rows.Scan(&h.Seq, &h.Kind, &h.Snippet); err != nil {
			return nil, fmt.Errorf("searching session %s: %w", id, explain(s.path, err))
		}
		h.Snippet = strings.Join(strings.Fields(h.Snippet), " ")
		hits = append(hits, h)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("searching session %s: %w", id, explain(s.path, err))
	}
	return hits, nil
}
