package index

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"slices"
)

// The trigram index says which files hold three given bytes in a row, so that an exact text or an expression has to be
// looked for in few files only. Source: Russ Cox, "Regular Expression Matching with a Trigram Index", 2012.
//
// It lies in the database, so that it is never of another state than the files: a segment is written once for some
// thousand files, one row for the trigrams that share their first two bytes. A file that changes gets a new id, so the
// old postings just lead nowhere. Files without a segment are always looked at; they become one when they are many.
const (
	// segmentPairs is how many postings are sorted in memory at a time, 8 bytes each.
	segmentPairs = 3 << 20
	// pendingFiles and pendingBytes are what may be without a segment: reading that much takes about 3 ms.
	pendingFiles = 64
	pendingBytes = 1 << 20
	// maxSmall is how many segments may be small (less than a quarter of a full one) or mostly dead before they are made
	// one.
	maxSmall = 16
	// segmentBits bounds the number of a segment, which with the first two bytes is the key of a row: a new segment is
	// written behind the others, so that pages are full.
	segmentBits = 20
)

// pending are files without a segment.
type pending struct{ files, bytes int64 }

// many reports that they are worth a segment.
func (p pending) many() bool { return p.files > pendingFiles || p.bytes > pendingBytes }

// gramSet collects the trigrams of texts, each once a text. It is for one goroutine.
type gramSet struct{ seen []uint64 }

func newGramSet() *gramSet { return &gramSet{make([]uint64, 1<<24/64)} }

// of lists the different trigrams of a text in order of place.
func (g *gramSet) of(text []byte) []uint32 {
	if len(text) < 3 {
		return nil
	}
	out := make([]uint32, 0, 256+len(text)/8)
	t := uint32(text[0])<<8 | uint32(text[1])
	for _, b := range text[2:] {
		t = (t<<8 | uint32(b)) & (1<<24 - 1)
		if bit := uint64(1) << (t % 64); g.seen[t/64]&bit == 0 {
			g.seen[t/64] |= bit
			out = append(out, t)
		}
	}
	for _, t := range out {
		g.seen[t/64] = 0
	}
	return out
}

// pairs are postings on their way into a segment: the trigram in the upper half, the file's id in the lower. They come
// in order of files.
type pairs []uint64

func (p pairs) add(file int64, grams []uint32) pairs {
	for _, t := range grams {
		p = append(p, uint64(t)<<32|uint64(uint32(file)))
	}
	return p
}

// sort orders by trigram and keeps the order of files: two passes of a radix sort over 12 bits each.
func (p pairs) sort() {
	other := make(pairs, len(p))
	for _, shift := range []int{32, 44} {
		var at [1 << 12]int
		for _, x := range p {
			at[x>>shift&(1<<12-1)]++
		}
		sum := 0
		for i, n := range at {
			at[i] = sum
			sum += n
		}
		for _, x := range p {
			i := x >> shift & (1<<12 - 1)
			other[at[i]] = x
			at[i]++
		}
		p, other = other, p
	}
}

// buckets gives the rows of a segment: for each pair of first bytes a list of third byte, length, and files as
// differences.
func (p pairs) buckets(row func(first uint16, data []byte) error) error {
	p.sort()
	var data, list []byte
	for i := 0; i < len(p); {
		first := p[i] >> 40
		data = data[:0]
		for i < len(p) && p[i]>>40 == first {
			gram := p[i] >> 32
			list = list[:0]
			for last := uint32(0); i < len(p) && p[i]>>32 == gram; i++ {
				list = binary.AppendUvarint(list, uint64(uint32(p[i])-last))
				last = uint32(p[i])
			}
			data = append(data, byte(gram))
			data = binary.AppendUvarint(data, uint64(len(list)))
			data = append(data, list...)
		}
		if err := row(uint16(first), data); err != nil {
			return err
		}
	}
	return nil
}

// postings takes the files of one trigram out of a row, whose first bytes it shares.
func postings(files []uint32, data []byte, third byte) ([]uint32, error) {
	for len(data) > 0 {
		gram := data[0]
		size, n := binary.Uvarint(data[1:])
		if n <= 0 || size > uint64(len(data)-1-n) {
			return nil, fmt.Errorf("%w: a row of the trigram index", errDamaged)
		}
		list := data[1+n : 1+n+int(size)]
		data = data[1+n+int(size):]
		if gram != third {
			continue
		}
		for last := uint32(0); len(list) > 0; {
			d, n := binary.Uvarint(list)
			if n <= 0 {
				return nil, fmt.Errorf("%w: a list of the trigram index", errDamaged)
			}
			last += uint32(d)
			files, list = append(files, last), list[n:]
		}
		return files, nil
	}
	return files, nil
}

