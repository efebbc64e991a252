package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/blevesearch/bleve/v2"
	blevedoc "github.com/blevesearch/bleve/v2/document"
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
	freqs  bleveindex.TokenFrequencies
}

// cutField is a field whose terms are known, so that bleve has nothing left to analyse.
type cutField struct {
	name string
	terms
}

var _ blevedoc.Field = cutField{}

func (f cutField) Name() string                                          { return f.name }
func (f cutField) ArrayPositions() []uint64                              { return nil }
func (f cutField) Options() bleveindex.FieldIndexingOptions              { return bleveindex.IndexField }
func (f cutField) Analyze()                                              {}
func (f cutField) Value() []byte                                         { return nil }
func (f cutField) NumPlainTextBytes() uint64                             { return 0 }
func (f cutField) Size() int                                             { return 120 * len(f.freqs) }
func (f cutField) EncodedFieldType() byte                                { return 't' }
func (f cutField) AnalyzedLength() int                                   { return f.length }
func (f cutField) AnalyzedTokenFrequencies() bleveindex.TokenFrequencies { return f.freqs }

func (d document) bleve(id int64) *blevedoc.Document {
	out := blevedoc.NewDocument(docID(id))
	for f, t := range d {
		if len(t.freqs) > 0 {
			out.AddField(cutField{field(f).String(), t})
		}
	}
	return out
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

// checkSegments reads the segments and compares each with the checksum at its end, which bleve writes and does not read:
// a segment with a flipped bit answers, but wrongly.
func checkSegments(dir string) error {
	segments, err := filepath.Glob(filepath.Join(dir, keywordsDir, "store", "*.zap"))
	if err != nil {
		return err
	}
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
	b := bleveindex.NewBatch()
	for _, id := range gone {
		b.Delete(docID(id))
	}
	for _, c := range batch {
		for i, ch := range c.chunks {
			b.Update(c.docs[i].bleve(ch.ID))
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
