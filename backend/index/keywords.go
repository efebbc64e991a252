package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	bleveindex "github.com/blevesearch/bleve_index_api"
)

// field is one field of a keyword document. Terms come to bleve already cut and counted (vocabulary.go); bleve keeps the
// postings.
type field int

const (
	fieldName  field = iota // parts of the name, and the name itself
	fieldScope              // parts of the qualified name before the name
	fieldPath               // parts of the path
	fieldIdent              // whole identifiers of several parts, as they stand
	fieldCode               // parts of all words of the text
	fieldProse              // stems of comments and documentation
	numFields
)

// String is the field's name in bleve.
func (f field) String() string { return [numFields]string{"n", "q", "p", "i", "c", "d"}[f] }

// document is a chunk as the keyword index sees it.
type document [numFields]terms

// terms are what one field of a document says, and how many words that are.
type terms struct {
	length int
	counts []count
}

// count is one term with how often it is said.
type count struct {
	term term
	n    int32
}

// keywordBatch are documents on their way to bleve, in order of place.
//
// bleve takes a batch in no order, but looks up each term of each document in turn, and chunks of one file say the same
// words: so a document becomes the next in order at the moment when bleve puts it into its list, which is when it asks for the
// size. It wants a field as a map, twice; the maps are filled when it asks, one of each field and size again and again. Made
// ahead for all documents they were most of what an update held in memory.
type keywordBatch struct {
	docs  []*keywordDoc
	taken int
	maps  [numFields + 1][32]scratch
}

// scratch is a map that is filled again and again, with room for what it points to.
type scratch struct {
	freqs bleveindex.TokenFrequencies
	room  []bleveindex.TokenFreq
	of    *count // the first of what is in it: a path's terms are those of the file's next chunk too
}

// add takes a document whose terms are numbers of texts.
func (b *keywordBatch) add(id int64, d document, texts []string) *keywordDoc {
	doc := &keywordDoc{batch: b, id: docID(id), terms: d, texts: texts}
	b.docs = append(b.docs, doc)
	return doc
}

// frequencies are the terms of a field as bleve wants them, until it asks for those of another document. It reads the keys and
// the counts.
func (b *keywordBatch) frequencies(f field, counts []count, texts []string) bleveindex.TokenFrequencies {
	size := bits.Len(uint(len(counts)))
	s := &b.maps[f][size]
	if s.freqs == nil {
		s.freqs, s.room = make(bleveindex.TokenFrequencies, 1<<size), make([]bleveindex.TokenFreq, 1<<size)
	}
	if s.of == &counts[0] {
		return s.freqs
	}
	s.of = &counts[0]
	clear(s.freqs)
	for i, c := range counts {
		s.room[i].SetFrequency(int(c.n))
		s.freqs[texts[c.term]] = &s.room[i]
	}
	return s.freqs
}

// keywordDoc is a document that is all cut, so that bleve has nothing left to analyse.
type keywordDoc struct {
	batch *keywordBatch
	id    string
	terms document
	texts []string    // of the terms
	as    *keywordDoc // the document that it stands for in bleve's list
}

var _ bleveindex.Document = (*keywordDoc)(nil)

func (d *keywordDoc) ID() string                                      { return d.id }
func (d *keywordDoc) VisitComposite(bleveindex.CompositeFieldVisitor) {}
func (d *keywordDoc) HasComposite() bool                              { return false }
func (d *keywordDoc) NumPlainTextBytes() uint64                       { return 0 }
func (d *keywordDoc) AddIDField()                                     {}
func (d *keywordDoc) StoredFieldsBytes() uint64                       { return uint64(len(d.id)) }
func (d *keywordDoc) Indexed() bool                                   { return true }

func (d *keywordDoc) Size() int {
	if d.as == nil {
		d.as = d.batch.docs[d.batch.taken]
		d.batch.taken++
	}
	return 100
}

// VisitFields gives the id and the fields that have terms; before bleve has a list there are none.
func (d *keywordDoc) VisitFields(visit bleveindex.FieldVisitor) {
	if d.as == nil {
		return
	}
	f := &cutField{batch: d.batch, doc: d.as, field: numFields, terms: terms{length: 1, counts: []count{{0, 1}}}, texts: []string{d.as.id}} // its own: bleve visits others within a visit
	visit(f)
	for i, t := range d.as.terms {
		if len(t.counts) > 0 {
			f.field, f.terms, f.texts = field(i), t, d.as.texts
			visit(f)
		}
	}
}

