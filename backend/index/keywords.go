package index

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/whitespace"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
)

// Fields of a keyword document. Texts come to bleve as terms that are already cut, one space between: the analyser is
// ours (terms.go), bleve keeps the postings.
const (
	fieldName  = "n" // parts of the name, and the name itself
	fieldScope = "q" // parts of the qualified name before the name
	fieldPath  = "p" // parts of the path
	fieldIdent = "i" // whole identifiers of several parts, as they stand
	fieldCode  = "c" // parts of all words of the text
	fieldProse = "d" // stems of comments and documentation
)

// fields lists them in the order of the len_ columns.
func fields() []string {
	return []string{fieldName, fieldScope, fieldPath, fieldIdent, fieldCode, fieldProse}
}

// document is a chunk as the keyword index sees it: terms a field.
type document map[string][]string

func (a analyser) document(ch Chunk, comments string) document {
	nameParts, nameWhole := a.code(ch.Name)
	scope, _ := a.code(strings.TrimSuffix(ch.Qualified, ch.Name))
	pathParts, pathWholes := a.code(ch.Path)
	parts, wholes := a.code(ch.Text)
	return document{
		fieldName:  append(nameParts, nameWhole...),
		fieldScope: scope,
		fieldPath:  append(pathParts, pathWholes...),
		fieldIdent: wholes,
		fieldCode:  parts,
		fieldProse: a.prose(ch.Doc + "\n" + comments),
	}
}

func (d document) bleve() map[string]any {
	out := make(map[string]any, len(d))
	for f, terms := range d {
		out[f] = strings.Join(terms, " ")
	}
	return out
}

func keywordMapping() (mapping.IndexMapping, error) {
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("terms", map[string]any{"type": custom.Name, "tokenizer": whitespace.Name}); err != nil {
		return nil, err
	}
	m.DefaultAnalyzer = "terms"
	doc := bleve.NewDocumentStaticMapping()
	for _, name := range fields() {
		f := bleve.NewTextFieldMapping()
		f.Analyzer, f.Store, f.IncludeInAll, f.IncludeTermVectors, f.DocValues = "terms", false, false, false, false
		doc.AddFieldMappingsAt(name, f)
	}
	m.DefaultMapping = doc
	return m, nil
}

// errDamaged is a keyword index that cannot be opened or does not fit the database.
var errDamaged = errors.New("damaged index")

func openKeywords(dir string, readOnly bool) (ix bleve.Index, err error) {
	defer func() {
		if p := recover(); p != nil { // a segment that was cut short can panic while it is mapped
			ix, err = nil, fmt.Errorf("%w: keyword index: %v", errDamaged, p)
		}
	}()
	path := filepath.Join(dir, keywordsDir)
	ix, err = bleve.OpenUsing(path, map[string]any{"read_only": readOnly, "bolt_timeout": "2s"})
	switch {
	case err == nil:
		return ix, nil
	case errors.Is(err, bleve.ErrorIndexPathDoesNotExist) && !readOnly:
		m, err := keywordMapping()
		if err != nil {
			return nil, fmt.Errorf("describing the keyword index: %w", err)
		}
		ix, err := bleve.NewUsing(path, m, scorch.Name, scorch.Name, nil)
		if err != nil {
			return nil, fmt.Errorf("creating the keyword index: %w", err)
		}
		return ix, nil
	}
	return nil, fmt.Errorf("%w: keyword index: %v", errDamaged, err)
}

// addKeywords makes the keyword index follow a batch that the store has written, and returns when it is on disk.
func addKeywords(kw bleve.Index, batch []change, gone []int64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: keyword index: %v", errDamaged, p)
		}
	}()
	b := kw.NewBatch()
	for _, id := range gone {
		b.Delete(docID(id))
	}
	for _, c := range batch {
		for i, ch := range c.chunks {
			if err := b.Index(docID(ch.ID), c.docs[i].bleve()); err != nil {
				return fmt.Errorf("indexing %s: %w", c.path, err)
			}
		}
	}
	if b.Size() == 0 {
		return nil
	}
	if err := kw.Batch(b); err != nil {
		return fmt.Errorf("writing the keyword index: %w", err)
	}
	return nil
}

func docID(id int64) string { return strconv.FormatInt(id, 10) }
