package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// knownVectors gives those of the chunks that have a vector.
func (s *store) knownVectors(ctx context.Context, chunks []Chunk) (map[Hash][]byte, error) {
	out := map[Hash][]byte{}
	st, err := s.db.PrepareContext(ctx, `SELECT vector FROM vectors WHERE hash=?`)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	for _, ch := range chunks {
		var packed []byte
		switch err := st.QueryRowContext(ctx, ch.Hash[:]).Scan(&packed); {
		case err == nil:
			out[ch.Hash] = packed
		case !errors.Is(err, sql.ErrNoRows):
			return nil, err
		}
	}
	return out, nil
}

func (s *store) keepVectors(ctx context.Context, chunks []Chunk, packed map[Hash][]byte) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	st, err := tx.PrepareContext(ctx, `INSERT OR REPLACE INTO vectors VALUES(?,?)`)
	if err != nil {
		return err
	}
	defer st.Close()
	for _, ch := range chunks {
		if _, err := st.ExecContext(ctx, ch.Hash[:], packed[ch.Hash]); err != nil {
			return fmt.Errorf("storing a vector: %w", err)
		}
	}
	return tx.Commit()
}

// ownVectors throws the vectors of another embedder away. It reports whether there are or may be chunks without one; the files of
// those are read again where the embedder is a Local.
func (ix *Index) ownVectors(ctx context.Context) (missing bool, err error) {
	ix.vectors.failed = nil
	if e := ix.options.Embedder; e != nil {
		if err := ix.forgetOthers(ctx, fmt.Sprintf("%s %d", e.Name(), e.Dim())); err != nil {
			return false, err
		}
	}
	missing, err = ix.store.unembedded(ctx)
	if missing && ix.options.local() != nil {
		err = ix.store.withoutVectors(ctx)
	}
	return missing, err
}

// forgetOthers throws the vectors away if they are not of the embedder with this name.
func (ix *Index) forgetOthers(ctx context.Context, name string) error {
	var have string
	err := ix.store.db.QueryRowContext(ctx, `SELECT value FROM meta WHERE key='embedder'`).Scan(&have)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if have == name {
		return nil
	}
	tx, err := ix.store.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `DELETE FROM vectors; DELETE FROM file_vectors`); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO meta VALUES('embedder', ?), ('unembedded', '')`, name); err != nil {
		return err
	}
	err = tx.Commit()
	ix.vectors.forget() // only now: they may be loaded at any time
	return err
}

// unembedded reports a note that chunks may be without a vector. Looking for them takes longer than all else that is done where
// little changed.
func (s *store) unembedded(ctx context.Context) (noted bool, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM meta WHERE key='unembedded'`).Scan(&noted)
	return noted, err
}

// noteUnembedded makes or takes back the note.
func (s *store) noteUnembedded(ctx context.Context, may bool) (err error) {
	query := `DELETE FROM meta WHERE key='unembedded'`
	if may {
		query = `INSERT OR IGNORE INTO meta VALUES('unembedded', '')`
	}
	_, err = s.db.ExecContext(ctx, query)
	return err
}

// withoutVectors makes the next comparison read again every file whose chunks came without vectors of a Local: it was not the embedder
// then.
func (s *store) withoutVectors(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, `UPDATE files SET mtime=0, sha256=NULL WHERE status IN ('ok','broken') AND id NOT IN (SELECT file_id FROM file_vectors)`)
	return err
}

// missingVectors embeds what has no vector yet: after a change of the embedder, a kill, or a failure.
func (ix *Index) missingVectors(ctx context.Context) error {
	ids, err := ix.store.ids(ctx, `SELECT c.id FROM chunks c LEFT JOIN vectors v ON v.hash=c.hash WHERE v.hash IS NULL ORDER BY c.id`)
	if err != nil {
		return err
	}
	for len(ids) > 0 && ix.vectors.failed == nil {
		n := min(len(ids), 8*vectorBatch)
		chunks, err := ix.Chunks(ctx, ids[:n])
		if err != nil {
			return err
		}
		if err := ix.addDocs(ctx, chunks); err != nil {
			return err
		}
		if err := ix.embedAll(ctx, chunks); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// forgetVectors forgets the vectors of chunks that are long gone, where they are many.
func (s *store) forgetVectors(ctx context.Context) error {
	var kept, chunks int
	if err := s.db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM vectors), chunks FROM lengths`).Scan(&kept, &chunks); err != nil {
		return err
	}
	if kept <= 2*chunks+1000 {
		return nil
	}
	_, err := s.db.ExecContext(ctx, `DELETE FROM vectors WHERE hash NOT IN (SELECT hash FROM chunks)`)
	return err
}

// addDocs gives chunks that were loaded their comments, for which it cuts their files again.
func (ix *Index) addDocs(ctx context.Context, chunks []Chunk) error {
	c := newChunker()
	defer c.close()
	path, docs := "", map[Hash]string{}
	for i := range chunks {
		ch := &chunks[i]
		if ch.Path != path {
			path = ch.Path
			clear(docs)
			src, err := ix.FileText(ctx, path)
			if err != nil {
				return err
			}
			again, err := c.file(path, src)
			if err != nil {
				continue // it was cut by an older program
			}
			for _, one := range again.chunks {
				docs[one.Hash] = one.Doc
			}
		}
		ch.Doc = docs[ch.Hash]
	}
	return nil
}