// writeSegment stores postings as a new segment of those files that have none among ids from…to.
func (s *store) writeSegment(ctx context.Context, p pairs, from, to int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := writeSegment(ctx, tx, p, from, to); err != nil {
		return fmt.Errorf("writing the trigram index: %w", err)
	}
	return tx.Commit()
}

func writeSegment(ctx context.Context, tx *sql.Tx, p pairs, from, to int64) error {
	res, err := tx.ExecContext(ctx, `INSERT INTO segments(pairs, files) SELECT ?, count(*) FROM files WHERE segment=0 AND id BETWEEN ? AND ?`, len(p), from, to)
	if err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	if id >= 1<<segmentBits {
		return fmt.Errorf("%w: too many segments", errDamaged)
	}
	st, err := tx.PrepareContext(ctx, `INSERT INTO trigrams(id, data) VALUES(?,?)`)
	if err != nil {
		return err
	}
	defer st.Close()
	rows := rowByRow(ctx)
	err = p.buckets(func(first uint16, data []byte) error {
		_, err := st.ExecContext(rows, id<<16|int64(first), data)
		return err
	})
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE files SET segment=? WHERE segment=0 AND id BETWEEN ? AND ?`, id, from, to)
	return err
}

// tidySegments makes segments of files that have none, where those are many, and one of many small or dead segments.
func (s *store) tidySegments(ctx context.Context) error {
	small, err := s.ids(ctx, `SELECT id FROM (SELECT s.id, s.pairs, s.files, count(f.id) AS live FROM segments s LEFT JOIN files f ON f.segment=s.id GROUP BY s.id)
		WHERE pairs < ? OR 2*live < files ORDER BY id`, segmentPairs/4)
	if err != nil {
		return err
	}
	if len(small) > maxSmall {
		if err := s.dropSegments(ctx, small); err != nil {
			return err
		}
	}
	var left pending
	err = s.db.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(size), 0) FROM files WHERE segment=0 AND status IN ('ok','broken')`).Scan(&left.files, &left.bytes)
	if err != nil || !left.many() {
		return err
	}
	return s.segmentPending(ctx)
}

func (s *store) dropSegments(ctx context.Context, ids []int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	list := idList(ids)
	for _, q := range []string{
		`DELETE FROM trigrams WHERE id>>16 IN (` + list + `)`,
		`DELETE FROM segments WHERE id IN (` + list + `)`,
		`UPDATE files SET segment=0 WHERE segment IN (` + list + `)`,
	} {
		if _, err := tx.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// segmentPending reads the text of files without a segment out of the database and writes segments of them.
func (s *store) segmentPending(ctx context.Context) error {
	ids, err := s.ids(ctx, `SELECT id FROM files WHERE segment=0 AND status IN ('ok','broken') ORDER BY id`)
	if err != nil {
		return err
	}
	grams := newGramSet()
	var p pairs
	from := int64(0)
	for i, id := range ids {
		text, err := s.content(ctx, id)
		if err != nil {
			return err
		}
		if p = p.add(id, grams.of(text)); len(p) >= segmentPairs || i == len(ids)-1 {
			if err := s.writeSegment(ctx, p, from, id); err != nil {
				return err
			}
			p, from = p[:0], id+1
		}
	}
	return nil
}

// gramFiles lists the files of each trigram, by id.
func (s *store) gramFiles(ctx context.Context, grams []uint32) (map[uint32][]uint32, error) {
	out := make(map[uint32][]uint32, len(grams))
	byFirst := map[uint32][]uint32{}
	for _, g := range grams {
		if _, ok := out[g]; !ok {
			out[g] = nil
			byFirst[g>>8] = append(byFirst[g>>8], g)
		}
	}
	rows, err := s.grams.QueryContext(ctx, firstBytes(grams))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var first uint32
		var data sql.RawBytes
		if err := rows.Scan(&first, &data); err != nil {
			return nil, err
		}
		for _, g := range byFirst[first] {
			if out[g], err = postings(out[g], data, byte(g)); err != nil {
				return nil, err
			}
		}
	}
	for g := range out {
		slices.Sort(out[g])
	}
	return out, rows.Err()
}

// firstBytes lists what the rows of trigrams are called by, each once, for SQLite.
func firstBytes(grams []uint32) string {
	var first []int64
	for _, g := range grams {
		first = append(first, int64(g>>8))
	}
	slices.Sort(first)
	return "[" + idList(slices.Compact(first)) + "]"
}