// cutField is a field of a document; numFields is its id.
type cutField struct {
	batch *keywordBatch
	doc   *keywordDoc
	field field
	terms terms
	texts []string
}

var _ bleveindex.Field = (*cutField)(nil)

func (f *cutField) Name() string {
	if f.field == numFields {
		return "_id"
	}
	return f.field.String()
}

func (f *cutField) Options() bleveindex.FieldIndexingOptions {
	if f.field == numFields {
		return bleveindex.IndexField | bleveindex.StoreField
	}
	return bleveindex.IndexField
}

func (f *cutField) Value() []byte {
	if f.field == numFields {
		return []byte(f.doc.id)
	}
	return nil
}

func (f *cutField) ArrayPositions() []uint64  { return nil }
func (f *cutField) Analyze()                  {}
func (f *cutField) NumPlainTextBytes() uint64 { return 0 }
func (f *cutField) EncodedFieldType() byte    { return 't' }
func (f *cutField) AnalyzedLength() int       { return f.terms.length }
func (f *cutField) AnalyzedTokenFrequencies() bleveindex.TokenFrequencies {
	return f.batch.frequencies(f.field, f.terms.counts, f.texts)
}

// errDamaged is a keyword index that cannot be opened or does not fit the database.
var errDamaged = errors.New("damaged index")

func openKeywords(dir string, readOnly bool) (ix bleve.Index, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // a file cut short faults where it is mapped
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
		ix, err := bleve.NewUsing(path, bleve.NewIndexMapping(), scorch.Name, scorch.Name, nil)
		if err != nil {
			return nil, fmt.Errorf("creating the keyword index: %w", err)
		}
		return ix, nil
	}
	return nil, fmt.Errorf("%w: keyword index: %v", errDamaged, err)
}

// segmentFiles lists the segments. It is called before bleve opens them: from then on it merges some into files that are not
// whole yet.
func segmentFiles(dir string) ([]string, error) {
	return filepath.Glob(filepath.Join(dir, keywordsDir, "store", "*.zap"))
}

// checkSegments reads segments and compares each with the checksum at its end, which bleve writes and does not read:
// a segment with a flipped bit answers, but wrongly. One that is gone was merged into another.
func checkSegments(segments []string) error {
	for _, name := range segments {
		if err := checkSegment(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func checkSegment(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	var want [crc32.Size]byte
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, io.LimitReader(f, fi.Size()-crc32.Size)); err != nil {
		return err
	}
	if _, err := io.ReadFull(f, want[:]); err != nil || sum.Sum32() != binary.BigEndian.Uint32(want[:]) {
		return fmt.Errorf("%w: a segment of the keyword index has another checksum", errDamaged)
	}
	return nil
}

// closePatience is how long closing may take: where the file that lists the segments is damaged, bolt can hold its own
// lock for ever.
const closePatience = 10 * time.Second

func closeKeywords(kw bleve.Index) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("%w: keyword index: %v", errDamaged, p)
			}
		}()
		done <- kw.Close()
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(closePatience):
		return fmt.Errorf("%w: the keyword index does not close", errDamaged)
	}
}

// addKeywords makes the keyword index follow a batch that the store has written, and returns when it is on disk.
func addKeywords(kw bleve.Index, batch []change, gone []int64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: keyword index: %v", errDamaged, p)
		}
	}()
	adv, err := kw.Advanced()
	if err != nil {
		return fmt.Errorf("writing the keyword index: %w", err)
	}
	b, docs := bleveindex.NewBatch(), &keywordBatch{}
	for _, id := range gone {
		b.Delete(docID(id))
	}
	for _, c := range batch {
		for i, ch := range c.chunks {
			b.Update(docs.add(ch.ID, c.docs[i], c.texts))
		}
	}
	if len(b.IndexOps) == 0 {
		return nil
	}
	if err := adv.Batch(b); err != nil {
		return fmt.Errorf("writing the keyword index: %w", err)
	}
	return nil
}

func docID(id int64) string { return strconv.FormatInt(id, 10) }
